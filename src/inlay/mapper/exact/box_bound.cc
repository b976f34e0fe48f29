#include "inlay/mapper/exact/box_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "inlay/base/check.h"
#include "inlay/mapper/exact/box_bound_parts.h"

namespace inlay::exact_search {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double Real(int64_t n) { return static_cast<double>(n); }

}  // namespace

bool BoxBounder::Applies(const Space& space) {
  const Problem& problem = space.problem;
  if (space.mapspace == Mapspace::kPadded || space.mapspace == Mapspace::kUneven) return false;
  if (problem.tensors.size() > kMostTensors || space.architecture.levels.size() > kMostLevels) {
    return false;
  }
  size_t dims = 0;
  for (const DimId d : Ids(problem.dims)) {
    if (problem.dims[d].bound == 1) continue;
    if (++dims > kMostDims || problem.dims[d].bound > kMostSize) return false;
    size_t free = 0;  // tensors that the dimension does not concern
    for (const Tensor& tensor : problem.tensors) {
      bool concerns = false;
      for (const Rank& rank : tensor.ranks) {
        for (const inlay::Term& term : rank.terms) {
          concerns = concerns || (term.dim == d && term.coefficient != 0);
        }
      }
      if (!concerns) ++free;
    }
    if (free > 1) return false;
  }
  return true;
}

BoxBounder::BoxBounder(const Space& space, const KeepCase& keep_case)
    : space_(space),
      keep_case_(keep_case),
      equal_lanes_(space.mapspace == Mapspace::kPerfect || ComputeLanes(space.architecture) == 1) {
  INLAY_CHECK(Applies(space));
  const Problem& problem = space.problem;
  for (const DimId d : Ids(problem.dims)) {
    if (problem.dims[d].bound == 1) continue;
    bounds_[dims_.size()] = Real(problem.dims[d].bound);
    operations_ *= Real(problem.dims[d].bound);
    dims_.push_back(d.value());
  }
  skips_.fill(-1);
  tensors_.resize(keep_case.tensors.size());
  for (size_t t = 0; t < tensors_.size(); ++t) {
    BoxTensor& tensor = tensors_[t];
    tensor.rank_of.fill(-1);
    for (const auto& terms : keep_case.tensors[t].ranks) {
      std::vector<Term> rank;
      for (const KeepCase::Term& term : terms) {
        const auto at = std::find(dims_.begin(), dims_.end(), term.dim);
        if (at == dims_.end()) continue;
        const auto d = static_cast<size_t>(at - dims_.begin());
        tensor.rank_of[d] = static_cast<int>(tensor.ranks.size());
        rank.push_back({d, term.coefficient});
      }
      tensor.slides = tensor.slides || rank.size() > 1;
      for (const Term& term : rank) {
        if (rank.size() > 1) sliding_ |= uint32_t{1} << term.dim;
      }
      // What all coefficients have in common makes no difference to how many words there are.
      int64_t common = 0;
      for (const Term& term : rank) {
        common = std::gcd(common, static_cast<int64_t>(term.coefficient));
      }
      for (Term& term : rank) term.coefficient /= Real(common);
      if (!rank.empty()) tensor.ranks.push_back(rank);
    }
    for (size_t d = 0; d < dims_.size(); ++d) {
      if (tensor.rank_of[d] >= 0) continue;
      skips_[d] = static_cast<int>(t);
      skipped_by_[t] |= uint32_t{1} << d;
      skipped_ |= uint32_t{1} << d;
    }
    whole_share_[t] = ShareOf(t, bounds_, -1, false);
    for (size_t d = 0; d < dims_.size(); ++d) {
      if (tensor.rank_of[d] < 0) whole_share_[t] /= bounds_[d];
    }
  }
  for (size_t l = 0; l < keep_case.levels; ++l) {
    for (const size_t axis : {size_t{1}, size_t{2}}) {
      const SlotId slot(3 * l + axis);
      most_lanes_[l][axis - 1] = space.slots[slot].max_lanes;
      for (size_t d = 0; d < dims_.size(); ++d) {
        const FactorRange& factor = space.factors[slot][DimId(dims_[d])];
        lanes_of_[l][axis - 1][d] = {
            std::clamp<int64_t>(factor.min, 1, kMostSize),
            std::min({factor.max, space.slots[slot].max_lanes, kMostSize})};
      }
    }
  }
  for (const Edge& edge : keep_case.edges[keep_case.levels])
    computes_from_[edge.tensor] = edge.parent;
}

