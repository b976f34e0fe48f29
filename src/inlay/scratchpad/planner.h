#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "inlay/base/deadline.h"
#include "inlay/core/plan.h"
#include "inlay/scratchpad/problem.h"

namespace inlay {

// The order of these is the order of quality: each starts from the answer of the one before it.
// kEager stands aside: it decides step by step, from what has been, not from what will be.
enum class PlanStrategy : uint8_t { kNone, kNextUse, kGreedy, kLns, kExact, kEager };
template <>
inline constexpr auto kNames<PlanStrategy> =
    std::to_array<EnumName<PlanStrategy>>({{PlanStrategy::kNone, "none"},
                                           {PlanStrategy::kNextUse, "next-use"},
                                           {PlanStrategy::kEager, "eager"},
                                           {PlanStrategy::kGreedy, "greedy"},
                                           {PlanStrategy::kLns, "lns"},
                                           {PlanStrategy::kExact, "exact"}});

struct PlanOptions {
  PlanStrategy strategy = PlanStrategy::kLns;
  PlanObjective objective = PlanObjective::kLatency;
  bool reorder = false;  // choose among the orders in which the nodes can run
  uint64_t seed = 1;
  int threads = 1;
};

struct PlanAnswer {
  std::optional<Plan> plan;  // none: infeasible, or stopped before the first one
  PlanFigures figures;
  PlanFigures baseline;     // of strategy none
  Certificate certificate;  // of the objective's figure; for the fixed order unless reorder
  Faults infeasible;        // why there is none: which node's workspace, which pad, how many bytes
  bool interrupted = false;
  SearchEffort effort;
};

struct PlanProgress {
  double incumbent = 0;
  double bound = 0;
};
using PlanProgressSink = std::function<void(const PlanProgress&)>;

// Plans, with addresses. Deterministic whenever it ends before the deadline.
PlanAnswer MakePlan(const PlanProblem& problem, const PlanOptions& options,
                    const Deadline& deadline, const PlanProgressSink& progress = {});

}  // namespace inlay
