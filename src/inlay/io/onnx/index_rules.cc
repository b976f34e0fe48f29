#include <algorithm>
#include <numeric>

#include "inlay/core/graph.h"
#include "inlay/io/onnx/elements.h"
#include "inlay/io/onnx/operator_rule.h"

namespace inlay::io::onnx {
namespace {

struct SliceRange {
  int64_t begin = 0, count = 0, step = 1;
};

// Starts and ends count from the end where they are negative, and are cut to what there is.
std::optional<SliceRange> RangeOf(int64_t extent, int64_t start, int64_t end, int64_t step) {
  if (step == 0) return std::nullopt;
  const auto from_end = [extent](int64_t at) { return at < 0 ? at + extent : at; };
  // Backwards, -1 stands before the first.
  const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? extent : extent - 1;
  const int64_t first = std::clamp(from_end(start), low, high);
  const int64_t last = std::clamp(from_end(end), low, high);
  int64_t count = 0;
  if (step > 0 && last > first) count = (last - first - 1) / step + 1;
  if (step < 0 && first > last) count = (last - first + 1) / step + 1;
  return SliceRange{first, count, step};
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
  std::vector<SliceRange> ranges(x->size());
  for (size_t i = 0; i < starts->size(); ++i) {
    const auto axis = AxisOf((*axes)[i], x->size());
    if (!axis) return call->Fail("an axis is out of range");
    const auto range = RangeOf((*x)[*axis], (*starts)[i], (*ends)[i], (*steps)[i]);
    if (!range) return call->Fail("a step of 0");
    ranges[*axis] = *range;
    shape[*axis] = range->count;
  }
  const std::vector<int64_t> strides = StridesOf(*x);
  SetRearranged(call, 0, std::move(shape), [&](const Shape& index) {
    int64_t place = 0;
    for (size_t d = 0; d < index.size(); ++d) {
      place += (ranges[d].begin + index[d] * ranges[d].step) * strides[d];
    }
    return place;
  });
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
  auto which = call->WholeAt(1);
  if (!which || call->ElementsAt(0) == nullptr) return call->SetShape(0, std::move(shape));
  for (int64_t& index : *which) {
    const auto from = AxisOf(index, static_cast<size_t>(*at));
    if (!from) return call->Fail("an index is out of range");
    index = static_cast<int64_t>(*from);
  }
  const std::vector<int64_t> strides = StridesOf(*x), steps = StridesOf(*indices);
  const size_t rank = indices->size();
  SetRearranged(call, 0, std::move(shape), [&](const Shape& index) {
    int64_t place = 0, chosen = 0;
    for (size_t d = 0; d < rank; ++d) chosen += index[*axis + d] * steps[d];
    for (size_t d = 0; d < x->size(); ++d) {
      const size_t from = d < *axis ? d : d + rank - 1;
      place += (d == *axis ? (*which)[static_cast<size_t>(chosen)] : index[from]) * strides[d];
    }
    return place;
  });
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

// A copy of the first input in which rows that indices name are replaced. PyTorch writes masks so.
void ScatterND(Call* call) {
  SameAsFirst(call);
  const Shape *x = call->ShapeAt(0), *indices = call->ShapeAt(1);
  const Elements *elements = call->ElementsAt(0), *updates = call->ElementsAt(2);
  const auto which = call->WholeAt(1);
  const std::string reduction = call->Text("reduction");
  const bool replaces = reduction.empty() || reduction == "none";
  if (x == nullptr || elements == nullptr || updates == nullptr || !which || !replaces) return;
  const size_t depth = indices->empty() ? 0 : static_cast<size_t>(indices->back());
  if (depth == 0 || depth > x->size()) return call->Fail("the indices do not fit the input");
  const std::vector<int64_t> strides = StridesOf(*x);
  const auto words = static_cast<size_t>(strides[depth - 1]);  // that one index replaces
  if (which->size() / depth * words != updates->values.size()) {
    return call->Fail("the updates do not fit the indices");
  }
  Elements result = *elements;
  for (size_t i = 0; i < which->size() / depth; ++i) {
    int64_t place = 0;
    for (size_t d = 0; d < depth; ++d) {
      const auto at = AxisOf((*which)[i * depth + d], static_cast<size_t>((*x)[d]));
      if (!at) return call->Fail("an index is out of range");
      place += static_cast<int64_t>(*at) * strides[d];
    }
    std::copy_n(updates->values.begin() + static_cast<std::ptrdiff_t>(i * words), words,
                result.values.begin() + place);
  }
  call->Set(0, *x, std::move(result));
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
  if (x == nullptr) return;
  const Elements* elements = call->ElementsAt(0);
  const auto rank = static_cast<int64_t>(x->size());
  if (elements == nullptr) return call->SetOpen(0, {rank, -1});
  std::vector<std::vector<double>> places(x->size());  // by dimension
  size_t i = 0;
  int64_t count = 0;
  ForEachIndex(*x, [&](const Shape& index) {
    if (elements->values[i++] == 0) return;
    ++count;
    for (size_t d = 0; d < index.size(); ++d) places[d].push_back(static_cast<double>(index[d]));
  });
  if (!KeepsElements({rank, count})) return call->SetShape(0, {rank, count});
  Elements found;
  for (const std::vector<double>& along : places) {
    found.values.insert(found.values.end(), along.begin(), along.end());
  }
  call->Set(0, {rank, count}, std::move(found));
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
          {"ScatterND", Op::kScatter, ScatterND},
          {"NonZero", Op::kReduce, NonZero},
          {"NonMaxSuppression", Op::kSort, NonMaxSuppression, {0b11}},
          {"Compress", Op::kGather, Compress},
          {"OneHot", Op::kExpand, OneHot, {1}},
          {"GridSample", Op::kGather, GridSample},
          {"RoiAlign", Op::kPool, Regions},
          {"MaxRoiPool", Op::kPool, Regions}};
}

}  // namespace inlay::io::onnx
