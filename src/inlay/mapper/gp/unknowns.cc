#include "inlay/mapper/gp/unknowns.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace inlay::gp {
namespace {

bool IsOpen(const Space& space, SlotId slot, DimId dim) {
  const Slot& place = space.slots[slot];
  return space.factors[slot][dim].max > 1 && (place.axis == Axis::kTime || place.max_lanes > 1);
}

// The most steps that one loop may take.
double MostSteps(const Space& space, SlotId slot, DimId dim) {
  const Slot& place = space.slots[slot];
  int64_t most = std::min(space.factors[slot][dim].max, space.problem.dims[dim].bound);
  if (place.axis != Axis::kTime) most = std::min(most, place.max_lanes);
  return static_cast<double>(most);
}

// The shorter dimension of every rank of two: the window of a convolution.
std::vector<bool> Windows(const Problem& problem) {
  std::vector<bool> windows(problem.dims.size(), false);
  for (const Tensor& tensor : problem.tensors) {
    for (const Rank& rank : tensor.ranks) {
      if (rank.terms.size() != 2) continue;
      const DimId a = rank.terms[0].dim, b = rank.terms[1].dim;
      windows[(problem.dims[b].bound <= problem.dims[a].bound ? b : a).value()] = true;
    }
  }
  return windows;
}

// The time of the innermost level at which tiles of the windows and nothing else fit, there and
// further out.
SlotId WholeSlot(const Space& space, const std::vector<bool>& windows) {
  IndexedVector<DimId, int64_t> sizes;
  for (DimId d : Ids(space.problem.dims)) {
    sizes.push_back(windows[d.value()] ? space.problem.dims[d].bound : 1);
  }
  size_t level = space.architecture.levels.size() - 1;
  const auto fits = [&](LevelId l) {
    const auto all =
        OccupanciesAt(space.problem, space.architecture, l, space.keeps[l].back(), sizes);
    return std::all_of(all.begin(), all.end(), [](const Occupancy& o) { return o.Fits(); });
  };
  while (level > 0 && !fits(LevelId(level))) --level;
  return SlotId(3 * level);
}

// May a dimension have all its steps there?
bool CanStayWhole(const Space& space, DimId dim, SlotId there) {
  const Slot& place = space.slots[there];
  const int64_t bound = space.problem.dims[dim].bound;
  if (place.axis != Axis::kTime && place.max_lanes < bound) return false;
  for (SlotId slot : Ids(space.slots)) {
    if (slot != there && space.factors[slot][dim].min > 1) return false;
  }
  return space.factors[there][dim].max >= bound;
}

}  // namespace

WindowSlots PaperWindows(const Space& space) {
  const std::vector<bool> windows = Windows(space.problem);
  const SlotId whole = WholeSlot(space, windows);
  WindowSlots slots;
  for (DimId d : Ids(space.problem.dims)) {
    if (windows[d.value()] && CanStayWhole(space, d, whole)) slots.emplace_back(d, whole);
  }
  return slots;
}

std::vector<WindowSlots> AllWindows(const Space& space, size_t most) {
  const std::vector<bool> windows = Windows(space.problem);
  std::vector<WindowSlots> all = {{}};
  for (DimId d : Ids(space.problem.dims)) {
    if (!windows[d.value()] || space.problem.dims[d].bound == 1) continue;
    std::vector<WindowSlots> longer;
    for (const WindowSlots& slots : all) {
      for (SlotId slot : Ids(space.slots)) {
        if (!CanStayWhole(space, d, slot)) continue;
        longer.push_back(slots);
        longer.back().emplace_back(d, slot);
      }
    }
    if (longer.empty() || longer.size() > most) return {PaperWindows(space)};
    all = std::move(longer);
  }
  return all;
}

Unknowns::Unknowns(const Space& space, VariableNames sizes)
    : Unknowns(space, std::move(sizes), PaperWindows(space)) {}

Unknowns::Unknowns(const Space& space, VariableNames sizes, const WindowSlots& windows)
    : space_(&space), names_(std::move(sizes)), size_count_(names_.size()) {
  const Problem& problem = space.problem;
  steps_.assign(space.slots.size(), IndexedVector<DimId, Monomial>(problem.dims.size()));
  slots_of_.resize(problem.dims.size());
  tiled_.assign(problem.dims.size(), false);
  whole_slots_.assign(problem.dims.size(), SlotId(space.slots.size() - 3));
  std::vector<bool> whole(problem.dims.size(), false);
  for (const auto& [dim, slot] : windows) {
    whole[dim.value()] = true;
    whole_slots_[dim] = slot;
    steps_[slot][dim] = Constant(static_cast<double>(problem.dims[dim].bound));
  }
  for (DimId d : Ids(problem.dims)) {
    if (problem.dims[d].bound > 1 && !whole[d.value()]) AddTiled(d);
  }
}

