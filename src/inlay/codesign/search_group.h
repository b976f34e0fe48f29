#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

namespace inlay {

// What one process has found, as numbers (see group_message.h).
using GroupMessage = std::vector<int64_t>;

// Processes that search the same table together. All of them go through the same rounds. In a round
// each piece of work is taken by one process, and all processes share the least value found.
class SearchGroup {
 public:
  SearchGroup() = default;
  SearchGroup(const SearchGroup&) = delete;
  SearchGroup& operator=(const SearchGroup&) = delete;
  virtual ~SearchGroup() = default;

  virtual bool IsLeader() const = 0;  // one process is: it has the answer in the end

  // The next number, counted from 0, that no process has taken in this round. Thread-safe.
  virtual size_t TakeNext() = 0;
  // Reports a value and returns the least of all processes in this round. Thread-safe.
  virtual double ShareMinimum(double value) = 0;
  // Ends the round and returns the messages of all processes, in the same order for all. Empty if a
  // process has left, and the search cannot go on.
  virtual std::vector<GroupMessage> Exchange(GroupMessage message) = 0;
  virtual bool IsWhole() const { return true; }  // no process has left before the end
};

// One process by itself.
class SingleProcess final : public SearchGroup {
 public:
  bool IsLeader() const override { return true; }
  size_t TakeNext() override { return taken_++; }
  double ShareMinimum(double value) override {
    const std::scoped_lock lock(mutex_);
    return least_ = std::min(least_, value);
  }
  std::vector<GroupMessage> Exchange(GroupMessage message) override {
    taken_ = 0;
    least_ = std::numeric_limits<double>::infinity();
    return {std::move(message)};
  }

 private:
  std::atomic<size_t> taken_ = 0;
  std::mutex mutex_;
  double least_ = std::numeric_limits<double>::infinity();
};

}  // namespace inlay
