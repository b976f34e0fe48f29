#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "inlay/core/fused_outline.h"
#include "inlay/core/fused_part.h"
#include "inlay/io/native/keys.h"
#include "inlay/io/native/native.h"
#include "inlay/io/native/projection.h"
#include "inlay/io/native/write.h"

namespace inlay::io {
namespace {

class TreeWriter {
 public:
  TreeWriter(const FusedProblem& problem, const Architecture& architecture, const FusedTree& tree)
      : problem_(problem),
        inner_(LeafArchitecture(architecture)),
        outline_(problem, tree),
        domains_(FirstDomains(problem, outline_)) {}

  // `in_split`: as one of several parts.
  std::vector<std::string> Lines(bool in_split) && {
    Write(0, "", in_split);
    return std::move(lines_);
  }

 private:
  void Add(const std::string& indent, std::string_view text, bool inside = false) {
    lines_.push_back(indent + "- " + Scalar(text) + (inside ? ":" : ""));
  }

  // `in_split`: the part stands beside others, and a hold would be for all of them.
  void Write(size_t p, const std::string& indent, bool in_split) {
    const FusedPlace& place = outline_[p];
    if (const FusedLoop* loop = place.tree->loop()) {
      const NodeId sink = outline_.ShiftsOf(p).sinks.front();
      Add(indent,
          fmt::format("for {} in {} step {}", problem_.dims[loop->dim].name,
                      domains_[p][sink][loop->dim].size(), loop->step),
          true);
      return Write(place.children.front(), indent + "  ", false);
    }
    if (const FusedLeaf* leaf = place.tree->leaf()) return WriteLeaf(p, *leaf, indent);
    if (in_split) {
      Add(indent, "branch", true);
      return Write(p, indent + "  ", false);
    }
    if (const FusedHold* hold = place.tree->hold()) {
      Add(indent,
          fmt::format("{} {}", hold->retain ? "retain" : "hold", problem_.tensors[hold->tensor]));
      return Write(place.children.front(), indent, false);
    }
    for (const size_t child : place.children) Write(child, indent, true);
  }

  void WriteLeaf(size_t p, const FusedLeaf& leaf, const std::string& indent) {
    Add(indent, problem_.nodes[leaf.node].name + (leaf.online ? " online" : ""),
        leaf.mapping.has_value());
    if (!leaf.mapping) return;
    const Problem own = FirstProblemOf(problem_, domains_[p][leaf.node], leaf.node);
    for (const std::string& line : MappingLines(own, inner_, *leaf.mapping)) {
      Add(indent + "  ", line);
    }
  }

  const FusedProblem& problem_;
  const Architecture inner_;
  const FusedOutline outline_;
  const std::vector<IndexedVector<NodeId, FusedDomain>> domains_;
  std::vector<std::string> lines_;
};

std::string NodeText(const FusedProblem& problem, const FusedNode& node) {
  Problem all;
  all.dims = problem.dims;
  FlowObject tensors;
  for (const FusedOperand& operand : node.operands) {
    const Tensor tensor{problem.tensors[operand.tensor], operand.ranks, operand.is_output};
    tensors.Add(tensor.name, fmt::format("\"{}\"", ProjectionText(all, tensor)));
  }
  FlowObject pads;
  bool has_pads = false;
  for (const FusedOperand& operand : node.operands) {
    if (operand.borders.empty()) continue;
    std::vector<int64_t> before;
    for (const FusedBorder& border : operand.borders) before.push_back(border.before);
    pads.Add(problem.tensors[operand.tensor], fmt::format("[{}]", fmt::join(before, ", ")));
    has_pads = true;
  }
  const FlowObject keys = FlowText(node, [&](std::string_view key) -> std::optional<std::string> {
    if (key == "tensors") return tensors.ToString();
    if (key == "pads") return has_pads ? pads.ToString() : "";
    if (key == "softmax") return node.softmax ? problem.dims[*node.softmax].name : "";
    if (key == "rows") return node.rows ? problem.dims[*node.rows].name : "";
    return std::nullopt;
  });
  return fmt::format("\n  - {}", keys.ToString());
}

// Of the tensors that are read with a border.
std::string ShapesText(const FusedProblem& problem) {
  FlowObject shapes;
  bool has_shapes = false;
  for (TensorId t : Ids(problem.tensors)) {
    for (const FusedNode& node : problem.nodes) {
      const FusedOperand* operand = OperandOf(node, t);
      if (operand == nullptr || operand->borders.empty()) continue;
      std::vector<int64_t> words;
      for (const FusedBorder& border : operand->borders) words.push_back(border.words);
      shapes.Add(problem.tensors[t], fmt::format("[{}]", fmt::join(words, ", ")));
      has_shapes = true;
      break;
    }
  }
  return has_shapes ? shapes.ToString() : "";
}

}  // namespace

std::vector<std::string> FusedTreeLines(const FusedProblem& problem,
                                        const Architecture& architecture, const FusedTree& tree) {
  const std::vector<FusedRunTree> runs = RunTreesOf(problem, tree);
  std::vector<std::string> lines;
  for (const FusedRunTree& run : runs) {
    const FusedPart part = PartOf(problem, run.first, run.end);
    const FusedTree own = TreeInPart(part, *run.tree);
    auto written = TreeWriter(part.problem, architecture, own).Lines(runs.size() > 1);
    std::move(written.begin(), written.end(), std::back_inserter(lines));
  }
  return lines;
}

std::string WriteNative(const FusedProblem& problem, const Architecture& architecture,
                        const FusedTree& tree) {
  return DocumentStart("fused", problem.name) +
         BlockText(problem, "  ", [&](std::string_view key) -> std::optional<std::string> {
           std::string text;
           if (key == "dims") {
             FlowObject dims;
             for (const Dimension& dim : problem.dims) {
               dims.Add(dim.name, fmt::format("{}", dim.bound));
             }
             return dims.ToString();
           }
           if (key == "shapes") return ShapesText(problem);
           if (key == "outputs") {
             std::vector<std::string> names;
             for (const TensorId t : problem.outputs) names.push_back(problem.tensors[t]);
             return names.empty() ? "" : FlowList(names);
           }
           if (key == "nodes") {
             for (const FusedNode& node : problem.nodes) text += NodeText(problem, node);
             return text;
           }
           if (key == "coefficients") return "";
           if (key != "tree") return std::nullopt;
           for (const std::string& line : FusedTreeLines(problem, architecture, tree)) {
             text += "\n  " + line;
           }
           return text;
         });
}

}  // namespace inlay::io
