#include "inlay/mapper/exact/products/lane_choices.h"

#include <algorithm>
#include <set>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/mapper/exact/chain_tree.h"
#include "inlay/mapspace/tilings.h"

namespace inlay::exact_search {
namespace {

constexpr size_t kMostChoices = 200'000;

class LaneChoiceList {
 public:
  LaneChoiceList(const Space& space, const Deadline& deadline)
      : space_(space),
        spatial_(SpatialSlotsOf(space)),
        dims_(space.problem.dims.size()),
        watch_(deadline) {}

  std::optional<std::vector<LaneChoice>> Run() {
    options_.resize(dims_);
    for (size_t d = 0; d < dims_; ++d) {
      steps_.assign(spatial_.size(), 1);
      if (!ListOptions(d, spatial_.size(), space_.problem.dims[DimId(d)].bound))
        return std::nullopt;
    }
    used_.assign(dims_ + 1, std::vector<int64_t>(spatial_.size(), 1));
    chosen_.resize(dims_);
    if (!Combine(0)) return std::nullopt;
    return std::move(choices_);
  }

 private:
  // What one dimension can take, slot by slot from the inside out; loops in time leave less.
  bool ListOptions(size_t d, size_t slots, int64_t left) {
    if (slots == 0) {
      IndexedVector<SlotId, int64_t> steps(space_.slots.size(), 1);
      for (size_t i = 0; i < spatial_.size(); ++i) steps[spatial_[i]] = steps_[i];
      if (UnrollingAllowed(space_, DimId(d), steps)) options_[d].push_back(steps_);
      return options_[d].size() <= kMostChoices;
    }
    const size_t s = slots - 1;
    const FactorRange& range = space_.factors[spatial_[s]][DimId(d)];
    const int64_t most = std::min({left, range.max, space_.slots[spatial_[s]].max_lanes});
    for (int64_t steps = std::max<int64_t>(range.min, 1); steps <= most; ++steps) {
      if (watch_.Passed()) return false;
      const bool divides = left % steps == 0;
      if (!divides && space_.mapspace == Mapspace::kPerfect) continue;
      steps_[s] = steps;
      if (!ListOptions(d, s, CeilDiv(left, steps))) return false;
    }
    return true;
  }

  bool Combine(size_t d) {
    if (d == dims_) return Add();
    for (const auto& option : options_[d]) {
      if (watch_.Passed()) return false;
      bool fits = true;
      for (size_t s = 0; s < spatial_.size(); ++s) {
        used_[d + 1][s] = used_[d][s] * option[s];
        fits = fits && used_[d + 1][s] <= space_.slots[spatial_[s]].max_lanes;
      }
      if (!fits) continue;
      chosen_[d] = &option;
      if (!Combine(d + 1)) return false;
    }
    return true;
  }

  bool Suffices() const {
    for (size_t s = 0; s < spatial_.size(); ++s) {
      if (used_[dims_][s] < space_.slots[spatial_[s]].min_lanes) return false;
    }
    for (size_t l = 0; 2 * l + 1 < spatial_.size(); ++l) {
      if (used_[dims_][2 * l] * used_[dims_][2 * l + 1] < space_.min_lanes[LevelId(l)]) {
        return false;
      }
    }
    return true;
  }

  bool Add() {
    if (!Suffices()) return true;
    LaneChoice choice;
    std::vector<int64_t> key;
    choice.lanes.resize(spatial_.size() / 2);
    for (DimFactors& level : choice.lanes) level.fill(1);
    for (size_t d = 0; d < dims_; ++d) {
      choice.steps.push_back(*chosen_[d]);
      for (size_t l = 0; l < choice.lanes.size(); ++l) {
        const int64_t both = (*chosen_[d])[2 * l] * (*chosen_[d])[2 * l + 1];
        key.push_back(both);
        choice.lanes[l][d] = static_cast<double>(both);
      }
    }
    const bool merges = space_.mapspace == Mapspace::kPerfect;
    if (!merges || seen_.insert(std::move(key)).second) choices_.push_back(std::move(choice));
    return choices_.size() <= kMostChoices;
  }

  const Space& space_;
  std::vector<SlotId> spatial_;
  size_t dims_;
  DeadlineWatch watch_;
  std::vector<std::vector<std::vector<int64_t>>> options_;  // [dimension]
  std::vector<int64_t> steps_;
  std::vector<std::vector<int64_t>> used_;  // [dimensions that have chosen][spatial slot]
  std::vector<const std::vector<int64_t>*> chosen_;
  std::set<std::vector<int64_t>> seen_;
  std::vector<LaneChoice> choices_;
};

}  // namespace

std::optional<std::vector<LaneChoice>> LaneChoicesOf(const Space& space, const Deadline& deadline) {
  if (space.problem.dims.size() > kMostProductDims) return std::nullopt;
  return LaneChoiceList(space, deadline).Run();
}

}  // namespace inlay::exact_search
