#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

#include "inlay/io/native/projection.h"
#include "inlay/io/native/reading.h"
#include "inlay/io/native/text.h"

namespace inlay::io {
namespace {

constinit const Type kProjection = {.form = Form::kText,
                                    .what = "a projection such as '[C, 2*P + R]'",
                                    .check = CheckBy<ParseProjection>,
                                    .pattern = ProjectionPattern};
constinit const Type kBounds = {.form = Form::kMap,
                                .what = "a mapping from dimensions to their bounds",
                                .check = CheckDimensionName,
                                .pattern = DimensionNamePattern,
                                .element = &kPositiveInteger};
constinit const Type kCoefficients = {.form = Form::kMap,
                                      .what = "a mapping from names to whole numbers",
                                      .check = CheckDimensionName,
                                      .pattern = DimensionNamePattern,
                                      .element = &kPositiveInteger};
constinit const Type kTensors = {.form = Form::kMap,
                                 .what = "a mapping from tensors to their projections",
                                 .check = CheckName,
                                 .pattern = NamePattern,
                                 .element = &kProjection};

constexpr Key kName = {"name", "what the problem is called in results", &kFreeText};
constexpr Key kDimsKey = {"dims", "the dimensions and their bounds", &kBounds, true};
constexpr Key kCoefficientsKey = {
    "coefficients", "names for numbers (stride, dilation) that the projections may use",
    &kCoefficients};
constexpr Key kTensorsKey = {"tensors",
                             "the projection of each tensor; '+=' after the one that is the output",
                             &kTensors, true};
constexpr std::array kProblemKeys = {kName, kDimsKey, kCoefficientsKey, kTensorsKey};
constexpr std::array kEinsumKeys = {kDimsKey, kCoefficientsKey, kTensorsKey};
constinit const Type kProblemType = {
    .form = Form::kObject, .what = "a problem", .keys = kProblemKeys};

// The named coefficients; a name that is a dimension too is an error.
Coefficients BuildCoefficients(const Node& node, const Problem& problem, Diagnostics* diagnostics) {
  Coefficients coefficients;
  const Node* list = node.Find("coefficients");
  if (list == nullptr || !list->IsMapping()) return coefficients;
  for (const auto& [key, value] : list->entries) {
    if (FindDim(problem, key.text)) {
      diagnostics->push_back(
          key.Error(fmt::format("'{}' is both a dimension and a coefficient", key.text)));
    }
    coefficients[key.text] = AsPositive(value).value_or(1);
  }
  return coefficients;
}

bool AtMost(const Node& map, size_t limit, std::string_view what, Diagnostics* diagnostics) {
  if (map.entries.size() <= limit) return true;
  diagnostics->push_back(map.Error(fmt::format("more than {} {}", limit, what)));
  return false;
}

void ReadProblem(const Node& node, Reading* reading) {
  if (!node.IsMapping()) return;
  Places places(node);
  auto problem = BuildProblem(node, TextOr(node, "name"), "", &places, &reading->diagnostics);
  if (!problem || !reading->KindIsClean()) return;
  places.Report(Validate(*problem), &reading->diagnostics);
  reading->inputs.problem = std::move(problem);
}

}  // namespace

constinit const Type kEinsumType = {
    .form = Form::kObject, .what = "an einsum", .keys = kEinsumKeys};

std::optional<Problem> BuildProblem(const Node& node, std::string name, const std::string& prefix,
                                    Places* places, Diagnostics* diagnostics) {
  Problem problem;
  problem.name = std::move(name);
  const size_t errors_before = diagnostics->size();
  bool complete = true;
  const Node* dims = node.Find("dims");
  const Node* tensors = node.Find("tensors");
  if (dims == nullptr || !dims->IsMapping() || tensors == nullptr || !tensors->IsMapping()) {
    return std::nullopt;
  }
  // Everything below looks names up by comparing them all; Validate would refuse these anyway.
  if (!AtMost(*dims, kMaxDims, "dimensions", diagnostics) ||
      !AtMost(*tensors, kMaxTensors, "tensors", diagnostics)) {
    return std::nullopt;
  }
  places->Set(prefix + "dims", *dims);
  places->Set(prefix + "tensors", *tensors);
  for (const auto& [key, value] : dims->entries) {
    places->Set(prefix + "dims." + key.text, value);
    problem.dims.push_back({key.text, AsPositive(value).value_or(1)});
  }
  const Coefficients coefficients = BuildCoefficients(node, problem, diagnostics);
  for (const auto& [key, value] : tensors->entries) {
    places->Set(prefix + "tensors." + key.text, value);
    Tensor tensor;
    tensor.name = key.text;
    const auto projection =
        value.IsScalar() ? ParseProjection(value.text) : Parsed<Projection>(TextFail(0, ""));
    complete = complete && projection;
    if (!projection) continue;
    for (const TextError& error : Resolve(*projection, problem, coefficients, &tensor)) {
      diagnostics->push_back(ErrorInside(value, error));
    }
    problem.tensors.push_back(std::move(tensor));
  }
  if (!complete || diagnostics->size() > errors_before) return std::nullopt;
  return problem;
}

Kind ProblemKind() {
  return {"problem", "one layer: dimensions and how the tensors depend on them", &kProblemType,
          ReadProblem};
}

}  // namespace inlay::io
