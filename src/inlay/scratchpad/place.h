#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "inlay/base/deadline.h"
#include "inlay/scratchpad/book.h"
#include "inlay/scratchpad/plan_from.h"

namespace inlay {

struct Placed {
  Choices choices;
  Plan plan;
};

// The choices of a book as a plan. Where addresses are not found, they are looked for in one
// stretch of steps after the other; in a window for which there are none the tensor that loses
// least for each byte is kept out of the pad, and so on. The book then holds what was changed.
// nullopt: that took too much, or the deadline passed.
struct PlaceLimits {
  double cost = Book::kNever;  // reaching it is too much
  int64_t changes = std::numeric_limits<int64_t>::max();
  int64_t address_nodes = kAddressNodes;
  const Plan* like = nullptr;  // a plan in the same order whose addresses are kept where possible
};
std::optional<Placed> Place(const PlaceLimits& limits, Book* book,
                            const Deadline* deadline = nullptr);

}  // namespace inlay
