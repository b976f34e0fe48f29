#pragma once

#include <cstdint>
#include <optional>
#include <tl/expected.hpp>
#include <vector>

#include "inlay/core/architecture.h"
#include "inlay/core/fault.h"
#include "inlay/core/problem.h"
#include "inlay/mapper/dnnopt/layer.h"

namespace inlay::dnnopt {

// Room in the memory: shared by all tensors, or one part each.
struct Room {
  std::optional<int64_t> usable_words;  // of word_bits; none: unbounded
  int word_bits = 16;
  TensorSet tensors;
};

// An architecture as DNNOPT sees it: off-chip memory, one on-chip memory, an array of elements that
// hold a word or a little more.
struct Machine {
  static constexpr size_t kOffchip = 0, kMemory = 1, kElement = 2;
  int64_t rows = 1;     // y of the fan-out below the memory
  int64_t columns = 1;  // x
  bool has_element = false;
  std::vector<Room> rooms;
  IndexedVector<TensorId, int> bits;  // of a word in the memory
  // Words per cycle to and from the outermost level; none: never waited for.
  std::optional<double> read_bandwidth, write_bandwidth, shared_bandwidth;
};

// Faults, all at once: fewer than two or more than three levels, a fan-out anywhere but below the
// second level, a tensor that the second level does not hold.
tl::expected<Machine, Faults> MachineOf(const Problem& problem, const Architecture& architecture);

// The blocks of all tensors lie in the memory together.
bool Fits(const Machine& machine, const Layer& layer, const Sizes& blocks);

}  // namespace inlay::dnnopt
