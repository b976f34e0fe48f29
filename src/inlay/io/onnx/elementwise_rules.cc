#include <algorithm>
#include <cmath>

#include "inlay/core/graph.h"
#include "inlay/core/op_work.h"
#include "inlay/io/onnx/elements.h"
#include "inlay/io/onnx/operator_rule.h"

namespace inlay::io::onnx {
namespace {

// Sets the stretched shape, and the elements where all operands have them; they are whole if the
// operands are, or always.
template <typename Combine>
void BroadcastWith(Call* call, Combine combine, bool always_whole = false) {
  const auto shapes = call->ShapesFrom(0);
  if (!shapes) return;
  const auto result = Broadcast(*shapes);
  if (!result) return call->Fail("the shapes of the inputs do not fit together");
  call->SetShape(0, *result);
  if (!KeepsElements(*result)) return;
  std::vector<const Elements*> operands;
  std::vector<std::vector<int64_t>> strides;
  for (size_t i = 0; i < call->input_count(); ++i) {
    operands.push_back(call->ElementsAt(i));
    if (operands.back() == nullptr) return;
    strides.push_back(StridesOf((*shapes)[i]));
  }
  Elements elements;
  elements.whole = std::all_of(operands.begin(), operands.end(),
                               [](const Elements* operand) { return operand->whole; });
  std::vector<double> arguments(operands.size());
  ForEachIndex(*result, [&](const Shape& index) {
    for (size_t k = 0; k < operands.size(); ++k) {
      const int64_t from = PlaceInStretched((*shapes)[k], strides[k], index);
      arguments[k] = operands[k]->values[static_cast<size_t>(from)];
    }
    elements.values.push_back(combine(arguments, elements.whole));
  });
  elements.whole = elements.whole || always_whole;
  call->Set(0, *result, std::move(elements));
}

template <auto Function>
void Fold(Call* call) {
  BroadcastWith(call, [](const std::vector<double>& values, bool whole) {
    double result = values.empty() ? 0 : values.front();
    for (size_t i = 1; i < values.size(); ++i) result = Function(result, values[i], whole);
    return result;
  });
}

double Plus(double a, double b, bool) { return a + b; }
double Minus(double a, double b, bool) { return a - b; }
double Times(double a, double b, bool) { return a * b; }
// Not finite where b is 0, and then the elements are dropped.
double Over(double a, double b, bool whole) { return whole ? std::trunc(a / b) : a / b; }
double Power(double a, double b, bool) { return std::pow(a, b); }
double Least(double a, double b, bool) { return std::min(a, b); }
double Most(double a, double b, bool) { return std::max(a, b); }
double Both(double a, double b, bool) { return a != 0 && b != 0 ? 1 : 0; }
double Any(double a, double b, bool) { return a != 0 || b != 0 ? 1 : 0; }
double Modulo(double a, double b, bool) { return a - b * std::floor(a / b); }

template <auto Compare>
void Comparison(Call* call) {
  BroadcastWith(
      call,
      [](const std::vector<double>& values, bool) {
        return values.size() == 2 && Compare(values[0], values[1]) ? 1.0 : 0.0;
      },
      true);
}
bool IsEqual(double a, double b) { return a == b; }
bool IsLess(double a, double b) { return a < b; }
bool IsAtMost(double a, double b) { return a <= b; }
bool IsMore(double a, double b) { return a > b; }
bool IsAtLeast(double a, double b) { return a >= b; }

void Choose(Call* call) {
  BroadcastWith(call, [](const std::vector<double>& values, bool) {
    return values.size() != 3 ? 0 : values[0] != 0 ? values[1] : values[2];
  });
}

void ShapesOnly(Call* call) {
  const auto shapes = call->ShapesFrom(0);
  if (!shapes) return;
  const auto result = Broadcast(*shapes);
  if (!result) return call->Fail("the shapes of the inputs do not fit together");
  for (size_t i = 0; i < call->output_count(); ++i) call->SetShape(i, *result);
}

template <auto Function>
void Unary(Call* call) {
  SameAsFirst(call);
  const Elements* elements = call->ElementsAt(0);
  if (elements == nullptr || call->fault()) return;
  Elements result = *elements;
  for (double& value : result.values) value = Function(value);
  call->Set(0, *call->ShapeAt(0), std::move(result));
}
double Negative(double a) { return -a; }
double Absolute(double a) { return std::abs(a); }
double Up(double a) { return std::ceil(a); }
double Down(double a) { return std::floor(a); }
double Nearest(double a) { return std::nearbyint(a); }
double Root(double a) { return std::sqrt(a); }
double Inverse(double a) { return 1 / a; }
double Opposite(double a) { return a == 0 ? 1 : 0; }
double Same(double a) { return a; }

void Cast(Call* call) {
  SameAsFirst(call);
  const Elements* elements = call->ElementsAt(0);
  if (elements == nullptr || call->fault()) return;
  // FLOAT, FLOAT16, DOUBLE, COMPLEX64, COMPLEX128, BFLOAT16 of ONNX's data types.
  constexpr int64_t kReal[] = {1, 10, 11, 14, 15, 16};
  constexpr int64_t kBool = 9;
  const int64_t to = call->Integer("to", 1);
  Elements result = *elements;
  result.whole = std::find(std::begin(kReal), std::end(kReal), to) == std::end(kReal);
  for (double& value : result.values) {
    if (result.whole) value = to == kBool ? (value != 0 ? 1 : 0) : std::trunc(value);
  }
  call->Set(0, *call->ShapeAt(0), std::move(result));
}

// The further outputs of a normalisation are per row, or per channel; they are not used at
// inference, but some exporters list them.
void LayerNorm(Call* call) {
  const Shape* shape = call->ShapeAt(0);
  if (shape == nullptr) return;
  call->SetShape(0, *shape);
  const auto axis = AxisOf(call->Integer("axis", -1), shape->size());
  if (!axis) return;
  Shape rows = *shape;
  std::fill(rows.begin() + static_cast<std::ptrdiff_t>(*axis), rows.end(), 1);
  for (size_t i = 1; i < call->output_count(); ++i) call->SetShape(i, rows);
  if (call->type() == "SkipLayerNormalization" ||
      call->type() == "SkipSimplifiedLayerNormalization") {
    call->SetShape(3, *shape);
  }
}

void BatchNorm(Call* call) {
  const Shape* shape = call->ShapeAt(0);
  if (shape == nullptr) return;
  call->SetShape(0, *shape);
  for (size_t i = 1; i < call->output_count(); ++i) {
    call->SetShape(i, {shape->size() > 1 ? (*shape)[1] : 1});
  }
}

void DynamicQuantize(Call* call) {
  const Shape* shape = call->ShapeAt(0);
  if (shape == nullptr) return;
  call->SetShape(0, *shape);
  call->SetShape(1, {});
  call->SetShape(2, {});
}

}  // namespace

std::vector<OpRule> ElementwiseRules() {
  std::vector<OpRule> rules = {
      {"Add", Op::kElementwise, Fold<Plus>},
      {"Sum", Op::kElementwise, Fold<Plus>},
      {"Sub", Op::kElementwise, Fold<Minus>},
      {"Mul", Op::kElementwise, Fold<Times>},
      {"Div", Op::kElementwise, Fold<Over>},
      {"Pow", Op::kElementwise, Fold<Power>},
      {"Min", Op::kElementwise, Fold<Least>},
      {"Max", Op::kElementwise, Fold<Most>},
      {"Mod", Op::kElementwise, Fold<Modulo>},
      {"And", Op::kElementwise, Fold<Both>},
      {"Or", Op::kElementwise, Fold<Any>},
      {"Equal", Op::kElementwise, Comparison<IsEqual>},
      {"Less", Op::kElementwise, Comparison<IsLess>},
      {"LessOrEqual", Op::kElementwise, Comparison<IsAtMost>},
      {"Greater", Op::kElementwise, Comparison<IsMore>},
      {"GreaterOrEqual", Op::kElementwise, Comparison<IsAtLeast>},
      {"Where", Op::kElementwise, Choose},
      {"Neg", Op::kElementwise, Unary<Negative>},
      {"Abs", Op::kElementwise, Unary<Absolute>},
      {"Ceil", Op::kElementwise, Unary<Up>},
      {"Floor", Op::kElementwise, Unary<Down>},
      {"Round", Op::kElementwise, Unary<Nearest>},
      {"Sqrt", Op::kElementwise, Unary<Root>},
      {"Reciprocal", Op::kElementwise, Unary<Inverse>},
      {"Not", Op::kElementwise, Unary<Opposite>},
      {"Identity", Op::kView, Unary<Same>},
      {"Dropout", Op::kView, SameAsFirst, kFirstOnly},
      {"Cast", Op::kElementwise, Cast},
      {"CastLike", Op::kElementwise, SameAsFirst, kFirstOnly},
      {"LayerNormalization", Op::kNorm, LayerNorm},
      {"SimplifiedLayerNormalization", Op::kNorm, LayerNorm},
      {"SkipLayerNormalization", Op::kNorm, LayerNorm},
      {"SkipSimplifiedLayerNormalization", Op::kNorm, LayerNorm},
      {"BatchNormalization", Op::kNorm, BatchNorm},
      {"DynamicQuantizeLinear", Op::kElementwise, DynamicQuantize},
  };
  for (const char* type : {"Xor", "BitShift", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Mean"}) {
    rules.push_back({type, Op::kElementwise, ShapesOnly});
  }
  for (const char* type :
       {"Acos",       "Acosh",          "Asin",     "Asinh",     "Atan",      "Atanh",
        "BitwiseNot", "Celu",           "Cos",      "Cosh",      "Elu",       "Erf",
        "Exp",        "Gelu",           "FastGelu", "BiasGelu",  "QuickGelu", "HardSigmoid",
        "HardSwish",  "IsInf",          "IsNaN",    "LeakyRelu", "Log",       "Mish",
        "PRelu",      "Relu",           "Selu",     "Shrink",    "Sigmoid",   "Sign",
        "Sin",        "Sinh",           "Softplus", "Softsign",  "Swish",     "Tan",
        "Tanh",       "ThresholdedRelu"}) {
    rules.push_back({type, Op::kElementwise, SameAsFirst});
  }
  for (const char* type : {"Clip", "CumSum", "Trilu", "QuantizeLinear", "DequantizeLinear",
                           "Bernoulli", "ReverseSequence"}) {
    rules.push_back({type, Op::kElementwise, SameAsFirst, kFirstOnly});
  }
  for (const char* type : {"Softmax", "LogSoftmax", "Hardmax"}) {
    rules.push_back({type, Op::kSoftmax, SameAsFirst});
  }
  for (const char* type : {"InstanceNormalization", "GroupNormalization", "LRN", "LpNormalization",
                           "MeanVarianceNormalization", "RMSNormalization", "GroupNorm"}) {
    rules.push_back({type, Op::kNorm, SameAsFirst});
  }
  return rules;
}

}  // namespace inlay::io::onnx
