#include "inlay/core/node_coverage.h"

#include <algorithm>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/base/fields.h"

namespace inlay {

const Structure& StructureOf(const NodeKindTotals*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&NodeKindTotals::kind>("kind", "the operator, in the words of the native format"),
      Row<&NodeKindTotals::nodes>("nodes", "how many nodes"),
      Row<&NodeKindTotals::operations>("operations",
                                       "one per element that they write, or, of sums and pools, "
                                       "read; 0 where they only move words"),
      Row<&NodeKindTotals::bytes>("bytes", "what they read and write"),
  });
  return Describe<NodeKindTotals, kFields>("NodeKindTotals");
}

const Structure& StructureOf(const NodeCoverage*) {
  using C = NodeCoverage;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&C::nodes>("nodes", "nodes that run; views and folded ones do not"),
      Row<&C::compute_nodes>("compute_nodes", "of these, those that multiply"),
      Row<&C::other_nodes>("other_nodes", "the rest, whose operations no time counts"),
      Row<&C::other_operations>("other_operations", "what the rest computes, by element"),
      Row<&C::other_bytes>("other_bytes", "what the rest reads and writes"),
      Row<&C::others>("others", "the rest by kind, most bytes first"),
      Row<&C::views>("views", "nodes that only look at words by another shape"),
      Row<&C::folded_nodes>("folded_nodes",
                            "nodes of the model whose operands are constants, or but shapes: done "
                            "when it was read"),
  });
  return Describe<C, kFields>("NodeCoverage");
}

namespace {

int64_t Plus(int64_t a, int64_t b) { return CheckedAdd(a, b).value_or(INT64_MAX); }

int64_t BytesOfNode(const Graph& graph, const GraphNode& node, const ValueBits& bits) {
  int64_t bytes = 0;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    bytes = Plus(bytes, BytesOf(WordsRead(graph, node, i), bits[node.inputs[i]]));
  }
  for (const ValueId v : node.outputs) bytes = Plus(bytes, BytesOf(WordsOf(graph, v), bits[v]));
  return bytes;
}

int64_t ElementOperations(const Graph& graph, const GraphNode& node) {
  switch (InfoOf(node.op).element_work) {
    case ElementWork::kNone:
      return 0;
    case ElementWork::kWritten:
      return WordsOf(graph, node.outputs.front());
    case ElementWork::kRead:
      return node.inputs.empty() ? 0 : WordsRead(graph, node, 0);
  }
  return 0;
}

}  // namespace

NodeCoverage CoverageOf(const Graph& graph, const ValueBits& bits) {
  NodeCoverage coverage;
  coverage.folded_nodes = graph.folded_nodes;
  for (const GraphNode& node : graph.nodes) {
    const OpInfo& info = InfoOf(node.op);
    coverage.views += info.op_class == OpClass::kView ? 1 : 0;
    if (info.op_class == OpClass::kView) continue;
    ++coverage.nodes;
    coverage.compute_nodes += info.op_class == OpClass::kCompute ? 1 : 0;
    if (info.op_class == OpClass::kCompute) continue;
    auto kind = std::find_if(coverage.others.begin(), coverage.others.end(),
                             [&](const NodeKindTotals& other) { return other.kind == info.name; });
    if (kind == coverage.others.end()) {
      kind = coverage.others.insert(kind, NodeKindTotals{std::string(info.name)});
    }
    const int64_t operations = ElementOperations(graph, node);
    const int64_t bytes = BytesOfNode(graph, node, bits);
    ++kind->nodes;
    kind->operations = Plus(kind->operations, operations);
    kind->bytes = Plus(kind->bytes, bytes);
    ++coverage.other_nodes;
    coverage.other_operations = Plus(coverage.other_operations, operations);
    coverage.other_bytes = Plus(coverage.other_bytes, bytes);
  }
  std::stable_sort(coverage.others.begin(), coverage.others.end(),
                   [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  return coverage;
}

}  // namespace inlay
