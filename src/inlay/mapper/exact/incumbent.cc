#include "inlay/mapper/exact/incumbent.h"

namespace inlay::exact_search {

void Incumbent::Refresh(View* view) const {
  if (view->version == version_.load(std::memory_order_acquire)) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  view->values = values_;
  view->job = job_;
  view->version = version_.load(std::memory_order_relaxed);
}

bool Incumbent::Excludes(const View& view, const LowerBound& bound, int64_t job) const {
  for (size_t i = 0; i < objective_.size(); ++i) {
    const double least = SafeBound(bound, objective_[i]);
    if (least > view.values[i]) return true;
    if (least < view.values[i]) return false;
  }
  return view.job <= job;
}

bool Incumbent::Wants(const View& view, const Cost& cost, int64_t job) const {
  for (size_t i = 0; i < objective_.size(); ++i) {
    const double value = ValueOf(cost, objective_[i]);
    if (value != view.values[i]) return value < view.values[i];
  }
  return job < view.job;
}

void Incumbent::Offer(const Solution& solution, int64_t job) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!Wants({values_, job_, 0}, solution.cost, job)) return;
  if (closing_ != nullptr && job != kSeed && closing_->Passed()) {
    // An equal one does not end the search: what is there may yet be proven.
    if (ValuesOf(solution.cost, objective_) != values_) {
      late_.store(true, std::memory_order_relaxed);
    }
    return;
  }
  values_ = ValuesOf(solution.cost, objective_);
  job_ = job;
  best_ = solution;
  version_.fetch_add(1, std::memory_order_release);
  if (watcher_) watcher_(values_.front());
}

std::optional<Solution> Incumbent::BestIfBetter(const std::vector<double>& values) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return best_ && values_ < values ? best_ : std::nullopt;
}

void Incumbent::OfferBound(const LowerBound& bound, int64_t job) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (Excludes({values_, job_, 0}, bound, job)) return;
  for (size_t i = 0; i < objective_.size(); ++i) values_[i] = SafeBound(bound, objective_[i]);
  job_ = job;
  version_.fetch_add(1, std::memory_order_release);
}

}  // namespace inlay::exact_search
