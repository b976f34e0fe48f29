#include "inlay/report/fused.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "inlay/report/headline.h"
#include "inlay/report/numbers.h"

namespace inlay::report {
namespace {

Cell Words(int64_t words, const TextStyle& style) {
  if (words == 0) return {style.unicode ? "·" : ".", Tone::kDim};
  return {Grouped(words, style)};
}

bool IsHold(std::string_view line) {
  const size_t text = line.find("- ");
  if (text == std::string_view::npos) return false;
  line.remove_prefix(text + 2);
  return line.starts_with("hold ") || line.starts_with("retain ");
}

std::string LevelTable(const FusedEvalResult& result, const TextStyle& style) {
  const EnergyUnit unit = UnitFor(result.energy_pj, style);
  Table table({{"level", Align::kLeft},
               {"tensor", Align::kLeft},
               {"reads", Align::kRight},
               {"fills", Align::kRight},
               {"updates", Align::kRight},
               {"drains", Align::kRight},
               {unit.name, Align::kRight}});
  for (const FusedLevelResult& level : result.levels) {
    std::string label = level.name, energy = GroupedFixed(level.energy_pj / unit.pj, 2, style);
    for (const auto& [tensor, n] : level.tensors) {
      if (n == Counts()) continue;
      table.AddRow({{std::exchange(label, ""), Tone::kBold},
                    tensor,
                    Words(n.reads, style),
                    Words(n.fills, style),
                    Words(n.updates, style),
                    Words(n.drains, style),
                    std::exchange(energy, "")});
    }
  }
  table.AddRule();
  return table.Render(style);
}

std::string TotalsTable(const Architecture& architecture, const FusedEvalResult& result,
                        const TextStyle& style) {
  Table table({{"", Align::kLeft}, {"", Align::kRight}, {"", Align::kLeft}});
  const Level& pad = architecture.levels[LevelId(1)];
  const auto row = [&](const char* name, std::string value, std::string note) {
    table.AddRow({{name, Tone::kDim}, {std::move(value), Tone::kBold}, std::move(note)});
  };
  const double bytes =
      static_cast<double>(result.offchip_words) * architecture.levels[LevelId(0)].word_bits / 8;
  row("off-chip", Grouped(result.offchip_words, style), "words, " + BytesText(bytes));
  row("room", Grouped(result.room_words, style),
      fmt::format("words of '{}'{}{}", pad.name,
                  pad.buffering > 1 ? fmt::format(", {} times", pad.buffering) : "",
                  pad.capacity_words ? ", which has " + Grouped(*pad.capacity_words, style) : ""));
  row("operations", Grouped(result.operations, style),
      fmt::format("{} recomputed, {} of scaling", Grouped(result.recomputed_operations, style),
                  Grouped(result.scaling_operations, style)));
  row("energy", WithPrefix(result.energy_pj * kPj, "J", style), "");
  const bool overlapped = pad.buffering >= 2;
  row("cycles", Grouped(result.cycles, style),
      overlapped ? "overlapped; one after the other " + Grouped(result.sequential_cycles, style)
                 : "one after the other; overlapped " + Grouped(result.overlapped_cycles, style));
  return table.Render(style);
}

}  // namespace

std::string TreeTable(const std::vector<std::string>& tree,
                      const std::vector<FusedHoldResult>& holds, const TextStyle& style) {
  Table table({{"tree", Align::kLeft}, {"tile", Align::kRight}, {"words entered", Align::kRight}});
  size_t hold = 0;
  for (const std::string& line : tree) {
    if (!IsHold(line)) {
      table.AddRow({line, "", ""});
      continue;
    }
    const FusedHoldResult& held = holds[hold++];
    table.AddRow({line, Words(held.tile_words, style), Words(held.entered_words, style)});
  }
  table.AddRule();
  return table.Render(style);
}

std::string NodeTable(const std::vector<FusedNodeResult>& nodes, const TextStyle& style) {
  Table table({{"node", Align::kLeft},
               {"executions", Align::kRight},
               {"operations", Align::kRight},
               {"recomputed", Align::kRight},
               {"scalings", Align::kRight}});
  for (const FusedNodeResult& node : nodes) {
    table.AddRow({{node.name, Tone::kBold},
                  Words(node.executions, style),
                  Words(node.operations, style),
                  Words(node.recomputed_operations, style),
                  Words(node.scaling_operations, style)});
  }
  table.AddRule();
  return table.Render(style);
}

std::string FusedSummary(const Architecture& architecture, const FusedEvalResult& result,
                         const TextStyle& style) {
  std::vector<std::string> names;
  for (const FusedNodeResult& node : result.nodes) names.push_back(node.name);
  const std::string dot = style.unicode ? " · " : ", ";
  std::string out = Title({result.problem.empty() ? "nodes" : result.problem, "on",
                           result.architecture.empty() ? "architecture" : result.architecture},
                          style);
  out += dot + "fused mapping" + dot + "exact semantics\n";
  out += Wrap(names, style.unicode ? " → " : " > ", 2) + "\n";
  out += ChainLine(architecture, style) + "\n\n";
  out += TreeTable(result.tree, result.holds, style) + "\n" + NodeTable(result.nodes, style) +
         "\n" + LevelTable(result, style);
  out += Paint("tiles and counts in words\n", Tone::kDim, style);
  out += TotalsTable(architecture, result, style);
  if (result.numeric_check.empty()) return out;
  return out + "numeric check ok: the tree computes what its nodes do one after the other\n";
}

}  // namespace inlay::report
