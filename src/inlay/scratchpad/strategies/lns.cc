#include "inlay/scratchpad/strategies/lns.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "inlay/scratchpad/reassign_all.h"

namespace inlay {
namespace {

// How much dearer than the best the current choices may be: from this share, less and less.
constexpr double kSlack = 0.003;
constexpr size_t kMostTensors = 40;  // taken out at once
// How much is done for the addresses of choices that would be better.
constexpr int64_t kMostChanges = 6;
constexpr int64_t kQuickNodes = 500;

int64_t PatienceFor(const IncrementalCost& costs) {
  return std::min<int64_t>(3000, 20 + 20 * costs.steps());
}

class Search {
 public:
  Search(const LnsOptions& options, const Deadline& deadline, IncrementalCost* costs,
         PlacedPlan* best, const PlacedSink& sink)
      : options_(options),
        deadline_(deadline),
        sink_(sink),
        random_(options.seed),
        plan_costs_(costs),
        reassigner_(costs),
        patience_(options.patience > 0 ? options.patience : PatienceFor(*costs)),
        best_(best),
        best_cost_(costs->Cost()),
        tensors_(TensorsToAssign(*costs)),
        highest_price_(HighestPrice(*costs)),
        alone_(NothingKept(costs->problem(), costs->objective(), best->choices.order)) {}

  int64_t Run() {
    int64_t round = 0;
    int64_t since_better = 0;
    while (since_better < patience_ && best_cost_ > options_.bound && !deadline_.Passed()) {
      const double rest = 1 - static_cast<double>(since_better) / static_cast<double>(patience_);
      const bool better = Round(best_cost_ * (1 + kSlack * rest * rest));
      since_better = better ? 0 : since_better + 1;
      ++round;
    }
    SetAll(best_->choices);
    return round;
  }

 private:
  struct Window {
    int64_t from = 0, to = 0;
  };
  Window RandomWindow() {
    const int64_t length = 2 + static_cast<int64_t>(UniformBelow(random_, 24));
    const int64_t last = std::max<int64_t>(0, plan_costs_->steps() - length);
    const auto from = static_cast<int64_t>(UniformBelow(random_, static_cast<uint64_t>(last + 1)));
    return {from, std::min(plan_costs_->steps(), from + length)};
  }

  // Those that are used there, or lie in a pad; in random order, not too many.
  std::vector<ValueId> TensorsIn(const Window& window) {
    std::vector<ValueId> found;
    for (const ValueId tensor : tensors_) {
      const TensorLife& life = plan_costs_->LifeOf(tensor);
      const int64_t begin = life.written ? life.written->step : life.reads[0].step;
      const int64_t end = life.reads.empty() ? begin : life.reads.back().step;
      if (begin < window.to && end >= window.from) found.push_back(tensor);
    }
    for (size_t i = found.size(); i > 1; --i) {
      std::swap(found[i - 1], found[UniformBelow(random_, i)]);
    }
    if (found.size() > kMostTensors) found.resize(kMostTensors);
    return found;
  }

  // True: a better plan.
  bool Round(double threshold) {
    const double before = plan_costs_->Cost();
    const Window window = RandomWindow();
    const std::vector<ValueId> tensors = TensorsIn(window);
    std::vector<TensorChoice> old;
    old.reserve(tensors.size());
    for (const ValueId tensor : tensors) old.push_back(plan_costs_->ChoiceOf(tensor));
    for (const ValueId tensor : tensors) plan_costs_->Set(tensor, alone_.tensors[tensor]);
    // Half of the time in random order alone.
    FallingPrice fall;
    if (UniformBelow(random_, 2) == 0) {
      fall.from = highest_price_ * (0.05 + 0.95 * UniformUnit(random_));
      fall.to = fall.from * 0.01;
      fall.ratio = 0.2 + 0.4 * UniformUnit(random_);
    }
    ReassignByFallingPrice(tensors, fall, plan_costs_, &reassigner_, &deadline_);
    const double after = plan_costs_->Cost();
    if (after < best_cost_ && TakeIfPlaced()) return true;
    if (plan_costs_->Cost() <= std::max(before, threshold) && after >= best_cost_) return false;
    for (size_t i = 0; i < tensors.size(); ++i) plan_costs_->Set(tensors[i], std::move(old[i]));
    return false;
  }

  bool TakeIfPlaced() {
    IncrementalCost trial = *plan_costs_;
    std::optional<PlacedPlan> placed = PlaceWithEvictions(
        {best_cost_, kMostChanges, kQuickNodes, &best_->plan}, &trial, &deadline_);
    if (!placed) return false;
    *best_ = std::move(*placed);
    best_cost_ = trial.Cost();
    *plan_costs_ = std::move(trial);
    if (sink_) sink_(*best_, best_cost_);
    return true;
  }

  void SetAll(const Choices& choices) {
    for (const ValueId tensor : tensors_) {
      if (!(plan_costs_->ChoiceOf(tensor) == choices.tensors[tensor])) {
        plan_costs_->Set(tensor, choices.tensors[tensor]);
      }
    }
  }

  const LnsOptions& options_;
  const Deadline& deadline_;
  const PlacedSink& sink_;
  Rng random_;
  IncrementalCost* plan_costs_;
  TensorReassigner reassigner_;
  int64_t patience_;
  PlacedPlan* best_;
  double best_cost_;
  std::vector<ValueId> tensors_;
  double highest_price_;
  Choices alone_;
};

}  // namespace

int64_t ImproveByWindows(const LnsOptions& options, const Deadline& deadline,
                         IncrementalCost* costs, PlacedPlan* best, const PlacedSink& sink) {
  return Search(options, deadline, costs, best, sink).Run();
}

}  // namespace inlay
