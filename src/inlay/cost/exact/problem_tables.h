#pragma once

#include <cstdint>
#include <vector>

#include "inlay/core/problem.h"

namespace inlay::exact {

// A problem with its names gone: flat tables for the inner loops of the closed form.
struct Tables {
  explicit Tables(const Problem& problem);

  struct FlatTerm {
    size_t dim = 0;
    int64_t coefficient = 1;
  };
  size_t dims = 0;
  size_t tensors = 0;
  std::vector<int64_t> bound;                // per dimension
  std::vector<std::vector<FlatTerm>> ranks;  // of all tensors, one after the other
  std::vector<size_t> rank_begin;            // [tensor], and one past the last
  std::vector<int> rank_of;  // [tensor × dims + dim]: index into ranks, −1 if irrelevant
  std::vector<int64_t> coefficient_of;          // [tensor × dims + dim]
  std::vector<std::vector<size_t>> irrelevant;  // per tensor: the dimensions it does not have
  size_t output = 0;
  int64_t operations = 1;
  bool fits_64 = true;  // every count of every mapping fits into 64 bits

  bool Relevant(size_t tensor, size_t dim) const { return rank_of[tensor * dims + dim] >= 0; }
};

}  // namespace inlay::exact
