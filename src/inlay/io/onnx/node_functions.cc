#include <algorithm>
#include <array>
#include <utility>

#include "inlay/io/onnx/operator_rule.h"

namespace inlay::io::onnx {
namespace {

using F = NodeFunction;

constexpr auto kFunctions = std::to_array<std::pair<std::string_view, NodeFunction>>({
    {"Add", F::kAdd},
    {"Sum", F::kAdd},
    {"Sub", F::kAdd},
    {"Neg", F::kAdd},
    {"Mul", F::kMul},
    {"Div", F::kDiv},
    {"Reciprocal", F::kDiv},
    {"Pow", F::kPow},
    {"Min", F::kMax},
    {"Max", F::kMax},
    {"Relu", F::kMax},
    {"Clip", F::kClip},
    {"Sqrt", F::kSqrt},
    {"Exp", F::kExp},
    {"Log", F::kLog},
    {"Tanh", F::kTanh},
    {"Erf", F::kErf},
    {"Sin", F::kSin},
    {"Cos", F::kSin},
    {"Tan", F::kSin},
    {"Sigmoid", F::kSigmoid},
    {"Swish", F::kSilu},
    {"Gelu", F::kGelu},
    {"FastGelu", F::kGeluTanh},
    {"Softplus", F::kSoftplus},
    {"HardSigmoid", F::kHardSigmoid},
    {"HardSwish", F::kHardSwish},
    {"LeakyRelu", F::kLeaky},
    {"PRelu", F::kLeaky},
    {"Elu", F::kElu},
    {"Abs", F::kLogic},
    {"And", F::kLogic},
    {"Or", F::kLogic},
    {"Xor", F::kLogic},
    {"Not", F::kLogic},
    {"Equal", F::kLogic},
    {"Less", F::kLogic},
    {"LessOrEqual", F::kLogic},
    {"Greater", F::kLogic},
    {"GreaterOrEqual", F::kLogic},
    {"Where", F::kLogic},
    {"Cast", F::kLogic},
    {"CastLike", F::kLogic},
    {"Ceil", F::kLogic},
    {"Floor", F::kLogic},
    {"Round", F::kLogic},
    {"Sign", F::kLogic},
    {"IsInf", F::kLogic},
    {"IsNaN", F::kLogic},
    {"LayerNormalization", F::kLayer},
    {"SimplifiedLayerNormalization", F::kRms},
    {"RMSNormalization", F::kRms},
    {"BatchNormalization", F::kBatch},
    {"InstanceNormalization", F::kInstance},
    {"MaxPool", F::kMax},
    {"GlobalMaxPool", F::kMax},
    {"AveragePool", F::kMean},
    {"GlobalAveragePool", F::kMean},
    {"ReduceMax", F::kMax},
    {"ReduceMin", F::kMax},
    {"ReduceSum", F::kAdd},
    {"ReduceMean", F::kMean},
});

}  // namespace

NodeFunction FunctionOfType(std::string_view type) {
  const auto* found = std::find_if(kFunctions.begin(), kFunctions.end(),
                                   [type](const auto& entry) { return entry.first == type; });
  return found == kFunctions.end() ? F::kAny : found->second;
}

// Before opset 13 a softmax took all dimensions from its axis on as one.
std::vector<int64_t> RowAxes(const Call& call, size_t rank) {
  const std::string_view type = call.type();
  const bool softmax = type == "Softmax" || type == "LogSoftmax" || type == "Hardmax";
  const bool norm = type == "LayerNormalization" || type == "SimplifiedLayerNormalization" ||
                    type == "RMSNormalization";
  if (!softmax && !norm) return {};
  const bool flattens = softmax && call.opset() < 13;
  const auto first = AxisOf(call.Integer("axis", flattens ? 1 : -1), rank);
  if (!first || *first + 1 == rank) return {};
  std::vector<int64_t> axes = {static_cast<int64_t>(*first)};
  for (size_t d = *first + 1; d < rank && (flattens || norm); ++d) {
    axes.push_back(static_cast<int64_t>(d));
  }
  return axes;
}

}  // namespace inlay::io::onnx
