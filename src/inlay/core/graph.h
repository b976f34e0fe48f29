#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "inlay/core/fault.h"
#include "inlay/core/ids.h"
#include "inlay/core/network.h"
#include "inlay/core/operator.h"
#include "inlay/core/problem.h"

namespace inlay {

// How wide elements are, in bits, by what has them: "all", a role ("inputs", "weights",
// "activations"), "kv", or the name of a value; see core/element_bits.h.
using ElementBits = std::vector<std::pair<std::string, int64_t>>;

enum class ValueRole {
  kInput,       // given from outside at every run
  kWeight,      // the same in every run
  kActivation,  // written by a node
};

// A tensor that nodes read and write.
struct Value {
  std::string name;
  Shape shape;
  ValueRole role = ValueRole::kActivation;
  // The value whose words these are, by another shape: it takes no memory of its own. That value
  // may be an alias itself; see StorageOf.
  std::optional<ValueId> alias_of;
  bool operator==(const Value&) const = default;
};

// A problem that a compute node solves, `repeat` times one after the other.
struct Work {
  std::string part;  // "" where it is all that the node does, else what tells it from the others
  std::string kind;  // as in Layer
  Problem problem;
  int64_t repeat = 1;
  // For each tensor of the problem the value that holds it; none: it stays inside the node.
  IndexedVector<TensorId, std::optional<ValueId>> operands;
  bool operator==(const Work&) const = default;
};

struct GraphNode {
  std::string name;
  Op op = Op::kOther;
  OpAttributes attributes;
  std::vector<ValueId> inputs;   // those it was given; optional ones that are absent are left out
  std::vector<ValueId> outputs;  // at least one
  std::vector<Work> works;       // of a compute node, at least one; of others none
  bool operator==(const GraphNode&) const = default;
};

// A network as a graph. Planners, the simulator of several networks and, through LayersOf, the
// mapper work on it.
struct Graph {
  std::string name;
  // Inputs, then weights, then the outputs of the nodes in order.
  IndexedVector<ValueId, Value> values;
  IndexedVector<NodeId, GraphNode> nodes;  // in an order in which they can run
  std::vector<ValueId> outputs;
  // Nodes of the model that this was read from whose results do not depend on the inputs, such as
  // computations of shapes: done beforehand, and none of the nodes above.
  int64_t folded_nodes = 0;
  ElementBits bits;  // where nothing else is asked for; what it does not say has kUsualBits
  bool operator==(const Graph&) const = default;
};

// A node to be added. An output whose shape is not said gets the one that operator and inputs
// decide (see OutputShape).
struct NodeSpec {
  std::string name;
  Op op = Op::kOther;
  OpAttributes attributes = {};
  std::vector<ValueId> inputs;
  struct Output {
    std::string name;
    std::optional<Shape> shape;
  };
  std::vector<Output> outputs;
};

// Adds a node with its outputs and problems behind the others. A fault, and an unchanged graph,
// where shapes do not fit together or are not known; it names no place.
tl::expected<void, Fault> AddNode(NodeSpec spec, Graph* graph);

// Everything that is wrong with a graph: names used twice, values read before they are written or
// written twice, a view of other size, sizes that 64 bits do not hold, problems that are not valid,
// a graph without nodes or outputs.
Faults Validate(const Graph& graph);

// The product of the extents; nullopt where 64 bits do not hold it.
std::optional<int64_t> WordsOf(const Shape& shape);
// Of a value of a valid graph.
int64_t WordsOf(const Graph& graph, ValueId value);
// Rounded up; saturates.
int64_t BytesOf(int64_t words, int bits);

// The value that owns the words of `value`: itself unless it is an alias.
ValueId StorageOf(const Graph& graph, ValueId value);

// The node that writes each value; none for inputs and weights.
IndexedVector<ValueId, std::optional<NodeId>> ProducersOf(const Graph& graph);
// The nodes that read each value, in order, a node once; views count as readers.
IndexedVector<ValueId, std::vector<NodeId>> ConsumersOf(const Graph& graph);

// The words that a node reads of its i-th input when it reads each word once.
int64_t WordsRead(const Graph& graph, const GraphNode& node, size_t input);

// The inputs of a node whose place its first output may take, if no later node reads them: all but
// weights, of as many words as the output.
std::vector<ValueId> InPlaceCandidates(const Graph& graph, const GraphNode& node);

// The compute nodes as layers, in order; a node of several problems gives several layers, named
// "node.part". Empty where nothing computes.
Network LayersOf(const Graph& graph);

// A topological order: each entry after those it needs. Of the entries that can be next the one
// with the smallest index is, so the given order stays as far as possible. needs[i] lists what i
// needs. Where there is none, the members of a cycle, each needing the next, are the error.
tl::expected<std::vector<size_t>, std::vector<size_t>> OrderByNeeds(
    const std::vector<std::vector<size_t>>& needs);

}  // namespace inlay
