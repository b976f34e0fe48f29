#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "inlay/mapper/exact/box_bound_parts.h"

namespace inlay::exact_search {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Two costs, each inversely proportional to a size; the product of the sizes is `excess` times too
// large. What it costs more to make them as small as they have to be.
double LeastRaise(double a, double b, double excess) {
  if (!(excess > 1) || a <= 0 || b <= 0) return 0;
  const double factor = std::clamp(std::sqrt(excess * b / a), 1.0, excess);
  return a * (factor - 1) + b * (excess / factor - 1);
}

}  // namespace

// What passes by the level above `child`, whose words are counted.
BoxBounder::PassingBy BoxBounder::PassingByAbove(const Sizes& sizes, size_t child,
                                                 const LevelWords& words) const {
  for (size_t l = 0; l + 1 < child; ++l) {
    for (size_t d = 0; d < dims_.size(); ++d) {
      if (sizes.lanes[l][d] > 1) return {};
    }
  }
  for (size_t e = 0; e < keep_case_.edges[child].size(); ++e) {
    const Edge& edge = keep_case_.edges[child][e];
    if (edge.parent + 1 == child || tensors_[edge.tensor].slides || edge.output) continue;
    const double price = edge.shares ? edge.at_parent : 0;
    const EdgeWords& own = words.edges[e];
    return {static_cast<int>(edge.tensor), price * std::min(own.per_outer, own.most_kept),
            price * own.most_kept, own.per_outer};
  }
  return {};
}

BoxBounder::PhaseCosts BoxBounder::CostsOf(const LevelWords& words, size_t child,
                                           const Weights& weights, const PassingBy& passing_by,
                                           int in_place) const {
  PhaseCosts costs;
  costs.weights = weights;
  const size_t count = tensors_.size(), edges = keep_case_.edges[child].size();
  std::array<double, kMostTensors> at_groups{}, at_lanes{};
  double constant = 0;
  costs.none = 0;
  costs.passing_by = passing_by.tensor;
  for (size_t e = 0; e < edges; ++e) {
    const Edge& edge = keep_case_.edges[child][e];
    const EdgeWords& edge_words = words.edges[e];
    at_groups[e] = (edge.shares ? edge.at_parent : 0) + edge.back;
    at_lanes[e] = edge.at_child + (edge.shares ? 0 : edge.at_parent);
    constant -= edge.back * edge_words.copies * whole_share_[edge.tensor];
    if (edge.parent + 1 < child) {
      constant += weights.once * at_groups[e] * whole_share_[edge.tensor];
      at_groups[e] *= 1 - weights.once;
    }
    if (edge.output && weights.drains && child == computes_from_[edge.tensor]) {
      constant += edge.at_child * edge_words.lane_copies * whole_share_[edge.tensor];
      at_lanes[e] -= edge.at_child;
    }
    if (tensors_[edge.tensor].slides) {
      constant += weights.floors * (at_groups[e] + at_lanes[e]) * whole_share_[edge.tensor];
      at_groups[e] *= 1 - weights.floors;
      at_lanes[e] *= 1 - weights.floors;
    }
    costs.none += at_groups[e] * edge_words.none.groups + at_lanes[e] * edge_words.none.lanes;
  }
  costs.none = words.none_allowed ? costs.none + constant : kInfinity;
  costs.constant = constant;
  for (auto& cost : costs.normal) cost.fill(kInfinity);
  for (auto& raise : costs.raise) raise.fill(0);
  for (auto& parts : costs.parts) parts.fill(0);
  for (size_t s = 0; s < 4; ++s) {
    for (size_t p = 0; p < count; ++p) {
      if (s < 2 && !words.allowed[p][s]) continue;
      double cost = constant, at_first = constant;
      bool even = true;
      std::array<size_t, kMostTensors> others{};
      size_t number = 0;
      for (size_t e = 0; e < edges; ++e) {
        const EdgeWords& edge = words.edges[e];
        const size_t t = keep_case_.edges[child][e].tensor;
        const Words& moved = edge.phases[p][s];
        const double part = at_groups[e] * moved.groups + at_lanes[e] * moved.lanes;
        // Of a lane whose phase is nearly all first step, though that of others is not.
        const double groups = t == p ? moved.groups : edge.none.groups;
        const double first = at_groups[e] * groups + at_lanes[e] * edge.none.lanes;
        cost += part;
        at_first += first;
        if (t == p) even = edge.even;
        if (t != p) others[number++] = e;
        if (in_place == static_cast<int>(p))
          costs.parts[s][t] = s == 1 ? std::min(part, first) : part;
      }
      if (number == 2) {
        const EdgeWords& a = words.edges[others[0]];
        const EdgeWords& b = words.edges[others[1]];
        cost += LeastRaise(at_groups[others[0]] * a.phases[p][s].groups,
                           at_groups[others[1]] * b.phases[p][s].groups,
                           1 / (a.per_group * b.per_group * words.all_words[p]));
        cost += LeastRaise(at_lanes[others[0]] * a.phases[p][s].lanes,
                           at_lanes[others[1]] * b.phases[p][s].lanes,
                           1 / (a.per_lane * b.per_lane * words.tile_words[p]));
      }
      if (s == 1 && !even) cost = std::min(cost, at_first);
      (s < 2 ? costs.normal : costs.still)[p][s % 2] = cost;
      if (s > 1) continue;
      costs.raise[p][s] = 0;
      if (passing_by.tensor < 0 || passing_by.tensor == static_cast<int>(p) || number != 1)
        continue;
      const EdgeWords& other = words.edges[others[0]];
      const double raise =
          LeastRaise(at_groups[others[0]] * other.phases[p][s].groups, passing_by.cost,
                     1 / (other.per_group * passing_by.per_tile * words.all_words[p]));
      costs.raise[p][s] = std::min(raise, passing_by.most - passing_by.cost);
    }
  }
  return costs;
}

