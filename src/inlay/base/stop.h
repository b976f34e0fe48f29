#pragma once

#include <atomic>

namespace inlay {

// Asks long work to end early. The caller that starts the work holds the flag; the work polls it
// every few thousand steps and, once it is set, returns what it has. Request may be called from a
// signal handler.
class StopFlag {
 public:
  void Request() noexcept { requested_.store(true, std::memory_order_relaxed); }
  bool Requested() const noexcept { return requested_.load(std::memory_order_relaxed); }

 private:
  static_assert(std::atomic<bool>::is_always_lock_free);
  std::atomic<bool> requested_{false};
};

}  // namespace inlay
