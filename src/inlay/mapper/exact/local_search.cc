#include "inlay/mapper/exact/local_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "inlay/base/checked_arithmetic.h"

namespace inlay::exact_search {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int64_t kMostParts = 1024;  // of the steps of a loop, tried one by one
constexpr size_t kMostKeeps = 512;    // choices of the tensors kept

void FillValues(const Cost& cost, const Objective& objective, std::vector<double>* values) {
  values->resize(objective.size());
  for (size_t i = 0; i < objective.size(); ++i) (*values)[i] = ValueOf(cost, objective[i]);
}

Chain ChainOf(const Space& space, const Mapping& mapping, DimId dim) {
  Chain chain;
  chain.bound = space.problem.dims[dim].bound;
  int64_t range = chain.bound;
  for (const Slot& slot : space.slots) {
    const LevelMapping& level = mapping.levels[slot.level];
    int64_t tile = range;
    for (const Loop& loop : slot.axis == Axis::kTime ? level.temporal : level.spatial) {
      if (loop.dim == dim && loop.axis == slot.axis) tile = loop.step;
    }
    chain.steps.push_back(CeilDiv(range, tile));
    chain.tiles.push_back(tile);
    range = tile;
  }
  return chain;
}

// The dimensions of a level outer to inner as in the mapping; those without a loop outside the
// others, as far as the rule allows. *free: where the rule's ends leave off.
std::vector<DimId> OrderOf(const OrderRule& rule, const LevelMapping& level, size_t dims,
                           std::pair<size_t, size_t>* free) {
  std::vector<DimId> there, order = rule.outermost;
  for (const Loop& loop : level.temporal) there.push_back(loop.dim);
  const auto is_free = [&](DimId d) {
    return !Contains(rule.outermost, d) && !Contains(rule.innermost, d);
  };
  for (size_t d = 0; d < dims; ++d) {
    if (is_free(DimId(d)) && !Contains(there, DimId(d))) order.emplace_back(d);
  }
  for (const DimId d : there) {
    if (is_free(d)) order.push_back(d);
  }
  *free = {rule.outermost.size(), order.size()};
  order.insert(order.end(), rule.innermost.rbegin(), rule.innermost.rend());
  return order;
}

}  // namespace

LocalSearch::LocalSearch(const Space& space, const Objective& objective, const Solution& from)
    : space_(space),
      objective_(objective),
      rng_(1),
      model_(space.problem, space.architecture),
      keeps_(KeepChoices(space)),
      best_(from),
      best_values_(ValuesOf(from.cost, objective)),
      mapping_(from.mapping) {
  for (DimId d : Ids(space.problem.dims)) {
    const ChainSteps& steps = steps_.emplace_back(space, d);
    size_t outermost = 0;
    for (size_t k = 0; k < steps.cuts().size(); ++k) {
      const bool outer = steps.cuts()[k].slot < steps.cuts()[outermost].slot;
      if (steps.IsTime(k) && (outer || !steps.IsTime(outermost))) outermost = k;
    }
    outermost_.push_back(outermost);
    if (steps.cuts().size() > 1 && space.problem.dims[d].bound > 1) movable_.push_back(d);
  }
  free_.resize(space.orders.size());
  for (LevelId l : Ids(space.orders)) {
    OrderOf(space.orders[l], from.mapping.levels[l], space.problem.dims.size(), &free_[l.value()]);
    strict_ = strict_ || space.min_utilization[l] > 0 || space.min_lanes[l] > 1;
    joint_ = joint_ || space.architecture.levels[l].same_memory_as_outer;
  }
  for (SlotId s : Ids(space.slots)) strict_ = strict_ || space.slots[s].min_lanes > 1;
  state_ = StateOf(from);
  tile_.resize(space.problem.dims.size());
}

LocalSearch::State LocalSearch::StateOf(const Solution& solution) const {
  State state;
  IndexedVector<LevelId, TensorSet> keeps;
  for (const LevelMapping& level : solution.mapping.levels) keeps.push_back(level.keep);
  state.keeps =
      static_cast<size_t>(std::find(keeps_.begin(), keeps_.end(), keeps) - keeps_.begin());
  for (DimId d : Ids(space_.problem.dims)) {
    state.chains.push_back(ChainOf(space_, solution.mapping, d));
  }
  for (LevelId l : Ids(space_.orders)) {
    std::pair<size_t, size_t> free;
    state.orders.push_back(
        OrderOf(space_.orders[l], solution.mapping.levels[l], space_.problem.dims.size(), &free));
  }
  state.values = ValuesOf(solution.cost, objective_);
  return state;
}

