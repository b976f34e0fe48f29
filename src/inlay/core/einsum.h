#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "inlay/core/op_work.h"

namespace inlay {

// "bij,bjk->bik" with the extents of its letters. The dimensions that "..." stands for have the
// letters '0', '1', … from the last.
struct Einsum {
  std::vector<std::string> inputs;  // the letters of each operand
  std::string output;
  std::vector<std::pair<char, int64_t>> extents;  // in the order of first use
};

// Blanks mean nothing; without "->" the output has the letters that occur once, in alphabetical
// order. A letter twice in one operand (a diagonal) is refused.
tl::expected<Einsum, Fault> ParseEinsum(std::string_view equation,
                                        const std::vector<Shape>& inputs);
Shape OutputShape(const Einsum& einsum);

// The works of contracting operands pair by pair, from the left. A letter that neither a later
// operand nor the output has is summed at the first pair where it can be.
tl::expected<std::vector<OpWork>, Fault> EinsumWorks(const Einsum& einsum);

}  // namespace inlay
