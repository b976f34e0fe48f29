#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inlay/core/problem.h"
#include "inlay/io/native/text.h"

namespace inlay::io {

// A tensor's projection as written, "[C, 2*P + R] +=", before its names are looked up among the
// dimensions. Offsets count from the start of the text.
struct ProjectionFactor {
  size_t offset = 0;
  std::string name;  // empty: a number
  std::optional<int64_t> number;
};
struct ProjectionTerm {
  size_t offset = 0;
  std::vector<ProjectionFactor> factors;  // one or two; not two numbers
};
struct Projection {
  std::string tensor;                              // "Inputs[…]"; usually empty
  std::vector<std::vector<ProjectionTerm>> ranks;  // a rank "0" has no terms
  bool is_output = false;
};

Parsed<Projection> ParseProjection(std::string_view text);
std::string ProjectionPattern();

// Named coefficients (stride, dilation) that a problem declares besides its dimensions.
using Coefficients = std::map<std::string, int64_t, std::less<>>;

// Fills in the tensor's ranks. Every name that is neither a dimension nor a coefficient, and every
// product that is not coefficient × dimension, is an error; the tensor is then incomplete.
std::vector<TextError> Resolve(const Projection& projection, const Problem& problem,
                               const Coefficients& coefficients, Tensor* tensor);

// "[C, 2*P + R, 2*Q + S]"; " +=" after it if it is the output.
std::string ProjectionText(const Problem& problem, const Tensor& tensor);

}  // namespace inlay::io