const KeepCase& LocalSearch::KeepCaseOf(size_t keeps) {
  std::unique_ptr<KeepCase>& keep_case = keep_cases_[keeps];
  if (keep_case == nullptr) keep_case = std::make_unique<KeepCase>(space_, keeps_[keeps]);
  return *keep_case;
}

// Lanes and capacities.
bool LocalSearch::FitsRoughly() {
  for (SlotId s : Ids(space_.slots)) {
    if (space_.slots[s].axis == Axis::kTime) continue;
    int64_t lanes = 1;
    for (const Chain& chain : state_.chains) lanes = SaturatingMultiply(lanes, chain.steps[s]);
    if (lanes > space_.slots[s].max_lanes) return false;
  }
  const KeepCase& keep_case = KeepCaseOf(state_.keeps);
  for (size_t l = 0; l < keep_case.levels; ++l) {
    if (keep_case.rooms[l].empty()) continue;
    for (DimId d : Ids(state_.chains)) {
      const Chain& chain = state_.chains[d];
      tile_[d.value()] = static_cast<double>(l == 0 ? chain.bound : chain.tiles[SlotId(3 * l - 1)]);
    }
    if (!keep_case.Fits(l, tile_.data())) return false;
  }
  return true;
}

void LocalSearch::Assemble() {
  for (LevelId l : Ids(mapping_.levels)) {
    LevelMapping& level = mapping_.levels[l];
    level.keep = keeps_[state_.keeps][l];
    level.temporal.clear();
    level.spatial.clear();
    const SlotId time(3 * l.value());
    for (DimId d : state_.orders[l]) {
      const Chain& chain = state_.chains[d];
      if (chain.steps[time] > 1) level.temporal.push_back({d, chain.tiles[time], Axis::kTime});
    }
    for (const Axis axis : {Axis::kX, Axis::kY}) {
      const SlotId slot(3 * l.value() + static_cast<size_t>(axis));
      if (space_.slots[slot].max_lanes == 1) continue;
      for (DimId d : Ids(state_.chains)) {
        const Chain& chain = state_.chains[d];
        if (chain.steps[slot] > 1) level.spatial.push_back({d, chain.tiles[slot], axis});
      }
    }
  }
}

bool LocalSearch::Evaluate() {
  ++evaluations_;
  if (!FitsRoughly()) return false;
  Assemble();
  if (joint_ && !Fits(space_, space_.problem, mapping_)) return false;
  const auto is_one = [&] {
    return CheckMembership(space_, mapping_).empty() && Fits(space_, space_.problem, mapping_);
  };
  if (strict_ && !is_one()) return false;
  if (!model_.Evaluate(mapping_, &cost_) || !std::isfinite(cost_.energy_pj)) return false;
  FillValues(cost_, objective_, &state_.values);
  if (state_.values < best_values_) {
    if (!strict_ && !is_one()) return false;
    best_ = {space_.problem, mapping_, cost_};
    best_values_ = state_.values;
    best_at_ = evaluations_;
  }
  return true;
}

void LocalSearch::Remember(DimId dim) {
  if (past_.used == past_.chains.size()) past_.chains.emplace_back();
  auto& [d, chain] = past_.chains[past_.used++];
  d = dim;
  chain = state_.chains[dim];
}

void LocalSearch::Undo() {
  while (past_.used > 0) {
    const auto& [d, chain] = past_.chains[--past_.used];
    state_.chains[d] = chain;
  }
  if (past_.level) state_.orders[LevelId(*past_.level)] = past_.order;
  state_.keeps = past_.keeps;
  state_.values = past_.values;
}

void LocalSearch::Offer(const Solution& solution) {
  std::vector<double> values = ValuesOf(solution.cost, objective_);
  if (values >= best_values_) return;
  best_ = solution;
  best_values_ = std::move(values);
  in_round_ = false;
}

