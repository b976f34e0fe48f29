#include <algorithm>
#include <cmath>

#include "inlay/core/graph.h"
#include "inlay/io/onnx/operator_rule.h"

namespace inlay::io::onnx {
namespace {

// Values that come from no tensor, or from nothing but the shape of one.

void ShapeOf(Call* call) {
  const Shape* x = call->ShapeAt(0);
  if (x == nullptr) return;
  const auto rank = static_cast<int64_t>(x->size());
  const auto cut = [rank](int64_t at) {
    return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  const int64_t begin = cut(call->Integer("start", 0));
  const int64_t end = std::max(begin, cut(call->Integer("end", rank)));
  Elements elements;
  for (int64_t i = begin; i < end; ++i) {
    elements.values.push_back(static_cast<double>((*x)[static_cast<size_t>(i)]));
  }
  call->Set(0, {end - begin}, std::move(elements));
}

void Size(Call* call) {
  const Shape* x = call->ShapeAt(0);
  if (x != nullptr) call->Set(0, {}, {true, {static_cast<double>(*WordsOf(*x))}});
}

void Constant(Call* call) {
  for (const Attribute& attribute : call->node().attributes) {
    if (attribute.tensor) {
      const TensorData& tensor = *attribute.tensor;
      if (tensor.elements) return call->Set(0, tensor.shape, *tensor.elements);
      return call->SetShape(0, tensor.shape);
    }
    if (attribute.name == "value_int" && attribute.integer) {
      return call->Set(0, {}, {true, {static_cast<double>(*attribute.integer)}});
    }
    if (attribute.name == "value_ints") {
      const std::vector<double> values(attribute.integers.begin(), attribute.integers.end());
      return call->Set(0, {static_cast<int64_t>(values.size())}, {true, values});
    }
    if (attribute.name == "value_float" && attribute.reals.size() == 1) {
      return call->Set(0, {}, {false, attribute.reals});
    }
    if (attribute.name == "value_floats") {
      return call->Set(0, {static_cast<int64_t>(attribute.reals.size())}, {false, attribute.reals});
    }
  }
}

void ConstantOfShape(Call* call) {
  const auto shape = call->WholeAt(0);
  if (!shape) return;
  const Attribute* value = call->node().Find("value");
  Elements element{false, {0}};
  if (value != nullptr && value->tensor) {
    if (!value->tensor->elements || value->tensor->elements->values.size() != 1) {
      return call->SetShape(0, *shape);
    }
    element = *value->tensor->elements;
  }
  const bool negative = std::any_of(shape->begin(), shape->end(), [](int64_t e) { return e < 0; });
  const auto words = negative ? std::nullopt : WordsOf(*shape);
  if (!words || *words > kMostElements) return call->SetShape(0, *shape);
  element.values.assign(static_cast<size_t>(*words), element.values.front());
  call->Set(0, *shape, std::move(element));
}

void Range(Call* call) {
  const Elements* ends[3] = {call->ElementsAt(0), call->ElementsAt(1), call->ElementsAt(2)};
  for (const Elements* end : ends) {
    if (end == nullptr || end->values.size() != 1) return;
  }
  const double start = ends[0]->values[0], limit = ends[1]->values[0], step = ends[2]->values[0];
  const double steps = std::max(0.0, std::ceil((limit - start) / step));
  if (step == 0 || !std::isfinite(steps)) return call->Fail("a range that does not end");
  const int64_t count = ToWhole(steps);
  if (count > kMostElements) return call->SetShape(0, {count});
  Elements elements{ends[0]->whole && ends[2]->whole, {}};
  for (int64_t i = 0; i < count; ++i) {
    elements.values.push_back(start + static_cast<double>(i) * step);
  }
  call->Set(0, {count}, std::move(elements));
}

void OfShapeAttribute(Call* call) {
  const std::vector<int64_t> shape = call->Integers("shape");
  if (call->node().Find("shape") != nullptr) call->SetShape(0, shape);
}

}  // namespace

std::vector<OpRule> SourceRules() {
  return {{"Shape", Op::kOther, ShapeOf, {0}},
          {"Size", Op::kOther, Size, {0}},
          {"Constant", Op::kOther, Constant, {0}},
          {"ConstantOfShape", Op::kOther, ConstantOfShape, {0}},
          {"Range", Op::kOther, Range, {0}},
          {"EyeLike", Op::kOther, SameAsFirst, {0}},
          {"RandomNormal", Op::kOther, OfShapeAttribute, {0}},
          {"RandomUniform", Op::kOther, OfShapeAttribute, {0}},
          {"RandomNormalLike", Op::kOther, SameAsFirst, {0}},
          {"RandomUniformLike", Op::kOther, SameAsFirst, {0}}};
}

}  // namespace inlay::io::onnx
