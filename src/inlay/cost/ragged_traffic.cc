#include <algorithm>

#include "inlay/base/checked.h"
#include "inlay/cost/traffic.h"

namespace inlay::exact {
namespace {

int64_t Overlap(int64_t size, int64_t before, int64_t delta) {
  return std::max<int64_t>(0, std::min(size, delta + before) - std::max<int64_t>(0, delta) + 1);
}

}  // namespace

// Every temporal loop outside: as if the innermost of all loops advanced.
template <typename Int>
void RaggedTraffic<Int>::Start(const Tables& tables, const FlatNest& nest, size_t child) {
  dims_.resize(tables.dims);
  for (size_t d = 0; d < tables.dims; ++d) {
    DimState& dim = dims_[d];
    dim.loops.clear();
    dim.level.clear();
    dim.spatial.clear();
    dim.even = nest.even[d] != 0;
    dim.size = nest.tile[child * tables.dims + d];
    dim.lanes = dim.outside = 1;
    dim.last = 0;
    for (size_t i : nest.chain[d]) {
      const FlatLoop& loop = nest.loops[i];
      if (i >= nest.above[child]) break;
      dim.loops.push_back({loop.step, loop.spatial ? Part::kLane : Part::kOutside});
      dim.level.push_back(loop.level);
      dim.spatial.push_back(loop.spatial ? 1 : 0);
      (loop.spatial ? dim.lanes : dim.outside) *= loop.trips;
    }
  }
}

template <typename Int>
bool RaggedTraffic<Int>::Unrolled(size_t d, size_t outer) const {
  const DimState& dim = dims_[d];
  for (size_t i = dim.loops.size(); i-- > 0;) {
    if (dim.level[i] < outer) return false;
    if (dim.spatial[i] != 0) return true;
  }
  return false;
}

template <typename Int>
bool RaggedTraffic<Int>::Meets(const Tables& tables, size_t rank, size_t outer) const {
  int unrolled = 0;
  for (const Tables::FlatTerm& term : tables.ranks[rank])
    unrolled += Unrolled(term.dim, outer) ? 1 : 0;
  return unrolled > 1;
}

// The count of a dimension at this kind of step with lanes below one instance of `outer` counted
// once. (The first of them is active whenever any is.)
template <typename Int>
int64_t RaggedTraffic<Int>::CountBelow(const Tables& tables, size_t d, size_t outer) {
  const DimState& dim = dims_[d];
  if (!Unrolled(d, outer)) return dim.count;
  scratch_.assign(dim.loops.begin(), dim.loops.end());
  for (size_t i = 0; i < scratch_.size(); ++i) {
    if (dim.spatial[i] != 0 && dim.level[i] >= outer) scratch_[i].part = Part::kFirst;
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
  // An odometer over the bundles of all dimensions of the rank.
  constexpr size_t kMost = kMaxDims;
  size_t at[kMost] = {};
  for (;;) {
    Int mult = 1;
    int64_t size = 0, before = 0, delta = 0;
    for (size_t k = 0; k < terms.size(); ++k) {
      const auto& bundles = dims_[terms[k].dim].bundles;
      if (bundles.empty()) return {};
      const Bundle& b = bundles[at[k]];
      const int64_t c = terms[k].coefficient;
      mult *= b.mult;
      size += c * (b.size - 1);
      before += c * (b.before - 1);
      delta += c * b.delta;
    }
    sum.words += mult * (size + 1);
    sum.overlap += mult * Overlap(size, before, delta);
    size_t k = terms.size();
    while (k > 0 && ++at[k - 1] == dims_[terms[k - 1].dim].bundles.size()) at[--k] = 0;
    if (k == 0) return sum;
  }
}

template <typename Int>
RankSum<Int> RaggedTraffic<Int>::Meet(const Tables& tables, size_t rank, size_t outer,
                                      bool history) {
  const auto& terms = tables.ranks[rank];
  if (meeting_.size() < terms.size()) meeting_.resize(terms.size());
  for (size_t k = 0; k < terms.size(); ++k) {
    const DimState& dim = dims_[terms[k].dim];
    MeetingDim& meeting = meeting_[k];
    meeting.bound = tables.bound[terms[k].dim];
    meeting.coefficient = terms[k].coefficient;
    meeting.loops.assign(dim.loops.begin(), dim.loops.end());
    meeting.apart.resize(dim.loops.size());
    for (size_t i = 0; i < dim.loops.size(); ++i) {
      meeting.apart[i] = dim.spatial[i] != 0 && dim.level[i] < outer ? 1 : 0;
    }
  }
  return meeting_rank_.Sum<Int>(std::span(meeting_).first(terms.size()), history);
}

template <typename Int>
void RaggedTraffic<Int>::RefreshRank(const Tables& tables, size_t rank, size_t outer) {
  sum_[rank] = SumOf(tables, rank);
  const bool meets = tables.ranks[rank].size() > 1 && Meets(tables, rank, outer);
  group_[rank] = meets ? Meet(tables, rank, outer, true) : sum_[rank];
}

// After the parts of a dimension changed: its bundles, and what depends on them.
template <typename Int>
void RaggedTraffic<Int>::Refresh(const Tables& tables, size_t d, const std::vector<size_t>& outer) {
  DimState& dim = dims_[d];
  if (!dim.even) {
    const auto& bundles = chain_.Enumerate(tables.bound[d], dim.loops);
    dim.bundles.assign(bundles.begin(), bundles.end());
  }
  dim.count = 0;
  for (const Bundle& bundle : dim.bundles) dim.count += bundle.mult;
  for (size_t t = 0; t < tables.tensors; ++t) {
    if (outer[t] == kNoLevel) continue;
    const int rank = tables.rank_of[t * tables.dims + d];
    if (rank < 0) {
      leaders_[t * tables.dims + d] = CountBelow(tables, d, outer[t]);
    } else {
      RefreshRank(tables, static_cast<size_t>(rank), outer[t]);
    }
  }
}

template <typename Int>
void RaggedTraffic<Int>::Accumulate(const Tables& tables, const std::vector<size_t>& outer,
                                    bool first_step, std::vector<Traffic<Int>>* traffic) {
  for (size_t t = 0; t < tables.tensors; ++t) {
    if (outer[t] == kNoLevel) continue;
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
    if (lanes == 0 && groups == 0) continue;
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
  sum_.resize(tables.ranks.size());
  group_.resize(tables.ranks.size());
  leaders_.resize(tables.tensors * tables.dims);
  position_.resize(tables.dims);
  const auto even_bundle = [](DimState& dim, int64_t mult, int64_t delta) {
    dim.bundles.assign(1, {mult, dim.size, dim.size, delta, 0});
  };
  for (size_t d = 0; d < tables.dims; ++d) {
    DimState& dim = dims_[d];
    position_[d] = dim.loops.size();
    if (dim.even) {
      even_bundle(dim, dim.lanes * dim.outside, 0);
    }
  }
  for (size_t d = 0; d < tables.dims; ++d) Refresh(tables, d, outer);
  const size_t o = tables.output;
  if (outer[o] != kNoLevel) {
    Int distinct = 1;
    for (size_t r = tables.rank_begin[o]; r < tables.rank_begin[o + 1]; ++r)
      distinct *= sum_[r].words;
    (*traffic)[o].distinct = distinct;
  }
  for (size_t i = nest.above[child]; i-- > 0;) {
    const FlatLoop& loop = nest.loops[i];
    DimState& dim = dims_[loop.dim];
    const size_t position = --position_[loop.dim];
    if (loop.spatial) continue;
    dim.loops[position].part = Part::kAdvance;
    if (dim.even) {
      dim.outside /= loop.trips;
      even_bundle(dim, dim.lanes * dim.outside * (loop.trips - 1), dim.last - loop.step);
    }
    Refresh(tables, loop.dim, outer);
    Accumulate(tables, outer, false, traffic);
    dim.loops[position].part = Part::kInside;
    if (dim.even) {
      dim.last += (loop.trips - 1) * loop.step;
      even_bundle(dim, dim.lanes * dim.outside, dim.last);
    }
    Refresh(tables, loop.dim, outer);
  }
  // Now every temporal loop is inside: the new tiles are those of the first step, where lanes have no past that could
  // keep them apart.
  for (size_t t = 0; t < tables.tensors; ++t) {
    if (outer[t] == kNoLevel) continue;
    for (size_t r = tables.rank_begin[t]; r < tables.rank_begin[t + 1]; ++r) {
      if (Meets(tables, r, outer[t])) group_[r] = Meet(tables, r, outer[t], false);
    }
  }
  Accumulate(tables, outer, true, traffic);
  if (outer[o] != kNoLevel) {
    for (size_t d = 0; d < tables.dims; ++d) {
      if (!tables.Relevant(o, d)) (*traffic)[o].distinct *= leaders_[o * tables.dims + d];
    }
  }
  int64_t lanes = 1;
  for (size_t d = 0; d < tables.dims; ++d) lanes *= dims_[d].count;
  return lanes;
}

template <typename Int>
Int RaggedTraffic<Int>::Operands(const Tables& tables, const FlatNest& nest, size_t tensor,
                                 size_t outer) {
  const size_t compute = nest.above.size() - 1;
  Start(tables, nest, compute);
  Int count = 1;
  for (size_t d = 0; d < tables.dims; ++d) {
    dims_[d].count = tables.bound[d];  // every point is one (step, lane)
    if (!tables.Relevant(tensor, d)) count *= CountBelow(tables, d, outer);
  }
  for (size_t r = tables.rank_begin[tensor]; r < tables.rank_begin[tensor + 1]; ++r) {
    if (Meets(tables, r, outer)) {
      count *= Meet(tables, r, outer, false).words;
      continue;
    }
    for (const Tables::FlatTerm& term : tables.ranks[r]) count *= tables.bound[term.dim];
  }
  return count;
}

template class RaggedTraffic<int64_t>;
template class RaggedTraffic<Int128>;

}  // namespace inlay::exact
