#include "inlay/mapspace/constraint_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace inlay {
namespace {

// What a fault's `where` names: "constraints.AT", "constraints.AT.order", "constraints.AT.dims.D",
// "constraints.AT.tensors.T"; "dims.D", "levels.L", "tensors.T".
struct Subject {
  std::optional<std::string> at, dim, level, tensor;
  bool order = false;
};

std::optional<std::string> After(std::string_view where, std::string_view start) {
  if (!where.starts_with(start)) return std::nullopt;
  return std::string(where.substr(start.size()));
}

// Cuts `text` before the last `separator`, and returns what followed that.
std::optional<std::string> CutAt(std::string_view separator, std::string* text) {
  const size_t at = text->rfind(separator);
  if (at == std::string::npos) return std::nullopt;
  std::string rest = text->substr(at + separator.size());
  text->resize(at);
  return rest;
}

Subject SubjectOf(const std::string& where) {
  Subject subject;
  subject.at = After(where, "constraints.");
  subject.dim = After(where, "dims.");
  subject.level = After(where, "levels.");
  subject.tensor = After(where, "tensors.");
  if (!subject.at) return subject;
  subject.dim = CutAt(".dims.", &*subject.at);
  subject.tensor = CutAt(".tensors.", &*subject.at);
  subject.order = subject.at->ends_with(".order");
  if (subject.order) CutAt(".order", &*subject.at);
  return subject;
}

bool Has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool Names(const Problem& problem, const std::string& name, const std::string& dim) {
  const auto named = FindConstrainedDim(problem, name);
  return named && problem.dims[*named].name == dim;
}

bool Limits(const Constraint& constraint, const Problem& problem, const std::string& dim) {
  const auto names_it = [&](const std::string& name) { return Names(problem, name, dim); };
  for (const auto* list : {&constraint.x, &constraint.y, &constraint.loops}) {
    if (*list && std::none_of((*list)->begin(), (*list)->end(), names_it)) return true;
  }
  for (const auto* list : {&constraint.not_x, &constraint.not_y}) {
    if (std::any_of(list->begin(), list->end(), names_it)) return true;
  }
  const bool listed = std::any_of(constraint.factors.begin(), constraint.factors.end(),
                                  [&](const FactorBound& bound) { return names_it(bound.dim); });
  return listed || constraint.default_factor.has_value();
}

bool IsAt(const Constraint& constraint, const Architecture& architecture,
          const std::string& level) {
  if (constraint.at == level) return true;
  return std::any_of(architecture.levels.begin(), architecture.levels.end(), [&](const Level& l) {
    return l.name == level && !l.fanout.name.empty() && l.fanout.name == constraint.at;
  });
}

bool HasSay(const Constraint& constraint, const Subject& subject, const Problem& problem,
            const Architecture& architecture) {
  if (subject.at && constraint.at != *subject.at) return false;
  if (subject.dim) return Limits(constraint, problem, *subject.dim);
  if (subject.order) return !constraint.innermost.empty() || !constraint.outermost.empty();
  if (subject.tensor) {
    const bool kept = subject.at && Has(constraint.keep, *subject.tensor);
    return kept || Has(constraint.bypass, *subject.tensor);
  }
  if (subject.at) return true;
  return subject.level && constraint.min_utilization &&
         IsAt(constraint, architecture, *subject.level);
}

}  // namespace

Diagnostic ErrorAtConstraint(const Fault& fault, const Problem& problem,
                             const Architecture& architecture,
                             const std::vector<Constraint>& more) {
  Diagnostic error = MakeError({}, fault.message, fault.hint);
  const Subject subject = SubjectOf(fault.where);
  std::string others;
  for (const auto* list : {&architecture.constraints, &more}) {
    for (const Constraint& constraint : *list) {
      const SourcePlace& place = constraint.place;
      if (place.location.file.empty()) continue;
      if (!HasSay(constraint, subject, problem, architecture)) continue;
      if (!error.location.file.empty()) {
        others += fmt::format("{}{}:{}:{}", others.empty() ? "" : ", ", error.location.file,
                              error.location.line, error.location.column);
      }
      error.location = place.location;
      error.source_line = place.line;
    }
  }
  if (!others.empty()) error.hint += (error.hint.empty() ? "see also " : "; see also ") + others;
  return error;
}

}  // namespace inlay
