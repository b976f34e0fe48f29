#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace inlay::cli {

// With --quiet, what takes longer is said once. A little more than a minute, so that a
// search which ends with a time limit of a minute is not announced as it ends.
inline constexpr std::chrono::milliseconds kLongSearch{61'000};

// Calls a function once, in a thread of its own, if it lives longer than `patience`.
class LongSearchNote {
 public:
  explicit LongSearchNote(std::function<void()> tell,
                          std::chrono::milliseconds patience = kLongSearch);
  ~LongSearchNote();
  LongSearchNote(const LongSearchNote&) = delete;
  LongSearchNote& operator=(const LongSearchNote&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ = false;
  std::thread thread_;
};

}  // namespace inlay::cli
