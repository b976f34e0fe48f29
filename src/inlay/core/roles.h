#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inlay/base/result.h"
#include "inlay/core/architecture.h"
#include "inlay/core/problem.h"

namespace inlay {

// Architectures name tensors that they keep and bypass, most often Weights, Inputs and Outputs; a
// problem may call its tensors otherwise. The role of a tensor is the name that architectures have
// for it.

// Whether a name is one of these three.
bool IsUsualRole(std::string_view name);

// Of every tensor, in order: the role that it was given; else its name, where that is one of the
// three above and no other tensor was given it; else one of them by position: the result is
// Outputs, of two operands the first is Weights and the second Inputs, a single one Inputs. Empty
// where neither holds.
std::vector<std::string> RolesOf(const Problem& problem);

// The tensors that an architecture means by a name: those that were given this role, else the one
// of that name, unless it was given another of the three, else those that have the role by
// position.
std::vector<TensorId> TensorsMeantBy(const Problem& problem, std::string_view name);

// The tensor that a mapping means by a name: the one of that name, as in mappings that were found,
// else the only one that an architecture would mean.
std::optional<TensorId> TensorOfMapping(const Problem& problem, std::string_view name);

// Whether the problem has no tensor of this name by intent: the other operand's, where it has but
// one; any operand's, where it says of all its operands which role they have.
bool MayLack(const Problem& problem, std::string_view name);

// The names of tensors in levels, and in constraints, each once.
std::vector<std::string> TensorNamesIn(const Architecture& architecture,
                                       bool with_constraints = true);

// Puts the problem's names of tensors in place of those that an architecture, or constraints beside
// it, have for them; what the problem may lack is left out.
void UseNamesOf(const Problem& problem, Architecture* architecture);
void UseNamesOf(const Problem& problem, std::vector<Constraint>* constraints);

// What one layer is mapped onto: with its names in place, unless all layers have names in common
// and these are there already.
struct LayerTarget {
  Architecture architecture;
  std::vector<Constraint> constraints;
};
LayerTarget ForLayer(const Problem& problem, const Architecture& architecture,
                     const std::vector<Constraint>& constraints, bool tensor_names_resolved);

// Where names were written: that a tensor has a role, and that an architecture names a tensor. No
// place where that is not known.
struct NamePlaces {
  std::function<SourcePlace(const std::string& tensor, const std::string& role)> of_role;
  std::function<SourcePlace(const std::string& name)> in_architecture;
};

// An error where a role is neither one of the architecture's names nor a usual one, where operand
// and result have each other's, and where a level names a tensor that no tensor of the problem
// stands for, or has one partition for several. A warning where tensors stand for its names by
// position and another order would do as well, and where one operand has a role and another none.
Diagnostics CheckRoles(const Problem& problem, const Architecture& architecture,
                       const NamePlaces& places = {});

}  // namespace inlay
