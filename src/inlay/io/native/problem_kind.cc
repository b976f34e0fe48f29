#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

#include "inlay/base/suggest.h"
#include "inlay/io/native/problem_types.h"
#include "inlay/io/native/text.h"

namespace inlay::io {
namespace {

constinit const Type kProjection = {.form = Form::kText,
                                    .what = "a projection such as '[C, 2*P + R]'",
                                    .check = CheckBy<ParseProjection>,
                                    .pattern = ProjectionPattern};
}  // namespace

constinit const Type kDimBounds = {.form = Form::kMap,
                                   .what = "a mapping from dimensions to their bounds",
                                   .check = CheckDimensionName,
                                   .pattern = DimensionNamePattern,
                                   .element = &kPositiveInteger};
constinit const Type kNamedNumbers = {.form = Form::kMap,
                                      .what = "a mapping from names to whole numbers",
                                      .check = CheckDimensionName,
                                      .pattern = DimensionNamePattern,
                                      .element = &kPositiveInteger};
constinit const Type kProjections = {.form = Form::kMap,
                                     .what = "a mapping from tensors to their projections",
                                     .check = CheckName,
                                     .pattern = NamePattern,
                                     .element = &kProjection};

namespace {

constinit const Type kRoles = {.form = Form::kMap,
                               .what = "a mapping from tensors to what they are",
                               .check = CheckName,
                               .pattern = NamePattern,
                               .element = &kNameText};

constexpr Key kName = {"name", "what the problem is called in results", &kFreeText};
constexpr Key kDimsKey = {"dims", "the dimensions and their bounds", &kDimBounds, true};
constexpr Key kCoefficientsKey = {
    "coefficients", "names for numbers (stride, dilation) that the projections may use",
    &kNamedNumbers};
constexpr Key kTensorsKey = {"tensors",
                             "the projection of each tensor; '+=' after the one that is the output",
                             &kProjections, true};
constexpr Key kRolesKey = {
    "roles",
    "what architectures call the tensors, such as {A: Weights, B: Inputs, Z: Outputs}; without it, "
    "those that have other names stand for Weights, Inputs and Outputs by position",
    &kRoles};
constexpr std::array kProblemKeys = {kName, kDimsKey, kCoefficientsKey, kTensorsKey, kRolesKey};
constexpr std::array kEinsumKeys = {kDimsKey, kCoefficientsKey, kTensorsKey, kRolesKey};
constinit const Type kProblemType = {
    .form = Form::kObject, .what = "a problem", .keys = kProblemKeys};

void SetRoles(const Node& node, Problem* problem, Diagnostics* diagnostics) {
  const Node* roles = node.Find("roles");
  if (roles == nullptr || !roles->IsMapping()) return;
  bool turned = false;  // said of the first
  for (const auto& [name, role] : roles->entries) {
    if (const auto tensor = FindTensor(*problem, name.text)) {
      problem->tensors[*tensor].role = role.text;
    } else if (FindTensor(*problem, role.text)) {
      if (std::exchange(turned, true)) continue;
      diagnostics->push_back(
          name.Error(fmt::format("there is no tensor '{}'", name.text),
                     fmt::format("write the tensor first: '{}: {}'", role.text, name.text)));
    } else {
      diagnostics->push_back(name.Error(fmt::format("there is no tensor '{}'", name.text),
                                        SuggestionHint(name.text, TensorNames(*problem))));
    }
  }
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

constinit const Type kEinsumType = {
    .form = Form::kObject, .what = "an einsum", .keys = kEinsumKeys};

bool ReadTensors(const Node& node, const std::string& prefix, const Coefficients& coefficients,
                 const Problem& problem, Places* places, Diagnostics* diagnostics,
                 IndexedVector<TensorId, Tensor>* tensors) {
  bool complete = true;
  for (const auto& [key, value] : node.entries) {
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
    tensors->push_back(std::move(tensor));
  }
  return complete;
}

std::optional<Problem> BuildProblem(const Node& node, std::string name, const std::string& prefix,
                                    Places* places, Diagnostics* diagnostics) {
  Problem problem;
  problem.name = std::move(name);
  const size_t errors_before = diagnostics->size();
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
  const bool complete =
      ReadTensors(*tensors, prefix, coefficients, problem, places, diagnostics, &problem.tensors);
  if (complete) SetRoles(node, &problem, diagnostics);
  if (!complete || diagnostics->size() > errors_before) return std::nullopt;
  return problem;
}

Kind ProblemKind() {
  return {"problem", "one layer: dimensions and how the tensors depend on them", &kProblemType,
          ReadProblem};
}

}  // namespace inlay::io
