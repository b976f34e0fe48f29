#include <algorithm>
#include <cmath>
#include <numeric>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/core/graph.h"
#include "inlay/core/op_work.h"
#include "inlay/io/onnx/elements.h"
#include "inlay/io/onnx/operator_rule.h"

namespace inlay::io::onnx {
namespace {

// Another shape for the same words, and the same elements.
void SetView(Call* call, Shape shape) {
  if (WordsOf(shape) != WordsOf(*call->ShapeAt(0))) {
    return call->Fail("the new shape " + ToString(shape) + " has another size than " +
                      ToString(*call->ShapeAt(0)));
  }
  const Elements* elements = call->ElementsAt(0);
  if (elements != nullptr) return call->Set(0, std::move(shape), *elements);
  call->SetShape(0, std::move(shape));
}

void Reshape(Call* call) {
  const Shape* x = call->ShapeAt(0);
  const auto target = call->AttributeOrInput("shape", 1);
  if (x == nullptr || !target) return;
  const bool zero_is_zero = call->Integer("allowzero", 0) != 0;
  Shape shape = *target;
  int64_t rest = 1, open = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0 && !zero_is_zero) {
      if (i >= x->size()) return call->Fail("the new shape copies an extent that there is not");
      shape[i] = (*x)[i];
    }
    if (shape[i] < -1) return call->Fail("the new shape has a negative extent");
    if (shape[i] == -1) ++open;
    if (shape[i] != -1) rest = CheckedMultiply(rest, shape[i]).value_or(0);
  }
  if (open > 1) return call->Fail("the new shape leaves two extents open");
  if (open == 1) {
    const int64_t words = *WordsOf(*x);
    if (rest == 0 || words % rest != 0) {
      return call->Fail("the new shape " + ToString(*target) + " does not fit " + ToString(*x));
    }
    *std::find(shape.begin(), shape.end(), -1) = words / rest;
  }
  SetView(call, std::move(shape));
}

void Flatten(Call* call) {
  const Shape* x = call->ShapeAt(0);
  if (x == nullptr) return;
  const auto rank = static_cast<int64_t>(x->size());
  int64_t axis = call->Integer("axis", 1);
  if (axis < 0) axis += rank;
  if (axis < 0 || axis > rank) return call->Fail("the axis is out of range");
  const auto middle = x->begin() + axis;
  SetView(call, {WordsOf(Shape(x->begin(), middle)).value_or(-1),
                 WordsOf(Shape(middle, x->end())).value_or(-1)});
}

void Squeeze(Call* call) {
  const Shape* x = call->ShapeAt(0);
  const auto axes = call->AttributeOrInput("axes", 1);
  if (x == nullptr || !axes) return;
  std::vector<bool> gone(x->size(), false);
  for (size_t i = 0; axes->empty() && i < x->size(); ++i) gone[i] = (*x)[i] == 1;
  for (const int64_t axis : *axes) {
    const auto at = AxisOf(axis, x->size());
    if (!at) return call->Fail("an axis is out of range");
    gone[*at] = true;
  }
  Shape shape;
  for (size_t i = 0; i < x->size(); ++i) {
    if (!gone[i]) shape.push_back((*x)[i]);
  }
  SetView(call, std::move(shape));
}

void Unsqueeze(Call* call) {
  const Shape* x = call->ShapeAt(0);
  const auto axes = call->AttributeOrInput("axes", 1);
  if (x == nullptr || !axes) return;
  const size_t rank = x->size() + axes->size();
  std::vector<bool> added(rank, false);
  for (const int64_t axis : *axes) {
    const auto at = AxisOf(axis, rank);
    if (!at || added[*at]) return call->Fail("an axis is out of range or given twice");
    added[*at] = true;
  }
  Shape shape;
  for (size_t i = 0, from = 0; i < rank; ++i) shape.push_back(added[i] ? 1 : (*x)[from++]);
  SetView(call, std::move(shape));
}

void Transpose(Call* call) {
  const Shape* x = call->ShapeAt(0);
  if (x == nullptr) return;
  std::vector<int64_t> order = call->Integers("perm");
  if (order.empty()) {
    order.resize(x->size());
    std::iota(order.rbegin(), order.rend(), 0);
  }
  std::vector<bool> seen(x->size(), false);
  Shape shape;
  std::vector<int64_t> strides;  // of the input, along the dimensions of the output
  for (const int64_t axis : order) {
    const auto at = AxisOf(axis, x->size());
    if (!at || seen[*at]) return call->Fail("perm is no order of the dimensions");
    seen[*at] = true;
    shape.push_back((*x)[*at]);
    strides.push_back(StridesOf(*x)[*at]);
  }
  if (shape.size() != x->size()) return call->Fail("perm is no order of the dimensions");
  SetRearranged(call, 0, std::move(shape), [&](const Shape& index) {
    return std::inner_product(index.begin(), index.end(), strides.begin(), int64_t{0});
  });
}

