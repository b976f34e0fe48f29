#include "inlay/mapspace/unknown_dims.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "inlay/base/suggest.h"

namespace inlay {
namespace {

// Of convolutions, grouped ones, products of matrices; M is K in other tools' files.
constexpr std::array<std::string_view, 9> kBuiltinDims = {"N", "K", "C", "P", "Q",
                                                          "R", "S", "G", "M"};

template <typename Names>
bool Has(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string> DimsOf(const Network& network) {
  std::vector<std::string> dims;
  for (const Layer& layer : network.layers) {
    for (const Dimension& dim : layer.problem.dims) {
      if (!Has(dims, dim.name)) dims.push_back(dim.name);
    }
  }
  return dims;
}

// All dimensions that a constraint names, each once.
std::vector<std::string> NamedBy(const Constraint& constraint) {
  std::vector<std::string> names;
  const auto add = [&names](const std::string& name) {
    if (!Has(names, name)) names.push_back(name);
  };
  for (const auto* list : {&constraint.x, &constraint.y, &constraint.loops}) {
    if (*list) std::for_each((*list)->begin(), (*list)->end(), add);
  }
  for (const FactorBound& bound : constraint.factors) add(bound.dim);
  for (const auto* list :
       {&constraint.not_x, &constraint.not_y, &constraint.innermost, &constraint.outermost}) {
    std::for_each(list->begin(), list->end(), add);
  }
  return names;
}

}  // namespace

Diagnostics WarnOfUnknownDims(const Network& network, const Architecture& architecture,
                              const std::vector<Constraint>& more) {
  const std::vector<std::string> dims = DimsOf(network);
  Diagnostics warnings;
  for (const auto* list : {&architecture.constraints, &more}) {
    for (const Constraint& constraint : *list) {
      for (const std::string& name : NamedBy(constraint)) {
        if (Has(dims, name) || Has(kBuiltinDims, name)) continue;
        warnings.push_back(MakeWarning(
            constraint.place.location,
            fmt::format("the constraint at '{}' names a dimension '{}' that no layer has",
                        constraint.at, name),
            SuggestionHint(name, dims)));
        warnings.back().source_line = constraint.place.line;
      }
    }
  }
  return warnings;
}

}  // namespace inlay
