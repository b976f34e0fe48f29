#pragma once

#include <mlir/Dialect/Linalg/IR/LinalgInterfaces.h>

#include <optional>

#include "mlir/operations.h"

namespace inlay::plugin {

// Structured operations, for meaning.cc: named or generic, by their loops and indexing maps.

// Of a contraction or a convolution.
std::optional<Meaning> ProductOf(mlir::linalg::LinalgOp linalg);

// Of any other one. Element-wise, and so possibly in place, is what needs nothing at a point but
// what lies there.
Op MovesAs(mlir::linalg::LinalgOp linalg);

}  // namespace inlay::plugin
