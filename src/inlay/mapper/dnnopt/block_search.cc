#include "inlay/mapper/dnnopt/block_search.h"

#include <algorithm>
#include <numeric>

#include "inlay/base/checked_arithmetic.h"

namespace inlay::dnnopt {
namespace {

using Exit = DnnoptOptions::Exit;
using Optimize = DnnoptOptions::Optimize;
using Order = std::array<uint8_t, kMaxAxes>;

class BlockSearch {
 public:
  BlockSearch(const Machine& machine, const Layer& layer, Exit exit, const Deadline& deadline,
              const std::function<void(int64_t)>& found)
      : machine_(machine), layer_(layer), exit_(exit), watch_(deadline), found_(found) {
    for (size_t a = 0; a < layer.axes.size(); ++a) {
      smallest_[a] = First(layer.axes[a]);
      whole_[a] = layer.axes[a].bound;
    }
    most_trips_ = TripsOf(layer, smallest_);
  }

  void SearchBlocks(const Order& order) {
    order_ = order;
    blocks_ = smallest_;
    if (Fits(machine_, layer_, blocks_)) Enlarge(0);
  }

  // Blocks are the smallest; a loop over blocks refetches nothing if all that it touches in one
  // iteration fits.
  void TryOrder(const Order& order) {
    Nest nest = NestOf(layer_, order, smallest_);
    Sizes resident = smallest_, touched = smallest_;
    for (size_t i = layer_.axes.size(); i-- > 0;) {
      if (!Fits(machine_, layer_, touched)) break;
      resident = touched;
      nest.refetches[order[i]] = 1;
      touched[order[i]] = layer_.axes[order[i]].bound;
    }
    if (Fits(machine_, layer_, smallest_)) Offer(smallest_, nest, resident);
  }

  BlockSearchResult result;

 private:
  static int64_t First(const BlockAxis& axis) { return std::min(axis.stride, axis.bound); }

  // The next larger block worth a visit; 0 after the whole dimension.
  int64_t Next(const BlockAxis& axis, int64_t block) const {
    if (block == axis.bound) return 0;
    int64_t least = block + axis.stride;
    if (exit_ == Exit::kSafe) {
      const int64_t trips = CeilDiv(axis.bound, block);  // 2 or more
      least = CeilDiv(CeilDiv(axis.bound, trips - 1), axis.stride) * axis.stride;
    }
    return std::min(least, axis.bound);
  }

  // Tries all blocks of the axes from `a` on; those before are decided, those from `a` on are the
  // smallest, and fit. The fewest accesses found, if any was looked at.
  std::optional<int64_t> Enlarge(size_t a) {
    if (watch_.Passed()) result.stopped = true;
    if (result.stopped) return std::nullopt;
    if (a == layer_.axes.size()) {
      return Offer(blocks_, NestOf(layer_, order_, blocks_), blocks_);
    }
    std::optional<int64_t> fewest;
    for (int64_t block = smallest_[a]; block != 0; block = Next(layer_.axes[a], block)) {
      blocks_[a] = block;
      if (!Fits(machine_, layer_, blocks_)) break;
      if (exit_ == Exit::kSafe && result.best && LowerBound(a + 1) >= result.best->accesses) {
        continue;
      }
      const auto accesses = Enlarge(a + 1);
      if (result.stopped) break;
      if (exit_ == Exit::kLiteral && fewest && accesses && *accesses >= *fewest) break;
      if (accesses && (!fewest || *accesses < *fewest)) fewest = accesses;
    }
    blocks_[a] = smallest_[a];
    return fewest;
  }

  // No blocks of the axes from `open` on have fewer accesses: a loop more, or a trip more, never
  // refetches less. Only where blocks leave holes between them do more pieces mean fewer words.
  int64_t LowerBound(size_t open) const {
    Sizes blocks = blocks_;
    for (size_t a = open; a < layer_.axes.size(); ++a) blocks[a] = whole_[a];
    Nest nest = NestOf(layer_, order_, blocks);
    for (const BlockTensor& tensor : layer_.tensors) {
      for (const BlockRank& rank : tensor.ranks) {
        if (rank.axis >= open && rank.step > rank.base) {
          nest.pieces[rank.axis] = most_trips_[rank.axis];
        }
      }
    }
    return AccessesOf(layer_, nest);
  }

  int64_t Offer(const Sizes& blocks, const Nest& nest, const Sizes& resident) {
    ++result.points_visited;
    const int64_t accesses = AccessesOf(layer_, nest);
    if (!result.best || accesses < result.best->accesses) {
      result.best = Choice{blocks, nest, accesses, resident};
      if (found_) found_(accesses);
    }
    return accesses;
  }

  const Machine& machine_;
  const Layer& layer_;
  Exit exit_;
  DeadlineWatch watch_;
  const std::function<void(int64_t)>& found_;
  Sizes smallest_ = {}, whole_ = {}, most_trips_ = {};
  Order order_ = {};
  Sizes blocks_ = {};
};

double PointsInSpace(const Layer& layer, Optimize optimize) {
  double points = 1;
  for (size_t a = 0; a < layer.axes.size(); ++a) {
    if (optimize != Optimize::kOrder) points *= static_cast<double>(layer.axes[a].bound);
    if (optimize != Optimize::kBlock) points *= static_cast<double>(a + 1);
  }
  return points;
}

}  // namespace

void SetStrides(const Machine& machine, const DnnoptOptions& options, Layer* layer) {
  const bool input_stationary = options.dataflow == Dataflow::kInputStationary;
  for (size_t a = 0; a < layer->axes.size(); ++a) {
    BlockAxis& axis = layer->axes[a];
    axis.stride = 1;
    if (options.stride == DnnoptOptions::Stride::kOne) continue;
    if (axis.role == Role::kFilters) axis.stride = machine.columns;
    if (axis.role == Role::kChannels) axis.stride = machine.rows;
    // Pixels are the last role, so the last axis is the last of the pixels if there are any.
    if (axis.role == Role::kPixels && a + 1 == layer->axes.size()) {
      axis.stride = input_stationary ? machine.columns : machine.rows;
    }
  }
}

BlockSearchResult FindBlocks(const Machine& machine, const Layer& layer,
                             const DnnoptOptions& options, const Deadline& deadline,
                             const std::function<void(int64_t)>& found) {
  BlockSearch search(machine, layer, options.exit, deadline, found);
  Order order = {};
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(layer.axes.size());
  std::iota(order.begin(), end, uint8_t{0});
  do {
    if (options.optimize == Optimize::kOrder) {
      search.TryOrder(order);
    } else {
      search.SearchBlocks(order);
    }
  } while (options.optimize != Optimize::kBlock && !search.result.stopped &&
           std::next_permutation(order.begin(), end));
  search.result.points_in_space = PointsInSpace(layer, options.optimize);
  return search.result;
}

}  // namespace inlay::dnnopt