// The result of a concatenation, with its elements where all inputs have theirs: block by block,
// each the elements of one input that lie behind one index of the dimensions before the axis.
void SetJoined(const std::vector<Shape>& shapes, size_t axis, Shape result, Call* call) {
  Elements elements;
  bool known = KeepsElements(result) && shapes.size() == call->input_count();
  for (size_t i = 0; i < shapes.size(); ++i) {
    const Elements* part = call->ElementsAt(i);
    known = known && part != nullptr;
    elements.whole = elements.whole && part != nullptr && part->whole;
  }
  if (!known) return call->SetShape(0, std::move(result));
  const auto middle = result.begin() + static_cast<std::ptrdiff_t>(axis);
  const int64_t blocks = *WordsOf(Shape(result.begin(), middle));
  for (int64_t block = 0; block < blocks; ++block) {
    for (size_t i = 0; i < shapes.size(); ++i) {
      const int64_t words = *WordsOf(shapes[i]) / blocks;
      const auto from = call->ElementsAt(i)->values.begin() + block * words;
      elements.values.insert(elements.values.end(), from, from + words);
    }
  }
  call->Set(0, std::move(result), std::move(elements));
}

void Concat(Call* call) {
  const auto shapes = call->ShapesFrom(0);
  if (!shapes || shapes->empty()) return;
  const auto axis = AxisOf(call->Integer("axis", 1), shapes->front().size());
  if (!axis) return call->Fail("the axis is out of range");
  Shape result = shapes->front();
  for (size_t i = 1; i < shapes->size(); ++i) {
    Shape other = (*shapes)[i];
    if (other.size() != result.size()) return call->Fail("inputs of different ranks");
    const auto sum = CheckedAdd(result[*axis], other[*axis]);
    if (!sum) return call->Fail("the output would have an impossible size");
    result[*axis] = other[*axis] = *sum;
    if (other != result) return call->Fail("inputs of different shapes");
  }
  SetJoined(*shapes, *axis, std::move(result), call);
}

void Split(Call* call) {
  const Shape* x = call->ShapeAt(0);
  auto parts = call->AttributeOrInput("split", 1);
  if (x == nullptr || !parts) return;
  const auto axis = AxisOf(call->Integer("axis", 0), x->size());
  if (!axis) return call->Fail("the axis is out of range");
  const auto count = static_cast<int64_t>(call->output_count());
  const int64_t extent = (*x)[*axis];
  if (parts->empty()) {
    const int64_t part = CeilDiv(extent, std::max<int64_t>(1, count));
    for (int64_t i = 0; i < count; ++i) {
      parts->push_back(std::clamp<int64_t>(extent - i * part, 0, part));
    }
  }
  if (static_cast<int64_t>(parts->size()) != count) return call->Fail("as many parts as outputs");
  int64_t begin = 0;
  for (size_t i = 0; i < parts->size(); ++i) {
    const int64_t part = (*parts)[i];
    if (part < 0 || part > extent - begin) return call->Fail("the parts are more than the whole");
    Shape shape = *x;
    shape[*axis] = part;
    const std::vector<int64_t> strides = StridesOf(*x);
    SetRearranged(call, i, std::move(shape), [&](const Shape& index) {
      return std::inner_product(index.begin(), index.end(), strides.begin(),
                                begin * strides[*axis]);
    });
    begin += part;
  }
}

// What a border consists of; nullopt where it is not known, or repeats the input.
std::optional<double> PaddingOf(const Call& call) {
  const std::string mode = call.Text("mode");
  if (!mode.empty() && mode != "constant") return std::nullopt;
  const Attribute* old = call.node().Find("value");
  if (old != nullptr) {
    return old->reals.size() == 1 ? std::optional(old->reals.front()) : std::nullopt;
  }
  if (call.opset() < 11 || !call.Has(2)) return 0;
  const Elements* value = call.ElementsAt(2);
  if (value == nullptr || value->values.size() != 1) return std::nullopt;
  return value->values.front();
}

