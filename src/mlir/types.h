#pragma once

#include <mlir/IR/BuiltinTypes.h>
#include <mlir/IR/Value.h>

#include <optional>

#include "inlay/core/operator.h"

namespace inlay::plugin {

// A tensor or a buffer, which takes memory; the planner sees nothing else.
inline bool TakesMemory(mlir::Value value) {
  return llvm::isa<mlir::TensorType, mlir::BaseMemRefType>(value.getType());
}
inline bool IsBuffer(mlir::Value value) { return llvm::isa<mlir::BaseMemRefType>(value.getType()); }

// Bits that an element takes in memory: whole bytes, a power of two of them. nullopt for types
// whose size is not known before they are lowered.
std::optional<int> ElementBits(mlir::Type element);

struct Layout {
  Shape shape;
  int bits = 0;  // of an element
};
// nullopt where a dimension or the size of an element is not known, or beyond 2^40 elements.
std::optional<Layout> LayoutOf(mlir::Type type);

// The number of elements of a layout.
int64_t ElementsOf(const Shape& shape);

}  // namespace inlay::plugin
