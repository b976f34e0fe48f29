#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inlay/base/structure.h"
#include "inlay/core/element_bits.h"
#include "inlay/core/graph.h"

namespace inlay {

// What a tensor is to a network, for those who read results. Outputs of the network are
// activations that leave it.
enum class TensorRole : uint8_t { kInput, kWeight, kActivation, kOutput };
template <>
inline constexpr auto kNames<TensorRole> =
    std::to_array<EnumName<TensorRole>>({{TensorRole::kInput, "input"},
                                         {TensorRole::kWeight, "weight"},
                                         {TensorRole::kActivation, "activation"},
                                         {TensorRole::kOutput, "output"}});

// A network as results show it: its nodes and the tensors between them, by names. Views are left
// out: what reads a view reads the tensor whose words these are.
struct GraphResult {
  struct Node {
    std::string name;
    std::string op;          // in the native format
    int64_t operations = 0;  // multiply-accumulates; 0 where it is no compute node
    std::vector<std::string> inputs, outputs;
    bool operator==(const Node&) const = default;
  };
  struct Tensor {
    std::string name;
    TensorRole role = TensorRole::kActivation;
    int64_t words = 0;
    int64_t bytes = 0;
    bool operator==(const Tensor&) const = default;
  };
  std::vector<Node> nodes;      // in an order in which they can run
  std::vector<Tensor> tensors;  // that a node reads or writes
  bool operator==(const GraphResult&) const = default;
};
const Structure& StructureOf(const GraphResult::Node*);
const Structure& StructureOf(const GraphResult::Tensor*);
const Structure& StructureOf(const GraphResult*);

// The graph is valid.
GraphResult GraphResultOf(const Graph& graph, const ValueBits& bits);

}  // namespace inlay
