#include <algorithm>
#include <optional>

#include "inlay/batch/policies/joint_slice_plans.h"
#include "inlay/batch/policies/policies.h"

namespace inlay::batch {
namespace {

// Found over random mixes of the sets E, C and A; docs/reference/batching.md says what each brings.

// The peaks of workloads rarely coincide, and the banker's check prevents deadlocks; but the more
// the sum of the peaks exceeds the room for maps, the more starts that check delays.
constexpr double kOvercommit = 1.5;
constexpr double kReluctance = 0.003;
// With one engine so many times busier than the other, the other has time to wait: a larger window
// brings nothing, and whole batches may overcommit by kWaiting for each such time.
constexpr double kUneven = 2.5;
constexpr double kWaiting = 0.3;

// All batches whole.
struct Demand {
  double uneven = 1;  // time of the busier engine over that of the other
  double peaks = 0;   // Σ over the workloads, in terms of the room for maps
};

Demand DemandOf(const Task& task) {
  double cycles = 1, fetch = 1, peaks = 0;
  for (const TaskWorkload& w : task.workloads) {
    const SlicePlanCost cost = CostOf(*w.profile, task.accelerator, LargestBatch(w), {});
    cycles += static_cast<double>(cost.cycles);
    fetch += static_cast<double>(cost.bytes) / task.accelerator.bytes_per_cycle;
    peaks += static_cast<double>(cost.peak_bytes);
  }
  const auto room = static_cast<double>(std::max<int64_t>(1, MostFeatureMapBytes(task)));
  return {std::max(cycles, fetch) / std::min(cycles, fetch), peaks / room};
}

}  // namespace

std::optional<Task> ChooseByRule(const Task& task, const JointSlicePlans& joint) {
  const Demand demand = DemandOf(task);
  const bool uneven = demand.uneven >= kUneven;
  if (uneven && demand.peaks <= 1 + kWaiting * (demand.uneven - 1)) return std::nullopt;
  const int64_t window = task.accelerator.window_bytes;
  Task planned = joint.Choose(kOvercommit, window, kReluctance / demand.uneven);
  if (uneven) planned.accelerator.window_bytes = window;
  return planned;
}

PolicyRun RunStallFreeOnline(const Task& task, const PolicyOptions& options,
                             const RunOptions& run) {
  const double start = ThreadSeconds();
  const std::optional<Task> planned = ChooseByRule(task, JointSlicePlans(task));
  const double seconds = ThreadSeconds() - start;
  PolicyRun result = planned ? RunPlain(*planned, RulesOf(Advance::kPlanned, options), run)
                             : RunPlain(task, RulesOf(Advance::kStatic, options), run);
  result.plan_seconds = seconds;
  return result;
}

}  // namespace inlay::batch
