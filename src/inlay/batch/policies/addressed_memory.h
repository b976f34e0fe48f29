#pragma once

#include <vector>

#include "inlay/batch/policy.h"
#include "inlay/core/buffer.h"

namespace inlay::batch {

// Everything that lies on chip during a run, one buffer for each inference and tensor and for each
// stay of a weight block; times are cycles. What is written out and comes back keeps its place.
//
// A profile says how many bytes are held, not which: of what is held when a layer ends, the newest
// that was there before it goes first, then the older, then what the layer wrote.
std::vector<Buffer> BuffersOf(const Task& task, const Rules& rules);

// More stays than this, roughly one for each inference and layer, take too long to be placed.
inline constexpr int64_t kMostResidencies = 50'000;
int64_t CountResidencies(const Task& task);

// Runs a task in a memory in which everything has an address and never moves. The pool that is
// simulated is made smaller by what addresses cost until all are found; peak_bytes is the end of
// the highest. After a few rounds the last is taken as it is, with a peak above the memory.
PolicyRun RunAddressed(const Task& task, const Rules& rules, const RunOptions& run);

}  // namespace inlay::batch
