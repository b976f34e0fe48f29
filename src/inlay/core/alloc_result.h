#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inlay/core/buffer.h"
#include "inlay/core/result.h"

namespace inlay {

// Buffers that do not fit together, and when.
struct AllocCause {
  int64_t lower = 0, upper = 0;
  std::vector<std::string> buffers;
  int64_t bytes = 0;  // of these buffers
};
const Structure& StructureOf(const AllocCause*);

// The largest sum of buffers that live at the same time, and the first times with it.
struct AllocPeak {
  int64_t bytes = 0;
  int64_t lower = 0, upper = 0;
};
const Structure& StructureOf(const AllocPeak*);

// What result.json of `alloc` says.
struct AllocResult {
  ResultHeader header;
  std::optional<int64_t> capacity;  // as asked for; else the height, where there is a placement
  std::optional<int64_t> height;    // the end of the highest buffer, if placed
  int64_t lower_bound = 0;          // no smaller capacity is enough
  AllocPeak peak_load;
  std::string status;  // "placed", "infeasible", "timeout"
  bool interrupted = false;
  std::optional<AllocCause> cause;                       // why it is infeasible, where it is known
  std::vector<std::pair<std::string, int64_t>> offsets;  // by buffer, if placed
  std::vector<Buffer> buffers;
  double seconds = 0;  // measured
  int64_t nodes = 0;   // measured
  // Not in the file.
  bool capacity_given = false;  // false: the least was looked for
  std::string fixed_fault;      // what is wrong with fixed addresses, whatever the capacity
  size_t too_large = 0;  // timeout: buffers of a stretch that only first-fit was tried for; 0: none
};
const Structure& StructureOf(const AllocResult*);

}  // namespace inlay
