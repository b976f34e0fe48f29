#include "inlay/batch/policies/policies.h"

namespace inlay::batch {

PolicyRun RunLazy(const Task& task, const PolicyOptions& options, const RunOptions& run) {
  return RunPlain(task, RulesOf(Advance::kSplitLazy, options), run);
}

}  // namespace inlay::batch
