#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inlay/core/buffer.h"
#include "inlay/core/result.h"

namespace inlay::io {

// Times [lower, upper) and the buffers that matter there.
struct AllocSection {
  int64_t lower = 0, upper = 0;
  std::vector<size_t> buffers;  // indices; of the peak none
};

// Result of `alloc`.
struct AllocResult {
  ResultHeader header;
  std::vector<Buffer> buffers;
  std::optional<int64_t> capacity;  // as asked for; none: the least was looked for
  std::string status;               // "placed", "infeasible", "timeout"
  std::vector<int64_t> offsets;     // by buffer, if placed
  int64_t height = 0;               // the end of the highest buffer, if placed
  int64_t lower_bound = 0;          // no smaller capacity is enough
  int64_t peak_load = 0;
  AllocSection peak;                  // the first times with that load
  std::optional<AllocSection> cause;  // why it is infeasible, where it is known
  std::string fixed_fault;            // what is wrong with fixed addresses, whatever the capacity
  size_t too_large = 0;  // timeout: buffers of a stretch that only first-fit was tried for; 0: none
  bool interrupted = false;
  double seconds = 0;  // measured
  int64_t nodes = 0;   // measured
};
// Without a capacity asked for, "capacity" is the height.
std::string WriteAllocResult(const AllocResult& result);

}  // namespace inlay::io
