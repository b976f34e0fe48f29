#pragma once

#include <atomic>
#include <optional>
#include <thread>
#include <utility>

#include "inlay/study/study.h"

namespace inlay::study::mpi {

// Runs one point at a time on a thread of its own, while the caller reads messages.
class PointRunner {
 public:
  PointRunner() = default;
  PointRunner(const PointRunner&) = delete;
  PointRunner& operator=(const PointRunner&) = delete;
  ~PointRunner() {
    Stop();
    if (thread_.joinable()) thread_.join();
  }

  bool idle() const { return !index_; }
  void Begin(size_t index, PreparedPoint point, const RunLimits& limits) {
    index_ = index;
    finished_ = false;
    thread_ = std::thread([this, ready = std::move(point), limits] {
      answer_ = RunOne(ready, limits, stop_);
      finished_ = true;
    });
  }
  // Cuts the current point short, and every later one.
  void Stop() { stop_.Request(); }
  bool stopped() const { return stop_.Requested(); }

  struct Answer {
    size_t index = 0;
    StudyPoint point;
  };
  // The answer of the point that was begun, once it is finished; the runner is idle then.
  std::optional<Answer> Take() {
    if (!index_ || !finished_) return std::nullopt;
    thread_.join();
    Answer answer{*index_, std::move(answer_)};
    index_.reset();
    return answer;
  }

 private:
  StopFlag stop_;
  std::thread thread_;
  std::optional<size_t> index_;
  std::atomic<bool> finished_ = false;
  StudyPoint answer_;
};

}  // namespace inlay::study::mpi