LowerBound BoxBounder::BoundOf(const BoxRange& range) const {
  Sizes sizes;
  Measure(range, &sizes);
  const size_t levels = keep_case_.levels, dims = dims_.size(), none = tensors_.size();
  LowerBound bound;
  double steps = 1;
  for (size_t d = 0; d < dims; ++d) {
    double lanes = 1;
    for (size_t l = 0; l < levels; ++l) lanes *= sizes.lanes[l][d];
    steps *= std::ceil(bounds_[d] / lanes * (1 - 1e-12));
  }
  bound.cycles =
      std::max(steps, std::ceil(operations_ / keep_case_.instances[levels] * (1 - 1e-12)));

  double per_operation = keep_case_.compute_pj;
  for (const Edge& edge : keep_case_.edges[levels]) {
    Extents points{};
    double irrelevant = 1;
    size_t fanouts = 0;
    for (size_t l = edge.parent; l + 1 < levels; ++l) {
      bool any = false;
      for (size_t d = 0; d < dims; ++d) any = any || sizes.lanes[l][d] > 1;
      if (any) ++fanouts;
    }
    for (size_t d = 0; d < dims; ++d) {
      points[d] = 1;
      for (size_t l = edge.parent; l < levels; ++l) points[d] *= sizes.lanes[l][d];
      points[d] = std::min(points[d], sizes.tile[edge.parent][d]);
      if (skips_[d] == static_cast<int>(edge.tensor)) irrelevant *= points[d];
    }
    double lanes_product = 1;
    for (size_t l = edge.parent; l < levels; ++l) {
      lanes_product *= sizes.lanes_product[l][edge.tensor];
    }
    const double copies = CopiesIn(sizes, edge.tensor, edge.parent);
    irrelevant = std::min(irrelevant, lanes_product);
    const double groups = ShareOf(edge.tensor, points, -1, fanouts > 0) / irrelevant;
    per_operation += (edge.shares ? groups : 1) * edge.at_parent;
    if (edge.output) {
      per_operation += edge.back * (groups - copies * whole_share_[edge.tensor]);
    }
  }

  // No weights make a bound wrong; the best are found by trying.
  constexpr std::array kFloors = {0.0, 0.5, 1.0}, kOnce = {0.0, 0.6, 1.0};
  NormalCosts normal;
  std::array<size_t, kMostLevels> choices;
  LevelWords words;
  PassingBy passing_by;
  for (size_t c = levels - 1; c > 0; --c) {
    bool slides = false, passes = false;
    for (const Edge& edge : keep_case_.edges[c]) {
      slides = slides || tensors_[edge.tensor].slides;
      passes = passes || edge.parent + 1 < c;
    }
    CountWords(sizes, c, {}, &words);
    const bool drains = CostsOf(words, c, {0, 0, true}, passing_by).Least(none) >
                        CostsOf(words, c, {0, 0, false}, passing_by).Least(none);
    choices[c] = 0;
    for (const double floors : kFloors) {
      for (const double once : kOnce) {
        if ((floors > 0 && !slides) || (once > 0 && !passes)) continue;
        normal[c][choices[c]++] = CostsOf(words, c, {floors, once, drains}, passing_by);
      }
    }
    passing_by = PassingByAbove(sizes, c, words);
  }
  ThroughCosts through;
  IdleShares idle;
  for (size_t c = 0; c < levels; ++c) {
    for (size_t t = 0; t < none; ++t) idle[c][t] = IdleShare(sizes, c, t);
  }
  const auto best = [&](Still still) {
    double entering = -kInfinity;
    std::array<size_t, kMostLevels> choice{};
    for (bool more = true; more;) {
      entering = std::max(entering, Combine(normal, still, through, idle, choice));
      more = false;
      for (size_t c = 1; c < levels && !more; ++c) {
        more = ++choice[c] < choices[c];
        if (!more) choice[c] = 0;
      }
    }
    return entering;
  };
  double entering = best(Still::kForNothing);
  if (levels > 2 && entering < best(Still::kNever)) {
    for (size_t c = 1; c + 1 < levels; ++c) {
      for (size_t t = 0; t < none; ++t) {
        if (skipped_by_[t] == 0) continue;
        size_t count = 0;
        const std::vector<SecondRounds> rounds = SecondRoundsOf(sizes, c, t, &count);
        bool partly = false;
        for (size_t d = 0; d < dims && !equal_lanes_; ++d) {
          partly = partly || (!Has(skipped_by_[t], d) && sizes.lanes[c][d] > 1);
        }
        CountWords(sizes, c, {static_cast<int>(t), partly}, &words);
        for (size_t f = 0; f < choices[c]; ++f) {
          through[c][f][t] = {CostsOf(words, c, normal[c][f].weights, {}, static_cast<int>(t)),
                              rounds, count};
        }
      }
    }
    entering = best(Still::kCounted);
  }
  per_operation += entering;
  bound.energy_pj = operations_ * per_operation + bound.cycles * keep_case_.leakage_pj;
  return bound;
}

}  // namespace inlay::exact_search
