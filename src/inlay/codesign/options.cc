#include "inlay/codesign/options.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "inlay/cost/options.h"
#include "inlay/mapper/options.h"

namespace inlay {
namespace {

// "hetero:3" and the like.
bool ReadScope(const std::string& text, CodesignTask* task) {
  for (const Scope scope : {Scope::kLayer, Scope::kNetwork, Scope::kDominant, Scope::kPareto}) {
    if (text != Name(scope)) continue;
    task->scope = scope;
    return true;
  }
  constexpr std::string_view kHetero = "hetero:";
  if (text.rfind(kHetero, 0) != 0) return false;
  task->scope = Scope::kHetero;
  const char* begin = text.data() + kHetero.size();
  const char* end = text.data() + text.size();
  const auto [last, error] = std::from_chars(begin, end, task->most_architectures);
  return error == std::errc() && last == end && task->most_architectures >= 1;
}

Method MethodNamed(const std::string& name) {
  return name == Name(Method::kGp) ? Method::kGp : Method::kExact;
}

Option GpOption(const char* name, const char* sentence, const char* value_name, int64_t min,
                int64_t max, const char* default_text) {
  return {.name = name,
          .sentence = sentence,
          .type = OptionType::kInteger,
          .value_name = value_name,
          .min = min,
          .max = max,
          .default_text = default_text,
          .in_result = true};
}

}  // namespace

std::vector<Option> CodesignOptionRecords() {
  return {
      {.name = "method",
       .sentence = "search every architecture with proof, or Thistle's geometric programs; with "
                   "'exact,gp' the first answers and the second is compared with it",
       .type = OptionType::kChoices,
       .choices = {"exact", "gp"},
       .default_text = "exact",
       .in_result = true},
      {.name = "scope",
       .sentence = "an architecture for every layer, one for all of them, the one of the dominant "
                   "layer, all that no other beats, or at most N (hetero:N)",
       .value_name = "layer|network|dominant|pareto|hetero:N",
       .default_text = "layer",
       .in_result = true},
      {.name = "objective",
       .sentence = "what to minimise: energy, cycles, or their product; the next of a list decides "
                   "among equals",
       .type = OptionType::kChoices,
       .choices = {"energy", "delay", "edp"},
       .default_text = "energy",
       .in_result = true},
      MapspaceRecord("which tilings are allowed, as in 'inlay map'", "perfect"),
      SearchSemanticsRecord(),
      AccountingRecord(),
      GpOption("nearest", "gp only: divisors tried for every tile, the closest to the real size",
               "N", 1, 8, "3"),
      GpOption("nearest-sizes",
               "gp only: values tried for every free size, the closest to the real one", "N", 1, 64,
               "3"),
      GpOption("utilization",
               "gp only: drop candidates that keep less of the compute lanes busy, in percent",
               "PERCENT", 0, 100, "0"),
  };
}

Diagnostics ReadCodesignOptions(const OptionValues& values, CodesignTask* task) {
  Diagnostics errors = ReadSearchOptions(values, &task->options);
  task->mapspace = MapspaceFrom(values);
  if (!ReadScope(values.Text("scope"), task)) {
    errors.push_back(MakeError({}, "--scope: '" + values.Text("scope") + "' is no scope",
                               "layer, network, dominant, pareto, or hetero:N"));
  }
  const std::vector<std::string>& methods = values.List("method");
  task->method = MethodNamed(methods.front());
  GpOptions& gp = task->options.gp;
  gp.nearest = static_cast<int>(values.Integer("nearest"));
  gp.nearest_sizes = static_cast<int>(values.Integer("nearest-sizes"));
  gp.least_utilization = static_cast<double>(values.Integer("utilization")) / 100;
  const bool has_gp = std::find(methods.begin(), methods.end(), "gp") != methods.end();
  for (const char* name : {"nearest", "nearest-sizes", "utilization"}) {
    if (!values.WasSet(name) || has_gp) continue;
    errors.push_back(
        MakeError({}, std::string("--") + name + " is for the method 'gp'", "add --method gp"));
  }
  return errors;
}

std::optional<Method> SecondMethod(const OptionValues& values) {
  const std::vector<std::string>& methods = values.List("method");
  return methods.size() > 1 ? std::optional(MethodNamed(methods[1])) : std::nullopt;
}

}  // namespace inlay
