#pragma once

#include <array>
#include <cstdint>
#include <tl/expected.hpp>
#include <vector>

#include "inlay/core/fault.h"
#include "inlay/core/problem.h"
#include "inlay/core/systolic.h"

namespace inlay::dnnopt {

// All orders are tried, so there may not be many axes: 8! = 40320.
inline constexpr size_t kMaxAxes = 8;

enum class Role : uint8_t { kGroups, kFilters, kChannels, kPixels };

// A dimension that is cut into blocks; its bound is above 1. The order of the axes is that of the
// search: groups, filters, channels, pixels, each as in the problem.
struct BlockAxis {
  DimId dim;
  Role role = Role::kPixels;
  int64_t bound = 1;
  int64_t stride = 1;  // blocks are multiples of it, or the whole dimension
};

// One coordinate of a tensor: a block of n iterations along the axis covers step·(n − 1) + base
// words. A coordinate that no axis moves has step 0.
struct BlockRank {
  size_t axis = 0;
  int64_t step = 0;
  int64_t base = 1;  // the window: 1 + Σ |coefficient|·(bound − 1) over the dimensions kept whole
};

struct BlockTensor {
  TensorId id;
  bool is_output = false;
  std::vector<BlockRank> ranks;
  uint32_t relevant = 0;  // bit i: axis i moves it
};

// A problem as DNNOPT sees it: blocks along filters, channels and pixels (groups and the batch
// among them), the window of a convolution whole in every block.
struct Layer {
  std::vector<BlockAxis> axes;
  std::vector<BlockTensor> tensors;
  int64_t window = 1;  // iterations of the dimensions kept whole
};

using Sizes = std::array<int64_t, kMaxAxes>;

// Faults: not two inputs and an output, a coordinate that two axes move, too many axes, counts that
// may not fit into 64 bits.
tl::expected<Layer, Fault> LayerOf(const Problem& problem);

// Words of a block of every tensor; axes beyond the layer's are not looked at.
int64_t BlockWords(const BlockTensor& tensor, const Sizes& blocks);

// The block as the array sees it.
SystolicShape ShapeOf(const Layer& layer, const Sizes& blocks);

}  // namespace inlay::dnnopt
