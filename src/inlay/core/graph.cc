#include "inlay/core/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <queue>
#include <set>
#include <utility>

#include "inlay/base/check.h"
#include "inlay/base/checked_arithmetic.h"
#include "inlay/core/op_work.h"

namespace inlay {

std::optional<int64_t> WordsOf(const Shape& shape) {
  // An extent of 0 makes all of it 0, however large the others are.
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  int64_t words = 1;
  for (const int64_t extent : shape) {
    const auto product = CheckedMultiply(words, extent);
    if (!product) return std::nullopt;
    words = *product;
  }
  return words;
}

int64_t WordsOf(const Graph& graph, ValueId value) {
  const auto words = WordsOf(graph.values[value].shape);
  INLAY_CHECK(words.has_value());
  return *words;
}

int64_t BytesOf(int64_t words, int bits) {
  const Int128 bytes = (Int128{words} * bits + 7) / 8;
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  return bytes > kMost ? kMost : static_cast<int64_t>(bytes);
}

ValueId StorageOf(const Graph& graph, ValueId value) {
  while (graph.values[value].alias_of) value = *graph.values[value].alias_of;
  return value;
}

IndexedVector<ValueId, std::optional<NodeId>> ProducersOf(const Graph& graph) {
  IndexedVector<ValueId, std::optional<NodeId>> producers(graph.values.size());
  for (NodeId n : Ids(graph.nodes)) {
    for (ValueId v : graph.nodes[n].outputs) producers[v] = n;
  }
  return producers;
}

IndexedVector<ValueId, std::vector<NodeId>> ConsumersOf(const Graph& graph) {
  IndexedVector<ValueId, std::vector<NodeId>> consumers(graph.values.size());
  for (NodeId n : Ids(graph.nodes)) {
    for (ValueId v : graph.nodes[n].inputs) {
      if (consumers[v].empty() || consumers[v].back() != n) consumers[v].push_back(n);
    }
  }
  return consumers;
}

int64_t WordsRead(const Graph& graph, const GraphNode& node, size_t input) {
  const int64_t words = WordsOf(graph, node.inputs[input]);
  if (input > 0 || !InfoOf(node.op).reads_part) return words;
  return std::min(words, WordsOf(graph, node.outputs.front()));
}

std::vector<ValueId> InPlaceCandidates(const Graph& graph, const GraphNode& node) {
  std::vector<ValueId> candidates;
  if (!InfoOf(node.op).in_place) return candidates;
  const int64_t words = WordsOf(graph, node.outputs.front());
  for (ValueId v : node.inputs) {
    const bool constant = graph.values[StorageOf(graph, v)].role == ValueRole::kWeight;
    const bool listed = std::find(candidates.begin(), candidates.end(), v) != candidates.end();
    if (!constant && !listed && WordsOf(graph, v) == words) candidates.push_back(v);
  }
  return candidates;
}

Network LayersOf(const Graph& graph) {
  Network network;
  network.name = graph.name;
  std::set<std::string> taken;
  for (const GraphNode& node : graph.nodes) {
    for (const Work& work : node.works) {
      // A node may be called like the part of another one.
      std::string name = work.part.empty() ? node.name : node.name + "." + work.part;
      while (!taken.insert(name).second) name += "'";
      Problem problem = work.problem;
      problem.name = name;
      network.layers.push_back({name, work.kind, std::move(problem), work.repeat});
    }
  }
  return network;
}

namespace {

// Follows unmet needs, of which every node left has one, until a node comes twice: the path between
// is a cycle.
std::vector<size_t> CycleAmong(const std::vector<std::vector<size_t>>& needs,
                               const std::vector<bool>& done) {
  size_t at = static_cast<size_t>(std::find(done.begin(), done.end(), false) - done.begin());
  std::vector<size_t> path;
  std::vector<bool> on_path(needs.size(), false);
  while (!on_path[at]) {
    path.push_back(at);
    on_path[at] = true;
    at = *std::find_if(needs[at].begin(), needs[at].end(), [&](size_t n) { return !done[n]; });
  }
  path.erase(path.begin(), std::find(path.begin(), path.end(), at));
  return path;
}

}  // namespace

tl::expected<std::vector<size_t>, std::vector<size_t>> OrderByNeeds(
    const std::vector<std::vector<size_t>>& needs) {
  std::vector<std::vector<size_t>> needed_by(needs.size());
  std::vector<size_t> unmet(needs.size());
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (size_t i = 0; i < needs.size(); ++i) {
    unmet[i] = needs[i].size();
    for (size_t n : needs[i]) needed_by[n].push_back(i);
    if (needs[i].empty()) ready.push(i);
  }
  std::vector<size_t> order;
  std::vector<bool> done(needs.size(), false);
  while (!ready.empty()) {
    const size_t next = ready.top();
    ready.pop();
    order.push_back(next);
    done[next] = true;
    for (size_t i : needed_by[next]) {
      if (--unmet[i] == 0) ready.push(i);
    }
  }
  if (order.size() == needs.size()) return order;
  return tl::unexpected(CycleAmong(needs, done));
}

namespace {

// Operators whose inputs leave no choice of output.
bool DecidesOutput(Op op) {
  return op == Op::kConv || op == Op::kGemm || op == Op::kMatmul || op == Op::kEinsum;
}

tl::expected<Shape, Fault> FirstOutput(const NodeSpec& spec, const std::vector<Shape>& inputs) {
  const std::optional<Shape>& given = spec.outputs.front().shape;
  if (given && !DecidesOutput(spec.op)) return *given;
  auto derived = OutputShape(spec.op, spec.attributes, inputs);
  if (!derived) return tl::unexpected(derived.error());
  if (!*derived) {
    return FailWhole(fmt::format("the shape of '{}' is missing", spec.outputs.front().name),
                     "write 'shape: [...]'");
  }
  if (given && *given != **derived) {
    return FailWhole(fmt::format("'{}' has the shape {}, but its inputs give {}",
                                 spec.outputs.front().name, ToString(*given), ToString(**derived)));
  }
  return **std::move(derived);
}

Work WorkOf(OpWork from, const GraphNode& node) {
  Work work{std::move(from.part), std::move(from.kind), std::move(from.problem), from.repeat, {}};
  for (const Tensor& tensor : work.problem.tensors) {
    std::optional<ValueId> value;
    if (tensor.is_output && from.writes_output) value = node.outputs.front();
    if (tensor.name == "Inputs" && from.input) value = node.inputs[*from.input];
    if (tensor.name == "Weights" && from.weight) value = node.inputs[*from.weight];
    work.operands.push_back(value);
  }
  return work;
}

}  // namespace

tl::expected<void, Fault> AddNode(NodeSpec spec, Graph* graph) {
  std::vector<Shape> inputs;
  for (const ValueId v : spec.inputs) inputs.push_back(graph->values[v].shape);
  if (spec.outputs.empty()) return FailWhole("a node needs an output");
  const bool window = spec.op == Op::kConv || spec.op == Op::kConvTranspose;
  if (window && !inputs.empty() && inputs.front().size() > 2) {
    auto attributes = Canonical(std::move(spec.attributes), inputs.front().size() - 2);
    if (!attributes) return tl::unexpected(attributes.error());
    spec.attributes = *std::move(attributes);
  }
  auto first = FirstOutput(spec, inputs);
  if (!first) return tl::unexpected(first.error());
  auto works = WorksOf(spec.op, spec.attributes, inputs, *first);
  if (!works) return tl::unexpected(works.error());
  if (spec.op == Op::kView && (spec.inputs.size() != 1 || spec.outputs.size() != 1)) {
    return FailWhole("a view has one input and one output");
  }
  spec.outputs.front().shape = *std::move(first);
  for (const NodeSpec::Output& output : spec.outputs) {
    if (!output.shape) return FailWhole(fmt::format("the shape of '{}' is missing", output.name));
  }
  GraphNode node{std::move(spec.name),   spec.op, std::move(spec.attributes),
                 std::move(spec.inputs), {},      {}};
  for (NodeSpec::Output& output : spec.outputs) {
    node.outputs.emplace_back(graph->values.size());
    Value value{std::move(output.name), *std::move(output.shape), ValueRole::kActivation, {}};
    if (spec.op == Op::kView) value.alias_of = node.inputs.front();
    graph->values.push_back(std::move(value));
  }
  for (OpWork& work : *works) node.works.push_back(WorkOf(std::move(work), node));
  graph->nodes.push_back(std::move(node));
  return {};
}

}  // namespace inlay
