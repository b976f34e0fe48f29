#include "inlay/mapper/dnnopt/accesses.h"

#include <algorithm>

#include "inlay/base/checked_arithmetic.h"

namespace inlay::dnnopt {
namespace {

// Words along one coordinate, summed over the blocks of one pass. The sizes of the blocks add up to
// the bound whatever they are, so only their number matters: Σ step·(nᵢ − 1) + base.
int64_t WordsAlong(const BlockRank& rank, const Layer& layer, int64_t pieces, bool overlapped) {
  const int64_t bound = layer.axes[rank.axis].bound;
  const int64_t words = rank.step * bound + pieces * (rank.base - rank.step);
  if (!overlapped) return words;
  return words - (pieces - 1) * std::max<int64_t>(0, rank.base - rank.step);
}

}  // namespace

Sizes TripsOf(const Layer& layer, const Sizes& blocks) {
  Sizes trips = {};
  for (size_t a = 0; a < layer.axes.size(); ++a) {
    trips[a] = CeilDiv(layer.axes[a].bound, blocks[a]);
  }
  return trips;
}

Nest NestOf(const Layer& layer, const std::array<uint8_t, kMaxAxes>& order, const Sizes& blocks) {
  Nest nest;
  nest.order = order;
  nest.trips = nest.refetches = nest.pieces = TripsOf(layer, blocks);
  return nest;
}

int InnermostRelevant(const BlockTensor& tensor, const Nest& nest, size_t axes) {
  for (size_t i = axes; i-- > 0;) {
    const size_t axis = nest.order[i];
    if (nest.trips[axis] > 1 && (tensor.relevant >> axis & 1) != 0) return static_cast<int>(i);
  }
  return -1;
}

int64_t AccessesOf(const BlockTensor& tensor, const Layer& layer, const Nest& nest) {
  const int innermost = InnermostRelevant(tensor, nest, layer.axes.size());
  int64_t passes = 1;
  for (int i = 0; i < innermost; ++i) {
    const size_t axis = nest.order[static_cast<size_t>(i)];
    if ((tensor.relevant >> axis & 1) == 0) passes *= nest.refetches[axis];
  }
  int64_t words = 1;
  for (const BlockRank& rank : tensor.ranks) {
    if (rank.step == 0) {
      words *= rank.base;
      continue;
    }
    const bool overlapped =
        innermost >= 0 && nest.order[static_cast<size_t>(innermost)] == rank.axis;
    words *= WordsAlong(rank, layer, nest.pieces[rank.axis], overlapped);
  }
  return (tensor.is_output ? 2 * passes - 1 : passes) * words;
}

int64_t AccessesOf(const Layer& layer, const Nest& nest) {
  int64_t total = 0;
  for (const BlockTensor& tensor : layer.tensors) total += AccessesOf(tensor, layer, nest);
  return total;
}

}  // namespace inlay::dnnopt
