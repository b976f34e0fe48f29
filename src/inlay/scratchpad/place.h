#pragma once

#include <optional>

#include "inlay/base/deadline.h"
#include "inlay/scratchpad/book.h"
#include "inlay/scratchpad/plan_from.h"

namespace inlay {

struct Placed {
  Choices choices;
  Plan plan;
};

// The choices of a book as a plan. Where addresses are not found, the tensor of the window that
// loses least for each byte is kept out of the pad there, and so on until they are; the book then
// holds what was changed. nullopt: the cost reached `limit` before that, or the deadline passed.
std::optional<Placed> Place(Book* book, double limit, const Deadline* deadline = nullptr);

}  // namespace inlay
