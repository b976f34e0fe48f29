#include <algorithm>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/cost/exact/traffic.h"

namespace inlay::exact {

template <typename Int>
void RaggedTraffic<Int>::Begin(const Tables& tables, const FlatNest& nest) {
  child_ = kNoLevel;
  dims_.resize(tables.dims);
  sum_.resize(tables.ranks.size());
  group_.resize(tables.ranks.size());
  distinct_lanes_.resize(tables.tensors * tables.dims);
  rank_stale_.resize(tables.ranks.size());
  product_.resize(tables.tensors);
  position_.resize(tables.dims);
  for (size_t r = 0; r < tables.ranks.size(); ++r) {
    // No dimension that changes makes a rank without one stale: one word, which stays.
    if (tables.ranks[r].empty()) sum_[r] = group_[r] = {1, 1};
  }
  for (size_t d = 0; d < tables.dims; ++d) {
    DimState& dim = dims_[d];
    dim.loops.clear();
    for (size_t i : nest.chain[d]) {
      dim.loops.push_back({nest.loops[i].step, LoopRole::kOutside});
    }
  }
}

// Every temporal loop outside: as if something further in than all of them advanced.
template <typename Int>
void RaggedTraffic<Int>::Start(const Tables& tables, const FlatNest& nest, size_t child) {
  child_ = child;
  for (size_t d = 0; d < tables.dims; ++d) {
    DimState& dim = dims_[d];
    dim.length = 0;
    dim.lanes_level = kNoLevel;
    dim.lanes = dim.outside = 1;
    dim.last = 0;
    for (size_t i : nest.chain[d]) {
      if (i >= nest.above[child]) break;
      const FlatLoop& loop = nest.loops[i];
      dim.loops[dim.length++].role = loop.spatial ? LoopRole::kLane : LoopRole::kOutside;
      if (loop.spatial) dim.lanes_level = loop.level;
      if (nest.even[d] != 0) (loop.spatial ? dim.lanes : dim.outside) *= loop.trips;
    }
    position_[d] = dim.length;
  }
}

template <typename Int>
bool RaggedTraffic<Int>::Meets(const Tables& tables, size_t rank, size_t outer) const {
  int unrolled = 0;
  for (const Tables::FlatTerm& term : tables.ranks[rank]) {
    unrolled += Unrolled(term.dim, outer) ? 1 : 0;
  }
  return unrolled > 1;
}

template <typename Int>
bool RaggedTraffic<Int>::AllEven(const Tables& tables, const FlatNest& nest, size_t rank) const {
  for (const Tables::FlatTerm& term : tables.ranks[rank]) {
    if (nest.even[term.dim] == 0) return false;
  }
  return true;
}

// Lanes of an even dimension below one instance of `outer`.
template <typename Int>
int64_t RaggedTraffic<Int>::SharedLanes(const FlatNest& nest, size_t d, size_t outer) const {
  int64_t shared = 1;
  for (size_t k = 0; k < dims_[d].length; ++k) {
    const FlatLoop& loop = nest.loops[nest.chain[d][k]];
    if (loop.spatial && loop.level >= outer) shared *= loop.trips;
  }
  return shared;
}

// The count of a dimension at this kind of step with lanes below one instance of `outer` counted
// once. (The first of them is active whenever any is.)
template <typename Int>
int64_t RaggedTraffic<Int>::CountBelow(const Tables& tables, const FlatNest& nest, size_t d,
                                       size_t outer) {
  const DimState& dim = dims_[d];
  if (nest.even[d] != 0) return dim.count / SharedLanes(nest, d, outer);
  const auto loops = dim.Loops();
  scratch_.assign(loops.begin(), loops.end());
  for (size_t k = 0; k < dim.length; ++k) {
    const FlatLoop& loop = nest.loops[nest.chain[d][k]];
    if (loop.spatial && loop.level >= outer) scratch_[k].role = LoopRole::kFirst;
  }
  return chain_.Count(tables.bound[d], scratch_);
}

template <typename Int>
RankSum<Int> RaggedTraffic<Int>::SumOf(const Tables& tables, size_t rank) {
  const auto& terms = tables.ranks[rank];
  if (terms.size() > 2) return SumOfMany(tables, rank);
  RankSum<Int> sum;
  const int64_t ca = terms[0].coefficient;
  if (terms.size() == 1) {
    for (const Bundle& b : Fresh(tables, terms[0].dim).bundles) {
      const Int words = Int{b.mult} * (1 + ca * (b.size - 1));
      sum.words += words;
      if (b.Still()) sum.overlap += words;
    }
    return sum;
  }
  const int64_t cb = terms[1].coefficient;
  const auto& as = Fresh(tables, terms[0].dim).bundles;
  const auto& bs = Fresh(tables, terms[1].dim).bundles;
  for (const Bundle& a : as) {
    for (const Bundle& b : bs) {
      const Int mult = Int{a.mult} * b.mult;
      const int64_t size = ca * (a.size - 1) + cb * (b.size - 1);
      const int64_t before = ca * (a.before - 1) + cb * (b.before - 1);
      sum.words += mult * (size + 1);
      sum.overlap += mult * IntervalOverlap(size, before, ca * a.delta + cb * b.delta);
    }
  }
  return sum;
}

// Any number of dimensions: an odometer over their bundles.
template <typename Int>
RankSum<Int> RaggedTraffic<Int>::SumOfMany(const Tables& tables, size_t rank) {
  RankSum<Int> sum;
  const auto& terms = tables.ranks[rank];
  for (const Tables::FlatTerm& term : terms) {
    if (Fresh(tables, term.dim).bundles.empty()) return sum;
  }
  size_t at[kMaxDims] = {};
  for (;;) {
    Int mult = 1;
    int64_t size = 0, before = 0, delta = 0;
    for (size_t k = 0; k < terms.size(); ++k) {
      const Bundle& b = dims_[terms[k].dim].bundles[at[k]];
      const int64_t c = terms[k].coefficient;
      mult *= b.mult;
      size += c * (b.size - 1);
      before += c * (b.before - 1);
      delta += c * b.delta;
    }
    sum.words += mult * (size + 1);
    sum.overlap += mult * IntervalOverlap(size, before, delta);
    size_t k = terms.size();
    while (k > 0 && ++at[k - 1] == dims_[terms[k - 1].dim].bundles.size()) at[--k] = 0;
    if (k == 0) return sum;
  }
}

// For a rank where unrolled dimensions meet: every group of lanes below an instance of `outer`
// once. Without history lanes are told apart by their new interval alone. Needs sum_ of the rank.
template <typename Int>
RankSum<Int> RaggedTraffic<Int>::GroupSumOf(const Tables& tables, const FlatNest& nest, size_t rank,
                                            size_t outer, bool history) {
  const auto& terms = tables.ranks[rank];
  if (AllEven(tables, nest, rank)) {
    // All lanes look alike at every step: scale the sum over lanes.
    int64_t lanes = 1;
    for (const Tables::FlatTerm& term : terms) lanes *= SharedLanes(nest, term.dim, outer);
    const int64_t groups = lane_offsets_.Distinct(tables, nest, rank, outer, child_);
    return {sum_[rank].words / lanes * groups, sum_[rank].overlap / lanes * groups};
  }
  if (meeting_.size() < terms.size()) meeting_.resize(terms.size());
  for (size_t k = 0; k < terms.size(); ++k) {
    const size_t d = terms[k].dim;
    const auto loops = dims_[d].Loops();
    MeetingDim& meeting = meeting_[k];
    meeting.bound = tables.bound[d];
    meeting.coefficient = terms[k].coefficient;
    meeting.loops.assign(loops.begin(), loops.end());
    meeting.apart.resize(loops.size());
    for (size_t i = 0; i < loops.size(); ++i) {
      const FlatLoop& loop = nest.loops[nest.chain[d][i]];
      meeting.apart[i] = loop.spatial && loop.level < outer ? 1 : 0;
      if (!history && loops[i].role == LoopRole::kInside) meeting.loops[i].role = LoopRole::kFirst;
    }
  }
  const std::span<const MeetingDim> dims = meeting_;
  return meeting_rank_.Sum<Int>(dims.first(terms.size()), history);
}

template <typename Int>
void RaggedTraffic<Int>::SetEven(size_t dim, int64_t size, int64_t mult, int64_t delta) {
  dims_[dim].bundles.resize(1);
  dims_[dim].bundles[0] = {mult, size, size, delta, 0};
  dims_[dim].count = mult;
}

// The parts of a dimension changed: forget what depends on it.
template <typename Int>
void RaggedTraffic<Int>::Touch(const Tables& tables, const FlatNest& nest, size_t d) {
  dims_[d].stale = nest.even[d] == 0;
  for (size_t t = 0; t < tables.tensors; ++t) {
    const size_t slot = t * tables.dims + d;
    if (tables.rank_of[slot] < 0) {
      distinct_lanes_[slot] = -1;
      product_[t].times_stale = true;
    } else {
      rank_stale_[static_cast<size_t>(tables.rank_of[slot])] = 1;
      product_[t].words_stale = true;
    }
  }
}

template <typename Int>
const typename RaggedTraffic<Int>::DimState& RaggedTraffic<Int>::Fresh(const Tables& tables,
                                                                       size_t d) {
  DimState& dim = dims_[d];
  if (!dim.stale) return dim;
  chain_.Enumerate(tables.bound[d], dim.Loops(), &dim.bundles);
  dim.count = 0;
  for (const Bundle& bundle : dim.bundles) dim.count += bundle.mult;
  dim.stale = false;
  return dim;
}

template <typename Int>
void RaggedTraffic<Int>::FreshenRank(const Tables& tables, const FlatNest& nest, size_t rank,
                                     size_t outer) {
  rank_stale_[rank] = 0;
  sum_[rank] = SumOf(tables, rank);
  const bool meets = tables.ranks[rank].size() > 1 && Meets(tables, rank, outer);
  group_[rank] = meets ? GroupSumOf(tables, nest, rank, outer, true) : sum_[rank];
}

template <typename Int>
int64_t RaggedTraffic<Int>::DistinctLanes(const Tables& tables, const FlatNest& nest, size_t slot,
                                          size_t d, size_t outer) {
  if (distinct_lanes_[slot] < 0) {
    distinct_lanes_[slot] =
        Unrolled(d, outer) ? CountBelow(tables, nest, d, outer) : Fresh(tables, d).count;
  }
  return distinct_lanes_[slot];
}

template <typename Int>
void RaggedTraffic<Int>::FreshenWords(const Tables& tables, const FlatNest& nest, size_t t,
                                      size_t outer) {
  Int lanes_new = 1, lanes_old = 1, groups_new = 1, groups_old = 1;
  for (size_t r = tables.rank_begin[t]; r < tables.rank_begin[t + 1]; ++r) {
    if (rank_stale_[r] != 0) FreshenRank(tables, nest, r, outer);
    lanes_new *= sum_[r].words;
    lanes_old *= sum_[r].overlap;
    groups_new *= group_[r].words;
    groups_old *= group_[r].overlap;
  }
  product_[t].lanes = lanes_new - lanes_old;
  product_[t].groups = groups_new - groups_old;
  product_[t].words_stale = false;
}

template <typename Int>
void RaggedTraffic<Int>::FreshenTimes(const Tables& tables, const FlatNest& nest, size_t t,
                                      size_t outer) {
  Int lanes = 1, groups = 1;
  for (size_t d : tables.irrelevant[t]) {
    lanes *= Fresh(tables, d).count;
    groups *= DistinctLanes(tables, nest, t * tables.dims + d, d, outer);
  }
  product_[t].lanes_times = lanes;
  product_[t].groups_times = groups;
  product_[t].times_stale = false;
}

template <typename Int>
void RaggedTraffic<Int>::Accumulate(const Tables& tables, const FlatNest& nest,
                                    const std::vector<size_t>& outer,
                                    std::vector<Traffic<Int>>* traffic) {
  for (size_t t = 0; t < tables.tensors; ++t) {
    if (outer[t] == kNoLevel || moved_[t] == 0) continue;
    const TensorProduct& product = product_[t];
    if (product.words_stale) FreshenWords(tables, nest, t, outer[t]);
    if (product.lanes == 0 && product.groups == 0) continue;
    if (product.times_stale) FreshenTimes(tables, nest, t, outer[t]);
    (*traffic)[t].lanes += product.lanes * product.lanes_times;
    (*traffic)[t].groups += product.groups * product.groups_times;
  }
}

// With every temporal loop inside, the new tiles are those of the first step, where lanes have no
// past that could keep them apart.
template <typename Int>
void RaggedTraffic<Int>::FirstStep(const Tables& tables, const FlatNest& nest,
                                   const std::vector<size_t>& outer,
                                   std::vector<Traffic<Int>>* traffic) {
  for (size_t t = 0; t < tables.tensors; ++t) {
    if (outer[t] == kNoLevel) continue;
    Int lanes = 1, groups = 1;
    for (size_t r = tables.rank_begin[t]; r < tables.rank_begin[t + 1]; ++r) {
      if (rank_stale_[r] != 0) sum_[r] = SumOf(tables, r);
      lanes *= sum_[r].words;
      const bool meets = tables.ranks[r].size() > 1 && Meets(tables, r, outer[t]);
      groups *= meets ? GroupSumOf(tables, nest, r, outer[t], false).words : sum_[r].words;
    }
    if (product_[t].times_stale) FreshenTimes(tables, nest, t, outer[t]);
    (*traffic)[t].lanes += lanes * product_[t].lanes_times;
    (*traffic)[t].groups += groups * product_[t].groups_times;
  }
}

// Words of the output that ever enter a lane, shared lanes counted once. Tiles of a dimension are
// disjoint, so n iterations in k tiles touch c·n − (c − 1)·k words along a rank of coefficient c.
// Called while every temporal loop is inside.
template <typename Int>
Int RaggedTraffic<Int>::FirstEntries(const Tables& tables, const FlatNest& nest, size_t outer) {
  Int words = 1;
  const size_t o = tables.output;
  for (size_t d = 0; d < tables.dims; ++d) {
    const size_t slot = o * tables.dims + d;
    if (tables.rank_of[slot] < 0) {
      words *= DistinctLanes(tables, nest, slot, d, outer);
      continue;
    }
    const int64_t c = tables.coefficient_of[slot];
    int64_t tiles = 0;
    if (c > 1) {
      const auto loops = dims_[d].Loops();
      scratch_.assign(loops.begin(), loops.end());
      for (ChainLoop& loop : scratch_) {
        if (loop.role == LoopRole::kInside) loop.role = LoopRole::kOutside;
      }
      tiles = chain_.Count(tables.bound[d], scratch_);
    }
    words *= Int{c} * tables.bound[d] - Int{c - 1} * tiles;
  }
  return words;
}

template <typename Int>
int64_t RaggedTraffic<Int>::Compute(const Tables& tables, const FlatNest& nest, size_t child,
                                    const std::vector<size_t>& outer,
                                    std::vector<Traffic<Int>>* traffic) {
  Start(tables, nest, child);
  moved_.assign(tables.tensors, 0);
  const int64_t* size = &nest.tile[child * tables.dims];
  for (size_t d = 0; d < tables.dims; ++d) {
    if (nest.even[d] != 0) SetEven(d, size[d], dims_[d].lanes * dims_[d].outside, 0);
    Touch(tables, nest, d);
  }
  for (size_t i = nest.above[child]; i-- > 0;) {
    const FlatLoop& loop = nest.loops[i];
    const size_t d = loop.dim;
    DimState& dim = dims_[d];
    const size_t position = --position_[d];
    if (loop.spatial) continue;
    for (size_t t = 0; t < tables.tensors; ++t) {
      if (tables.Relevant(t, d)) moved_[t] = 1;
    }
    dim.loops[position].role = LoopRole::kAdvance;
    if (nest.even[d] != 0) {
      dim.outside /= loop.trips;
      SetEven(d, size[d], dim.lanes * dim.outside * (loop.trips - 1), dim.last - loop.step);
    }
    Touch(tables, nest, d);
    Accumulate(tables, nest, outer, traffic);
    dim.loops[position].role = LoopRole::kInside;
    if (nest.even[d] != 0) {
      dim.last += (loop.trips - 1) * loop.step;
      SetEven(d, size[d], dim.lanes * dim.outside, dim.last);
    }
    Touch(tables, nest, d);
  }
  FirstStep(tables, nest, outer, traffic);
  const size_t o = tables.output;
  if (outer[o] != kNoLevel) (*traffic)[o].distinct = FirstEntries(tables, nest, outer[o]);
  int64_t lanes = 1;
  for (size_t d = 0; d < tables.dims; ++d) lanes *= Fresh(tables, d).count;
  return lanes;
}

template <typename Int>
Int RaggedTraffic<Int>::Operands(const Tables& tables, const FlatNest& nest, size_t tensor,
                                 size_t outer) {
  const size_t compute = nest.above.size() - 1;
  if (child_ != compute) Start(tables, nest, compute);
  Int count = 1;
  for (size_t d = 0; d < tables.dims; ++d) {
    dims_[d].count = tables.bound[d];  // every point is one (step, lane)
    if (tables.Relevant(tensor, d)) continue;
    count *= Unrolled(d, outer) ? CountBelow(tables, nest, d, outer) : tables.bound[d];
  }
  for (size_t r = tables.rank_begin[tensor]; r < tables.rank_begin[tensor + 1]; ++r) {
    sum_[r].words = 1;
    for (const Tables::FlatTerm& term : tables.ranks[r]) sum_[r].words *= tables.bound[term.dim];
    count *=
        Meets(tables, r, outer) ? GroupSumOf(tables, nest, r, outer, false).words : sum_[r].words;
  }
  return count;
}

template class RaggedTraffic<int64_t>;
template class RaggedTraffic<Int128>;

}  // namespace inlay::exact
