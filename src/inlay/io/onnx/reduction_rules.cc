#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "inlay/io/onnx/elements.h"
#include "inlay/io/onnx/operator_rule.h"

namespace inlay::io::onnx {
namespace {

// Which dimensions of a shape are reduced; nullopt, and a fault, where an axis is none of them.
std::optional<std::vector<bool>> ReducedOf(const std::vector<int64_t>& axes, Call* call) {
  const Shape& x = *call->ShapeAt(0);
  std::vector<bool> reduced(x.size(), axes.empty());
  for (const int64_t axis : axes) {
    const auto at = AxisOf(axis, x.size());
    if (!at) {
      call->Fail("an axis is out of range");
      return std::nullopt;
    }
    reduced[*at] = true;
  }
  return reduced;
}

void SetReduced(const std::vector<bool>& reduced, bool keep, Call* call) {
  const Shape& x = *call->ShapeAt(0);
  Shape output;
  for (size_t i = 0; i < x.size(); ++i) {
    if (!reduced[i]) {
      output.push_back(x[i]);
    } else if (keep) {
      output.push_back(1);
    }
  }
  call->SetShape(0, std::move(output));
}

// How two elements become one, and what none are; null: elements of results are not kept.
struct Combining {
  double (*combine)(double, double) = nullptr;
  std::optional<double> of_none = {};
};
Combining CombiningOf(const std::string& type) {
  if (type == "ReduceProd") return {[](double a, double b) { return a * b; }, 1};
  if (type == "ReduceSum") return {[](double a, double b) { return a + b; }, 0};
  if (type == "ReduceMax") return {[](double a, double b) { return std::max(a, b); }};
  if (type == "ReduceMin") return {[](double a, double b) { return std::min(a, b); }};
  return {};
}

// The number of elements of a shape is a product of it, that of a mask a sum.
void SetReducedElements(const std::vector<bool>& reduced, Call* call) {
  const Elements* elements = call->ElementsAt(0);
  const auto [combine, of_none] = CombiningOf(call->type());
  if (elements == nullptr || combine == nullptr) return;
  const Shape& x = *call->ShapeAt(0);
  Shape rest = x;  // the result, with extents of 1
  for (size_t d = 0; d < x.size(); ++d) rest[d] = reduced[d] ? 1 : x[d];
  if (!KeepsElements(rest)) return;
  const std::vector<int64_t> strides = StridesOf(rest);
  std::vector<std::optional<double>> results(static_cast<size_t>(*WordsOf(rest)));
  size_t i = 0;
  ForEachIndex(x, [&, add = combine](const Shape& index) {
    auto& result = results[static_cast<size_t>(PlaceInStretched(rest, strides, index))];
    const double value = elements->values[i++];
    result = result ? add(*result, value) : value;
  });
  Elements all{elements->whole, {}};
  for (const auto& result : results) {
    if (!result && !of_none) return;
    all.values.push_back(result ? *result : *of_none);
  }
  call->Set(0, *call->output(0).shape, std::move(all));
}

void Reduce(Call* call) {
  const Shape* x = call->ShapeAt(0);
  const auto axes = call->AttributeOrInput("axes", 1);
  if (x == nullptr || !axes) return;
  if (axes->empty() && call->Integer("noop_with_empty_axes", 0) != 0) {
    return call->SetShape(0, *x);
  }
  const auto reduced = ReducedOf(*axes, call);
  if (!reduced) return;
  SetReduced(*reduced, call->Integer("keepdims", 1) != 0, call);
  if (!call->fault() && call->output(0).shape) SetReducedElements(*reduced, call);
}

void ArgMost(Call* call) {
  if (call->ShapeAt(0) == nullptr) return;
  const auto reduced = ReducedOf({call->Integer("axis", 0)}, call);
  if (reduced) SetReduced(*reduced, call->Integer("keepdims", 1) != 0, call);
}

void TopK(Call* call) {
  const Shape* x = call->ShapeAt(0);
  if (x == nullptr) return;
  std::optional<int64_t> k;
  if (call->opset() < 10) {
    k = call->Integer("k", 1);
  } else if (const auto input = call->WholeAt(1); input && input->size() == 1) {
    k = input->front();
  }
  const auto axis = AxisOf(call->Integer("axis", -1), x->size());
  if (!axis) return call->Fail("an axis is out of range");
  Shape output = *x;
  output[*axis] = k.value_or(-1);
  for (size_t i = 0; i < 2; ++i) {
    if (k) call->SetShape(i, output);
    if (!k) call->SetOpen(i, output);
  }
}

}  // namespace

std::vector<OpRule> ReductionRules() {
  std::vector<OpRule> rules = {{"ArgMax", Op::kReduce, ArgMost},
                               {"ArgMin", Op::kReduce, ArgMost},
                               {"TopK", Op::kSort, TopK, {1}}};
  for (const char* type :
       {"ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2",
        "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare"}) {
    rules.push_back({type, Op::kReduce, Reduce, {1}});
  }
  return rules;
}

}  // namespace inlay::io::onnx
