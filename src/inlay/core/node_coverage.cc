#include "inlay/core/node_coverage.h"

#include <algorithm>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/base/fields.h"
#include "inlay/core/op_work.h"

namespace inlay {

const Structure& StructureOf(const NodeKindTotals*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&NodeKindTotals::kind>("kind", "the operator, in the words of the native format"),
      Row<&NodeKindTotals::nodes>("nodes", "how many nodes"),
      Row<&NodeKindTotals::operations>("operations",
                                       "one per element that they write, or, of sums and pools, "
                                       "read; 0 where they only move words"),
      Row<&NodeKindTotals::bytes>("bytes", "what is read and written"),
      Row<&NodeKindTotals::reason>("reason",
                                   "why the architecture's vector units do not count them; absent: "
                                   "it has none",
                                   {.presence = Presence::kUnlessDefault}),
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
      Row<&C::gates>("gates",
                     "of nodes that multiply what they compute beside their products, by kind, "
                     "which no time counts: the gates of recurrent layers"),
      Row<&C::views>("views", "nodes that only look at words by another shape"),
      Row<&C::folded_nodes>("folded_nodes",
                            "nodes of the model whose operands are constants or shapes only: done "
                            "when it was read"),
      Row<&C::vector_nodes>("vector_nodes",
                            "of the nodes, those that run on vector units, and are counted",
                            {.presence = Presence::kUnlessDefault}),
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

// Adds to the totals of the same kind.
void Add(const NodeKindTotals& more, std::vector<NodeKindTotals>* kinds) {
  auto kind = std::find_if(kinds->begin(), kinds->end(), [&](const NodeKindTotals& known) {
    return known.kind == more.kind && known.reason == more.reason;
  });
  if (kind == kinds->end()) {
    kind = kinds->insert(kind, NodeKindTotals{more.kind, 0, 0, 0, more.reason});
  }
  kind->nodes = Plus(kind->nodes, more.nodes);
  kind->operations = Plus(kind->operations, more.operations);
  kind->bytes = Plus(kind->bytes, more.bytes);
}

void SortByBytes(NodeCoverage* coverage) {
  for (auto* kinds : {&coverage->others, &coverage->gates}) {
    std::stable_sort(kinds->begin(), kinds->end(),
                     [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  }
}

// Gates compute on elements of the width of the output.
void AddGates(const Graph& graph, const GraphNode& node, const ValueBits& bits,
              NodeCoverage* coverage) {
  std::vector<Shape> inputs;
  for (const ValueId v : node.inputs) inputs.push_back(graph.values[v].shape);
  const auto gates = GatesOf(node.op, node.attributes, inputs);
  if (!gates) return;
  const int width = bits[node.outputs.front()];
  Add({std::string(InfoOf(node.op).name), 1, gates->operations, BytesOf(gates->words, width)},
      &coverage->gates);
}

}  // namespace

NodeCoverage CoverageOf(const Graph& graph, const ValueBits& bits, const WhyNotCounted* why_not) {
  NodeCoverage coverage;
  coverage.folded_nodes = graph.folded_nodes;
  for (const NodeId n : Ids(graph.nodes)) {
    const GraphNode& node = graph.nodes[n];
    const OpInfo& info = InfoOf(node.op);
    if (info.op_class == OpClass::kView) {
      ++coverage.views;
      continue;
    }
    ++coverage.nodes;
    if (info.op_class == OpClass::kCompute) {
      ++coverage.compute_nodes;
      AddGates(graph, node, bits, &coverage);
      continue;
    }
    if (why_not != nullptr && (*why_not)[n].empty()) {
      ++coverage.vector_nodes;
      continue;
    }
    const NodeKindTotals one = {std::string(info.name), 1, ElementOperations(graph, node),
                                BytesOfNode(graph, node, bits),
                                why_not == nullptr ? std::string() : (*why_not)[n]};
    Add(one, &coverage.others);
    ++coverage.other_nodes;
    coverage.other_operations = Plus(coverage.other_operations, one.operations);
    coverage.other_bytes = Plus(coverage.other_bytes, one.bytes);
  }
  SortByBytes(&coverage);
  return coverage;
}

NodeCoverage SumOf(const std::vector<NodeCoverage>& coverages) {
  NodeCoverage sum;
  for (const NodeCoverage& one : coverages) {
    for (const auto member :
         {&NodeCoverage::nodes, &NodeCoverage::compute_nodes, &NodeCoverage::other_nodes,
          &NodeCoverage::other_operations, &NodeCoverage::other_bytes, &NodeCoverage::views,
          &NodeCoverage::folded_nodes, &NodeCoverage::vector_nodes}) {
      sum.*member = Plus(sum.*member, one.*member);
    }
    for (const NodeKindTotals& kind : one.others) Add(kind, &sum.others);
    for (const NodeKindTotals& kind : one.gates) Add(kind, &sum.gates);
  }
  SortByBytes(&sum);
  return sum;
}

}  // namespace inlay
