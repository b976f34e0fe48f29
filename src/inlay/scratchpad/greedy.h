#pragma once

#include "inlay/base/deadline.h"
#include "inlay/scratchpad/book.h"

namespace inlay {

// Strategy `greedy`: tensors come into the pads in the order of what they save for each byte and
// step that they lie there, as a price that falls lets them; then each is decided again as long as
// that helps. The book must fit, and is no dearer afterwards.
void PlanGreedily(Book* book, const Deadline& deadline);

}  // namespace inlay
