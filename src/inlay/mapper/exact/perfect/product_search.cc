#include "inlay/mapper/exact/perfect/product_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "inlay/mapper/exact/mapping_set.h"
#include "inlay/mapspace/tilings.h"

namespace inlay::exact_search {
namespace {

// Dimensions that no tensor of the last level sees, where their loop may as well stand innermost at
// the level above.
uint64_t MovableDims(const Space& space, const Frame& frame) {
  if (frame.levels < 2) return 0;
  const LevelId last(frame.levels - 1), above(frame.levels - 2);
  const OrderRule& rule = space.orders[above];
  if (!rule.outermost.empty() || !rule.innermost.empty()) return 0;
  uint64_t movable = 0;
  for (size_t d = 0; d < frame.dims; ++d) {
    const FactorRange& inner = space.factors[SlotId(3 * last.value())][DimId(d)];
    const FactorRange& outer = space.factors[SlotId(3 * above.value())][DimId(d)];
    bool free = inner.min <= 1 && outer.max >= space.problem.dims[DimId(d)].bound;
    for (size_t t = 0; t < frame.tensors.size(); ++t) {
      free = free && !(frame.keeps[last].contains(TensorId(t)) && frame.tensors[t].rank_of[d] >= 0);
    }
    if (free) movable |= uint64_t{1} << d;
  }
  return movable;
}

bool Contains(const FactorRange& range, double steps) {
  return steps >= static_cast<double>(range.min) && steps <= static_cast<double>(range.max);
}

}  // namespace

ProductSearch::ProductSearch(const Space& space, const Frame& frame,
                             const std::vector<LaneChoice>& choices, Incumbent* incumbent,
                             const Deadline& deadline)
    : space_(space),
      frame_(frame),
      choices_(choices),
      incumbent_(incumbent),
      watch_(deadline),
      bound_(space.problem, frame),
      movable_(MovableDims(space, frame)),
      time_(frame.dims),
      multiples_(frame.dims),
      lists_(frame.levels),
      places_(frame.dims),
      tile_(frame.dims),
      nests_(frame.levels + 1),
      chosen_(frame.levels + 1, std::vector<uint16_t>(frame.dims)),
      layout_(frame.levels),
      filler_(space),
      orders_(space, frame, true),
      model_(space.problem, space.architecture) {
  solution_.problem = space.problem;
  solution_.mapping.levels.resize(frame.levels);
  for (size_t l = 0; l < frame.levels; ++l) {
    solution_.mapping.levels[LevelId(l)].keep = frame.keeps[LevelId(l)];
  }
}

// Without a loop at the last level if `leaves_last`.
const ProductSearch::Time& ProductSearch::TimeOf(size_t dim, int64_t trips, bool leaves_last) {
  Time& time = times_[{dim, trips, leaves_last}];
  if (!time.divisors.empty()) return time;
  const std::vector<int64_t> divisors = DivisorsOf(trips);
  const size_t count = divisors.size();
  for (const int64_t v : divisors) {
    time.divisors.push_back(static_cast<double>(v));
    auto& multiples = time.multiples.emplace_back();
    for (size_t i = 0; i < count; ++i) {
      if (divisors[i] % v == 0) multiples.push_back(static_cast<uint16_t>(i));
    }
  }
  // From a level on: reached from the inside, and from there the whole can be reached.
  const auto allows = [&](size_t level, int64_t steps) {
    const FactorRange& range = space_.factors[SlotId(3 * level)][DimId(dim)];
    if (leaves_last && level + 1 == frame_.levels && steps > 1) return false;
    return steps >= range.min && steps <= range.max;
  };
  std::vector<std::vector<bool>> from_inside(frame_.levels + 1, std::vector<bool>(count, false));
  auto from_outside = from_inside;
  from_inside[frame_.levels][0] = true;
  from_outside[0][count - 1] = true;
  const auto step = [&](size_t level, size_t inner, size_t outer) {
    return divisors[outer] % divisors[inner] == 0 &&
           allows(level, divisors[outer] / divisors[inner]);
  };
  for (size_t l = frame_.levels; l-- > 0;) {
    for (size_t i = 0; i < count; ++i) {
      for (size_t o = i; o < count && from_inside[l + 1][i]; ++o) {
        if (step(l, i, o)) from_inside[l][o] = true;
      }
    }
  }
  for (size_t l = 0; l < frame_.levels; ++l) {
    for (size_t o = 0; o < count; ++o) {
      for (size_t i = 0; i <= o && from_outside[l][o]; ++i) {
        if (step(l, i, o)) from_outside[l + 1][i] = true;
      }
    }
  }
  time.allowed.resize(frame_.levels + 1);
  for (size_t l = 0; l <= frame_.levels; ++l) {
    for (size_t i = 0; i < count; ++i) {
      if (from_inside[l][i] && from_outside[l][i]) {
        time.allowed[l].push_back(static_cast<uint16_t>(i));
      }
    }
  }
  return time;
}

void ProductSearch::SetLanes(size_t choice) {
  choice_ = choice;
  const LaneChoice& lanes = choices_[choice];
  bound_.SetLanes(lanes.lanes);
  for (size_t d = 0; d < frame_.dims; ++d) {
    const bool leaves_last = (movable_ >> d & 1) != 0 && lanes.lanes[frame_.levels - 2][d] == 1;
    const auto trips = static_cast<int64_t>(bound_.time()[d]);
    time_[d] = &TimeOf(d, trips, leaves_last);
  }
}

LowerBound ProductSearch::Quick(size_t choice) {
  SetLanes(choice);
  double energy_pj = bound_.settled_pj();
  for (size_t l = 1; l < frame_.levels; ++l) energy_pj += bound_.LeastEntering(l);
  return {energy_pj, bound_.steps(), 0};
}

// Keeps the tiles whose cost is at most `most`. False if stopped.
bool ProductSearch::FillList(size_t level, double most) {
  lists_[level].Clear(frame_.dims);
  inside_.fill(1);
  for (size_t d = 0; d < frame_.dims; ++d) {
    if (time_[d]->allowed[level].empty()) return true;
    inside_[d] = time_[d]->divisors[time_[d]->allowed[level][0]];
  }
  return FillFrom(level, 0, most);
}

bool ProductSearch::FillFrom(size_t level, size_t dim, double most) {
  if (dim == frame_.dims) {
    if (!CountNode()) return false;
    lists_[level].Add(places_.data(), bound_.Entering(level, inside_), most);
    return true;
  }
  bool go_on = true;
  for (const uint16_t place : time_[dim]->allowed[level]) {
    places_[dim] = place;
    inside_[dim] = time_[dim]->divisors[place];
    bound_.TileOf(level, inside_, tile_.data());
    if (!frame_.Fits(level, tile_.data())) break;
    go_on = FillFrom(level, dim + 1, most);
    if (!go_on) break;
  }
  inside_[dim] = time_[dim]->divisors[time_[dim]->allowed[level][0]];
  return go_on;
}

std::optional<LowerBound> ProductSearch::ByLevel(size_t choice) {
  SetLanes(choice);
  double energy_pj = bound_.settled_pj();
  for (size_t l = 1; l < frame_.levels; ++l) {
    if (!FillList(l, -std::numeric_limits<double>::infinity())) return std::nullopt;
    energy_pj += lists_[l].least();
  }
  return LowerBound{energy_pj, bound_.steps(), 0};
}

// The energy above which a mapping of these lanes is of no use.
double ProductSearch::EnergyLimit() {
  incumbent_->Refresh(&view_);
  const double most = std::min(cutoff_, view_.values[0]) * (1 + 1e-11);
  return incumbent_->objective()[0] == Metric::kEdp ? most / bound_.steps() : most;
}

bool ProductSearch::CountNode() {
  constexpr int64_t kBetween = 1 << 15;  // some milliseconds
  if (++nodes_ % kBetween == 0 && between_) between_();
  return !watch_.Passed();
}

bool ProductSearch::Run(size_t choice, int64_t number, double cutoff) {
  number_ = number;
  cutoff_ = cutoff;
  if (watch_.Passed()) return false;
  SetLanes(choice);
  energy_limit_ = EnergyLimit();
  double rest = bound_.settled_pj();
  for (size_t l = 1; l < frame_.levels; ++l) rest += bound_.LeastEntering(l);
  // What the other levels cost at least leaves so much for one of them.
  for (size_t l = 1; l < frame_.levels; ++l) {
    rest -= bound_.LeastEntering(l);
    if (!FillList(l, energy_limit_ - rest)) return false;
    rest += lists_[l].least();
    if (!(rest <= energy_limit_)) return true;
  }
  for (size_t d = 0; d < frame_.dims; ++d) multiples_[d] = time_[d]->multiples;
  for (size_t l = 1; l < frame_.levels; ++l) {
    lists_[l].Finish(energy_limit_ - (rest - lists_[l].least()), multiples_);
  }
  std::fill(chosen_[frame_.levels].begin(), chosen_[frame_.levels].end(), uint16_t{0});
  nests_[frame_.levels] = bound_.Nothing();
  return Stage(frame_.levels - 1, nests_[frame_.levels], chosen_[frame_.levels].data());
}

// What enters the levels from 1 to `level` at least, around a tile.
double ProductSearch::LeastAround(size_t level, const uint16_t* inner) const {
  double sum = 0;
  for (size_t l = level; l >= 1; --l) sum += lists_[l].LeastAround(inner);
  return sum;
}

bool ProductSearch::Stage(size_t level, const ProductBound::Nest& nest, const uint16_t* inner) {
  if (level == 0) return Leaf();
  const TileList& list = lists_[level];
  const double above = LeastAround(level - 1, inner);
  ProductBound::Nest& next = nests_[level];
  std::vector<uint16_t>& chosen = chosen_[level];
  const double settled = bound_.settled_pj();
  for (size_t i = list.FirstAround(inner, 0); i < list.size(); i = list.FirstAround(inner, i + 1)) {
    if (!CountNode()) return false;
    energy_limit_ = EnergyLimit();
    if (settled + nest.least_pj + list.cost(i) + above > energy_limit_) break;
    std::copy_n(list.tile(i), frame_.dims, chosen.begin());
    DimFactors inside;
    bool allowed = true;
    for (size_t d = 0; d < frame_.dims; ++d) {
      inside[d] = time_[d]->divisors[chosen[d]];
      const FactorRange& range = space_.factors[SlotId(3 * level)][DimId(d)];
      allowed = allowed && Contains(range, inside[d] / nest.inside[d]);
    }
    if (!allowed) continue;
    const double around = LeastAround(level - 1, chosen.data());
    if (settled + nest.least_pj + list.cost(i) + around > energy_limit_) continue;
    bound_.Decide(nest, level, inside, &next);
    const LowerBound bound = {settled + next.least_pj + around, bound_.steps(), 0};
    if (bound.energy_pj > energy_limit_) continue;
    if (incumbent_->Excludes(view_, bound, number_)) continue;
    if (!Stage(level - 1, next, chosen.data())) return false;
  }
  return true;
}

// All tiles are decided: every order that can differ is evaluated.
bool ProductSearch::Leaf() {
  std::vector<Chain> chains(frame_.dims);
  std::vector<std::vector<double>> figures(frame_.dims, std::vector<double>(layout_.size()));
  std::vector<const Chain*> of_chains;
  std::vector<const double*> rows;
  const std::vector<SlotId> spatial = SpatialSlotsOf(space_);
  for (size_t d = 0; d < frame_.dims; ++d) {
    Chain& chain = chains[d];
    chain.steps.assign(space_.slots.size(), 1);
    chain.tiles.assign(space_.slots.size(), 1);
    for (size_t s = 0; s < spatial.size(); ++s) {
      chain.steps[spatial[s]] = choices_[choice_].steps[d][s];
    }
    const std::vector<double>& divisors = time_[d]->divisors;
    for (size_t l = 0; l < frame_.levels; ++l) {
      const double from = l == 0 ? divisors.back() : divisors[chosen_[l][d]];
      chain.steps[SlotId(3 * l)] = static_cast<int64_t>(from / divisors[chosen_[l + 1][d]]);
    }
    const FactorRange& range = space_.factors[SlotId(0)][DimId(d)];
    if (!Contains(range, static_cast<double>(chain.steps[SlotId(0)]))) return true;
    CompleteChain(space_, DimId(d), &chain);
    filler_.Fill(layout_, chain, figures[d].data());
    of_chains.push_back(&chain);
    rows.push_back(figures[d].data());
  }
  for (size_t l = 0; l < frame_.levels; ++l) {
    std::vector<Loop>& loops = solution_.mapping.levels[LevelId(l)].spatial;
    loops.clear();
    for (const size_t axis : {size_t{1}, size_t{2}}) {
      const SlotId slot(3 * l + axis);
      for (size_t d = 0; d < frame_.dims; ++d) {
        if (chains[d].steps[slot] == 1) continue;
        loops.push_back({DimId(d), chains[d].tiles[slot], axis == 1 ? Axis::kX : Axis::kY});
      }
    }
  }
  bool checked = false, fits = true, stopped = false;
  orders_.ForEach(of_chains, rows, layout_, kAnyDim, &solution_.mapping, [&] {
    stopped = watch_.Passed();
    if (stopped) return false;
    if (!checked) {
      fits = Fits(space_, space_.problem, solution_.mapping);
      checked = true;
    }
    if (!fits) return false;
    ++evaluations_;
    if (!model_.Evaluate(solution_.mapping, &solution_.cost)) return true;
    incumbent_->Refresh(&view_);
    if (incumbent_->Wants(view_, solution_.cost, number_)) incumbent_->Offer(solution_, number_);
    return true;
  });
  return !stopped && !incumbent_->late();
}

}  // namespace inlay::exact_search
