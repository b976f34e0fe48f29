#pragma once

#include <cstddef>
#include <functional>

#include "inlay/base/stop.h"

namespace inlay {

inline constexpr int kMostThreads = 1024;  // a loop that is given more uses this many

// How many threads the machine offers this process; at least 1.
int HardwareThreads();

// What one index is to do. `worker` is below the number of threads and belongs to one thread at a
// time, so that it can number scratch space.
using ParallelBody = std::function<void(size_t index, size_t worker)>;

// Calls the body for every index in [0, count), at most `threads` of them at a time, the caller's
// thread among them. A thread that is idle takes the next index, in ascending order: put the large
// ones first. With one thread everything runs in order on the caller's thread. May be nested.
//
// No index is begun once a stop is requested; false if one was left out for that reason. What a
// body throws, other than that, ends the loop in the same way and is thrown again here; of several,
// the one with the smallest index.
bool ParallelFor(size_t count, int threads, const ParallelBody& body,
                 const StopFlag* stop = nullptr);

}  // namespace inlay
