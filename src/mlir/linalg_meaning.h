#pragma once

#include <mlir/Dialect/Linalg/IR/LinalgInterfaces.h>

#include <optional>

#include "mlir/operations.h"

namespace inlay::plugin {

// Structured operations, for meaning.cc: named or generic, by their loops and indexing maps.

// The meaning of a contraction or a convolution.
std::optional<Meaning> ProductOf(mlir::linalg::LinalgOp linalg);

// The operator of any other one. Element-wise, and so possibly in place, is an operation whose
// result at a point needs only the elements at that point.
Op MovementOpOf(mlir::linalg::LinalgOp linalg);

}  // namespace inlay::plugin
