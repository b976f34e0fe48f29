#include "inlay/cost/evaluate.h"

#include <cmath>
#include <string>

#include "inlay/base/check.h"
#include "inlay/cost/cost_from_counts.h"
#include "inlay/cost/exact.h"
#include "inlay/cost/thistle.h"
#include "inlay/cost/time.h"

namespace inlay {
namespace {

tl::expected<Cost, Fault> EvaluateExact(const Problem& problem, const Architecture& architecture,
                                        const Mapping& mapping, bool fill_and_drain) {
  Cost cost;
  if (ExactModel(problem, architecture).Evaluate(mapping, &cost, fill_and_drain)) return cost;
  return tl::unexpected(CountOverflow());
}

tl::expected<Cost, Fault> EvaluateAny(const Problem& problem, const Architecture& architecture,
                                      const Mapping& mapping, const EvaluateOptions& options) {
  if (options.semantics != Semantics::kExact && IsUneven(mapping)) {
    return tl::unexpected(Fault{"mapping",
                                "tensors of a level enter at different loops, which '" +
                                    std::string(Name(options.semantics)) +
                                    "' semantics cannot express",
                                "count it under 'exact' semantics"});
  }
  if (HasTimeKeys(architecture) && (options.semantics != Semantics::kExact || IsUneven(mapping))) {
    return tl::unexpected(
        TimeKeysFault(options.semantics == Semantics::kExact
                          ? "the cost of uneven mappings"
                          : "'" + std::string(Name(options.semantics)) + "' semantics"));
  }
  switch (options.semantics) {
    case Semantics::kExact:
      if (options.add_fill_and_drain && HasTimeKeys(architecture)) {
        return tl::unexpected(TimeKeysFault("the sum with first fill and last drain"));
      }
      return EvaluateExact(problem, architecture, mapping, options.add_fill_and_drain);
    case Semantics::kTimeloop:
      return EvaluateTimeloop(problem, architecture, mapping, options.timeloop_rules);
    case Semantics::kThistle:
      return EvaluateThistle(problem, architecture, mapping, options.accounting);
  }
  FailCheck("a semantics that exists", __FILE__, __LINE__);
}

}  // namespace

tl::expected<Cost, Fault> Evaluate(const Problem& problem, const Architecture& architecture,
                                   const Mapping& mapping, const EvaluateOptions& options) {
  auto cost = EvaluateAny(problem, architecture, mapping, options);
  if (cost) SetSeconds(architecture.clock_hz.value_or(0), &*cost);
  if (cost && !std::isfinite(cost->energy_pj)) {
    return tl::unexpected(Fault{"levels", "the energy is larger than a number can hold",
                                "look for a mistyped energy"});
  }
  return cost;
}

void CountPadding(const Problem& asked_for, const Problem& computed, Cost* cost) {
  cost->padded_operations = Operations(computed);
  cost->operations = Operations(asked_for);
  cost->utilization =
      static_cast<double>(cost->operations) /
      (static_cast<double>(cost->compute_lanes) * static_cast<double>(cost->cycles));
}

}  // namespace inlay
