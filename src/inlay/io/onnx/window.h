#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "inlay/io/onnx/operator_rule.h"

namespace inlay::io::onnx {

// The window of a convolution or a pooling, an entry per spatial dimension.
struct WindowAttributes {
  std::vector<int64_t> kernel, stride, dilation, before, after;  // the last two: padding
};

// auto_pad becomes the padding that it stands for. The error says what is impossible.
tl::expected<WindowAttributes, std::string> WindowOf(const Call& call, const Shape& x,
                                                     const std::vector<int64_t>& kernel);

// The same for a convolution of x with weights w, as core has it. A transposed one with auto_pad
// SAME has no padding here: its output is known otherwise.
tl::expected<OpAttributes, std::string> ConvAttributes(const Call& call, const Shape& x,
                                                       const Shape& w);

}  // namespace inlay::io::onnx
