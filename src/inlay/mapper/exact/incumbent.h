#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/core/map_result.h"
#include "inlay/mapper/exact/lower_bound.h"

namespace inlay::exact_search {

// The best answer so far, shared by all threads. Jobs have numbers; among equal answers the one of
// the job with the smallest number stays, and within a job the first one, so that the answer does
// not depend on which thread is faster.
class Incumbent {
 public:
  explicit Incumbent(Objective objective)
      : objective_(std::move(objective)),
        values_(objective_.size(), std::numeric_limits<double>::infinity()) {}

  struct View {
    std::vector<double> values;
    int64_t job = std::numeric_limits<int64_t>::max();
    uint64_t version = 0;
  };
  // Brings a thread's copy up to date; cheap if nothing has changed.
  void Refresh(View* view) const;

  // Whether a set of mappings, each at least `bound`, can be left out of job `job`.
  bool Excludes(const View& view, const LowerBound& bound, int64_t job) const;
  // Sets a function that is called with the first metric of every solution taken after this call,
  // by one thread at a time.
  void Watch(std::function<void(double)> watcher) { watcher_ = std::move(watcher); }

  // Offers a solution; takes it if it is better, or equal and of a smaller job. Once closed, takes
  // only a seed; the first other solution that it would have taken sets late().
  void Offer(const Solution& solution, int64_t job);
  // The deadline outlives the searches that offer.
  void CloseAt(const Deadline* closing) { closing_ = closing; }
  bool late() const { return late_.load(std::memory_order_relaxed); }
  // Offers what a set of mappings costs at least, in place of a solution.
  void OfferBound(const LowerBound& bound, int64_t job);
  // Whether a mapping of this cost would be taken.
  bool Wants(const View& view, const Cost& cost, int64_t job) const;

  // The best, if it is better than these values; also while threads run.
  std::optional<Solution> BestIfBetter(const std::vector<double>& values) const;

  const Objective& objective() const { return objective_; }
  double first() const { return values_[0]; }  // not while threads run
  const std::optional<Solution>& best() const { return best_; }
  // Of the solution to start from: gives way to every equal one.
  static constexpr int64_t kSeed = std::numeric_limits<int64_t>::max() - 1;
  // What was found in an earlier pass stays unless beaten.
  void ForgetJob() {
    if (job_ != kSeed) job_ = -1;
  }

 private:
  Objective objective_;
  mutable std::mutex mutex_;
  std::atomic<uint64_t> version_{1};
  std::vector<double> values_;
  int64_t job_ = std::numeric_limits<int64_t>::max();
  std::optional<Solution> best_;
  std::function<void(double)> watcher_;
  const Deadline* closing_ = nullptr;
  std::atomic<bool> late_{false};
};

}  // namespace inlay::exact_search
