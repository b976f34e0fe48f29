#pragma once

#include <array>
#include <cstdint>

#include "inlay/mapper/dnnopt/layer.h"

namespace inlay::dnnopt {

// The loops over blocks. Axes of one trip have no loop, wherever the order names them.
struct Nest {
  std::array<uint8_t, kMaxAxes> order = {};  // axes, outer to inner
  Sizes trips = {};
  // How often a tensor that an axis does not move is fetched again by the axis's loop, if the loop
  // stands outside all that move it: its trips, or 1 where everything the loop touches in one
  // iteration stays on chip.
  Sizes refetches = {};
  // Blocks that the words of an axis are counted for: its trips, but for lower bounds.
  Sizes pieces = {};
};

// ⌈bound / block⌉.
Sizes TripsOf(const Layer& layer, const Sizes& blocks);

// All loops refetch, pieces are trips.
Nest NestOf(const Layer& layer, const std::array<uint8_t, kMaxAxes>& order, const Sizes& blocks);

// Position in the order of the innermost loop that moves the tensor; −1 if none does.
int InnermostRelevant(const BlockTensor& tensor, const Nest& nest, size_t axes);

// Words of one tensor to and from off-chip memory. Each pass over the tensor fetches every block,
// the last ones short; along the axis of the innermost loop that moves the tensor, what a block
// shares with the one before is not fetched again. A pass is repeated by every loop that does not
// move the tensor and stands outside one that does. Partial sums go out and come back.
int64_t AccessesOf(const BlockTensor& tensor, const Layer& layer, const Nest& nest);

// The accesses of all tensors.
int64_t AccessesOf(const Layer& layer, const Nest& nest);

}  // namespace inlay::dnnopt
