#include "inlay/batch/policies/policies.h"

namespace inlay::batch {

PolicyRun RunInterleave(const Task& task, const PolicyOptions& options, const RunOptions& run) {
  return RunPlain(task, RulesOf(Advance::kInterleave, options), run);
}

}  // namespace inlay::batch
