#include "inlay/core/roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "inlay/base/suggest.h"

namespace inlay {
namespace {

constexpr const char* kResult = "Outputs";
constexpr std::array<const char*, 2> kOperands = {"Weights", "Inputs"};  // by position

bool Has(const std::vector<std::string>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

std::string List(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

void AddOnce(const std::string& name, std::vector<std::string>* names) {
  if (!Has(*names, name)) names->push_back(name);
}

// The names of the tensors that are meant by the names of a list. What means nothing stays, to be
// reported where it is used.
std::vector<std::string> Meant(const Problem& problem, const std::vector<std::string>& names) {
  std::vector<std::string> meant;
  for (const std::string& name : names) {
    const auto tensors = TensorsMeantBy(problem, name);
    for (const TensorId t : tensors) AddOnce(problem.tensors[t].name, &meant);
    if (tensors.empty() && !MayLack(problem, name)) AddOnce(name, &meant);
  }
  return meant;
}

// One entry for every tensor that is meant.
template <typename Entry>
std::vector<Entry> MeantEntries(const Problem& problem, const std::vector<Entry>& entries) {
  std::vector<Entry> meant;
  for (const Entry& entry : entries) {
    for (const TensorId t : TensorsMeantBy(problem, entry.tensor)) {
      meant.push_back(entry);
      meant.back().tensor = problem.tensors[t].name;
    }
  }
  return meant;
}

// "{A: Weights, B: Inputs, Z: Outputs}".
std::string RolesText(const Problem& problem, const std::vector<std::string>& roles) {
  std::string text;
  for (const TensorId t : Ids(problem.tensors)) {
    text += (text.empty() ? "" : ", ") + problem.tensors[t].name + ": " + roles[t.value()];
  }
  return "{" + text + "}";
}

Diagnostic ErrorAt(const SourcePlace& place, std::string message, std::string hint) {
  Diagnostic error = MakeError(place.location, std::move(message), std::move(hint));
  error.source_line = place.line;
  return error;
}

SourcePlace PlaceOfRole(const NamePlaces& places, const Tensor& tensor) {
  return places.of_role ? places.of_role(tensor.name, tensor.role) : SourcePlace();
}

// What is wrong with the roles that the problem gives, for an architecture of these names.
Diagnostics ErrorsOfGivenRoles(const Problem& problem, const std::string& architecture,
                               const std::vector<std::string>& names, const NamePlaces& places) {
  std::vector<std::string> known = {kOperands[0], kOperands[1], kResult};
  for (const std::string& name : names) AddOnce(name, &known);
  Diagnostics errors;
  for (const Tensor& tensor : problem.tensors) {
    if (tensor.role.empty()) continue;
    const bool of_result = tensor.role == kResult;
    if (!names.empty() && !Has(known, tensor.role) && !Has(names, tensor.name)) {
      errors.push_back(ErrorAt(PlaceOfRole(places, tensor),
                               "architecture '" + architecture + "' has no tensor '" + tensor.role +
                                   "', which '" + tensor.name + "' of problem '" + problem.name +
                                   "' is to stand for",
                               SuggestionHint(tensor.role, known)));
    } else if (IsUsualRole(tensor.role) && of_result != tensor.is_output) {
      errors.push_back(
          ErrorAt(PlaceOfRole(places, tensor),
                  "'" + tensor.name + "' is " + (tensor.is_output ? "the result" : "an operand") +
                      " of problem '" + problem.name + "' and cannot stand for " + tensor.role,
                  tensor.is_output ? "the result stands for Outputs"
                                   : "operands stand for Weights and Inputs"));
    }
  }
  return errors;
}

// A warning where the problem gives roles, and none to a tensor that the architecture does not
// name.
Diagnostics WarnOfNoRole(const Problem& problem, const std::string& architecture,
                         const std::vector<std::string>& names,
                         const std::vector<std::string>& roles) {
  const bool any_given = std::any_of(problem.tensors.begin(), problem.tensors.end(),
                                     [](const Tensor& tensor) { return !tensor.role.empty(); });
  Diagnostics warnings;
  for (const TensorId t : Ids(problem.tensors)) {
    const std::string& name = problem.tensors[t].name;
    if (!any_given || names.empty() || !roles[t.value()].empty() || Has(names, name)) continue;
    warnings.push_back(MakeWarning(
        {},
        fmt::format("tensor '{}' of problem '{}' has no role: nothing that "
                    "architecture '{}' says of its tensors holds for it",
                    name, problem.name, architecture),
        fmt::format("say in the problem what it is: 'roles: {{{}: Inputs, …}}'", name)));
  }
  return warnings;
}

// Whether the two operands have their roles by position, and the architecture tells them apart.
bool DependOnTheirOrder(const Problem& problem, const std::vector<std::string>& names) {
  int by_position = 0;
  for (const Tensor& tensor : problem.tensors) {
    const bool given = !tensor.role.empty() || IsUsualRole(tensor.name) || Has(names, tensor.name);
    by_position += !given && !tensor.is_output ? 1 : 0;
  }
  return by_position == 2 && (Has(names, kOperands[0]) || Has(names, kOperands[1]));
}

}  // namespace

bool IsUsualRole(std::string_view name) {
  return name == kResult || std::find(kOperands.begin(), kOperands.end(), name) != kOperands.end();
}

std::vector<std::string> RolesOf(const Problem& problem) {
  std::vector<std::string> roles, free(kOperands.begin(), kOperands.end());
  std::vector<TensorId> open;
  bool has_result = false;
  const auto is_given = [&](const std::string& role) {
    return std::any_of(problem.tensors.begin(), problem.tensors.end(),
                       [&](const Tensor& tensor) { return tensor.role == role; });
  };
  for (const TensorId t : Ids(problem.tensors)) {
    const Tensor& tensor = problem.tensors[t];
    const bool by_name = tensor.role.empty() && IsUsualRole(tensor.name) && !is_given(tensor.name);
    const std::string& own = by_name ? tensor.name : tensor.role;
    roles.push_back(own);
    std::erase(free, own);
    has_result = has_result || own == kResult;
    if (own.empty() && !tensor.is_output) open.push_back(t);
  }
  for (const TensorId t : Ids(problem.tensors)) {
    if (problem.tensors[t].is_output && roles[t.value()].empty() && !has_result) {
      roles[t.value()] = kResult;
    }
  }
  if (open.size() == 1 && !free.empty()) {
    roles[open.front().value()] = free.back();
  } else if (open.size() == free.size()) {
    for (size_t i = 0; i < open.size(); ++i) roles[open[i].value()] = free[i];
  }
  return roles;
}

std::vector<TensorId> TensorsMeantBy(const Problem& problem, std::string_view name) {
  std::vector<TensorId> meant;
  for (const TensorId t : Ids(problem.tensors)) {
    if (problem.tensors[t].role == name) meant.push_back(t);
  }
  if (!meant.empty()) return meant;
  const auto called_so = FindTensor(problem, name);
  if (called_so && (problem.tensors[*called_so].role.empty() || !IsUsualRole(name))) {
    return {*called_so};
  }
  const std::vector<std::string> roles = RolesOf(problem);
  for (const TensorId t : Ids(problem.tensors)) {
    if (roles[t.value()] == name) meant.push_back(t);
  }
  return meant;
}

std::optional<TensorId> TensorOfMapping(const Problem& problem, std::string_view name) {
  if (const auto called_so = FindTensor(problem, name)) return called_so;
  const auto meant = TensorsMeantBy(problem, name);
  return meant.size() == 1 ? std::optional(meant.front()) : std::nullopt;
}

bool MayLack(const Problem& problem, std::string_view name) {
  if (std::find(kOperands.begin(), kOperands.end(), name) == kOperands.end()) return false;
  int operands = 0, given = 0;
  for (const Tensor& tensor : problem.tensors) {
    if (tensor.is_output) continue;
    ++operands;
    given += IsUsualRole(tensor.role) ? 1 : 0;
  }
  return operands == 1 || operands == given;
}

std::vector<std::string> TensorNamesIn(const Architecture& architecture, bool with_constraints) {
  std::vector<std::string> names;
  const auto add = [&](const std::vector<std::string>& list) {
    for (const std::string& name : list) AddOnce(name, &names);
  };
  for (const Level& level : architecture.levels) {
    for (const auto* set : {&level.keep, &level.bypass}) {
      if (*set) add((*set)->names);
    }
    for (const Partition& part : level.partitions) AddOnce(part.tensor, &names);
    for (const TensorBits& exception : level.tensor_bits) AddOnce(exception.tensor, &names);
  }
  for (const Constraint& constraint : architecture.constraints) {
    if (!with_constraints) break;
    add(constraint.keep);
    add(constraint.bypass);
  }
  std::sort(names.begin(), names.end());
  return names;
}

void UseNamesOf(const Problem& problem, Architecture* architecture) {
  for (Level& level : architecture->levels) {
    for (auto* set : {&level.keep, &level.bypass}) {
      if (*set) (*set)->names = Meant(problem, (*set)->names);
    }
    level.partitions = MeantEntries(problem, level.partitions);
    level.tensor_bits = MeantEntries(problem, level.tensor_bits);
  }
  UseNamesOf(problem, &architecture->constraints);
}

void UseNamesOf(const Problem& problem, std::vector<Constraint>* constraints) {
  for (Constraint& constraint : *constraints) {
    constraint.keep = Meant(problem, constraint.keep);
    constraint.bypass = Meant(problem, constraint.bypass);
  }
}

LayerTarget ForLayer(const Problem& problem, const Architecture& architecture,
                     const std::vector<Constraint>& constraints, bool tensor_names_resolved) {
  LayerTarget target = {architecture, constraints};
  if (tensor_names_resolved) return target;
  UseNamesOf(problem, &target.architecture);
  UseNamesOf(problem, &target.constraints);
  return target;
}

Diagnostics CheckRoles(const Problem& problem, const Architecture& architecture,
                       const NamePlaces& places) {
  const std::vector<std::string> names = TensorNamesIn(architecture);
  const std::vector<std::string> roles = RolesOf(problem);
  if (Diagnostics wrong = ErrorsOfGivenRoles(problem, architecture.name, names, places);
      !wrong.empty()) {
    return wrong;
  }
  const std::vector<std::string> of_levels = TensorNamesIn(architecture, false);
  const auto stranger =
      std::find_if(of_levels.begin(), of_levels.end(), [&](const std::string& name) {
        return TensorsMeantBy(problem, name).empty() && !MayLack(problem, name);
      });
  if (stranger != of_levels.end()) {
    std::vector<std::string> meant = TensorNames(problem);
    for (const std::string& role : roles) {
      if (!role.empty()) AddOnce(role, &meant);
    }
    const auto near = Suggest(*stranger, meant);
    const SourcePlace place =
        places.in_architecture ? places.in_architecture(*stranger) : SourcePlace();
    return {ErrorAt(place,
                    "architecture '" + architecture.name + "' is for tensors " + List(of_levels) +
                        "; problem '" + problem.name + "' has " + List(TensorNames(problem)),
                    (near ? "did you mean '" + *near + "' by '" + *stranger + "'? Else " : "") +
                        "give the tensors of the problem these names, or say which of them each "
                        "is for the architecture: 'roles: {" +
                        problem.tensors[TensorId(0)].name + ": " + *stranger +
                        ", …}' in the problem")};
  }
  for (const Level& level : architecture.levels) {
    for (const Partition& part : level.partitions) {
      if (TensorsMeantBy(problem, part.tensor).size() < 2) continue;
      return {MakeError({},
                        "level '" + level.name + "' has one partition for '" + part.tensor +
                            "'; several tensors of problem '" + problem.name + "' have this role",
                        "give the role to one of them")};
    }
  }
  if (Has(roles, "")) return WarnOfNoRole(problem, architecture.name, names, roles);
  if (!DependOnTheirOrder(problem, names)) return {};
  std::vector<std::string> swapped = roles;
  for (std::string& role : swapped) {
    const auto operand = std::find(kOperands.begin(), kOperands.end(), role);
    if (operand != kOperands.end()) role = kOperands[operand == kOperands.begin() ? 1 : 0];
  }
  return {MakeWarning(
      {},
      "the tensors of problem '" + problem.name + "' stand for those of " + "architecture '" +
          architecture.name + "' by position: " + RolesText(problem, roles),
      "if that is what you mean, say so in the problem: 'roles: " + RolesText(problem, roles) +
          "'; else 'roles: " + RolesText(problem, swapped) + "'")};
}

}  // namespace inlay
