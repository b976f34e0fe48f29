#include "inlay/io/onnx/operator_rule.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "inlay/base/check.h"
#include "inlay/core/graph.h"

namespace inlay::io::onnx {

const Shape* Call::ShapeAt(size_t i) const {
  return Has(i) && inputs_[i]->shape ? &*inputs_[i]->shape : nullptr;
}

const Elements* Call::ElementsAt(size_t i) const {
  return Has(i) && inputs_[i]->elements ? &*inputs_[i]->elements : nullptr;
}

std::optional<std::vector<int64_t>> Call::WholeAt(size_t i) const {
  const Elements* elements = ElementsAt(i);
  if (elements == nullptr) return std::nullopt;
  std::vector<int64_t> whole;
  for (const double value : elements->values) whole.push_back(ToWhole(value));
  return whole;
}

std::optional<std::vector<Shape>> Call::ShapesFrom(size_t i) const {
  std::vector<Shape> shapes;
  for (; i < inputs_.size(); ++i) {
    if (!Has(i)) continue;
    if (!inputs_[i]->shape) return std::nullopt;
    shapes.push_back(*inputs_[i]->shape);
  }
  return shapes;
}

int64_t Call::Integer(std::string_view attribute, int64_t otherwise) const {
  const Attribute* found = node_->Find(attribute);
  return found == nullptr ? otherwise : found->integer.value_or(otherwise);
}

std::vector<int64_t> Call::Integers(std::string_view attribute) const {
  const Attribute* found = node_->Find(attribute);
  return found == nullptr ? std::vector<int64_t>() : found->integers;
}

std::string Call::Text(std::string_view attribute) const {
  const Attribute* found = node_->Find(attribute);
  return found == nullptr ? "" : found->text;
}

std::optional<std::vector<int64_t>> Call::AttributeOrInput(std::string_view attribute,
                                                           size_t i) const {
  if (const Attribute* found = node_->Find(attribute); found != nullptr) return found->integers;
  if (!Has(i)) return std::vector<int64_t>();
  return WholeAt(i);
}

void Call::SetShape(size_t output, Shape shape) {
  if (output >= outputs_.size()) return;
  const bool negative =
      std::any_of(shape.begin(), shape.end(), [](int64_t extent) { return extent < 0; });
  if (negative || !WordsOf(shape)) return Fail("the output would have an impossible size");
  outputs_[output].shape = std::move(shape);
}

void Call::SetOpen(size_t output, Shape shape) {
  if (output < outputs_.size()) outputs_[output].open = std::move(shape);
}

void Call::Set(size_t output, Shape shape, Elements elements) {
  if (output >= outputs_.size()) return;
  const auto words = WordsOf(shape);
  const bool few = words && *words <= kMostElements;
  SetShape(output, std::move(shape));
  if (fault_ || !few) return;
  INLAY_CHECK(static_cast<size_t>(*words) == elements.values.size());
  const bool finite = std::all_of(elements.values.begin(), elements.values.end(),
                                  [](double value) { return std::isfinite(value); });
  if (finite) outputs_[output].elements = std::move(elements);
}

std::optional<size_t> AxisOf(int64_t axis, size_t rank) {
  const auto signed_rank = static_cast<int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank) return std::nullopt;
  return static_cast<size_t>(axis < 0 ? axis + signed_rank : axis);
}

int64_t ToWhole(double value) {
  constexpr double kEdge = 9223372036854775808.0;  // 2^63
  if (value >= kEdge) return std::numeric_limits<int64_t>::max();
  if (value < -kEdge) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(value);
}

void SameAsFirst(Call* call) {
  const Shape* shape = call->ShapeAt(0);
  for (size_t i = 0; shape != nullptr && i < call->output_count(); ++i) call->SetShape(i, *shape);
}

const OpRule* FindRule(const ModelNode& node) {
  static const std::unordered_map<std::string_view, OpRule> rules = [] {
    std::unordered_map<std::string_view, OpRule> all;
    for (const auto& table : {ElementwiseRules(), MatrixRules(), WindowRules(), ReductionRules(),
                              LayoutRules(), IndexRules(), SourceRules()}) {
      for (const OpRule& rule : table) INLAY_CHECK(all.emplace(rule.type, rule).second);
    }
    return all;
  }();
  const auto found = rules.find(node.type);
  return found == rules.end() ? nullptr : &found->second;
}

}  // namespace inlay::io::onnx
