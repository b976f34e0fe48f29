#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "inlay/batch/simulate.h"
#include "inlay/core/batch_trace.h"

namespace inlay::batch {

// Writes down what an observed run does, in a size that a viewer can hold: blocks that follow each
// other are one span, and where the occupancy changes too often, only its larger steps in time
// stay.
class TraceRecorder : public Observer {
 public:
  TraceRecorder(const Task& task, std::string title);

  void Fetch(int64_t from, int64_t to, size_t workload, size_t layer, int64_t bytes) override;
  void Compute(int64_t from, int64_t to, size_t workload, size_t layer, int64_t n) override;
  void Occupancy(int64_t at, int64_t maps, int64_t weights) override;
  void SubBatch(int64_t at, size_t workload, std::string_view what, size_t layer,
                int64_t n) override;

  // `end` ends whatever is still open.
  BatchTrace Finish(int64_t end);

 private:
  using Kind = BatchTrace::SubBatch::Kind;
  struct Open {
    Kind kind = Kind::kBatch;
    size_t layer = 0;
    int64_t inferences = 0;  // of a batch: those that are not done yet
  };

  void Push(int64_t at, size_t workload, const Open& open);
  void Pop(int64_t at, size_t workload);

  BatchTrace trace_;
  int64_t gap_ = 0;  // cycles between two samples of the occupancy, at least
  std::vector<std::vector<int64_t>> batches_;  // by workload: those that have not begun, last first
  std::vector<std::vector<Open>> open_;        // by workload, innermost last
};

}  // namespace inlay::batch
