#include "mlir/types.h"

#include <algorithm>
#include <bit>

namespace inlay::plugin {
namespace {

constexpr int64_t kMostElements = int64_t{1} << 40;  // 64 bits hold their bits

}  // namespace

std::optional<int> ElementBits(mlir::Type element) {
  if (element.isIndex()) return 64;
  if (const auto complex = llvm::dyn_cast<mlir::ComplexType>(element)) {
    const auto part = ElementBits(complex.getElementType());
    return part ? std::optional(2 * *part) : std::nullopt;
  }
  if (const auto vector = llvm::dyn_cast<mlir::VectorType>(element)) {
    const auto part = ElementBits(vector.getElementType());
    constexpr int64_t kMostLanes = 1 << 16;
    if (!part || vector.isScalable() || vector.getNumElements() > kMostLanes) return std::nullopt;
    return *part * static_cast<int>(vector.getNumElements());
  }
  if (!element.isIntOrFloat()) return std::nullopt;
  return static_cast<int>(std::bit_ceil(std::max(element.getIntOrFloatBitWidth(), 8U)));
}

std::optional<Layout> LayoutOf(mlir::Type type) {
  const auto shaped = llvm::dyn_cast<mlir::ShapedType>(type);
  if (!shaped || !shaped.hasRank() || !shaped.hasStaticShape()) return std::nullopt;
  const auto bits = ElementBits(shaped.getElementType());
  if (!bits) return std::nullopt;
  Layout layout{{shaped.getShape().begin(), shaped.getShape().end()}, *bits};
  int64_t elements = 1;
  for (const int64_t extent : layout.shape) {
    if (extent > 0 && elements > kMostElements / extent) return std::nullopt;
    elements *= std::max<int64_t>(extent, 1);
  }
  return layout;
}

int64_t ElementsOf(const Shape& shape) {
  int64_t elements = 1;
  for (const int64_t extent : shape) elements *= extent;
  return elements;
}

}  // namespace inlay::plugin
