#pragma once

#include "inlay/batch/policy.h"

// One function per policy; policy.cc lists them.
namespace inlay::batch {

PolicyRun RunSerial(const Task& task, const PolicyOptions& options, const RunOptions& run);
PolicyRun RunInterleave(const Task& task, const PolicyOptions& options, const RunOptions& run);
PolicyRun RunStatic(const Task& task, const PolicyOptions& options, const RunOptions& run);
PolicyRun RunBatchDnn(const Task& task, const PolicyOptions& options, const RunOptions& run);
PolicyRun RunLazy(const Task& task, const PolicyOptions& options, const RunOptions& run);
PolicyRun RunSliced(const Task& task, const PolicyOptions& options, const RunOptions& run);
PolicyRun RunStallFree(const Task& task, const PolicyOptions& options, const RunOptions& run);
PolicyRun RunStallFreeOnline(const Task& task, const PolicyOptions& options, const RunOptions& run);

// The options as rules of a policy that advances so.
Rules RulesOf(Advance advance, const PolicyOptions& options);

// Runs a task as it is.
PolicyRun RunPlain(const Task& task, const Rules& rules, const RunOptions& run);

// What maps can have of the memory besides the reserve of every workload.
int64_t MostFeatureMapBytes(const Task& task);

// The inferences of a workload's largest request: what plans are made for.
int64_t LargestBatch(const TaskWorkload& workload);
int64_t LargestBatch(const Task& task);  // of all workloads

// CPU seconds of this thread.
double ThreadSeconds();

}  // namespace inlay::batch
