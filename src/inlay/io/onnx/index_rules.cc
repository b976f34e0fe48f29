#include <algorithm>
#include <numeric>

#include "inlay/core/graph.h"
#include "inlay/io/onnx/infer.h"

namespace inlay::io::onnx {
namespace {

struct SliceRange {
  size_t axis;
  int64_t begin, count, step;
};

// Starts and ends count from the end where they are negative, and are cut to what there is.
std::optional<SliceRange> RangeOf(int64_t extent, size_t axis, int64_t start, int64_t end,
                                  int64_t step) {
  if (step == 0) return std::nullopt;
  const auto from_end = [extent](int64_t at) { return at < 0 ? at + extent : at; };
  // Backwards, -1 stands before the first.
  const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? extent : extent - 1;
  const int64_t first = std::clamp(from_end(start), low, high);
  const int64_t last = std::clamp(from_end(end), low, high);
  int64_t count = 0;
  if (step > 0 && last > first) count = (last - first - 1) / step + 1;
  if (step < 0 && first > last) count = (last - first + 1) / step + 1;
  return SliceRange{axis, first, count, step};
}

void Slice(Call* call) {
  const Shape* x = call->ShapeAt(0);
  const auto starts = call->AttributeOrInput("starts", 1);
  const auto ends = call->AttributeOrInput("ends", 2);
  auto axes = call->AttributeOrInput("axes", 3);
  auto steps = call->AttributeOrInput("steps", 4);
  if (x == nullptr || !starts || !ends || !axes || !steps) return;
  if (axes->empty()) {
    axes->resize(starts->size());
    std::iota(axes->begin(), axes->end(), 0);
  }
  if (steps->empty()) steps->assign(starts->size(), 1);
  if (ends->size() != starts->size() || axes->size() != starts->size() ||
      steps->size() != starts->size()) {
    return call->Fail("starts, ends, axes and steps have different lengths");
  }
  Shape shape = *x;
  std::optional<SliceRange> only;
  for (size_t i = 0; i < starts->size(); ++i) {
    const auto axis = AxisOf((*axes)[i], x->size());
    if (!axis) return call->Fail("an axis is out of range");
    only = RangeOf((*x)[*axis], *axis, (*starts)[i], (*ends)[i], (*steps)[i]);
    if (!only) return call->Fail("a step of 0");
    shape[*axis] = only->count;
  }
  const Elements* elements = call->ElementsAt(0);
  if (elements == nullptr || x->size() != 1 || !only || starts->size() != 1) {
    return call->SetShape(0, std::move(shape));
  }
  Elements part{elements->whole, {}};
  for (int64_t i = 0; i < only->count; ++i) {
    part.values.push_back(elements->values[static_cast<size_t>(only->begin + i * only->step)]);
  }
  call->Set(0, std::move(shape), std::move(part));
}

void Gather(Call* call) {
  const Shape* x = call->ShapeAt(0);
  const Shape* indices = call->ShapeAt(1);
  if (x == nullptr || indices == nullptr) return;
  const auto axis = AxisOf(call->Integer("axis", 0), x->size());
  if (!axis) return call->Fail("the axis is out of range");
  const auto at = x->begin() + static_cast<std::ptrdiff_t>(*axis);
  Shape shape(x->begin(), at);
  shape.insert(shape.end(), indices->begin(), indices->end());
  shape.insert(shape.end(), at + 1, x->end());
  const Elements* elements = call->ElementsAt(0);
  const auto which = call->WholeAt(1);
  if (elements == nullptr || !which || x->size() != 1) return call->SetShape(0, std::move(shape));
  Elements chosen{elements->whole, {}};
  for (const int64_t index : *which) {
    const auto from = AxisOf(index, elements->values.size());
    if (!from) return call->Fail("an index is out of range");
    chosen.values.push_back(elements->values[*from]);
  }
  call->Set(0, std::move(shape), std::move(chosen));
}

void LikeSecond(Call* call) {
  if (const Shape* shape = call->ShapeAt(1)) call->SetShape(0, *shape);
}

void GatherND(Call* call) {
  const Shape* x = call->ShapeAt(0);
  const Shape* indices = call->ShapeAt(1);
  if (x == nullptr || indices == nullptr) return;
  const int64_t batch = call->Integer("batch_dims", 0);
  if (indices->empty() || batch < 0 || indices->back() < 0 ||
      batch >= static_cast<int64_t>(indices->size()) ||
      indices->back() > static_cast<int64_t>(x->size()) - batch) {
    return call->Fail("the indices do not fit the input");
  }
  Shape shape(indices->begin(), indices->end() - 1);
  shape.insert(shape.end(), x->begin() + batch + indices->back(), x->end());
  call->SetShape(0, std::move(shape));
}

void OneHot(Call* call) {
  const Shape* indices = call->ShapeAt(0);
  const auto depth = call->WholeAt(1);
  if (indices == nullptr || !depth || depth->size() != 1) return;
  const auto axis = AxisOf(call->Integer("axis", -1), indices->size() + 1);
  if (!axis) return call->Fail("the axis is out of range");
  Shape shape = *indices;
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(*axis), depth->front());
  call->SetShape(0, std::move(shape));
}

// [N, C, H, W] sampled at [N, H', W', 2], and regions of it.
void GridSample(Call* call) {
  const Shape* x = call->ShapeAt(0);
  const Shape* grid = call->ShapeAt(1);
  if (x == nullptr || grid == nullptr) return;
  if (x->size() < 3 || grid->size() != x->size()) return call->Fail("a grid of another rank");
  Shape shape(x->begin(), x->begin() + 2);
  shape.insert(shape.end(), grid->begin() + 1, grid->end() - 1);
  call->SetShape(0, std::move(shape));
}

void Regions(Call* call) {
  const Shape* x = call->ShapeAt(0);
  const Shape* regions = call->ShapeAt(1);
  if (x == nullptr || regions == nullptr) return;
  if (x->size() != 4 || regions->empty()) return call->Fail("an input [N, C, H, W] is needed");
  const std::vector<int64_t> pooled = call->Integers("pooled_shape");
  const int64_t height = pooled.size() == 2 ? pooled[0] : call->Integer("output_height", 1);
  const int64_t width = pooled.size() == 2 ? pooled[1] : call->Integer("output_width", 1);
  call->SetShape(0, {regions->front(), (*x)[1], height, width});
}

// What is found depends on data.

void NonZero(Call* call) {
  const Shape* x = call->ShapeAt(0);
  if (x != nullptr) call->SetOpen(0, {static_cast<int64_t>(x->size()), -1});
}

void NonMaxSuppression(Call* call) { call->SetOpen(0, {-1, 3}); }

void Compress(Call* call) {
  const Shape* x = call->ShapeAt(0);
  if (x == nullptr) return;
  if (call->node().Find("axis") == nullptr) return call->SetOpen(0, {-1});
  const auto axis = AxisOf(call->Integer("axis", 0), x->size());
  if (!axis) return call->Fail("the axis is out of range");
  Shape shape = *x;
  shape[*axis] = -1;
  call->SetOpen(0, std::move(shape));
}

}  // namespace

std::vector<OpRule> IndexRules() {
  return {{"Slice", Op::kSlice, Slice, {1}},
          {"Gather", Op::kGather, Gather},
          {"GatherElements", Op::kGather, LikeSecond},
          {"GatherND", Op::kGather, GatherND},
          {"Scatter", Op::kScatter, SameAsFirst},
          {"ScatterElements", Op::kScatter, SameAsFirst},
          {"ScatterND", Op::kScatter, SameAsFirst},
          {"NonZero", Op::kReduce, NonZero},
          {"NonMaxSuppression", Op::kSort, NonMaxSuppression, {0b11}},
          {"Compress", Op::kGather, Compress},
          {"OneHot", Op::kExpand, OneHot, {1}},
          {"GridSample", Op::kGather, GridSample},
          {"RoiAlign", Op::kPool, Regions},
          {"MaxRoiPool", Op::kPool, Regions}};
}

}  // namespace inlay::io::onnx
