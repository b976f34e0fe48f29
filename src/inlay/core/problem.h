#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inlay/core/fault.h"
#include "inlay/core/ids.h"

namespace inlay {

struct Dimension {
  std::string name;
  int64_t bound = 1;  // iterations 0 … bound-1
  bool operator==(const Dimension&) const = default;
};

// coefficient × dimension
struct Term {
  DimId dim;
  int64_t coefficient = 1;
  bool operator==(const Term&) const = default;
};

// One coordinate of a tensor: the sum of its terms. p*stride + r*dilation is a rank of two terms.
struct Rank {
  std::vector<Term> terms;
  bool operator==(const Rank&) const = default;
};

struct Tensor {
  std::string name;
  std::vector<Rank> ranks;
  bool is_output = false;  // reduced: read, added to, written
  // What architectures may call it ("Weights"), if the user said so; see roles.h.
  std::string role = {};
  bool operator==(const Tensor&) const = default;
};

// A perfectly nested loop over the dimensions; every iteration multiplies one word of each input
// tensor and adds the product to one word of the output tensor. Nothing here knows what a
// convolution is.
struct Problem {
  std::string name;
  IndexedVector<DimId, Dimension> dims;
  IndexedVector<TensorId, Tensor> tensors;
  bool operator==(const Problem&) const = default;
};

// Everything that is wrong with a problem: bounds below 1, names used twice, a dimension in no
// tensor, no output or several, more operations than 64 bits hold, a dimension in two ranks of one
// tensor, an output rank of two dimensions.
Faults Validate(const Problem& problem);

std::optional<DimId> FindDim(const Problem& problem, std::string_view name);
// By the name that a constraint gives it: M stands for K where there is K and no M.
std::optional<DimId> FindConstrainedDim(const Problem& problem, std::string_view name);
std::optional<TensorId> FindTensor(const Problem& problem, std::string_view name);
TensorId OutputTensor(const Problem& problem);
bool IsRelevant(const Tensor& tensor, DimId dim);
std::vector<std::string> DimNames(const Problem& problem);
std::vector<std::string> TensorNames(const Problem& problem);

// Product of the bounds. The problem is valid, so it fits.
int64_t Operations(const Problem& problem);

// Words of the bounding box of a block of iterations, `sizes` iterations along each dimension:
// per rank 1 + Σ |coefficient|·(size − 1).
int64_t TileWords(const Tensor& tensor, const IndexedVector<DimId, int64_t>& sizes);

// Words of the whole tensor.
int64_t TensorWords(const Problem& problem, TensorId tensor);

// "Inputs[N, C, 2*P + R, 2*Q + S]"; "+=" after it if it is the output.
std::string ToString(const Problem& problem, const Tensor& tensor);

}  // namespace inlay