// Steps of a loop that has `now`, where another loop of the dimension, which has `other`, gives or
// takes the rest.
int64_t LocalSearch::PickSteps(int64_t now, int64_t other, bool free, int64_t most) {
  if (free && Below(3) == 0) {
    const int64_t top = std::max<int64_t>(1, std::min(most, SaturatingMultiply(now, other)));
    switch (Below(4)) {
      case 0:
        return top;
      case 1:
        return std::min(top, now + 1);
      case 2:
        return std::max<int64_t>(1, now - 1);
      default:
        return 1 + static_cast<int64_t>(UniformBelow(rng_, static_cast<uint64_t>(top)));
    }
  }
  const bool more = now == 1 || (other > 1 && Below(2) == 0);
  int64_t rest = more ? other : now;
  int64_t factor = 1;
  const bool all = Below(6) == 0;
  // One prime of it, or several.
  do {
    int64_t prime = 2;
    const auto first = static_cast<int64_t>(Below(3));
    int64_t found = rest;
    for (int64_t skipped = 0; prime * prime <= rest && prime < 1000; ++prime) {
      if (rest % prime != 0) continue;
      found = prime;
      if (skipped++ == first) break;
    }
    factor *= found;
    rest /= found;
  } while (rest > 1 && (all || Below(3) == 0));
  return more ? SaturatingMultiply(now, factor) : now / factor;
}

bool LocalSearch::ChangeChain(DimId dim) {
  ChainSteps& steps = steps_[dim.value()];
  const size_t places = steps.cuts().size();
  const size_t place = Below(places);
  size_t sink = Below(places - 1);
  sink += sink >= place ? 1 : 0;
  Chain& chain = state_.chains[dim];
  const CutSlot& cut = steps.cuts()[place];
  const SlotId other = steps.cuts()[sink].slot;
  const int64_t now = chain.steps[cut.slot];
  if (now == 1 && chain.steps[other] == 1) return false;
  const bool free = cut.cut != Cut::kDivide;
  const int64_t wanted = PickSteps(now, chain.steps[other], free, cut.range.max);
  Remember(dim);
  if (!steps.Set(place, wanted, sink, &chain)) return false;
  return chain.steps[cut.slot] != now;
}

// One loop gives way to another at the same slot.
bool LocalSearch::ChangeTwoChains() {
  const DimId giver = movable_[Below(movable_.size())];
  const DimId taker = movable_[Below(movable_.size())];
  if (giver == taker) return false;
  ChainSteps& from = steps_[giver.value()];
  ChainSteps& to = steps_[taker.value()];
  const size_t place = Below(from.cuts().size());
  const SlotId slot = from.cuts()[place].slot;
  const int64_t now = state_.chains[giver].steps[slot];
  if (now == 1) return false;
  size_t other = 0;
  while (other < to.cuts().size() && to.cuts()[other].slot != slot) ++other;
  if (other == to.cuts().size()) return false;
  const auto pick_sink = [&](const ChainSteps& steps, size_t not_this) {
    size_t sink = Below(steps.cuts().size() - 1);
    return sink + (sink >= not_this ? 1 : 0);
  };
  const bool divide = from.cuts()[place].cut == Cut::kDivide;
  int64_t less = divide ? PickSteps(now, 1, false, now)
                        : 1 + static_cast<int64_t>(Below(static_cast<size_t>(now - 1)));
  less = std::min(less, now - 1);
  Remember(giver);
  if (!from.Set(place, less, pick_sink(from, place), &state_.chains[giver])) return false;
  Chain& chain = state_.chains[taker];
  const size_t sink = pick_sink(to, other);
  const int64_t spare = chain.steps[to.cuts()[sink].slot];
  if (spare == 1) return false;
  const int64_t had = chain.steps[slot];
  const CutSlot& cut = to.cuts()[other];
  int64_t wanted = 0;
  if (!to.IsTime(other)) {
    // As many as there are lanes now, or any.
    int64_t lanes = space_.slots[slot].max_lanes;
    for (DimId d : Ids(state_.chains)) {
      if (d != taker) lanes /= std::max<int64_t>(1, state_.chains[d].steps[slot]);
    }
    wanted = lanes;
  }
  if (wanted <= had || Below(3) == 0) {
    int64_t product = SaturatingMultiply(had, spare);
    wanted = cut.cut == Cut::kDivide ? PickSteps(had, spare, false, product)
                                     : SaturatingMultiply(had, CeilDiv(now, less));
  }
  if (wanted <= had) return false;
  Remember(taker);
  return to.Set(other, wanted, sink, &chain) && chain.steps[slot] != had;
}