void Pad(Call* call) {
  const Shape* x = call->ShapeAt(0);
  const auto pads = call->AttributeOrInput("pads", 1);
  if (x == nullptr || !pads) return;
  std::vector<int64_t> axes;
  if (call->Has(3)) {
    const auto given = call->WholeAt(3);
    if (!given) return;
    axes = *given;
  } else {
    axes.resize(x->size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  if (pads->size() != 2 * axes.size()) return call->Fail("pads need two entries per dimension");
  Shape shape = *x;
  std::vector<int64_t> before(x->size(), 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = AxisOf(axes[i], x->size());
    if (!axis) return call->Fail("an axis is out of range");
    const auto both = CheckedAdd((*pads)[i], (*pads)[i + axes.size()]);
    shape[*axis] = both ? CheckedAdd(shape[*axis], *both).value_or(-1) : -1;
    before[*axis] = (*pads)[i];
  }
  const auto value = PaddingOf(*call);
  if (!value) return call->SetShape(0, std::move(shape));
  const std::vector<int64_t> strides = StridesOf(*x);
  SetRearranged(
      call, 0, std::move(shape),
      [&](const Shape& index) {
        int64_t place = 0;
        for (size_t d = 0; d < index.size(); ++d) {
          const int64_t at = index[d] - before[d];
          if (at < 0 || at >= (*x)[d]) return int64_t{-1};
          place += at * strides[d];
        }
        return place;
      },
      *value);
}

void Expand(Call* call) {
  const Shape* x = call->ShapeAt(0);
  const auto target = call->WholeAt(1);
  if (x == nullptr || !target) return;
  const bool negative =
      std::any_of(target->begin(), target->end(), [](int64_t e) { return e < 0; });
  const auto shape = negative ? std::nullopt : Broadcast({*x, *target});
  if (!shape) return call->Fail("the shape to expand to does not fit");
  const std::vector<int64_t> strides = StridesOf(*x);
  SetRearranged(call, 0, *shape,
                [&](const Shape& index) { return PlaceInStretched(*x, strides, index); });
}

void Tile(Call* call) {
  const Shape* x = call->ShapeAt(0);
  const auto repeats = call->WholeAt(1);
  if (x == nullptr || !repeats) return;
  if (repeats->size() != x->size()) return call->Fail("as many repeats as dimensions");
  Shape shape = *x;
  for (size_t i = 0; i < shape.size(); ++i) {
    shape[i] = CheckedMultiply(shape[i], (*repeats)[i]).value_or(-1);
  }
  const std::vector<int64_t> strides = StridesOf(*x);
  SetRearranged(call, 0, std::move(shape), [&](const Shape& index) {
    int64_t place = 0;
    for (size_t d = 0; d < index.size(); ++d) place += index[d] % (*x)[d] * strides[d];
    return place;
  });
}

// Blocks of b × b words between depth and the plane.
template <bool kToDepth>
void Blocks(Call* call) {
  const Shape* x = call->ShapeAt(0);
  if (x == nullptr) return;
  const int64_t block = call->Integer("blocksize", 1);
  if (x->size() != 4 || block < 1 || block > (1 << 15)) {
    return call->Fail("an input [N, C, H, W] and a block size are needed");
  }
  Shape shape = *x;
  const int64_t square = block * block;
  const bool divides =
      kToDepth ? shape[2] % block == 0 && shape[3] % block == 0 : shape[1] % square == 0;
  if (!divides) return call->Fail("the block size does not divide the input");
  shape[1] = kToDepth ? CheckedMultiply(shape[1], square).value_or(-1) : shape[1] / square;
  for (size_t i = 2; i < 4; ++i) {
    shape[i] = kToDepth ? shape[i] / block : CheckedMultiply(shape[i], block).value_or(-1);
  }
  call->SetShape(0, std::move(shape));
}

// The last input that is there: sizes are given outright, or as factors.
void Resize(Call* call) {
  const Shape* x = call->ShapeAt(0);
  if (x == nullptr) return;
  std::vector<size_t> axes(x->size());
  std::iota(axes.begin(), axes.end(), 0);
  if (const std::vector<int64_t> given = call->Integers("axes"); !given.empty()) {
    axes.clear();
    for (const int64_t axis : given) {
      const auto at = AxisOf(axis, x->size());
      if (!at) return call->Fail("an axis is out of range");
      axes.push_back(*at);
    }
  }
  const bool upsample = call->type() == "Upsample" || call->opset() < 11;
  const size_t scales_at = upsample ? 1 : 2;
  const Attribute* old_scales = call->node().Find("scales");
  Shape shape = *x;
  const auto sizes = upsample ? std::nullopt : call->WholeAt(3);
  if (sizes && sizes->size() == axes.size() && !axes.empty()) {
    for (size_t i = 0; i < axes.size(); ++i) shape[axes[i]] = (*sizes)[i];
    return call->SetShape(0, std::move(shape));
  }
  const Elements* input = call->ElementsAt(scales_at);
  const std::vector<double>* scales = old_scales != nullptr ? &old_scales->reals
                                      : input != nullptr    ? &input->values
                                                            : nullptr;
  if (scales == nullptr || scales->size() != axes.size()) return;
  for (size_t i = 0; i < axes.size(); ++i) {
    shape[axes[i]] = ToWhole(std::floor(static_cast<double>(shape[axes[i]]) * (*scales)[i]));
  }
  call->SetShape(0, std::move(shape));
}

}  // namespace

std::vector<OpRule> LayoutRules() {
  return {{"Reshape", Op::kView, Reshape, kFirstOnly},
          {"Flatten", Op::kView, Flatten},
          {"Squeeze", Op::kView, Squeeze, kFirstOnly},
          {"Unsqueeze", Op::kView, Unsqueeze, kFirstOnly},
          {"Transpose", Op::kTranspose, Transpose},
          {"Concat", Op::kConcat, Concat},
          {"Split", Op::kSplit, Split, kFirstOnly},
          {"Pad", Op::kPad, Pad, kFirstOnly},
          {"Expand", Op::kExpand, Expand, kFirstOnly},
          {"Tile", Op::kExpand, Tile, kFirstOnly},
          {"DepthToSpace", Op::kTranspose, Blocks<false>},
          {"SpaceToDepth", Op::kTranspose, Blocks<true>},
          {"Resize", Op::kResize, Resize, kFirstOnly},
          {"Upsample", Op::kResize, Resize, kFirstOnly}};
}

}  // namespace inlay::io::onnx
