#include "inlay/report/fuse.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "inlay/report/fused.h"
#include "inlay/report/headline.h"
#include "inlay/report/map.h"
#include "inlay/report/numbers.h"

namespace inlay::report {
namespace {

constexpr size_t kMostSteps = 24;  // of a staircase on a screen

std::string Chain(const std::vector<std::string>& nodes, const TextStyle& style) {
  return Wrap(nodes, style.unicode ? " → " : " > ", 2);
}

// Fused beside unfused.
std::string ComparisonTable(const FuseResult& result, const TextStyle& style) {
  Table table({{"", Align::kLeft},
               {"off-chip words", Align::kRight},
               {"energy", Align::kRight},
               {"cycles", Align::kRight},
               {"operations", Align::kRight},
               {"room", Align::kRight},
               {"certificate", Align::kLeft}});
  const auto row = [&](const char* name, const FuseCost& cost, int64_t room,
                       const Certificate& certificate) {
    const bool proven = certificate.status == CertificateStatus::kOptimal;
    table.AddRow({{name, Tone::kBold},
                  Grouped(cost.offchip_words, style),
                  WithPrefix(cost.energy_pj * kPj, "J", style),
                  Grouped(cost.cycles, style),
                  Grouped(cost.operations, style),
                  Grouped(room, style),
                  {CertificateText(certificate), proven ? Tone::kAccent : Tone::kWarn}});
  };
  row("fused", result.total, result.room_words, result.certificate);
  if (result.unfused) {
    row("unfused", result.unfused->cost, result.unfused->room_words, result.unfused->certificate);
  }
  table.AddRule();
  return table.Render(style);
}

std::string RunTable(const FuseResult& result, const TextStyle& style) {
  Table table({{"run", Align::kRight},
               {"nodes", Align::kLeft},
               {"off-chip words", Align::kRight},
               {"room", Align::kRight},
               {"certificate", Align::kLeft}});
  for (size_t i = 0; i < result.runs.size(); ++i) {
    const FuseRunResult& run = result.runs[i];
    std::string nodes = run.nodes.front();
    if (run.nodes.size() > 1) nodes += ".." + run.nodes.back();
    table.AddRow({std::to_string(i + 1),
                  {nodes, Tone::kBold},
                  Grouped(run.cost.offchip_words, style),
                  Grouped(run.room_words, style),
                  CertificateText(run.certificate)});
  }
  table.AddRule();
  return table.Render(style);
}

// The fewest words that a pad of this size needs; none: nothing fits.
std::optional<int64_t> WordsIn(const PadStaircase& steps, int64_t pad) {
  std::optional<int64_t> words;
  for (const auto& step : steps) {
    if (step.front() <= pad) words = step.back();
  }
  return words;
}

std::string StaircaseTable(const FuseResult& result, const TextStyle& style) {
  std::set<int64_t> all;
  for (const auto& step : *result.front) all.insert(step.front());
  for (const auto& step : *result.unfused_front) all.insert(step.front());
  const std::vector<int64_t> pads(all.begin(), all.end());
  Table table({{"pad words", Align::kRight},
               {"fused", Align::kRight},
               {"unfused", Align::kRight},
               {"saved", Align::kRight}});
  const auto row = [&](int64_t pad) {
    const auto fused = WordsIn(*result.front, pad), unfused = WordsIn(*result.unfused_front, pad);
    const auto text = [&](std::optional<int64_t> words) {
      return words ? Grouped(*words, style) : std::string(style.unicode ? "·" : ".");
    };
    std::string saved;
    if (fused && unfused && *unfused > 0) {
      saved = Percent(1 - static_cast<double>(*fused) / static_cast<double>(*unfused));
    }
    table.AddRow({Grouped(pad, style), {text(fused), Tone::kBold}, text(unfused), saved});
  };
  const size_t shown = std::min(pads.size(), kMostSteps);
  for (size_t i = 0; i < shown; ++i) {
    row(pads[shown < 2 ? 0 : i * (pads.size() - 1) / (shown - 1)]);
  }
  table.AddRule();
  std::string out = table.Render(style);
  const FuseResult& r = result;
  const auto open = std::count_if(r.front_trees->begin(), r.front_trees->end(),
                                  [](const FrontTree& step) { return !step.proven; });
  std::string note = "off-chip words by the size of the pad, ";
  note += open == 0 ? "every step proven"
                    : fmt::format("{} of {} steps not proven", open, r.front_trees->size());
  if (shown < pads.size())
    note += fmt::format("; {} of {} steps, --json has all", shown, pads.size());
  return out + Paint(note + "\n", Tone::kDim, style);
}

}  // namespace

std::string MetricText(Metric metric, double value, const TextStyle& style) {
  switch (metric) {
    case Metric::kEnergy:
      return WithPrefix(value * kPj, "J", style);
    case Metric::kDelay:
      return GroupedFixed(value, 0, style) + " cycles";
    case Metric::kEdp:
      return WithPrefix(value * kPj, style.unicode ? "J·cycle" : "J*cycle", style);
    case Metric::kOffchip:
      return GroupedFixed(value, 0, style) + " words";
  }
  return "";
}

std::string FuseSummary(const Architecture& architecture, const Objective& objective,
                        const FuseResult& result, const TextStyle& style) {
  const std::string dot = style.unicode ? " · " : ", ";
  std::vector<std::string> names;
  for (const FusedNodeResult& node : result.nodes) names.push_back(node.name);
  std::string out = Title({result.problem.empty() ? "nodes" : result.problem, "on",
                           result.architecture.empty() ? "architecture" : result.architecture},
                          style);
  out += dot + "fused for " + ToString(objective) + "\n" + Chain(names, style) + "\n";
  out += ChainLine(architecture, style) + "\n\n";
  out += TreeTable(result.tree, result.holds, style) + "\n";
  out += NodeTable(result.nodes, style) + "\n";
  if (result.runs.size() > 1) out += RunTable(result, style) + "\n";
  if (result.front) out += StaircaseTable(result, style) + "\n";
  out += ComparisonTable(result, style);
  const Level& pad = architecture.levels[LevelId(1)];
  out += Paint(fmt::format("room in words of '{}'{}\n", pad.name,
                           pad.buffering > 1 ? fmt::format(", {} times", pad.buffering) : ""),
               Tone::kDim, style);
  Table table({{"", Align::kLeft}, {"", Align::kRight}, {"", Align::kLeft}});
  const Metric metric = objective.front();
  if (result.certificate.status == CertificateStatus::kBounded) {
    table.AddRow({{"bound", Tone::kDim},
                  {MetricText(metric, result.certificate.lower_bound, style), Tone::kBold},
                  "no mapping of this space has less"});
  }
  if (result.bound_any_fusion) {
    table.AddRow({{"any fusion", Tone::kDim},
                  {MetricText(metric, *result.bound_any_fusion, style), Tone::kBold},
                  "no fused mapping of these nodes has less"});
  }
  table.AddRow({{"compulsory", Tone::kDim},
                {Grouped(result.compulsory_words, style) + " words", Tone::kBold},
                "off chip, whatever the size of the pad"});
  out += table.Render(style);
  if (result.interrupted) out += "interrupted: this is the best that was found until then\n";
  return out;
}

}  // namespace inlay::report
