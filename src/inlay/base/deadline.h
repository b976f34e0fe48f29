#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

#include "inlay/base/stop.h"

namespace inlay {

// When a search has to end: at a time limit, or as soon as the user stops it. Once passed it stays
// passed. All threads of a search share one; each looks at it through a DeadlineWatch.
class Deadline {
 public:
  // Never, unless the flag is raised. The flag outlives the deadline.
  explicit Deadline(const StopFlag& stop) : stop_(&stop) {}
  // Counts from now; none: no time limit.
  Deadline(const StopFlag& stop, std::optional<double> seconds) : Deadline(stop) {
    // More seconds than this would overflow the clock, and outlast the machine.
    constexpr double kLongest = 1e9;
    if (!seconds || *seconds >= kLongest) return;
    seconds_ = *seconds;
    end_ = start_ +
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*seconds));
  }
  // Passes once it has been looked at so many times: a limit that does not depend on the machine,
  // for tests.
  struct Looks {
    int64_t most = 0;
  };
  Deadline(const StopFlag& stop, Looks looks) : Deadline(stop) { most_looks_ = looks.most; }
  // Part of another deadline, which outlives it: passes with it, or after `share` of its limit.
  Deadline(const Deadline& whole, double share) : stop_(whole.stop_), whole_(&whole) {
    share_ = share;
  }

  // Reads the clock: some 30 ns.
  bool Passed() const {
    if (passed_.load(std::memory_order_relaxed)) return true;
    if (whole_ != nullptr ? !whole_->Passed() && whole_->Gone() < share_ : !Over()) return false;
    passed_.store(true, std::memory_order_relaxed);
    return true;
  }

  // Whether there is a limit, of time or of looks.
  bool Limited() const {
    return whole_ != nullptr ? whole_->Limited() : seconds_ || most_looks_ > 0;
  }
  // How much of the limit (of a part: of the whole's) has gone, 1: all. Without a limit, of 120 s:
  // as long as the optional phases of a search may take together.
  double Gone() const {
    if (whole_ != nullptr) return whole_->Gone();
    if (most_looks_ > 0)
      return static_cast<double>(looks_.load()) / static_cast<double>(most_looks_);
    const double limit = seconds_.value_or(120.0);
    return limit > 0 ? SecondsSinceStart() / limit : 1;
  }

  // Whether the user requested a stop.
  bool Stopped() const { return stop_->Requested(); }
  const StopFlag& stop() const { return *stop_; }
  double SecondsSinceStart() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;

  bool Over() const {
    if (stop_->Requested() || (end_ && Clock::now() >= *end_)) return true;
    return most_looks_ > 0 && looks_.fetch_add(1) >= most_looks_;
  }

  const StopFlag* stop_;
  const Deadline* whole_ = nullptr;
  double share_ = 1;
  Clock::time_point start_ = Clock::now();
  std::optional<double> seconds_;
  std::optional<Clock::time_point> end_;
  int64_t most_looks_ = 0;  // 0: any number
  mutable std::atomic<int64_t> looks_{0};
  mutable std::atomic<bool> passed_{false};
};

// One thread's look at a deadline: the clock is read on the first call, then on every
// 2^period_bits-th, so that a search can ask at every step.
class DeadlineWatch {
 public:
  explicit DeadlineWatch(const Deadline& deadline, int period_bits = 8)
      : deadline_(&deadline), mask_((uint32_t{1} << period_bits) - 1) {}

  bool Passed() {
    if ((calls_++ & mask_) == 0 && !passed_) passed_ = deadline_->Passed();
    return passed_;
  }

  // Reads the clock at every call: between steps that take long.
  bool PassedNow() {
    passed_ = passed_ || deadline_->Passed();
    return passed_;
  }

 private:
  const Deadline* deadline_;
  uint32_t mask_;
  uint32_t calls_ = 0;
  bool passed_ = false;
};

}  // namespace inlay
