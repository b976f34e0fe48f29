#include "inlay/report/explain.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "inlay/report/headline.h"

namespace inlay::report {
namespace {

std::string OrderText(const std::vector<std::string>& order) {
  return fmt::format("{}", fmt::join(order, " "));
}

Table TilesTable(const Explanation& explanation) {
  Table table({{"level", Align::kLeft}, {"tensor", Align::kLeft}, {"words", Align::kLeft}});
  for (const auto& [level, tensors] : explanation.tiles) {
    bool first = true;
    for (const auto& [tensor, words] : tensors) {
      table.AddRow({first ? level : "", tensor, words});
      first = false;
    }
  }
  return table;
}

// Tensor after tensor, because expressions are wide.
Table CopiesTable(const ExplainedLevel& level, const ExplainedClass& explained) {
  Table table({{"tensor", Align::kLeft}, {"loop", Align::kLeft}, {"words copied", Align::kLeft}});
  for (const auto& [tensor, copies] : explained.copies) {
    bool first = true;
    for (const ExplainedCopy& copy : copies) {
      table.AddRow({first ? tensor : "", copy.loop.empty() ? "tile of " + level.inner : copy.loop,
                    copy.words});
      first = false;
    }
  }
  return table;
}

std::string LevelText(const ExplainedLevel& level, const TextStyle& style) {
  size_t kept = 0;
  for (const ExplainedClass& explained : level.classes) kept += explained.dominated_by ? 0U : 1U;
  std::string out = Title({"from", level.level, "to", level.inner}, style) +
                    fmt::format(
                        ": {} loop orders, {} by the paper's rule, {} of different volumes, "
                        "{} that no other is always as good as\n",
                        level.orders, level.paper_classes, level.classes.size(), kept);
  std::string pruned;
  for (size_t i = 0; i < level.classes.size(); ++i) {
    const ExplainedClass& explained = level.classes[i];
    if (explained.dominated_by) {
      pruned += fmt::format("  class {}, {}: class {} never copies more\n", i + 1,
                            OrderText(explained.order), *explained.dominated_by);
      continue;
    }
    out += fmt::format("\nclass {}: {}\n", i + 1, OrderText(explained.order));
    out += CopiesTable(level, explained).Render(style);
  }
  if (!pruned.empty()) out += "\npruned:\n" + pruned;
  return out;
}

}  // namespace

std::string ExplanationText(const Explanation& explanation, const TextStyle& style) {
  std::string out =
      Title({explanation.layer}, style) +
      ": K_SRAM is the number of steps of the loop over K at SRAM, and so on; outputs "
      "count both ways\n\ntiles\n";
  out += TilesTable(explanation).Render(style);
  for (const ExplainedLevel& level : explanation.levels) {
    out += "\n" + LevelText(level, style);
  }
  return out;
}

}  // namespace inlay::report
