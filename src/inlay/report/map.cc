#include "inlay/report/map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <variant>

#include "inlay/base/printable.h"
#include "inlay/report/coverage.h"
#include "inlay/report/eval.h"
#include "inlay/report/headline.h"
#include "inlay/report/numbers.h"

namespace inlay::report {
namespace {

constexpr size_t kFrontRows = 24;  // of a layer; result.json has them all

// The value of an option as a user would write it; "" if the result has none.
std::string OptionText(const MapResult& result, std::string_view key) {
  for (const auto& [name, value] : result.header.options) {
    if (name != key) continue;
    if (const auto* text = std::get_if<std::string>(&value)) return *text;
    if (const auto* list = std::get_if<std::vector<std::string>>(&value)) {
      return fmt::format("{}", fmt::join(*list, ","));
    }
  }
  return "";
}

// The totals were to be the least, and have a certificate of their own.
bool IsOfNetwork(const MapResult& result) { return OptionText(result, "of") == "network"; }

std::string Header(const MapResult& result, const Architecture& architecture,
                   const TextStyle& style) {
  const std::string dot = style.unicode ? " · " : ", ";
  std::string title = result.workload;
  if (result.layers.size() == 1 && result.layers.front().name != title) {
    title += "/" + result.layers.front().name;
  }
  std::string out = Title({title, "on", result.architecture}, style) + dot;
  out += HasFronts(result) ? "front of footprint, off-chip words and cycles"
                           : "least " + OptionText(result, "objective");
  if (IsOfNetwork(result)) out += " of the network's totals";
  if (const std::string mapspace = OptionText(result, "mapspace"); !mapspace.empty()) {
    out += " in " + mapspace;
  }
  out += dot + OptionText(result, "strategy") + " strategy" + dot +
         OptionText(result, "semantics") + " semantics\n";
  return out + ChainLine(architecture, style) + "\n\n";
}

Cell CertificateCell(const Certificate& certificate) {
  const bool proven = certificate.status == CertificateStatus::kOptimal;
  return {CertificateText(certificate), proven ? Tone::kAccent : Tone::kWarn};
}

// `by_user`: whether that is who ended the search early; else it was the time limit.
Cell CertificateCell(const LayerResult& layer, bool by_user) {
  const std::string why = by_user ? " (interrupted)" : " (time limit)";
  if (!layer.searched) return {"not searched" + why, Tone::kWarn};
  if (!layer.certificate) {
    return {layer.interrupted ? "no mapping yet" + why : "no mapping", Tone::kWarn};
  }
  return CertificateCell(*layer.certificate);
}

std::string EdpText(double edp_pj, const TextStyle& style) {
  return WithPrefix(edp_pj * kPj, style.unicode ? "J·cycle" : "J*cycle", style);
}

std::string Plural(size_t n, const char* noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

std::string SecondsText(const std::optional<double>& seconds, const TextStyle& style) {
  return seconds ? WithPrefix(*seconds, "s", style) : "";
}

// The level or unit that takes most of the energy, with its share.
std::string MostEnergy(const LayerCost& cost) {
  return fmt::format("{} {:.0f} %", cost.most_energy_in, cost.most_energy_share * 100);
}

// Of all; none without a clock.
std::optional<double> SecondsOf(const std::vector<VectorNodeResult>& nodes) {
  std::optional<double> sum;
  for (const VectorNodeResult& node : nodes) {
    if (node.seconds) sum = sum.value_or(0) + *node.seconds;
  }
  return sum;
}

Table LayerTable(const MapResult& result, bool with_most_energy, const TextStyle& style) {
  Table table({{"layer", Align::kLeft},
               {style.unicode ? "×" : "x", Align::kRight},
               {"energy", Align::kRight},
               {"cycles", Align::kRight},
               {"time", Align::kRight},
               {"use", Align::kRight},
               {"EDP", Align::kRight},
               {"limited by", Align::kLeft},
               {"most energy in", Align::kLeft},
               {"certificate", Align::kLeft}});
  for (const LayerResult& layer : result.layers) {
    std::vector<Cell> row = {layer.name, layer.repeat == 1 ? "" : std::to_string(layer.repeat)};
    if (layer.cost) {
      const LayerCost& cost = *layer.cost;
      for (std::string text : {WithPrefix(cost.energy_pj * kPj, "J", style),
                               Grouped(cost.cycles, style), SecondsText(cost.time.seconds, style),
                               Percent(cost.utilization), EdpText(cost.edp, style), cost.limited_by,
                               with_most_energy ? MostEnergy(cost) : std::string()}) {
        row.emplace_back(std::move(text));
      }
    } else {
      row.resize(9);
    }
    // Where the totals have a certificate, single layers have none.
    const bool is_part = result.total && result.total->certificate;
    row.push_back(is_part ? Cell("") : CertificateCell(layer, result.interrupted));
    table.AddRow(std::move(row));
  }
  if (result.total) {
    table.AddRule();
    if (const auto& vector = result.total->vector; vector && vector->nodes > 0) {
      table.AddRow({Plural(static_cast<size_t>(vector->nodes), "vector node"), "",
                    WithPrefix(vector->energy_pj * kPj, "J", style), Grouped(vector->cycles, style),
                    SecondsText(SecondsOf(result.vector_nodes), style)});
    }
    std::vector<Cell> row = {{"total", Tone::kBold},
                             "",
                             {WithPrefix(result.total->energy_pj * kPj, "J", style), Tone::kBold},
                             {Grouped(result.total->cycles, style), Tone::kBold},
                             {SecondsText(result.total->seconds, style), Tone::kBold},
                             "",
                             {EdpText(result.total->edp, style), Tone::kBold}};
    if (result.total->certificate) {
      row.resize(9);
      row.push_back(CertificateCell(*result.total->certificate));
    }
    table.AddRow(std::move(row));
  }
  table.DropEmptyColumns();
  return table;
}

// Nodes on vector units that do the same.
struct VectorKind {
  std::string name;
  VectorTotals sum = {};
  double seconds = 0;
  std::map<std::string, int64_t> cycles_by_limit = {};
};

std::vector<VectorKind> VectorKindsOf(const std::vector<VectorNodeResult>& nodes) {
  std::vector<VectorKind> kinds;
  for (const VectorNodeResult& node : nodes) {
    const std::string name = node.kind + (node.function.empty() ? "" : " " + node.function);
    auto kind = std::find_if(kinds.begin(), kinds.end(),
                             [&](const VectorKind& known) { return known.name == name; });
    if (kind == kinds.end()) kind = kinds.insert(kind, VectorKind{.name = name});
    VectorTotals& sum = kind->sum;
    sum = {sum.nodes + 1, sum.operations + node.operations, sum.energy_pj + node.energy_pj,
           sum.cycles + node.cycles, sum.offchip_words + node.offchip_words};
    kind->seconds += node.seconds.value_or(0);
    kind->cycles_by_limit[node.limited_by] += node.cycles;
  }
  std::stable_sort(kinds.begin(), kinds.end(),
                   [](const auto& a, const auto& b) { return a.sum.cycles > b.sum.cycles; });
  return kinds;
}

// By kind, most cycles first; "" where there are none.
std::string VectorTable(const std::vector<VectorNodeResult>& nodes, const TextStyle& style) {
  if (nodes.empty()) return "";
  Table table({{"on vector units", Align::kLeft},
               {"nodes", Align::kRight},
               {"operations", Align::kRight},
               {"energy", Align::kRight},
               {"cycles", Align::kRight},
               {"time", Align::kRight},
               {"off-chip words", Align::kRight},
               {"mostly limited by", Align::kLeft}});
  for (const VectorKind& kind : VectorKindsOf(nodes)) {
    const auto& limits = kind.cycles_by_limit;
    const auto most =
        std::max_element(limits.begin(), limits.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    table.AddRow({kind.name, std::to_string(kind.sum.nodes), Rounded(kind.sum.operations, style),
                  WithPrefix(kind.sum.energy_pj * kPj, "J", style), Grouped(kind.sum.cycles, style),
                  kind.seconds > 0 ? WithPrefix(kind.seconds, "s", style) : "",
                  Rounded(kind.sum.offchip_words, style), most->first});
  }
  table.DropEmptyColumns();
  return "\n" + table.Render(style);
}

// A single layer: its cost as a list, and the nest.
std::string OneLayer(const LayerResult& layer, bool by_user, const TextStyle& style) {
  const LayerCost& cost = *layer.cost;
  Table table({{"", Align::kLeft}, {"", Align::kRight}, {"", Align::kLeft}});
  const auto dim = [](const char* text) { return Cell(text, Tone::kDim); };
  const auto bold = [](std::string text) { return Cell(std::move(text), Tone::kBold); };
  table.AddRow({dim("energy"), bold(WithPrefix(cost.energy_pj * kPj, "J", style)),
                fmt::format("{:.3f} pJ per operation; {} of it in {}", cost.pj_per_op,
                            Percent(cost.most_energy_share), cost.most_energy_in)});
  table.AddRow({dim("cycles"), bold(Grouped(cost.cycles, style)), "limited by " + cost.limited_by});
  if (const auto time = TimeCells(cost.time, style)) {
    table.AddRow({dim("time"), bold(time->first), time->second});
  }
  table.AddRow({dim("EDP"), bold(EdpText(cost.edp, style))});
  table.AddRow({dim("utilisation"), bold(Percent(cost.utilization))});
  table.AddRow({dim("off-chip"), bold(Grouped(cost.offchip_words, style)), "words"});
  if (cost.padded_operations) {
    table.AddRow(
        {dim("padded"), bold(Grouped(*cost.padded_operations, style)),
         fmt::format("operations with the padding; {} without", Grouped(layer.operations, style))});
  }
  table.AddRow({dim("certificate"), CertificateCell(layer, by_user)});
  std::string out = table.Render(style) + "\n";
  size_t depth = 0;
  for (const std::string& line : layer.mapping) {
    const bool loop = line.starts_with("for ") || line.starts_with("parallel ");
    out += std::string(2 * depth, ' ') + (loop ? line : Paint(line, Tone::kDim, style)) + "\n";
    if (loop) ++depth;
  }
  return out;
}

std::string FrontTable(const LayerResult& layer, const TextStyle& style) {
  std::string out = Title({layer.name}, style) + "\n";
  Table table(
      {{"footprint", Align::kRight}, {"off-chip", Align::kRight}, {"cycles", Align::kRight}});
  for (size_t i = 0; i < std::min(layer.front->size(), kFrontRows); ++i) {
    const FrontPointResult& point = (*layer.front)[i];
    table.AddRow({Grouped(point.footprint_words, style), Grouped(point.offchip_words, style),
                  Grouped(point.cycles, style)});
  }
  out += table.Render(style);
  if (layer.front->size() > kFrontRows) {
    out += Paint(
        fmt::format("and {} more points; --json has them all\n", layer.front->size() - kFrontRows),
        Tone::kDim, style);
  }
  return out + "\n";
}

constexpr double kFarGap = 0.9;  // what is known says little

// The search ended before any lower bound above 0 was proven.
bool HasNoBound(const Certificate& certificate) {
  return certificate.lower_bound <= 0 && certificate.objective > 0;
}

// "delay,energy" without its first: "energy".
std::string LaterMetrics(const std::string& objective) {
  const size_t comma = objective.find(',');
  return comma == std::string::npos ? "" : objective.substr(comma + 1);
}

// What is proven of the totals.
std::string TotalsProofLine(const Certificate& certificate, const std::string& metric) {
  if (certificate.status == CertificateStatus::kOptimal) {
    return fmt::format("proven: no mappings of the layers have a smaller total {}\n", metric);
  }
  if (HasNoBound(certificate)) return fmt::format("the total {} has no bound yet\n", metric);
  return fmt::format("no mappings of the layers improve the total {} by more than {}\n", metric,
                     GapText(std::max(certificate.gap, 0.001)));
}

// How much of it is proven, in a sentence.
std::string ProofLine(const MapResult& result) {
  if (result.total && result.total->certificate) {
    const std::string objective = OptionText(result, "objective");
    return TotalsProofLine(*result.total->certificate, objective.substr(0, objective.find(',')));
  }
  size_t proven = 0, in_part = 0, bounded = 0, open = 0, heuristic = 0, missing = 0, waiting = 0;
  double worst_gap = 0;
  for (const LayerResult& layer : result.layers) {
    if (!layer.certificate) {
      ++(layer.searched ? missing : waiting);
      continue;
    }
    const Certificate& certificate = *layer.certificate;
    proven += certificate.status == CertificateStatus::kOptimal ? 1 : 0;
    heuristic += certificate.status == CertificateStatus::kHeuristic ? 1 : 0;
    if (certificate.status != CertificateStatus::kBounded) continue;
    if (!certificate.proven.empty()) {
      ++in_part;
      continue;
    }
    if (HasFronts(result) || HasNoBound(certificate)) {
      ++open;
      continue;
    }
    ++bounded;
    worst_gap = std::max(worst_gap, certificate.gap);
  }
  std::vector<std::string> parts;
  if (proven > 0) parts.push_back(Plural(proven, "layer") + " proven optimal");
  if (in_part > 0) {
    const std::string objective = OptionText(result, "objective");
    const std::string later = LaterMetrics(objective);
    parts.push_back(Plural(in_part, "layer") + " optimal in " +
                    objective.substr(0, objective.find(',')) +
                    (later.empty() ? "" : ", " + later + " unproven"));
  }
  if (bounded > 0 && worst_gap > kFarGap) {
    parts.push_back(
        fmt::format("{} up to {:.3g} times above the bound: a start only, give more time",
                    Plural(bounded, "layer"), 1 / (1 - worst_gap)));
  } else if (bounded > 0) {
    parts.push_back(fmt::format("{} that nothing improves by more than {}",
                                Plural(bounded, "layer"), GapText(std::max(worst_gap, 0.001))));
  }
  if (open > 0) {
    parts.push_back(Plural(open, "layer") +
                    (HasFronts(result) ? " whose front may lack points" : " without a bound yet"));
  }
  if (heuristic > 0) parts.push_back(Plural(heuristic, "layer") + " without a proof");
  if (missing > 0) parts.push_back(Plural(missing, "layer") + " without a mapping");
  if (waiting > 0) parts.push_back(Plural(waiting, "layer") + " not searched");
  return fmt::format("{}\n", fmt::join(parts, "; "));
}

// What dnnopt counts.
std::string PointsLines(const MapResult& result) {
  std::string out;
  for (const LayerResult& layer : result.layers) {
    if (!layer.points_visited || !layer.points_in_space || !layer.same_as.empty()) continue;
    const double share = *layer.points_visited / std::max(*layer.points_in_space, 1.0);
    // Rounded down: something was visited.
    const double pruned = std::floor((1 - share) * 1e4) / 100;
    out += fmt::format("{}: {:.0f} points visited of {:.0f} ({:.2f} % pruned)\n",
                       PrintableName(layer.name), *layer.points_visited, *layer.points_in_space,
                       pruned);
    if (!layer.dnnopt) continue;
    out += fmt::format("  by its own model {} words off chip, {} cycles of the array, {} waiting\n",
                       layer.dnnopt->total_offchip_words, layer.dnnopt->array_cycles,
                       layer.dnnopt->stall_cycles);
  }
  return out;
}

// "60 s", "1.5 min"; "" if there was no limit.
std::string TimeLimitText(const MapResult& result) {
  for (const auto& [name, value] : result.header.options) {
    const auto* milliseconds = std::get_if<int64_t>(&value);
    if (name != "time_limit" || milliseconds == nullptr || *milliseconds == 0) continue;
    const double seconds = static_cast<double>(*milliseconds) / 1e3;
    return seconds > 120 ? fmt::format("{:g} min", seconds / 60) : fmt::format("{:g} s", seconds);
  }
  return "";
}

// How long the search of a layer could take, and of how many it was ended.
std::string TimeLimitLine(const MapResult& result) {
  const std::string limit = TimeLimitText(result);
  if (limit.empty()) return "";
  size_t cut = 0;
  for (const LayerResult& layer : result.layers) {
    cut += layer.interrupted && layer.searched && !result.interrupted ? 1 : 0;
  }
  if (cut == 0) return fmt::format("time limit {} a layer, not reached\n", limit);
  return fmt::format(
      "{} searched to the time limit of {} a layer; --time-limit sets another, 0 none\n",
      Plural(cut, "layer"), limit);
}

std::string Remarks(const MapResult& result, const TextStyle& style) {
  if (!result.interrupted) return "";
  return Paint("interrupted: this is the best that was found until then", Tone::kWarn, style) +
         "\n";
}

}  // namespace

std::string MapReasons(const MapResult& result) {
  std::string out;
  for (const LayerResult& layer : result.layers) {
    if (!layer.same_as.empty()) continue;
    for (const std::string& reason : layer.reasons) {
      out += PrintableName(layer.name) + ": " + reason + "\n";
    }
  }
  return out;
}

std::string CertificateText(const Certificate& certificate) {
  switch (certificate.status) {
    case CertificateStatus::kOptimal:
      return "optimal";
    case CertificateStatus::kBounded:
      if (!certificate.proven.empty()) {
        return std::string("optimal in ") + Name(certificate.proven.front());
      }
      if (HasNoBound(certificate)) return "no bound yet";
      return "gap " + GapText(certificate.gap);
    case CertificateStatus::kHeuristic:
      break;
  }
  return "no proof";
}

std::string MapSummary(const MapResult& result, const Architecture& architecture,
                       const TextStyle& style) {
  std::string out = Header(result, architecture, style);
  if (HasFronts(result)) {
    for (const LayerResult& layer : result.layers) out += FrontTable(layer, style);
    out += Paint("footprint and off-chip in words\n", Tone::kDim, style);
  } else if (result.layers.size() == 1 && result.layers.front().cost &&
             result.vector_nodes.empty()) {
    out += OneLayer(result.layers.front(), result.interrupted, style);
  } else {
    Table table = LayerTable(result, true, style);
    if (table.Width() > kScreenColumns) table = LayerTable(result, false, style);
    out += table.Render(style);
    const char* total = result.total ? "; the total counts every repeat" : "";
    out += Paint(fmt::format("per run of a layer{}\n", total), Tone::kDim, style);
    out += VectorTable(result.vector_nodes, style);
  }
  if (result.coverage) {
    out += CoverageLines(
        *result.coverage,
        result.total ? "have no time or energy in the total" : "are none of these layers", style);
  }
  return out + PointsLines(result) + ProofLine(result) + TimeLimitLine(result) +
         Remarks(result, style);
}

}  // namespace inlay::report
