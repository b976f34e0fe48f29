#include "inlay/mapper/thistle/fewest_steps.h"

#include <algorithm>
#include <limits>

#include "inlay/base/checked_arithmetic.h"

namespace inlay::thistle {
namespace {

// Depth first, the most lanes first.
class LaneSearch {
 public:
  LaneSearch(const Model& model, const std::vector<Chains>& chains, const PerFree<int64_t>& most,
             DeadlineWatch* watch)
      : model_(model), chains_(chains), most_(most), watch_(watch), rest_(chains.size() + 1, 1) {
    for (FreeIndex f = chains.size(); f-- > 0;) {
      rest_[f] = rest_[f + 1] * static_cast<double>(model.bound(f));
      tiles_[f] = LeastTile(f);
    }
    best_.steps = std::numeric_limits<double>::infinity();
  }

  std::optional<LaneSteps> Run() {
    if (model_.Fits(1, tiles_)) Choose(0, model_.lanes(), model_.fixed_steps());
    if (best_.steps == std::numeric_limits<double>::infinity() || watch_->Passed()) {
      return std::nullopt;
    }
    return best_;
  }

 private:
  int64_t LeastTile(FreeIndex f) const { return chains_[f].sram_ranges().back().smallest; }

  void Choose(FreeIndex f, int64_t lanes_left, double steps) {
    if (steps * std::max(1.0, rest_[f] / static_cast<double>(lanes_left)) >= best_.steps) return;
    if (f == chains_.size()) {
      best_ = {lanes_, steps};
      return;
    }
    const std::vector<int64_t>& counts = chains_[f].lane_counts();
    const int64_t bound = model_.bound(f), most = std::min(lanes_left, most_[f]);
    const auto end = std::upper_bound(counts.begin(), counts.end(), most);
    for (auto at = end; at != counts.begin() && !watch_->Passed();) {
      const int64_t trips = CeilDiv(bound, *--at);
      // More lanes for nothing: the fewest with so many steps.
      while (at != counts.begin() && CeilDiv(bound, *(at - 1)) == trips) --at;
      lanes_[f] = *at;
      tiles_[f] = std::max(*at, LeastTile(f));
      if (!model_.Fits(1, tiles_)) continue;
      Choose(f + 1, lanes_left / *at, steps * static_cast<double>(trips));
    }
    tiles_[f] = LeastTile(f);
  }

  const Model& model_;
  const std::vector<Chains>& chains_;
  const PerFree<int64_t>& most_;
  DeadlineWatch* watch_;
  std::vector<double> rest_;  // iterations of the dimensions from f on
  PerFree<int64_t> lanes_{}, tiles_{};
  LaneSteps best_;
};

}  // namespace

std::optional<LaneSteps> FewestSteps(const Model& model, const std::vector<Chains>& chains,
                                     const PerFree<int64_t>& most, DeadlineWatch* watch) {
  const bool empty = std::any_of(chains.begin(), chains.end(),
                                 [](const Chains& of_dim) { return of_dim.empty(); });
  if (empty) return std::nullopt;
  return LaneSearch(model, chains, most, watch).Run();
}

std::optional<LaneSteps> FewestSteps(const Model& model, const std::vector<Chains>& chains,
                                     DeadlineWatch* watch) {
  PerFree<int64_t> most{};
  for (FreeIndex f = 0; f < chains.size(); ++f) most[f] = model.bound(f);
  return FewestSteps(model, chains, most, watch);
}

}  // namespace inlay::thistle
