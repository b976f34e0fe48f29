#include "inlay/report/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

#include "inlay/report/coverage.h"
#include "inlay/report/headline.h"
#include "inlay/report/map.h"
#include "inlay/report/numbers.h"

namespace inlay::report {
namespace {

constexpr size_t kMostRows = 8;  // of tensors

std::string Factor(double before, double after, const TextStyle& style) {
  if (!(after > 0)) return "";
  return fmt::format("{:.2f}{}", before / after, style.unicode ? "×" : "x");
}

std::string FiguresTable(const PlanResult& result, const TextStyle& style) {
  Table table({{"", Align::kLeft},
               {"latency", Align::kRight},
               {"off chip", Align::kRight},
               {"energy", Align::kRight}});
  const auto add = [&](const char* name, const PlanFigures& figures) {
    table.AddRow({name, WithPrefix(figures.latency_seconds, "s", style),
                  BytesText(static_cast<double>(figures.offchip_bytes)),
                  WithPrefix(figures.energy_pj * kPj, "J", style)});
  };
  const PlanFigures &before = result.baseline, &after = result.figures;
  add("nothing kept", before);
  if (result.fusion) add("nothing fused", result.fusion->unfused);
  add("this plan", after);
  table.AddRow({"won", Factor(before.latency_seconds, after.latency_seconds, style),
                Factor(static_cast<double>(before.offchip_bytes),
                       static_cast<double>(after.offchip_bytes), style),
                Factor(before.energy_pj, after.energy_pj, style)});
  return table.Render(style);
}

std::string MemoryTable(const PlanResult& result, const TextStyle& style) {
  if (result.memories.empty()) return "";
  Table table({{"memory", Align::kLeft},
               {"size", Align::kRight},
               {"peak", Align::kRight},
               {"", Align::kRight},
               {"at step", Align::kRight},
               {"mean", Align::kRight},
               {"residencies", Align::kRight}});
  for (const MemoryUse& memory : result.memories) {
    const auto size = static_cast<double>(memory.bytes);
    const auto peak = static_cast<double>(memory.peak_bytes);
    table.AddRow({memory.name, BytesText(size), BytesText(peak), Percent(peak / size),
                  Grouped(memory.peak_step, style), Percent(memory.mean_bytes / size),
                  Grouped(memory.residencies, style)});
  }
  return table.Render(style) + "\n";
}

// "compute 61.0 %, off chip 39.0 %".
std::string LimitsLine(const PlanResult& result) {
  std::map<std::string, double> seconds;
  double total = 0;
  for (const NamedPlan::Step& step : result.plan.steps) {
    seconds[step.figures->limited_by] += step.figures->seconds;
    total += step.figures->seconds;
  }
  if (!(total > 0)) return "";
  std::vector<std::pair<double, std::string>> parts;
  for (const auto& [name, time] : seconds) {
    const std::string what = name == kOffChipName ? "off-chip traffic"
                             : name == "dma"      ? "DMA"
                             : name == "compute"  ? "computing"
                                                  : "traffic of " + name;
    if (time > 0) parts.emplace_back(-time, what + " " + Percent(time / total));
  }
  std::sort(parts.begin(), parts.end());
  std::vector<std::string> texts;
  texts.reserve(parts.size());
  for (auto& [time, text] : parts) texts.push_back(std::move(text));
  return "time goes to " + Wrap(texts, ", ", 2) + "\n";
}

std::string TensorTable(const PlanResult& result, const TextStyle& style) {
  std::vector<const NamedPlan::Residency*> stays;
  for (const auto& residency : result.plan.residencies) stays.push_back(&residency);
  if (stays.empty()) return "no tensor is kept on chip\n";
  const auto weight = [](const NamedPlan::Residency* r) {
    return static_cast<double>(r->bytes) * static_cast<double>(r->to - r->from);
  };
  std::stable_sort(stays.begin(), stays.end(),
                   [&](const auto* a, const auto* b) { return weight(a) > weight(b); });
  Table table({{"kept on chip", Align::kLeft},
               {"memory", Align::kLeft},
               {"address", Align::kRight},
               {"bytes", Align::kRight},
               {"steps", Align::kRight}});
  for (size_t i = 0; i < std::min(stays.size(), kMostRows); ++i) {
    const NamedPlan::Residency& r = *stays[i];
    const std::string steps =
        r.to - r.from == 1 ? fmt::format("{}", r.from)
                           : fmt::format("{}{}{}", r.from, style.unicode ? "–" : "-", r.to - 1);
    table.AddRow({r.tensor, r.memory, Grouped(r.address, style), Grouped(r.bytes, style), steps});
  }
  std::string out = table.Render(style);
  if (stays.size() > kMostRows) {
    out += Paint(fmt::format("and {} more, in plan.json with -o\n", stays.size() - kMostRows),
                 Tone::kDim, style);
  }
  return out;
}

std::string TooLargeLine(const PlanResult& result) {
  const size_t count = result.too_large.size();
  if (count == 0) return "";
  std::vector<std::string> names(
      result.too_large.begin(),
      result.too_large.begin() + static_cast<std::ptrdiff_t>(std::min<size_t>(count, 3)));
  if (count > names.size()) names.push_back(fmt::format("{} more", count - names.size()));
  return "larger than every memory that their nodes reach, and therefore streamed: " +
         Wrap(names, ", ", 2) + "\n";
}

// What fused steps won, and those that take longest.
std::string FusionLines(const PlanResult& result, const TextStyle& style) {
  if (!result.fusion) return "";
  const PlanFusion& fusion = *result.fusion;
  if (fusion.steps == 0) {
    return fmt::format(
        "no plan with fused nodes was found that is better ({} runs were looked at)\n\n",
        Grouped(fusion.candidates, style));
  }
  const double before = ValueOf(fusion.unfused, result.objective);
  const double after = ValueOf(result.figures, result.objective);
  std::string out = fmt::format("{} nodes run in {} fused step{}: {} less {} than without\n",
                                Grouped(fusion.nodes, style), Grouped(fusion.steps, style),
                                fusion.steps == 1 ? "" : "s", Percent((before - after) / before),
                                Name(result.objective));
  std::vector<size_t> steps;
  for (size_t s = 0; s < result.plan.steps.size(); ++s) {
    if (!result.plan.steps[s].fused.empty()) steps.push_back(s);
  }
  const auto& all = result.plan.steps;
  std::stable_sort(steps.begin(), steps.end(), [&](size_t a, size_t b) {
    return all[a].figures->seconds > all[b].figures->seconds;
  });
  Table table({{"fused", Align::kLeft},
               {"nodes", Align::kRight},
               {"step", Align::kRight},
               {"tiles", Align::kRight},
               {"off chip", Align::kRight},
               {"latency", Align::kRight}});
  for (size_t i = 0; i < std::min(steps.size(), kMostRows); ++i) {
    const NamedPlan::Step& step = all[steps[i]];
    table.AddRow({step.node + (style.unicode ? " … " : " ... ") + step.fused.back(),
                  fmt::format("{}", step.fused.size() + 1),
                  Grouped(static_cast<int64_t>(steps[i]), style),
                  BytesText(step.workspace ? static_cast<double>(step.workspace->bytes) : 0),
                  BytesText(static_cast<double>(step.figures->offchip_bytes)),
                  WithPrefix(step.figures->seconds, "s", style)});
  }
  out += table.Render(style);
  if (steps.size() > kMostRows) {
    out += Paint(fmt::format("and {} more, with their trees in plan.json with -o\n",
                             steps.size() - kMostRows),
                 Tone::kDim, style);
  }
  return out + "\n";
}

// "64 steps", or with several nodes in a step "64 nodes in 58 steps".
std::string StepsText(const NamedPlan& plan) {
  const std::string steps =
      fmt::format("{} step{}", plan.steps.size(), plan.steps.size() == 1 ? "" : "s");
  if (plan.order.size() == plan.steps.size()) return steps;
  return fmt::format("{} nodes in {}", plan.order.size(), steps);
}

std::string UnusedUnitsLine(const PlanResult& result) {
  if (result.unused_units.empty()) return "";
  return "units that no node runs on: " + Wrap(result.unused_units, ", ", 2) +
         "\n  what multiplies runs on the fastest units, everything else on the slowest, of equals "
         "on the first;\n  further equal units run independent nodes that multiply\n";
}

std::string CutTablesLine(const PlanResult& result) {
  if (result.plan.cut_tables == 0) return "";
  return fmt::format(
      "the search for tilings was cut short for {} of {} layers: there may be better ones\n",
      result.plan.cut_tables, result.tables);
}

// Whether other orders of the nodes were allowed, and bounds hold for all of them.
bool MayReorder(const PlanResult& result) {
  const auto& options = result.header.options;
  return std::any_of(options.begin(), options.end(), [](const auto& option) {
    const bool* given = std::get_if<bool>(&option.second);
    return option.first == "reorder" && given != nullptr && *given;
  });
}

// "no plan in this order", and the like, has less than the certificate says.
std::string ProofLine(const std::string& no_plan, const PlanCertificate& c,
                      const std::string& objective) {
  switch (c.status) {
    case CertificateStatus::kOptimal:
      return fmt::format("proven: {} has less {}\n", no_plan, objective);
    case CertificateStatus::kBounded:
      return fmt::format("proven: {} has more than {} less {}\n", no_plan,
                         GapText(std::max(c.gap, 0.001)), objective);
    case CertificateStatus::kHeuristic:
      break;
  }
  return "no proof of how good the plan is\n";
}

std::string CertificateLine(const PlanResult& result) {
  if (!result.certificate) return "the plan is possible: it was replayed step by step\n";
  const std::string objective = Name(result.objective);
  const bool reorders = MayReorder(result);
  if (result.fusion) {
    std::string out =
        ProofLine("no plan, whatever runs are fused,", *result.certificate, objective);
    if (result.fusion->steps_certificate) {
      out += ProofLine(reorders ? "no plan of these steps and trees"
                                : "no plan of these steps and trees in this order",
                       *result.fusion->steps_certificate, objective);
    }
    return out;
  }
  // Which nodes run side by side is decided before the search.
  const bool merged = result.plan.order.size() > result.plan.steps.size();
  return ProofLine(!reorders ? "no plan in this order"
                   : merged  ? "no plan of these steps"
                             : "no plan",
                   *result.certificate, objective);
}

}  // namespace

std::string PlanSummary(const PlanResult& result, const TextStyle& style) {
  const char* dot = style.unicode ? " · " : ", ";
  std::string out =
      Title({result.plan.network, "on", result.plan.machine}, style) +
      fmt::format("{}{}{}{}", dot, BitsText(BitsOf(result.plan)), dot, StepsText(result.plan));
  if (result.certificate)
    out += fmt::format("{}{} for {}", dot, result.strategy, Name(result.objective));
  out += "\n\n" + FiguresTable(result, style) + "\n" + CertificateLine(result) +
         LimitsLine(result) + "\n" + FusionLines(result, style) + MemoryTable(result, style) +
         TensorTable(result, style) + TooLargeLine(result) + UnusedUnitsLine(result) +
         CutTablesLine(result);
  if (result.coverage) {
    out += CoverageLines(*result.coverage,
                         "take the time of their bytes only, none for their operations", style);
  }
  if (result.interrupted) {
    out +=
        Paint("interrupted: this is the best that was found until then", Tone::kWarn, style) + "\n";
  }
  return out;
}

}  // namespace inlay::report
