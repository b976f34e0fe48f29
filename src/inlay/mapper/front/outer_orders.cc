#include "inlay/mapper/front/outer_orders.h"

#include <algorithm>

namespace inlay::exact_search {
namespace {

constexpr size_t kMostDims = 16;  // an order is a number of as many digits

}  // namespace

OuterOrders::OuterOrders(const Space& space, const KeepCase& keep_case, const Chains& chains,
                         const std::vector<const Edge*>& bypassing)
    : space_(space),
      keep_case_(keep_case),
      chains_(chains),
      tables_(space.problem),
      plain_(keep_case.dims),
      tile_(keep_case.dims),
      steps_(keep_case.dims),
      feeder_(keep_case.tensors.size(), exact::kNoLevel) {
  if (keep_case.levels == 1) return;
  for (size_t d = 0; d < keep_case.dims; ++d) {
    const ChainTree& tree = chains.trees[d];
    const int64_t bound = space.problem.dims[DimId(d)].bound;
    plain_[d].assign(tree.size(0), 1);
    const auto look = [&](const auto& self, size_t stage, uint32_t n, uint8_t* plain) -> void {
      const ChainTree::Node& node = tree.At(stage, n);
      if (stage + 1 < tree.stages()) {
        for (uint32_t c = node.child_begin; c < node.child_end; ++c)
          self(self, stage + 1, c, plain);
        return;
      }
      const Chain& chain = tree.ChainOf(node);
      if (chain.bound != bound || chain.steps[SlotId(1)] > 1 || chain.steps[SlotId(2)] > 1) {
        *plain = 0;
      }
    };
    for (uint32_t n = 0; n < tree.size(0); ++n) look(look, 0, n, &plain_[d][n]);
  }
  for (const Edge& edge : keep_case.edges[1]) {
    if (!edge.offchip) continue;
    feeder_[edge.tensor] = 0;
    tiles_.push_back({edge.tensor, false});
  }
  for (const Edge* edge : bypassing) tiles_.push_back({edge->tensor, true});
  mapping_.levels.resize(2);
}

bool OuterOrders::Begin(const std::vector<uint32_t>& nodes) {
  orders_.clear();
  known_.clear();
  if (!tables_.fits_64 || keep_case_.dims >= kMostDims) return false;
  for (size_t d = 0; d < keep_case_.dims; ++d) {
    if (plain_[d][nodes[d]] == 0) return false;
  }
  for (size_t d = 0; d < keep_case_.dims; ++d) {
    tile_[d] = static_cast<int64_t>(chains_.trees[d].At(0, nodes[d]).tile);
    steps_[d] = (tables_.bound[d] + tile_[d] - 1) / tile_[d];
  }
  return true;
}

const std::vector<OuterOrders::Order>& OuterOrders::List(const Excluded& excluded) {
  orders_.clear();
  placed_.clear();
  for (Moved& tile : tiles_) tile.state = State::kUnmoved;
  Place(excluded);
  return orders_;
}

// The dimensions whose loop may come next, going outwards.
std::vector<size_t> OuterOrders::Candidates() const {
  const OrderRule& rule = space_.orders[LevelId(0)];
  const auto waits = [&](size_t d) {
    return steps_[d] > 1 && std::find(placed_.begin(), placed_.end(), d) == placed_.end();
  };
  for (DimId d : rule.innermost) {
    if (waits(d.value())) return {d.value()};
  }
  std::vector<size_t> free;
  for (size_t d = 0; d < keep_case_.dims; ++d) {
    const auto& last = rule.outermost;
    if (waits(d) && std::find(last.begin(), last.end(), DimId(d)) == last.end()) free.push_back(d);
  }
  if (!free.empty()) return free;
  for (size_t i = rule.outermost.size(); i-- > 0;) {
    if (waits(rule.outermost[i].value())) return {rule.outermost[i].value()};
  }
  return {};
}

void OuterOrders::Place(const Excluded& excluded) {
  const std::vector<size_t> candidates = Candidates();
  if (candidates.empty()) {
    std::vector<Loop>& loops = mapping_.levels[LevelId(0)].temporal;
    loops.clear();
    for (size_t i = placed_.size(); i-- > 0;) {
      loops.push_back({DimId(placed_[i]), tile_[placed_[i]], Axis::kTime});
    }
    orders_.push_back({placed_, WordsOf(loops)});
    return;
  }
  bool parted = true, moved = false;
  for (const Moved& tile : tiles_) {
    parted = parted && tile.state == State::kParted;
    moved = moved || tile.state == State::kMoved;
  }
  if (parted || candidates.size() == 1) return PlaceOne(candidates[0], excluded);
  if (excluded(placed_)) return;
  for (const size_t d : candidates) {
    const bool concerns = std::any_of(tiles_.begin(), tiles_.end(), [&](const Moved& tile) {
      return tile.state != State::kParted && keep_case_.tensors[tile.tensor].rank_of[d] >= 0;
    });
    // Inside, its steps cost nothing, and the loops around it take fewer.
    if (!concerns && !moved) return PlaceOne(d, excluded);
  }
  for (const size_t d : candidates) PlaceOne(d, excluded);
}

void OuterOrders::PlaceOne(size_t dim, const Excluded& excluded) {
  const std::vector<Moved> before = tiles_;
  for (Moved& tile : tiles_) {
    if (keep_case_.tensors[tile.tensor].rank_of[dim] < 0 || tile.state == State::kParted) continue;
    tile.state = Parts(tile, dim) ? State::kParted : State::kMoved;
  }
  placed_.push_back(dim);
  Place(excluded);
  placed_.pop_back();
  tiles_ = before;
}

// Whether a tile that the loop has moved is elsewhere at every step of a loop further out: on the
// way back to the start it goes further than it is long, and no other dimension of the rank moves.
// Of tiles that bypass level 1 only the bound is asked for, which looks no further than this loop.
bool OuterOrders::Parts(const Moved& tile, size_t dim) const {
  if (tile.bypassing) return true;
  const KeepCase::TensorRanks& tensor = keep_case_.tensors[tile.tensor];
  int64_t way = 0, extent = 1;
  for (const KeepCase::Term& term : tensor.ranks[static_cast<size_t>(tensor.rank_of[dim])]) {
    const auto coefficient = static_cast<int64_t>(term.coefficient);
    extent += coefficient * (tile_[term.dim] - 1);
    if (term.dim == dim) {
      way = coefficient * tile_[dim] * (steps_[dim] - 1);
    } else if (steps_[term.dim] > 1) {
      return false;
    }
  }
  return way >= extent;
}

double OuterOrders::WordsOf(const std::vector<Loop>& loops) {
  uint64_t code = 0;
  for (const Loop& loop : loops) code = code * kMostDims + loop.dim.value() + 1;
  const auto [at, fresh] = known_.try_emplace(code, 0.0);
  if (fresh) at->second = Count(loops);
  return at->second;
}

double OuterOrders::Count(const std::vector<Loop>& loops) {
  if (&loops != &mapping_.levels[LevelId(0)].temporal) {
    mapping_.levels[LevelId(0)].temporal = loops;
  }
  nest_.Build(tables_, mapping_);
  traffic_.assign(tables_.tensors, {});
  if (nest_.perfect) {
    perfect_.Begin(tables_, nest_);
    perfect_.Compute(tables_, nest_, 1, feeder_, &traffic_);
  } else {
    ragged_.Begin(tables_, nest_);
    ragged_.Compute(tables_, nest_, 1, feeder_, &traffic_);
  }
  double words = 0;
  for (size_t t = 0; t < tables_.tensors; ++t) {
    const exact::Traffic<int64_t>& one = traffic_[t];
    words += static_cast<double>(one.groups);
    if (t == tables_.output) words += static_cast<double>(one.groups - one.distinct);
  }
  return words;
}

}  // namespace inlay::exact_search
