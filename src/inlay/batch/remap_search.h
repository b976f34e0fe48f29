#pragma once

#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/core/mix.h"
#include "inlay/core/problem.h"

namespace inlay::batch {

// A mapping of one product on the arrays and the memory of an accelerator.
struct ProductTiling {
  // Shares of each tensor: in the piece that is held, moved there and back in all.
  IndexedVector<TensorId, double> pieces, traffic;
  double slower = 1;  // than the product as a whole, by the cycles of its pieces
};

// The mapper's front of footprint, off-chip words and cycles with these tensors off chip and the
// others on it. Cycles are those of the pieces on the arrays, see WorkOf. Empty where the problem
// is no product, or the deadline passed before the first.
std::vector<ProductTiling> TilingsOfProduct(const Problem& problem, TensorSet off,
                                            const Accelerator& accelerator,
                                            const Deadline& deadline);

// The cycles of one inference.
int64_t CyclesOfProduct(const Problem& problem, const Accelerator& accelerator);

}  // namespace inlay::batch
