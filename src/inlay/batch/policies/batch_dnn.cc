#include "inlay/batch/policies/policies.h"

namespace inlay::batch {

PolicyRun RunBatchDnn(const Task& task, const PolicyOptions& options, const RunOptions& run) {
  return RunPlain(task, RulesOf(Advance::kSplit, options), run);
}

}  // namespace inlay::batch