bool LocalSearch::ChangeTile(DimId dim) {
  ChainSteps& steps = steps_[dim.value()];
  const size_t place = Below(steps.cuts().size() - 1);
  const SlotId slot = steps.cuts()[place].slot;
  Chain& chain = state_.chains[dim];
  const int64_t most = place == 0 ? chain.bound : chain.tiles[steps.cuts()[place - 1].slot];
  const int64_t least = chain.tiles[steps.cuts()[place + 1].slot];
  if (least == most) return false;
  const int64_t now = chain.tiles[slot];
  int64_t tile = 0;
  switch (Below(5)) {
    case 0:
      tile = now + 1;
      break;
    case 1:
      tile = now - 1;
      break;
    case 2:
      tile = CeilDiv(most, 1 + static_cast<int64_t>(Below(16)));
      break;
    case 3:
      tile = SaturatingMultiply(least, 1 + static_cast<int64_t>(Below(16)));
      break;
    default:
      tile =
          least + static_cast<int64_t>(UniformBelow(rng_, static_cast<uint64_t>(most - least + 1)));
  }
  if (tile < least || tile > most || tile == now) return false;
  Remember(dim);
  return steps.SetTile(place, tile, &chain);
}

bool LocalSearch::ChangeOrder() {
  const size_t level = Below(state_.orders.size());
  std::vector<DimId>& order = state_.orders[LevelId(level)];
  const auto [begin, end] = free_[level];
  const SlotId time(3 * level);
  if (end - begin < 2) return false;
  const size_t from = begin + Below(end - begin);
  const size_t to = begin + Below(end - begin);
  if (from == to || state_.chains[order[from]].steps[time] == 1) return false;
  bool passes = false;  // another loop that is there
  for (size_t i = std::min(from, to); i <= std::max(from, to); ++i) {
    passes = passes || (i != from && state_.chains[order[i]].steps[time] > 1);
  }
  if (!passes) return false;
  past_.level = level;
  past_.order = order;
  const auto first = order.begin();
  const auto at = [&](size_t i) { return first + static_cast<std::ptrdiff_t>(i); };
  if (from < to) {
    std::rotate(at(from), at(from + 1), at(to + 1));
  } else {
    std::rotate(at(to), at(from), at(from + 1));
  }
  return true;
}

bool LocalSearch::ChangeKeeps() {
  const size_t keeps = Below(std::min(keeps_.size(), kMostKeeps));
  if (keeps == state_.keeps) return false;
  state_.keeps = keeps;
  return true;
}

bool LocalSearch::Change() {
  past_.used = 0;
  past_.level.reset();
  past_.keeps = state_.keeps;
  past_.values = state_.values;
  const size_t kind = Below(20);
  if (kind < 5) return ChangeOrder();
  if (kind == 5 && keeps_.size() > 1) return ChangeKeeps();
  if (movable_.empty()) return false;
  if (kind < 11) return ChangeTwoChains();
  const DimId dim = movable_[Below(movable_.size())];
  if (kind < 14 && space_.mapspace == Mapspace::kAny) return ChangeTile(dim);
  return ChangeChain(dim);
}

std::vector<DimId> LocalSearch::ShuffledDims() {
  std::vector<DimId> dims = movable_;
  for (size_t i = dims.size(); i > 1; --i) std::swap(dims[i - 1], dims[Below(i)]);
  return dims;
}

// Whether the loop at a place can take that many steps from the outermost one, and all fits.
bool LocalSearch::TryShift(DimId dim, size_t place, int64_t steps) {
  Chain& chain = state_.chains[dim];
  const Chain before = chain;
  if (steps_[dim.value()].Set(place, steps, outermost_[dim.value()], &chain) && FitsRoughly()) {
    return true;
  }
  chain = before;
  return false;
}

void LocalSearch::FillLanes(size_t slot, const std::vector<DimId>& dims) {
  int64_t lanes = space_.slots[SlotId(slot)].max_lanes;
  for (const Chain& chain : state_.chains) lanes /= std::max<int64_t>(1, chain.steps[SlotId(slot)]);
  for (const DimId d : dims) {
    const auto& cuts = steps_[d.value()].cuts();
    for (size_t k = 0; k < cuts.size(); ++k) {
      if (cuts[k].slot != SlotId(slot) || k == outermost_[d.value()]) continue;
      const int64_t now = state_.chains[d].steps[cuts[k].slot];
      for (int64_t more = lanes; more > 1; more /= 2) {
        if (!TryShift(d, k, now * more)) continue;
        lanes /= std::max<int64_t>(1, state_.chains[d].steps[cuts[k].slot] / now);
        break;
      }
    }
  }
}