std::string Unknowns::NameOf(SlotId slot, DimId dim) const {
  const Slot& place = space_->slots[slot];
  const Level& level = space_->architecture.levels[place.level];
  const std::string& name = space_->problem.dims[dim].name;
  if (place.axis == Axis::kTime) return name + "_" + level.name;
  const bool both = level.fanout.x > 1 && level.fanout.y > 1;
  const char* axis = place.axis == Axis::kX ? ".x" : ".y";
  return name + "_" + (level.fanout.name.empty() ? level.name : level.fanout.name) +
         (both ? axis : "");
}

void Unknowns::AddTiled(DimId dim) {
  const auto bound = static_cast<double>(space_->problem.dims[dim].bound);
  Monomial rest = Constant(bound);
  std::vector<SlotId>& slots = slots_of_[dim];
  tiled_[dim.value()] = true;
  for (SlotId slot : Ids(space_->slots)) {
    const FactorRange& range = space_->factors[slot][dim];
    if (!IsOpen(*space_, slot, dim)) continue;
    if (range.min == range.max) {
      steps_[slot][dim] = Constant(static_cast<double>(range.min));
      rest = rest * Constant(1 / static_cast<double>(range.min));
    }
    slots.push_back(slot);
  }
  bool is_first = true;
  SlotId first;
  for (const SlotId slot : slots) {
    if (!steps_[slot][dim].is_constant() || steps_[slot][dim].coefficient != 1) continue;
    if (is_first) {
      is_first = false;
      first = slot;
      continue;
    }
    steps_[slot][dim] = Variable(VariableId(names_.size()));
    names_.push_back(NameOf(slot, dim));
    rest = rest * Pow(steps_[slot][dim], -1);
  }
  if (!is_first) steps_[first][dim] = rest;
}

Monomial Unknowns::StepsOf(SlotId slot) const {
  Monomial product;
  for (const Monomial& steps : steps_[slot]) product = product * steps;
  return product;
}

std::vector<DimId> Unknowns::LoopsAt(LevelId level) const {
  std::vector<DimId> dims;
  const SlotId slot(3 * level.value());
  for (DimId d : Ids(space_->problem.dims)) {
    if (steps_[slot][d] != Monomial()) dims.push_back(d);
  }
  return dims;
}

Nest Unknowns::NestOf(const IndexedVector<LevelId, std::vector<DimId>>& orders) const {
  Nest nest;
  for (LevelId l : Ids(space_->architecture.levels)) {
    NestLevel level;
    level.keep = space_->keeps[l].back();
    const SlotId time(3 * l.value());
    for (const DimId d : orders[l]) level.temporal.push_back({d, steps_[time][d]});
    for (const SlotId slot : {SlotId(time.value() + 1), SlotId(time.value() + 2)}) {
      for (DimId d : Ids(space_->problem.dims)) {
        if (steps_[slot][d] != Monomial()) level.spatial.push_back({d, steps_[slot][d]});
      }
    }
    nest.levels.push_back(std::move(level));
  }
  return nest;
}

std::vector<Signomial> Unknowns::Constraints() const {
  std::vector<Signomial> constraints;
  for (DimId d : Ids(space_->problem.dims)) {
    const auto bound = static_cast<double>(space_->problem.dims[d].bound);
    for (const SlotId slot : slots_of_[d]) {
      const Monomial& steps = steps_[slot][d];
      if (steps.is_constant()) continue;
      const auto least = static_cast<double>(space_->factors[slot][d].min);
      constraints.emplace_back(Constant(least) * Pow(steps, -1));
      const double most = MostSteps(*space_, slot, d);
      // What stands alone follows from the least steps of the others, or from the lanes.
      const bool limited = space_->factors[slot][d].max < space_->problem.dims[d].bound;
      if (limited && most < bound) constraints.emplace_back(Constant(1 / most) * steps);
    }
  }
  return constraints;
}

Values Unknowns::Start(double spread) const {
  Values values(names_.size(), 1);
  for (DimId d : Ids(space_->problem.dims)) {
    auto room = static_cast<double>(space_->problem.dims[d].bound);
    for (const SlotId slot : slots_of_[d]) {
      room /= static_cast<double>(space_->factors[slot][d].min);
    }
    const double each =
        std::pow(std::max(room, 1.0), spread / static_cast<double>(slots_of_[d].size()));
    for (const SlotId slot : slots_of_[d]) {
      const std::vector<Power>& powers = steps_[slot][d].powers;
      if (powers.size() != 1 || powers.front().exponent != 1) continue;
      const auto least = static_cast<double>(space_->factors[slot][d].min);
      const double most = MostSteps(*space_, slot, d);
      values[powers.front().variable] = std::min(least * each, std::sqrt(least * most));
    }
  }
  return values;
}

}  // namespace inlay::gp
