#include "inlay/batch/policies/joint.h"
#include "inlay/batch/policies/policies.h"

namespace inlay::batch {
namespace {

// Peaks rarely come at once, and the banker sees to it that nobody is stuck; but the more they
// exceed the memory together, the more he makes wait. Found over random mixes of the sets E, C, A.
constexpr double kOvercommit = 1.7;
constexpr double kReluctance = 0.006;

}  // namespace

PolicyRun RunStallFreeOnline(const Task& task, const PolicyOptions& options,
                             const RunOptions& run) {
  const double start = ThreadSeconds();
  const JointChoice joint(task);
  const Task planned = joint.Choose(kOvercommit, task.accelerator.window_bytes, kReluctance);
  const double seconds = ThreadSeconds() - start;
  PolicyRun result = RunPlain(planned, RulesOf(Advance::kPlanned, options), run);
  result.plan_seconds = seconds;
  return result;
}

}  // namespace inlay::batch
