#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inlay/base/structure.h"
#include "inlay/core/fault.h"

namespace inlay {

// A block of memory that is wanted for a while. Sizes and addresses share one unit: bytes, unless
// the table says otherwise. Nothing is negative.
struct Buffer {
  std::string id;
  int64_t lower = 0, upper = 0;  // lives in [lower, upper); lower == upper: never
  int64_t size = 0;
  int64_t alignment = 1;           // the address is a multiple of it; from 1
  std::optional<int64_t> fixed{};  // the address, where it is given
  bool operator==(const Buffer&) const = default;
};
const Structure& StructureOf(const Buffer*);

// What does not may be at any address, and is at 0 unless it is fixed.
inline bool TakesRoom(const Buffer& b) { return b.lower < b.upper && b.size > 0; }

// Everything wrong with each buffer for itself, and sizes whose sum does not fit into 62 bits (so
// that no address overflows). `where` is "buffers[3].size".
Faults Validate(const std::vector<Buffer>& buffers);

}  // namespace inlay
