#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inlay/core/fault.h"

namespace inlay {

// A block of memory that is wanted for a while. Sizes and addresses share one unit: bytes, unless
// somebody says otherwise. Nothing is negative.
struct Buffer {
  std::string id;
  int64_t lower = 0, upper = 0;    // lives in [lower, upper); lower == upper: never
  int64_t size = 0;                // 0 takes no room and is always at address 0, unless fixed
  int64_t alignment = 1;           // the address is a multiple of it; from 1
  std::optional<int64_t> fixed{};  // the address, where it is given
  bool operator==(const Buffer&) const = default;
};

// Whether two lives have a time step in common.
inline bool LiveTogether(const Buffer& a, const Buffer& b) {
  return a.lower < b.upper && b.lower < a.upper && a.lower < a.upper && b.lower < b.upper;
}

// Everything wrong with each buffer for itself, and sizes whose sum does not fit into 62 bits (so
// that no address overflows). `where` is "buffers[3].size".
Faults Validate(const std::vector<Buffer>& buffers);

}  // namespace inlay
