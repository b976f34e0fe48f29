#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "inlay/core/graph.h"
#include "inlay/io/onnx/operator_rule.h"

namespace inlay::io::onnx {

// Results whose every element is one of an operand's, or a fixed one: what models do with the
// elements of shapes and masks before they use them.

// How many elements lie between one and the next along each dimension, in row-major order.
std::vector<int64_t> StridesOf(const Shape& shape);

// Where the element at `index`, of a tensor that was stretched from `shape`, comes from.
int64_t PlaceInStretched(const Shape& shape, const std::vector<int64_t>& strides,
                         const Shape& index);

// Whether results of this shape are small enough that their elements are kept.
bool KeepsElements(const Shape& shape);

// Calls visit(index) for every index within the shape, in row-major order.
template <typename Visit>
void ForEachIndex(const Shape& shape, Visit visit) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return;
  Shape index(shape.size(), 0);
  while (true) {
    visit(std::as_const(index));
    size_t d = shape.size();
    while (d > 0 && ++index[d - 1] == shape[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

// Sets the shape of an output and, where those of the first input are known, its elements: each is
// the one at place(index) among them, or `otherwise` where that is negative.
template <typename Place>
void SetRearranged(Call* call, size_t output, Shape shape, Place place, double otherwise = 0) {
  const Elements* from = call->ElementsAt(0);
  if (from == nullptr || !KeepsElements(shape)) return call->SetShape(output, std::move(shape));
  Elements result{from->whole, {}};
  ForEachIndex(shape, [&](const Shape& index) {
    const int64_t at = place(index);
    result.values.push_back(at < 0 ? otherwise : from->values[static_cast<size_t>(at)]);
  });
  call->Set(output, std::move(shape), std::move(result));
}

}  // namespace inlay::io::onnx
