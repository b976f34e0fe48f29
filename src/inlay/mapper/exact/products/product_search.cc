#include "inlay/mapper/exact/products/product_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/mapper/exact/mapping_set.h"
#include "inlay/mapspace/tilings.h"

namespace inlay::exact_search {
namespace {

// Dimensions that no tensor of the last level sees, where their loop may as well stand innermost at
// the level above.
uint64_t MovableDims(const Space& space, const KeepCase& keep_case) {
  if (keep_case.levels < 2) return 0;
  const LevelId last(keep_case.levels - 1), above(keep_case.levels - 2);
  const OrderRule& rule = space.orders[above];
  if (!rule.outermost.empty() || !rule.innermost.empty()) return 0;
  uint64_t movable = 0;
  for (size_t d = 0; d < keep_case.dims; ++d) {
    const FactorRange& inner = space.factors[SlotId(3 * last.value())][DimId(d)];
    const FactorRange& outer = space.factors[SlotId(3 * above.value())][DimId(d)];
    bool free = inner.min <= 1 && outer.max >= space.problem.dims[DimId(d)].bound;
    for (size_t t = 0; t < keep_case.tensors.size(); ++t) {
      free = free &&
             !(keep_case.keeps[last].contains(TensorId(t)) && keep_case.tensors[t].rank_of[d] >= 0);
    }
    if (free) movable |= uint64_t{1} << d;
  }
  return movable;
}

}  // namespace

ProductSearch::ProductSearch(const Space& space, const KeepCase& keep_case,
                             const std::vector<LaneChoice>& choices, Incumbent* incumbent,
                             const Deadline& deadline)
    : space_(space),
      keep_case_(keep_case),
      choices_(choices),
      incumbent_(incumbent),
      watch_(deadline),
      bound_(space, keep_case),
      movable_(MovableDims(space, keep_case)),
      time_(keep_case.dims),
      multiples_(keep_case.dims),
      lists_(keep_case.levels),
      places_(keep_case.dims),
      tile_(keep_case.dims),
      nests_(keep_case.levels + 1),
      chosen_(keep_case.levels + 1, std::vector<uint16_t>(keep_case.dims)),
      layout_(keep_case.levels),
      filler_(space),
      orders_(space, keep_case, true),
      model_(space.problem, space.architecture) {
  solution_.problem = space.problem;
  solution_.mapping.levels.resize(keep_case.levels);
  for (size_t l = 0; l < keep_case.levels; ++l) {
    solution_.mapping.levels[LevelId(l)].keep = keep_case.keeps[LevelId(l)];
  }
}

// Loops are worked off from the inside out, as in ForEachChain: a loop in time divides the tiles
// that are left, one in space groups them, the last group being short where it does not divide
// them.
const ProductSearch::Time& ProductSearch::TimeOf(const TimeKey& key) {
  Time& time = times_[key];
  if (!time.trips.empty()) return time;
  const int64_t bound = space_.problem.dims[DimId(key.dim)].bound;
  const bool rounds = space_.mapspace == Mapspace::kRubyS;
  const size_t levels = keep_case_.levels;
  std::vector<int64_t> lanes_inside(levels + 1, 1);  // from a level on
  for (size_t l = levels; l-- > 0;) {
    lanes_inside[l] = lanes_inside[l + 1] * key.lanes[2 * l] * key.lanes[2 * l + 1];
  }
  // The tiles that the loop in time of a level finds, given the trips from the next one on; 0:
  // none.
  const auto tiles_at = [&](size_t level, int64_t inner) {
    int64_t left = CeilDiv(bound, inner * lanes_inside[level + 1]);
    for (const size_t axis : {size_t{2}, size_t{1}}) {
      const int64_t lanes = key.lanes[2 * level + axis - 1];
      const bool divides = left % lanes == 0;
      if (lanes > left ||
          (!divides && (!rounds || lanes > space_.remainders[SlotId(3 * level + axis)]))) {
        return int64_t{0};
      }
      left = CeilDiv(left, lanes);
    }
    return left;
  };
  const auto allows = [&](size_t level, int64_t steps) {
    const FactorRange& range = space_.factors[SlotId(3 * level)][DimId(key.dim)];
    if (key.leaves_last && level + 1 == levels && steps > 1) return false;
    return steps >= range.min && steps <= range.max;
  };
  // What can be reached from the inside.
  std::vector<std::set<int64_t>> reached(levels + 1);
  reached[levels] = {1};
  std::set<int64_t> all = {1};
  for (size_t l = levels; l-- > 0;) {
    for (const int64_t inner : reached[l + 1]) {
      const int64_t tiles = tiles_at(l, inner);
      if (tiles == 0) continue;
      for (const int64_t steps : l == 0 ? std::vector<int64_t>{tiles} : DivisorsOf(tiles)) {
        if (allows(l, steps)) reached[l].insert(inner * steps);
      }
    }
    all.insert(reached[l].begin(), reached[l].end());
  }
  const std::vector<int64_t> trips(all.begin(), all.end());
  const size_t count = trips.size();
  time.multiples.resize(count);
  for (size_t i = 0; i < count; ++i) {
    time.trips.push_back(static_cast<double>(trips[i]));
    for (size_t o = i; o < count; ++o) {
      if (trips[o] % trips[i] == 0) time.multiples[i].push_back(static_cast<uint16_t>(o));
    }
  }
  // From there, what the loops outside can take.
  constexpr double kNone = std::numeric_limits<double>::infinity();
  time.least.assign(levels + 1, std::vector<double>(count, kNone));
  time.most.assign(levels + 1, std::vector<double>(count, 0));
  time.step.assign(levels, std::vector<uint8_t>(count * count, 0));
  time.allowed.resize(levels + 1);
  for (size_t l = 0; l <= levels; ++l) {
    for (size_t i = 0; i < count; ++i) {
      if (!reached[l].contains(trips[i])) continue;
      if (l == 0) {
        time.least[0][i] = time.most[0][i] = 1;
      } else {
        const int64_t tiles = tiles_at(l - 1, trips[i]);
        for (const uint16_t o : time.multiples[i]) {
          const int64_t steps = trips[o] / trips[i];
          const bool fits = tiles > 0 && (l == 1 ? steps == tiles : tiles % steps == 0);
          if (!fits || !allows(l - 1, steps) || time.most[l - 1][o] == 0) continue;
          time.step[l - 1][i * count + o] = 1;
          const auto own = static_cast<double>(steps);
          time.least[l][i] = std::min(time.least[l][i], own * time.least[l - 1][o]);
          time.most[l][i] = std::max(time.most[l][i], own * time.most[l - 1][o]);
        }
      }
      if (time.most[l][i] > 0) time.allowed[l].push_back(static_cast<uint16_t>(i));
    }
  }
  return time;
}

void ProductSearch::SetLanes(size_t choice) {
  choice_ = choice;
  const LaneChoice& lanes = choices_[choice];
  bound_.SetLanes(lanes.lanes);
  least_steps_ = 1;
  for (size_t d = 0; d < keep_case_.dims; ++d) {
    const bool leaves_last = (movable_ >> d & 1) != 0 && lanes.lanes[keep_case_.levels - 2][d] == 1;
    time_[d] = &TimeOf({d, lanes.steps[d], leaves_last});
    least_steps_ *= time_[d]->least[keep_case_.levels][0];
  }
}

// The trips outside a level; and the steps of the array at least.
Outside ProductSearch::OutsideOf(size_t level, const uint16_t* places, double* steps) const {
  Outside outside;
  *steps = 1;
  for (size_t d = 0; d < keep_case_.dims; ++d) {
    outside.least[d] = time_[d]->least[level][places[d]];
    outside.most[d] = time_[d]->most[level][places[d]];
    *steps *= outside.least[d] * time_[d]->trips[places[d]];
  }
  return outside;
}

LowerBound ProductSearch::Quick(size_t choice) {
  SetLanes(choice);
  constexpr double kNone = std::numeric_limits<double>::infinity();
  if (least_steps_ == kNone) return {kNone, kNone, kNone};
  double energy_pj = bound_.settled_pj() + least_steps_ * keep_case_.leakage_pj;
  for (size_t l = 1; l < keep_case_.levels; ++l) energy_pj += bound_.LeastEntering(l);
  return {energy_pj, least_steps_, 0};
}

// Keeps the tiles that are within the limits if all else costs `rest`. False if stopped.
bool ProductSearch::FillList(size_t level, double rest) {
  lists_[level].Clear(keep_case_.dims);
  inside_.fill(1);
  for (size_t d = 0; d < keep_case_.dims; ++d) {
    if (time_[d]->allowed[level].empty()) return true;
    inside_[d] = time_[d]->trips[time_[d]->allowed[level][0]];
  }
  return FillFrom(level, 0, rest);
}

bool ProductSearch::FillFrom(size_t level, size_t dim, double rest) {
  if (dim == keep_case_.dims) {
    if (!CountNode()) return false;
    double steps = 1;
    const Outside outside = OutsideOf(level, places_.data(), &steps);
    const double most = EnergyLimit(steps) - steps * keep_case_.leakage_pj - rest;
    lists_[level].Add(places_.data(), bound_.Entering(level, inside_, outside), most);
    return true;
  }
  bool go_on = true;
  for (const uint16_t place : time_[dim]->allowed[level]) {
    places_[dim] = place;
    inside_[dim] = time_[dim]->trips[place];
    bound_.TileOf(level, inside_, tile_.data());
    if (!keep_case_.Fits(level, tile_.data())) break;
    go_on = FillFrom(level, dim + 1, rest);
    if (!go_on) break;
  }
  inside_[dim] = time_[dim]->trips[time_[dim]->allowed[level][0]];
  return go_on;
}

std::optional<LowerBound> ProductSearch::ByLevel(size_t choice) {
  SetLanes(choice);
  double energy_pj = bound_.settled_pj() + least_steps_ * keep_case_.leakage_pj;
  for (size_t l = 1; l < keep_case_.levels; ++l) {
    if (!FillList(l, std::numeric_limits<double>::infinity())) return std::nullopt;
    energy_pj += lists_[l].least();
  }
  return LowerBound{energy_pj, least_steps_, 0};
}

// The energy above which a mapping of so many steps is of no use.
double ProductSearch::EnergyLimit(double steps) {
  incumbent_->Refresh(&view_);
  const double most = std::min(cutoff_, view_.values[0]) * (1 + 1e-11);
  return incumbent_->objective()[0] == Metric::kEdp ? most / steps : most;
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
  const double limit = EnergyLimit(least_steps_) - least_steps_ * keep_case_.leakage_pj;
  double rest = bound_.settled_pj();
  for (size_t l = 1; l < keep_case_.levels; ++l) rest += bound_.LeastEntering(l);
  // What the other levels cost at least leaves so much for one of them.
  for (size_t l = 1; l < keep_case_.levels; ++l) {
    rest -= bound_.LeastEntering(l);
    if (!FillList(l, rest)) return false;
    rest += lists_[l].least();
    if (!(rest <= limit)) return true;
  }
  for (size_t d = 0; d < keep_case_.dims; ++d) multiples_[d] = time_[d]->multiples;
  for (size_t l = 1; l < keep_case_.levels; ++l) {
    lists_[l].Finish(limit - (rest - lists_[l].least()), multiples_);
  }
  std::fill(chosen_[keep_case_.levels].begin(), chosen_[keep_case_.levels].end(), uint16_t{0});
  nests_[keep_case_.levels] = bound_.Nothing();
  return Stage(keep_case_.levels - 1, nests_[keep_case_.levels], chosen_[keep_case_.levels].data(),
               least_steps_);
}

// What enters the levels from 1 to `level` at least, around a tile.
double ProductSearch::LeastAround(size_t level, const uint16_t* inner) const {
  double sum = 0;
  for (size_t l = level; l >= 1; --l) sum += lists_[l].LeastAround(inner);
  return sum;
}

// `inner`: the trips from the next level on, with which the array takes `least_steps` at least.
bool ProductSearch::Stage(size_t level, const ProductBound::Nest& nest, const uint16_t* inner,
                          double least_steps) {
  if (level == 0) return Leaf();
  const TileList& list = lists_[level];
  const double above = LeastAround(level - 1, inner);
  ProductBound::Nest& next = nests_[level];
  std::vector<uint16_t>& chosen = chosen_[level];
  const double settled = bound_.settled_pj();
  for (size_t i = list.FirstAround(inner, 0); i < list.size(); i = list.FirstAround(inner, i + 1)) {
    if (!CountNode()) return false;
    const double inside_pj = settled + nest.least_pj + list.cost(i);
    if (inside_pj + above + least_steps * keep_case_.leakage_pj > EnergyLimit(least_steps)) break;
    std::copy_n(list.tile(i), keep_case_.dims, chosen.begin());
    DimFactors inside;
    bool allowed = true;
    for (size_t d = 0; d < keep_case_.dims; ++d) {
      inside[d] = time_[d]->trips[chosen[d]];
      allowed =
          allowed && time_[d]->step[level][inner[d] * time_[d]->trips.size() + chosen[d]] != 0;
    }
    if (!allowed) continue;
    double steps = 1;
    const Outside outside = OutsideOf(level, chosen.data(), &steps);
    const double limit = EnergyLimit(steps) - steps * keep_case_.leakage_pj;
    const double around = LeastAround(level - 1, chosen.data());
    if (inside_pj + around > limit) continue;
    bound_.Decide(nest, level, inside, outside, &next);
    const double energy_pj = settled + next.least_pj + around;
    if (energy_pj > limit) continue;
    const LowerBound bound = {energy_pj + steps * keep_case_.leakage_pj, steps, 0};
    if (incumbent_->Excludes(view_, bound, number_)) continue;
    if (!Stage(level - 1, next, chosen.data(), steps)) return false;
  }
  return true;
}

// All tiles are decided: every order that can differ is evaluated.
bool ProductSearch::Leaf() {
  std::vector<Chain> chains(keep_case_.dims);
  std::vector<std::vector<double>> figures(keep_case_.dims, std::vector<double>(layout_.size()));
  std::vector<const Chain*> of_chains;
  std::vector<const double*> rows;
  const std::vector<SlotId> spatial = SpatialSlotsOf(space_);
  for (size_t d = 0; d < keep_case_.dims; ++d) {
    Chain& chain = chains[d];
    chain.steps.assign(space_.slots.size(), 1);
    chain.tiles.assign(space_.slots.size(), 1);
    for (size_t s = 0; s < spatial.size(); ++s) {
      chain.steps[spatial[s]] = choices_[choice_].steps[d][s];
    }
    const Time& time = *time_[d];
    const uint16_t outermost = chosen_[1][d];
    const double all = time.trips[outermost] * time.most[1][outermost];
    for (size_t l = 0; l < keep_case_.levels; ++l) {
      const double from = l == 0 ? all : time.trips[chosen_[l][d]];
      chain.steps[SlotId(3 * l)] = static_cast<int64_t>(from / time.trips[chosen_[l + 1][d]]);
    }
    if (time.most[1][outermost] == 0) return true;  // of one level
    CompleteChain(space_, DimId(d), &chain);
    filler_.Fill(layout_, chain, figures[d].data());
    of_chains.push_back(&chain);
    rows.push_back(figures[d].data());
  }
  for (size_t l = 0; l < keep_case_.levels; ++l) {
    std::vector<Loop>& loops = solution_.mapping.levels[LevelId(l)].spatial;
    loops.clear();
    for (const size_t axis : {size_t{1}, size_t{2}}) {
      const SlotId slot(3 * l + axis);
      for (size_t d = 0; d < keep_case_.dims; ++d) {
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
