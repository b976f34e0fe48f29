#include "inlay/batch/policies/policies.h"

namespace inlay::batch {

PolicyRun RunStatic(const Task& task, const PolicyOptions& options, const RunOptions& run) {
  return RunPlain(task, RulesOf(Advance::kStatic, options), run);
}

}  // namespace inlay::batch
