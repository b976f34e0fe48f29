#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inlay/core/fault.h"
#include "inlay/core/problem.h"

namespace inlay {

// One layer of a network and how often the network runs it.
struct Layer {
  std::string name;
  std::string kind;  // "conv", "gemm", "matmul", "depthwise", "einsum"
  Problem problem;
  int64_t repeat = 1;
  bool operator==(const Layer&) const = default;
};

// A network as a list of layers, without the edges between them.
struct Network {
  std::string name;
  std::vector<Layer> layers;
  bool operator==(const Network&) const = default;
};

Faults Validate(const Network& network);

}  // namespace inlay