// The largest tiles of a level that fit, one dimension after the other.
void LocalSearch::FillTile(size_t level, const std::vector<DimId>& dims) {
  for (const DimId d : dims) {
    const auto& cuts = steps_[d.value()].cuts();
    for (size_t k = 0; k < cuts.size(); ++k) {
      if (cuts[k].slot != SlotId(3 * level) || k == outermost_[d.value()]) continue;
      const int64_t left = state_.chains[d].steps[cuts[outermost_[d.value()]].slot];
      const int64_t now = state_.chains[d].steps[cuts[k].slot];
      for (int64_t parts = 1; parts < left; parts += parts < kMostParts ? 1 : parts) {
        if (left % parts != 0 && parts < kMostParts) continue;
        if (TryShift(d, k, SaturatingMultiply(now, left / parts))) break;
      }
      if (Below(3) == 0) return;  // room for the levels further out
    }
  }
}

// A tiling from the inside out: lanes, then tiles, as large as they can be in a random order of the
// dimensions.
void LocalSearch::Construct() {
  const size_t levels = space_.architecture.levels.size();
  for (DimId d : movable_) {
    Chain& chain = state_.chains[d];
    const auto& cuts = steps_[d.value()].cuts();
    for (size_t k = 0; k < cuts.size(); ++k) {
      const Chain before = chain;
      if (k == outermost_[d.value()]) continue;
      if (!steps_[d.value()].Set(k, 1, outermost_[d.value()], &chain)) chain = before;
    }
  }
  for (size_t l = levels; l-- > 0;) {
    for (const size_t axis : {size_t{2}, size_t{1}}) FillLanes(3 * l + axis, ShuffledDims());
    if (l > 0) FillTile(l, ShuffledDims());
    auto& order = state_.orders[LevelId(l)];
    const auto [begin, end] = free_[l];
    for (size_t i = end; i > begin + 1; --i)
      std::swap(order[i - 1], order[begin + Below(i - begin)]);
  }
  if (keeps_.size() > 1 && Below(2) == 0) state_.keeps = Below(std::min(keeps_.size(), kMostKeeps));
}

void LocalSearch::BeginRound() {
  const State from = StateOf(best_);
  constexpr int kConstructions = 16;
  constexpr int64_t kFreshEvery = 4;
  if (round_ % kFreshEvery == 0) {
    State chosen = from;
    if (round_ > 0) chosen.values.assign(objective_.size(), kInfinity);
    for (int i = 0; i < kConstructions; ++i) {
      state_ = from;
      Construct();
      if (Evaluate() && state_.values < chosen.values) chosen = state_;
    }
    if (chosen.values.front() == kInfinity) chosen = from;
    state_ = std::move(chosen);
  } else {
    state_ = from;
    const size_t kicks = 2 + Below(4);
    for (size_t i = 0, tries = 0; i < kicks && tries < 100; ++tries) {
      if (Change() && Evaluate()) {
        ++i;
      } else {
        Undo();
      }
    }
  }
  // Longer memories later on.
  const size_t length = std::min<size_t>(2000, 10 + static_cast<size_t>(10 * round_));
  history_.assign(length, state_.values);
  round_best_ = state_.values;
  next_ = 0;
  idle_ = 0;
  in_round_ = true;
}

bool LocalSearch::Run(int64_t evaluations, DeadlineWatch* watch) {
  const int64_t end = evaluations_ + evaluations;
  const int64_t best_before = best_at_;
  while (evaluations_ < end && !watch->Passed()) {
    if (!in_round_) BeginRound();
    if (!Change()) {
      Undo();
      // Where hardly anything can change.
      if (++empty_ % 64 == 0) ++evaluations_;
      continue;
    }
    std::vector<double>& then = history_[next_];
    next_ = next_ + 1 == history_.size() ? 0 : next_ + 1;
    if (!Evaluate() || (state_.values > past_.values && state_.values > then)) {
      Undo();
      ++idle_;
    } else {
      idle_ = state_.values < round_best_ ? 0 : idle_ + 1;
      if (state_.values < round_best_) round_best_ = state_.values;
    }
    if (state_.values < then) then = state_.values;
    const int64_t patience = 300 + 10 * static_cast<int64_t>(history_.size());
    if (idle_ > patience) {
      in_round_ = false;
      ++round_;
    }
  }
  return best_at_ > best_before;
}

}  // namespace inlay::exact_search
