#pragma once

#include <cstdint>
#include <vector>

#include "inlay/core/problem.h"

namespace inlay::gp {

// Loop orders of one level that lead to the same volumes.
struct OrderClass {
  std::vector<DimId> order;  // one of them, outer to inner
  // Per tensor, as bits, the dimensions that cost nothing: those inside the innermost loop that
  // moves it, and that loop itself where it joins halos.
  IndexedVector<TensorId, uint64_t> saved;
};

// How far permutations are told apart.
enum class Pruning : uint8_t {
  kHoisting,     // the paper's rule: loops outside the one that moves the last tensor are not
  kExpressions,  // only if some volume differs
  kDominance,    // only if neither is at least as good in every volume, whatever the numbers
};

// The classes of all orders of loops over these dimensions, each of more than one step. For a 3 × 3
// convolution over K, C, P, Q: 24 orders, 14, 8 and 5 classes.
std::vector<OrderClass> OrderClasses(const Problem& problem, const std::vector<DimId>& dims,
                                     Pruning pruning);

// The classes of these orders, each once; outer to inner.
std::vector<OrderClass> ClassesOf(const Problem& problem,
                                  const std::vector<std::vector<DimId>>& orders);
// Those that no other class is at least as good as in every volume.
std::vector<OrderClass> Undominated(const std::vector<OrderClass>& classes);

}  // namespace inlay::gp
