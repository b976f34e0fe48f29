#include "inlay/batch/policies/policies.h"

// The policies that choose rules for the simulator and nothing else.
namespace inlay::batch {

PolicyRun RunStatic(const Task& task, const PolicyOptions& options, const RunOptions& run) {
  return RunPlain(task, RulesOf(Advance::kStatic, options), run);
}

PolicyRun RunSerial(const Task& task, const PolicyOptions& options, const RunOptions& run) {
  return RunPlain(task, RulesOf(Advance::kSerial, options), run);
}

PolicyRun RunInterleave(const Task& task, const PolicyOptions& options, const RunOptions& run) {
  return RunPlain(task, RulesOf(Advance::kInterleave, options), run);
}

PolicyRun RunBatchDnn(const Task& task, const PolicyOptions& options, const RunOptions& run) {
  return RunPlain(task, RulesOf(Advance::kSplit, options), run);
}

PolicyRun RunLazy(const Task& task, const PolicyOptions& options, const RunOptions& run) {
  return RunPlain(task, RulesOf(Advance::kSplitLazy, options), run);
}

}  // namespace inlay::batch
