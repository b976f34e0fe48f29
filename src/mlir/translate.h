#pragma once

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/IR/Operation.h>
#include <mlir/IR/Value.h>
#include <mlir/Support/LogicalResult.h>

#include <vector>

#include "mlir/planning.h"

namespace inlay::plugin {

// A buffer that the function allocates. What is written into it is one tensor after the other.
struct AllocatedBuffer {
  mlir::Value value;
  std::vector<size_t> tensors;  // in the order in which they are written
};

// A function as a network, and where everything in it came from.
struct Translation {
  FunctionNetwork network;
  std::vector<mlir::Value> origins;      // by tensor: an argument, a result, or the whole buffer
  std::vector<mlir::Operation*> runs;    // by node
  std::vector<AllocatedBuffer> buffers;  // allocated without a memory space
};

// Fails, with an error at every operation whose shapes or buffers cannot be followed. The function
// has one block. Two arguments, and two buffers that calls return, are taken to be apart.
mlir::FailureOr<Translation> Translate(mlir::func::FuncOp function);

}  // namespace inlay::plugin
