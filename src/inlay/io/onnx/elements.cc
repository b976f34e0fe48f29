#include "inlay/io/onnx/elements.h"

#include "inlay/base/checked_arithmetic.h"

namespace inlay::io::onnx {

std::vector<int64_t> StridesOf(const Shape& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d > 1; --d) {
    // What does not fit is of a tensor without elements.
    strides[d - 2] = CheckedMultiply(strides[d - 1], shape[d - 1]).value_or(0);
  }
  return strides;
}

int64_t PlaceInStretched(const Shape& shape, const std::vector<int64_t>& strides,
                         const Shape& index) {
  const size_t added = index.size() - shape.size();
  int64_t place = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] != 1) place += index[added + d] * strides[d];
  }
  return place;
}

bool KeepsElements(const Shape& shape) {
  const bool negative =
      std::any_of(shape.begin(), shape.end(), [](int64_t extent) { return extent < 0; });
  const auto words = negative ? std::nullopt : WordsOf(shape);
  return words && *words <= kMostElements;
}

}  // namespace inlay::io::onnx
