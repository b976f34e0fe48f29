#include "inlay/batch/policies/policies.h"

namespace inlay::batch {

PolicyRun RunSerial(const Task& task, const PolicyOptions& options, const RunOptions& run) {
  return RunPlain(task, RulesOf(Advance::kSerial, options), run);
}

}  // namespace inlay::batch
