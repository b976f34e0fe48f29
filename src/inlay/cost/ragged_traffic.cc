#include <algorithm>

#include "inlay/base/checked.h"
#include "inlay/cost/traffic.h"

namespace inlay::exact {

template <typename Int>
void RaggedTraffic<Int>::Begin(const Tables& tables, const FlatNest& nest) {
  child_ = kNoLevel;
  dims_.resize(tables.dims);
  sum_.resize(tables.ranks.size());
  group_.resize(tables.ranks.size());
  leaders_.resize(tables.tensors * tables.dims);
  position_.resize(tables.dims);
  for (size_t d = 0; d < tables.dims; ++d) {
    DimState& dim = dims_[d];
    dim.loops.clear();
    for (size_t i : nest.chain[d]) {
      dim.loops.push_back({nest.loops[i].step, Part::kOutside});
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
      dim.loops[dim.length++].part = loop.spatial ? Part::kLane : Part::kOutside;
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

// The count of a dimension at this kind of step with lanes below one instance of `outer` counted
// once. (The first of them is active whenever any is.)
template <typename Int>
int64_t RaggedTraffic<Int>::CountBelow(const Tables& tables, const FlatNest& nest, size_t d,
                                       size_t outer) {
  const DimState& dim = dims_[d];
  if (!Unrolled(d, outer)) return dim.count;
  if (nest.even[d] != 0) {
    int64_t shared = 1;
    for (size_t k = 0; k < dim.length; ++k) {
      const FlatLoop& loop = nest.loops[nest.chain[d][k]];
      if (loop.spatial && loop.level >= outer) shared *= loop.trips;
    }
    return dim.count / shared;
  }
  scratch_.assign(dim.loops.begin(), dim.loops.begin() + static_cast<std::ptrdiff_t>(dim.length));
  for (size_t k = 0; k < dim.length; ++k) {
    const FlatLoop& loop = nest.loops[nest.chain[d][k]];
    if (loop.spatial && loop.level >= outer) scratch_[k].part = Part::kFirst;
  }
  return chain_.Count(tables.bound[d], scratch_);
}

template <typename Int>
RankSum<Int> RaggedTraffic<Int>::SumOf(const Tables& tables, size_t rank) const {
  RankSum<Int> sum;
  const auto& terms = tables.ranks[rank];
  if (terms.size() == 1) {
    const int64_t c = terms[0].coefficient;
    for (const Bundle& b : dims_[terms[0].dim].bundles) {
      const Int words = Int(b.mult) * (1 + c * (b.size - 1));
      sum.words += words;
      if (b.Still()) sum.overlap += words;
    }
    return sum;
  }
  if (terms.size() == 2) {
    const int64_t ca = terms[0].coefficient, cb = terms[1].coefficient;
    for (const Bundle& a : dims_[terms[0].dim].bundles) {
      for (const Bundle& b : dims_[terms[1].dim].bundles) {
        const Int mult = Int(a.mult) * b.mult;
        const int64_t size = ca * (a.size - 1) + cb * (b.size - 1);
        const int64_t before = ca * (a.before - 1) + cb * (b.before - 1);
        sum.words += mult * (size + 1);
        sum.overlap += mult * IntervalOverlap(size, before, ca * a.delta + cb * b.delta);
      }
    }
    return sum;
  }
  // An odometer over the bundles of all dimensions of the rank.
  for (const Tables::FlatTerm& term : terms) {
    if (dims_[term.dim].bundles.empty()) return sum;
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
// once. Without history lanes are told apart by their new interval alone.
template <typename Int>
RankSum<Int> RaggedTraffic<Int>::GroupSumOf(const Tables& tables, const FlatNest& nest, size_t rank,
                                            size_t outer, bool history) {
  const auto& terms = tables.ranks[rank];
  const bool even = std::all_of(terms.begin(), terms.end(),
                                [&](const auto& term) { return nest.even[term.dim] != 0; });
  if (even && history) {
    // All lanes look alike at every step: scale the sum over lanes.
    int64_t lanes = 1;
    for (const Tables::FlatTerm& term : terms) {
      for (size_t k = 0; k < dims_[term.dim].length; ++k) {
        const FlatLoop& loop = nest.loops[nest.chain[term.dim][k]];
        if (loop.spatial && loop.level >= outer) lanes *= loop.trips;
      }
    }
    const int64_t groups = lane_offsets_.Distinct(tables, nest, rank, outer, child_);
    return {sum_[rank].words / lanes * groups, sum_[rank].overlap / lanes * groups};
  }
  if (meeting_.size() < terms.size()) meeting_.resize(terms.size());
  for (size_t k = 0; k < terms.size(); ++k) {
    const size_t d = terms[k].dim;
    const DimState& dim = dims_[d];
    MeetingDim& meeting = meeting_[k];
    meeting.bound = tables.bound[d];
    meeting.coefficient = terms[k].coefficient;
    meeting.loops.assign(dim.loops.begin(),
                         dim.loops.begin() + static_cast<std::ptrdiff_t>(dim.length));
    meeting.apart.resize(dim.length);
    for (size_t i = 0; i < dim.length; ++i) {
      const FlatLoop& loop = nest.loops[nest.chain[d][i]];
      meeting.apart[i] = loop.spatial && loop.level < outer ? 1 : 0;
    }
  }
  return meeting_rank_.Sum<Int>(std::span(meeting_).first(terms.size()), history);
}

template <typename Int>
void RaggedTraffic<Int>::RefreshRank(const Tables& tables, const FlatNest& nest, size_t rank,
                                     size_t outer) {
  sum_[rank] = SumOf(tables, rank);
  const bool meets = tables.ranks[rank].size() > 1 && Meets(tables, rank, outer);
  group_[rank] = meets ? GroupSumOf(tables, nest, rank, outer, true) : sum_[rank];
}

// After the parts of a dimension changed: its bundles, and what depends on them.
template <typename Int>
void RaggedTraffic<Int>::Refresh(const Tables& tables, const FlatNest& nest, size_t d,
                                 const std::vector<size_t>& outer) {
  DimState& dim = dims_[d];
  if (nest.even[d] == 0) {
    scratch_.assign(dim.loops.begin(), dim.loops.begin() + static_cast<std::ptrdiff_t>(dim.length));
    const auto& bundles = chain_.Enumerate(tables.bound[d], scratch_);
    dim.bundles.assign(bundles.begin(), bundles.end());
  }
  dim.count = 0;
  for (const Bundle& bundle : dim.bundles) dim.count += bundle.mult;
  for (size_t t = 0; t < tables.tensors; ++t) {
    if (outer[t] == kNoLevel) continue;
    const int rank = tables.rank_of[t * tables.dims + d];
    if (rank < 0) {
      leaders_[t * tables.dims + d] = CountBelow(tables, nest, d, outer[t]);
    } else {
      RefreshRank(tables, nest, static_cast<size_t>(rank), outer[t]);
    }
  }
}

template <typename Int>
void RaggedTraffic<Int>::Accumulate(const Tables& tables, const std::vector<size_t>& outer,
                                    bool first_step, std::vector<Traffic<Int>>* traffic) const {
  for (size_t t = 0; t < tables.tensors; ++t) {
    if (outer[t] == kNoLevel || (moved_[t] == 0 && !first_step)) continue;
    Int lanes_new = 1, lanes_old = first_step ? 0 : 1;
    Int groups_new = 1, groups_old = lanes_old;
    for (size_t r = tables.rank_begin[t]; r < tables.rank_begin[t + 1]; ++r) {
      lanes_new *= sum_[r].words;
      lanes_old *= sum_[r].overlap;
      groups_new *= group_[r].words;
      groups_old *= group_[r].overlap;
    }
    Int lanes = lanes_new - lanes_old;
    Int groups = groups_new - groups_old;
    for (size_t d = 0; d < tables.dims; ++d) {
      if (tables.Relevant(t, d)) continue;
      lanes *= dims_[d].count;
      groups *= leaders_[t * tables.dims + d];
    }
    (*traffic)[t].lanes += lanes;
    (*traffic)[t].groups += groups;
  }
}

template <typename Int>
int64_t RaggedTraffic<Int>::Compute(const Tables& tables, const FlatNest& nest, size_t child,
                                    const std::vector<size_t>& outer,
                                    std::vector<Traffic<Int>>* traffic) {
  Start(tables, nest, child);
  moved_.assign(tables.tensors, 0);
  const int64_t* size = &nest.tile[child * tables.dims];
  const auto set_even = [&](size_t d, int64_t mult, int64_t delta) {
    dims_[d].bundles.assign(1, {mult, size[d], size[d], delta, 0});
  };
  for (size_t d = 0; d < tables.dims; ++d) {
    if (nest.even[d] != 0) set_even(d, dims_[d].lanes * dims_[d].outside, 0);
  }
  for (size_t d = 0; d < tables.dims; ++d) Refresh(tables, nest, d, outer);
  const size_t o = tables.output;
  const bool has_output = outer[o] != kNoLevel;
  Int distinct = 1;
  for (size_t r = tables.rank_begin[o]; has_output && r < tables.rank_begin[o + 1]; ++r) {
    distinct *= sum_[r].words;
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
    dim.loops[position].part = Part::kAdvance;
    if (nest.even[d] != 0) {
      dim.outside /= loop.trips;
      set_even(d, dim.lanes * dim.outside * (loop.trips - 1), dim.last - loop.step);
    }
    Refresh(tables, nest, d, outer);
    Accumulate(tables, outer, false, traffic);
    dim.loops[position].part = Part::kInside;
    if (nest.even[d] != 0) {
      dim.last += (loop.trips - 1) * loop.step;
      set_even(d, dim.lanes * dim.outside, dim.last);
    }
    Refresh(tables, nest, d, outer);
  }
  // Now every temporal loop is inside: the new tiles are those of the first step, where lanes have
  // no past that could keep them apart.
  for (size_t t = 0; t < tables.tensors; ++t) {
    if (outer[t] == kNoLevel) continue;
    for (size_t r = tables.rank_begin[t]; r < tables.rank_begin[t + 1]; ++r) {
      if (!Meets(tables, r, outer[t])) continue;
      group_[r] = GroupSumOf(tables, nest, r, outer[t], false);
    }
  }
  Accumulate(tables, outer, true, traffic);
  int64_t lanes = 1;
  for (size_t d = 0; d < tables.dims; ++d) {
    lanes *= dims_[d].count;
    if (has_output && !tables.Relevant(o, d)) distinct *= leaders_[o * tables.dims + d];
  }
  if (has_output) (*traffic)[o].distinct = distinct;
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
    if (!tables.Relevant(tensor, d)) count *= CountBelow(tables, nest, d, outer);
  }
  for (size_t r = tables.rank_begin[tensor]; r < tables.rank_begin[tensor + 1]; ++r) {
    if (Meets(tables, r, outer)) {
      count *= GroupSumOf(tables, nest, r, outer, false).words;
      continue;
    }
    for (const Tables::FlatTerm& term : tables.ranks[r]) count *= tables.bound[term.dim];
  }
  return count;
}

template class RaggedTraffic<int64_t>;
template class RaggedTraffic<Int128>;

}  // namespace inlay::exact
