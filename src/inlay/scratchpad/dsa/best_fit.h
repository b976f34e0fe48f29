#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "inlay/core/buffer.h"

namespace inlay::dsa {

// Addresses as an allocator would give them while time passes, each buffer in the smallest gap that
// holds it, in n·log n steps: a placement of any number of buffers at once. All lie above the
// highest fixed buffer. nullopt: fixed buffers overlap, or addresses would exceed 2^62.
std::optional<std::vector<int64_t>> BestFitInTime(const std::vector<Buffer>& buffers);

// The end of the highest buffer that takes room.
int64_t HeightOf(const std::vector<Buffer>& buffers, const std::vector<int64_t>& offsets);

}  // namespace inlay::dsa
