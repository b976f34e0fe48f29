// The part of FrontWorker that lists the tiles of level 1.
#include <algorithm>
#include <bit>
#include <limits>

#include "inlay/mapper/front/front_worker.h"

namespace inlay::exact_search {

double FrontWorker::RoomOf(const std::vector<double>& tiles) const {
  if (frame_.levels == 1) return 0;
  const Level& level = space_.architecture.levels[LevelId(1)];
  double room = 0;
  for (TensorId t : Ids(space_.problem.tensors)) {
    if (!frame_.keeps[LevelId(1)].contains(t)) continue;
    const std::string& name = space_.problem.tensors[t].name;
    const double bits = level.partitions.empty() ? WordBitsOf(level, name) : 1;
    room += bits * frame_.TileWords(t.value(), tiles.data());
  }
  return room;
}

int64_t FrontWorker::FootprintOf(const std::vector<uint32_t>& nodes) const {
  IndexedVector<DimId, int64_t> sizes(frame_.dims);
  for (size_t d = 0; d < frame_.dims; ++d) {
    sizes[DimId(d)] = static_cast<int64_t>(chains_.trees[d].At(0, nodes[d]).tile);
  }
  int64_t words = 0;
  const LevelId level(1);
  for (const Occupancy& use :
       OccupanciesAt(space_.problem, space_.architecture, level, frame_.keeps[level], sizes)) {
    words += use.used_words;
  }
  return words;
}

bool FrontWorker::List(double above, double most, std::vector<Tiles>* found) {
  if (frame_.levels == 1) {
    if (above < 0) found->push_back({0, {}, {}});
    return true;
  }
  above_ = above;
  most_ = most;
  least_tile_ = smallest_;
  most_tile_ = largest_;
  for (size_t d = 0; d < frame_.dims; ++d) {
    rows_[d] = blocks_[d].Row(TileBlocks::kRoot);
    dim_order_[d] = d;
  }
  std::stable_sort(dim_order_.begin(), dim_order_.end(),
                   [&](size_t a, size_t b) { return blocks_[a].size() < blocks_[b].size(); });
  if (!table_.empty()) {
    for (auto& by_depth : open_) by_depth.front().assign(table_.mask_chunks(), ~uint64_t{0});
    for (size_t i = 0; i < frame_.dims; ++i) Narrow(i, TileBlocks::kRoot);
    for (auto& by_depth : open_) by_depth.front() = by_depth.back();
  }
  return Split(0, TileBlocks::kRoot, found);
}

// Looks at the tiles of a block of the dimension at `depth`, with what those before it have decided
// and any tile of those behind it.
bool FrontWorker::Split(size_t depth, size_t block, std::vector<Tiles>* found) {
  if (watch_.Passed()) return false;
  const size_t d = dim_order_[depth];
  const TileBlocks::Block& at = blocks_[d].At(block);
  rows_[d] = blocks_[d].Row(block);
  least_tile_[d] = at.smallest;
  most_tile_[d] = at.largest;
  bool go_on = true;
  LowerBound bound;
  const bool complete = depth + 1 == frame_.dims && at.single();
  const bool looked = block == TileBlocks::kRoot && depth > 0 && !complete;  // nothing new
  const bool fits = looked || (frame_.Fits(1, least_tile_.data()) && RoomOf(least_tile_) <= most_ &&
                               RoomOf(most_tile_) > above_);
  if (fits && (looked || Promises(depth, block, &bound))) {
    if (!at.single()) {
      go_on = Split(depth, at.left, found) && Split(depth, at.right, found);
    } else {
      nodes_[0][d] = at.begin;
      if (complete) {
        found->push_back({FootprintOf(nodes_[0]), bound, nodes_[0]});
      } else {
        if (!table_.empty()) Narrow(depth, block);
        go_on = Split(depth + 1, TileBlocks::kRoot, found);
      }
    }
  }
  rows_[d] = blocks_[d].Row(TileBlocks::kRoot);
  least_tile_[d] = smallest_[d];
  most_tile_[d] = largest_[d];
  return go_on;
}

// Whether some case is not excluded.
bool FrontWorker::Promises(size_t depth, size_t block, LowerBound* bound) {
  ++nodes_seen_;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  *bound = {0, kInfinity, kInfinity};
  const double steps = StepsOfRows();
  bool promises = false;
  cases_.Bound(SetOfRows(), &bounder_, &case_words_);
  case_cycles_.resize(cases_.size());
  for (size_t c = 0; c < cases_.size(); ++c) {
    double& cycles = case_cycles_[c];
    cycles = kInfinity;
    if (case_words_[c] == kInfinity) continue;  // there is no such mapping
    const double cut = archive_->CyclesAt(case_words_[c]);
    cycles = table_.empty() ? steps : FewestCycles(c, depth, block, cut);
    if (cycles >= cut) cycles = kInfinity;
    if (cycles == kInfinity) continue;
    promises = true;
    bound->cycles = std::min(bound->cycles, cycles);
    bound->offchip_words = std::min(bound->offchip_words, case_words_[c]);
  }
  return promises && OrdersPromise();
}

// Whether some order of the loops of level 0 is not excluded in some case; case_cycles_ are what
// the cases take at least.
bool FrontWorker::OrdersPromise() {
  waiting_.clear();
  for (size_t d = 0; d < frame_.dims; ++d) {
    const bool may = rows_[d][RowLayout::MayMove(0)] != 0;
    const bool must = rows_[d][RowLayout::MustMove(0)] != 0;
    if (may != must) return true;  // which loops there are is open
    if (may) waiting_.push_back(d);
  }
  placed_.clear();
  anywhere_ = 0;
  PrepareOrders();
  return PlacePromises();
}

void FrontWorker::PrepareOrders() {
  const MappingSet set = SetOfRows();
  level1_terms_.clear();
  bypassing_terms_.clear();
  for (const Edge& edge : frame_.edges[1]) level1_terms_.push_back(TermsOf(set, edge));
  for (const Edge* edge : cases_.edges()) {
    bypassing_terms_.push_back(TermsOf(set, *edge));
  }
}

// Of one edge if the innermost loops of level 0 are those placed; *settled: loops further out do
// not change it.
double FrontWorker::PlacedWords(const Edge& edge, const EdgeTerms& terms, bool* settled) {
  const Frame::TensorFrame& tensor = frame_.tensors[edge.tensor];
  *settled = false;
  for (const size_t d : placed_) {
    if (tensor.rank_of[d] < 0) continue;
    bool alone = true;
    for (const Frame::Term& term : tensor.ranks[static_cast<size_t>(tensor.rank_of[d])]) {
      const bool moves = rows_[term.dim][chains_.layout.At(edge.child) + kMoves] != 0;
      alone = alone && (term.dim == d || !moves);
    }
    *settled = *settled || alone;
  }
  return OffchipInOrder(SetOfRows(), edge, terms, placed_, anywhere_);
}

bool FrontWorker::PlacePromises() {
  double words = 0;
  uint64_t open = 0;  // dimensions that concern what is not settled
  const auto look = [&](const Edge& edge, const EdgeTerms& terms) {
    bool settled = false;
    const double own = PlacedWords(edge, terms, &settled);
    for (size_t d = 0; d < frame_.dims && !settled; ++d) {
      if (frame_.tensors[edge.tensor].rank_of[d] >= 0) open |= uint64_t{1} << d;
    }
    return own;
  };
  for (size_t e = 0; e < frame_.edges[1].size(); ++e) {
    if (frame_.edges[1][e].offchip) words += look(frame_.edges[1][e], level1_terms_[e]);
  }
  const std::vector<const Edge*>& bypassing = cases_.edges();
  std::vector<double> still;
  for (size_t i = 0; i < bypassing.size(); ++i) {
    still.push_back(look(*bypassing[i], bypassing_terms_[i]));
  }
  bool promises = false;
  for (size_t c = 0; c < cases_.size() && !promises; ++c) {
    double all = words;
    for (size_t i = 0; i < bypassing.size(); ++i) {
      const Motion motion = cases_.MotionOf(c, i);
      all += motion == Motion::kStill ? still[i] : cases_.MovedWords(i, motion);
    }
    promises = case_cycles_[c] < archive_->CyclesAt(SafeBound({0, 0, all}, Metric::kOffchip));
  }
  if (!promises || open == 0 || waiting_.empty()) return promises;
  // A loop that concerns nothing open costs least inside; what it does to the others is not asked.
  const uint64_t anywhere = anywhere_;
  size_t first = 0, end = waiting_.size();
  for (size_t i = 0; i < waiting_.size(); ++i) {
    if ((open >> waiting_[i] & 1) != 0) continue;
    first = i;
    end = i + 1;
    anywhere_ |= uint64_t{1} << waiting_[i];
    break;
  }
  for (size_t i = first; i < end; ++i) {
    const size_t d = waiting_[i];
    waiting_.erase(waiting_.begin() + static_cast<int64_t>(i));
    placed_.push_back(d);
    const bool found = PlacePromises();
    placed_.pop_back();
    waiting_.insert(waiting_.begin() + static_cast<int64_t>(i), d);
    if (found) return true;
  }
  anywhere_ = anywhere;
  return false;
}

// Of the entries open at a depth, those that go with a block of its dimension (all dimensions have
// been looked at: those open). At least `cut` if it is not below that; infinite if there is none.
double FrontWorker::FewestCycles(size_t in_case, size_t depth, size_t block, double cut) {
  const std::vector<uint64_t>& open = open_[in_case][depth];
  const uint64_t* mask =
      depth == frame_.dims ? open.data() : table_.Mask(in_case, dim_order_[depth], block);
  for (size_t w = first_open_[in_case][depth]; w < open.size(); ++w) {
    const uint64_t both = open[w] & mask[w];
    if (both != 0) return table_.Cycles(64 * w + static_cast<size_t>(std::countr_zero(both)));
    if (table_.Cycles(64 * w) >= cut) return cut;
  }
  return std::numeric_limits<double>::infinity();
}

// Decides on a block for the dimension at `depth`.
void FrontWorker::Narrow(size_t depth, size_t block) {
  for (size_t c = 0; c < cases_.size(); ++c) {
    const std::vector<uint64_t>& before = open_[c][depth];
    std::vector<uint64_t>& after = open_[c][depth + 1];
    const uint64_t* mask = table_.Mask(c, dim_order_[depth], block);
    for (size_t w = 0; w < after.size(); ++w) after[w] = before[w] & mask[w];
    size_t& first = first_open_[c][depth + 1];
    for (first = 0; first < after.size() && after[first] == 0;) ++first;
  }
}

}  // namespace inlay::exact_search
