#include <algorithm>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/batch/policies/policies.h"

namespace inlay::batch {
namespace {

// All batches in `slices` equal parts, or in single inferences where they are smaller.
std::vector<SlicePlan> InSlices(const Task& task, int64_t slices) {
  std::vector<SlicePlan> plans;
  for (const TaskWorkload& w : task.workloads) {
    const size_t layers = w.profile->layers.size();
    plans.push_back({CeilDiv(LargestBatch(w), slices), 0, layers, layers});
  }
  return plans;
}

}  // namespace

// The fewest slices, the same number for all, with which the peaks of all fit together.
PolicyRun RunSliced(const Task& task, const PolicyOptions& options, const RunOptions& run) {
  const double start = ThreadSeconds();
  const int64_t room = MostFeatureMapBytes(task) - task.accelerator.window_bytes;
  const auto fits = [&](int64_t slices) {
    const std::vector<SlicePlan> plans = InSlices(task, slices);
    int64_t sum = 0;
    for (size_t i = 0; i < plans.size(); ++i) {
      const TaskWorkload& w = task.workloads[i];
      sum = SaturatingAdd(sum, CostOf(*w.profile, task.accelerator, plans[i].first, {}).peak_bytes);
    }
    return sum <= room;
  };
  int64_t low = 0, high = LargestBatch(task);  // low does not fit; high is the best there is
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    (fits(middle) ? high : low) = middle;
  }
  Task sliced = task;
  const std::vector<SlicePlan> plans = InSlices(task, high);
  for (size_t i = 0; i < plans.size(); ++i) sliced.workloads[i].plan = plans[i];
  const double seconds = ThreadSeconds() - start;
  PolicyRun result = RunPlain(sliced, RulesOf(Advance::kPlanned, options), run);
  result.plan_seconds = seconds;
  return result;
}

}  // namespace inlay::batch
