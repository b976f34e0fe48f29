#include <algorithm>

#include "inlay/io/onnx/infer.h"

namespace inlay::io::onnx {
namespace {

void ReduceAlong(const std::vector<int64_t>& axes, bool keep, Call* call) {
  const Shape& x = *call->ShapeAt(0);
  std::vector<bool> reduced(x.size(), axes.empty());
  for (const int64_t axis : axes) {
    const auto at = AxisOf(axis, x.size());
    if (!at) return call->Fail("an axis is out of range");
    reduced[*at] = true;
  }
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

void Reduce(Call* call) {
  const Shape* x = call->ShapeAt(0);
  const auto axes = call->AttributeOrInput("axes", 1);
  if (x == nullptr || !axes) return;
  if (axes->empty() && call->Integer("noop_with_empty_axes", 0) != 0) {
    return call->SetShape(0, *x);
  }
  ReduceAlong(*axes, call->Integer("keepdims", 1) != 0, call);
  // The number of elements of a shape is a product of it.
  const Elements* elements = call->ElementsAt(0);
  if (elements == nullptr || call->fault() || !call->output(0).shape) return;
  if (x->size() != 1) return;
  double value = 0;
  if (call->type() == "ReduceProd") {
    value = 1;
    for (const double element : elements->values) value *= element;
  } else if (call->type() == "ReduceSum") {
    for (const double element : elements->values) value += element;
  } else if (call->type() == "ReduceMax" && !elements->values.empty()) {
    value = *std::max_element(elements->values.begin(), elements->values.end());
  } else if (call->type() == "ReduceMin" && !elements->values.empty()) {
    value = *std::min_element(elements->values.begin(), elements->values.end());
  } else {
    return;
  }
  call->Set(0, *call->output(0).shape, {elements->whole, {value}});
}

void ArgMost(Call* call) {
  if (call->ShapeAt(0) == nullptr) return;
  ReduceAlong({call->Integer("axis", 0)}, call->Integer("keepdims", 1) != 0, call);
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
