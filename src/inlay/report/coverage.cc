#include "inlay/report/coverage.h"

#include <fmt/format.h>

#include <vector>

#include "inlay/report/headline.h"
#include "inlay/report/numbers.h"

namespace inlay::report {
namespace {

// "302.0 k operations, 1.148 MiB"; of what only moves words "1.148 MiB".
std::string AmountText(int64_t operations, int64_t bytes, const TextStyle& style) {
  std::string text = BytesText(static_cast<double>(bytes));
  if (operations > 0) text.insert(0, Rounded(operations, style) + " operations, ");
  return text;
}

// "softmax 12 (302.0 k operations, 1.148 MiB)" of each kind.
std::vector<std::string> KindTexts(const std::vector<NodeKindTotals>& kinds,
                                   const TextStyle& style) {
  std::vector<std::string> texts;
  texts.reserve(kinds.size());
  for (const NodeKindTotals& kind : kinds) {
    const std::string reason = kind.reason.empty() ? "" : "; " + kind.reason;
    texts.push_back(fmt::format("{} {} ({}{})", kind.kind, kind.nodes,
                                AmountText(kind.operations, kind.bytes, style), reason));
  }
  return texts;
}

}  // namespace

std::string CoverageLines(const NodeCoverage& coverage, const std::string& what,
                          const TextStyle& style) {
  std::string out;
  if (coverage.other_nodes > 0) {
    std::vector<std::string> parts = KindTexts(coverage.others, style);
    if (parts.size() > 1) {
      parts.push_back("together " +
                      AmountText(coverage.other_operations, coverage.other_bytes, style));
    }
    out += fmt::format("{} of {} nodes {}:\n  {}\n", coverage.other_nodes, coverage.nodes, what,
                       Wrap(parts, ", ", 2));
  }
  if (!coverage.gates.empty()) {
    out += "of recurrent nodes only the products count, not their gates:\n  " +
           Wrap(KindTexts(coverage.gates, style), ", ", 2) + "\n";
  }
  std::vector<std::string> parts;
  if (coverage.folded_nodes > 0) {
    parts.push_back(
        fmt::format("{} folded (operands are constants or shapes)", coverage.folded_nodes));
  }
  if (coverage.views > 0) {
    parts.push_back(fmt::format("{} {} (the same words by another shape)", coverage.views,
                                coverage.views == 1 ? "view" : "views"));
  }
  if (!parts.empty()) out += "not counted as nodes: " + Wrap(parts, ", ", 2) + "\n";
  return out;
}

}  // namespace inlay::report
