#pragma once

#include <cstdint>
#include <string>

#include "inlay/base/structure.h"
#include "inlay/core/problem.h"

namespace inlay {

// The built-in kinds of problem. Tensors are always Weights, Inputs and Outputs, in this order.

// Outputs[n,k,p,q] += Inputs[n, c, p*stride_h + r*dilation_h, q*stride_w + s*dilation_w] *
// Weights[k,c,r,s]. With groups > 1 a dimension G is added to all three tensors, and K and C are
// per group (depthwise: K = C = 1).
struct ConvShape {
  int64_t n = 1, g = 1, k = 1, c = 1, p = 1, q = 1, r = 1, s = 1;
  int64_t stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
};
const Structure& ConvKeys();
const Structure& DepthwiseKeys();
Problem MakeConv(std::string name, const ConvShape& shape);

// Outputs[p,k] += Inputs[p,c] * Weights[k,c]: P rows, K columns, C reduced. With g > 1 a dimension
// G is added to all three tensors (batched matmul).
struct GemmShape {
  int64_t g = 1, p = 1, k = 1, c = 1;
};
const Structure& GemmKeys();
const Structure& MatmulKeys();
Problem MakeGemm(std::string name, const GemmShape& shape);

}  // namespace inlay