// Where a tensor is in place in the next level, too, at least for some of its lanes.
double BoxBounder::ThroughCost(const Through& through, size_t t, size_t s, double inner,
                               double inner_still) {
  const PhaseCosts& costs = through.costs;
  const double whole = (s < 2 ? costs.normal : costs.still)[t][s % 2];
  if (whole == kInfinity) return whole;
  const std::array<double, kMostTensors>& parts = costs.parts[s];
  double rest = whole - costs.constant;
  for (const double part : parts) rest -= part;
  double least = kInfinity;
  for (const SecondRounds& one : through.rounds) {
    double cost = costs.constant, scale = 1;
    for (size_t u = 0; u < parts.size(); ++u) {
      cost += one.scale[u] * parts[u];
      scale = std::min(scale, one.scale[u]);
    }
    cost += scale * std::max(0.0, rest);
    least =
        std::min(least, cost + one.share * std::min(inner, inner_still) + (1 - one.share) * inner);
  }
  return least;
}

// The mean where some lanes find a tensor in place in the next level inwards because they were idle
// in the tile before: `cost` for all others, and for these what enters the level, `own`, and what
// enters inside it with the tensor `in_place`. At most so much is done by lanes that were `idle`.
double BoxBounder::WithIdle(double cost, double own,
                            const std::array<double, kMostTensors>& in_place,
                            const std::array<double, kMostTensors>& idle) {
  std::array<size_t, kMostTensors> cheapest{};
  std::iota(cheapest.begin(), cheapest.end(), size_t{0});
  std::sort(cheapest.begin(), cheapest.end(),
            [&](size_t s, size_t t) { return in_place[s] < in_place[t]; });
  double mean = 0, others = 1;
  for (const size_t t : cheapest) {
    if (idle[t] <= 0 || own + in_place[t] >= cost) continue;
    const double share = std::min(others, idle[t]);
    mean += share * (own + in_place[t]);
    others -= share;
  }
  return others > 0 ? mean + others * cost : mean;
}

// The cheapest phases of all levels. `through`: those of a tensor that stays in place in the next
// level, too.
double BoxBounder::Combine(const NormalCosts& normal, Still still_in, const ThroughCosts& through,
                           const IdleShares& idle,
                           const std::array<size_t, kMostLevels>& choice) const {
  const size_t levels = keep_case_.levels, none = tensors_.size();
  // Of the next level inwards and all inside it: the least; by its phases, the last are of no
  // tensor; with a tensor in place.
  double inner = 0, passing = 1;
  std::array<double, kMostTensors + 1> inner_by;
  std::array<std::array<double, 2>, kMostTensors> inner_still;
  inner_by.fill(kInfinity);
  for (size_t c = levels - 1; c > 0; --c) {
    const PhaseCosts& own = normal[c][choice[c]];
    double inner_raised = kInfinity, inner_rest = inner;
    if (own.passing_by >= 0) {
      inner_rest = kInfinity;
      for (size_t p = 0; p <= none; ++p) {
        (static_cast<int>(p) == own.passing_by ? inner_raised : inner_rest) = std::min(
            static_cast<int>(p) == own.passing_by ? inner_raised : inner_rest, inner_by[p]);
      }
    }
    std::array<double, kMostTensors + 1> by;
    std::array<std::array<double, 2>, kMostTensors> still;
    by.fill(kInfinity);
    by[none] = own.none + inner;
    for (size_t t = 0; t < none; ++t) {
      for (size_t s = 0; s < 2; ++s) {
        still[t][s] = own.still[t][s] + inner;
        by[t] = std::min(by[t], own.normal[t][s] +
                                    std::min(inner_rest, inner_raised + own.raise[t][s] * passing));
      }
    }
    for (size_t t = 0; t < none && c + 1 < levels && still_in != Still::kNever; ++t) {
      if (skipped_by_[t] == 0) continue;
      for (size_t s = 0; s < 2; ++s) {
        if (still_in == Still::kForNothing) {
          by[t] = std::min(by[t], own.normal[t][s] + inner_still[t][s]);
          still[t][s] = std::min(still[t][s], own.still[t][s] + inner_still[t][s]);
          continue;
        }
        const Through& on_way = through[c][choice[c]][t];
        by[t] = std::min(by[t], ThroughCost(on_way, t, s, inner, inner_still[t][s]));
        still[t][s] =
            std::min(still[t][s], ThroughCost(on_way, t, s + 2, inner, inner_still[t][s]));
      }
    }
    if (c + 1 < levels && still_in != Still::kNever) {
      std::array<double, kMostTensors> in_place;
      in_place.fill(kInfinity);
      for (size_t t = 0; t < none; ++t)
        in_place[t] = std::min(inner_still[t][0], inner_still[t][1]);
      const double least = own.Least(none);
      for (double& cost : by) cost = WithIdle(cost, least, in_place, idle[c]);
      for (size_t p = 0; p < none; ++p) {
        for (size_t s = 0; s < 2; ++s) {
          still[p][s] = WithIdle(still[p][s], own.still[p][s], in_place, idle[c]);
        }
      }
    }
    inner = *std::min_element(by.begin(), by.begin() + static_cast<std::ptrdiff_t>(none) + 1);
    inner_by = by;
    inner_still = still;
    passing = 1 - own.weights.once;
  }
  return inner;
}

}  // namespace inlay::exact_search
