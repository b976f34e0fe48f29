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
    end_ = start_ +
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*seconds));
  }

  // Reads the clock: some 30 ns.
  bool Passed() const {
    if (passed_.load(std::memory_order_relaxed)) return true;
    if (!stop_->Requested() && (!end_ || Clock::now() < *end_)) return false;
    passed_.store(true, std::memory_order_relaxed);
    return true;
  }

  // Whether it was the user.
  bool Stopped() const { return stop_->Requested(); }
  const StopFlag& stop() const { return *stop_; }
  double SecondsSinceStart() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;

  const StopFlag* stop_;
  Clock::time_point start_ = Clock::now();
  std::optional<Clock::time_point> end_;
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
