#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "inlay/base/deadline.h"
#include "inlay/core/plan.h"
#include "inlay/scratchpad/problem.h"

namespace inlay {

enum class PlanStrategy : uint8_t { kNone, kNextUse, kGreedy, kLns, kExact, kEager };

enum class PlanStrategyKind : uint8_t {
  kBaseline,     // what others are compared with; there is nothing to find
  kRules,        // a good plan by rules, in every order of the nodes that is tried
  kSearch,       // looks for the best plan, in the best of these orders
  kIndependent,  // by rules, starting from the baseline; no other strategy starts from its plan
};

struct PlanningState;  // what a strategy starts from and improves: planner.cc

// Everything about a strategy. A new one is a function and a row.
struct PlanStrategyRecord {
  PlanStrategy strategy;
  const char* name;
  const char* sentence;  // a phrase of the list in --help
  PlanStrategyKind kind;
  void (*run)(PlanningState* state);  // null: kBaseline, which all start from
};

void RunNextUse(PlanningState* state);
void RunEager(PlanningState* state);
void RunGreedy(PlanningState* state);
void RunLns(PlanningState* state);
void RunExact(PlanningState* state);

// From the quickest to the best. Each but the kIndependent starts from the plan of those before it.
inline constexpr auto kPlanStrategies = std::to_array<PlanStrategyRecord>({
    {PlanStrategy::kNone, "none", "nothing kept", PlanStrategyKind::kBaseline, nullptr},
    {PlanStrategy::kNextUse, "next-use", "outputs for the next node only", PlanStrategyKind::kRules,
     RunNextUse},
    {PlanStrategy::kEager, "eager", "step by step, without look-ahead",
     PlanStrategyKind::kIndependent, RunEager},
    {PlanStrategy::kGreedy, "greedy", "greedy", PlanStrategyKind::kRules, RunGreedy},
    {PlanStrategy::kLns, "lns", "large-neighbourhood search", PlanStrategyKind::kSearch, RunLns},
    {PlanStrategy::kExact, "exact", "to the proof", PlanStrategyKind::kSearch, RunExact},
});

const PlanStrategyRecord& RecordOf(PlanStrategy strategy);

template <>
inline constexpr auto kNames<PlanStrategy> = [] {
  std::array<EnumName<PlanStrategy>, kPlanStrategies.size()> names{};
  for (size_t i = 0; i < names.size(); ++i) {
    names[i] = {kPlanStrategies[i].strategy, kPlanStrategies[i].name};
  }
  return names;
}();

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

// Of a plan's figure, where no plan has less than the bound.
Certificate CertificateOf(double value, double bound);

// Plans, with addresses. Deterministic whenever it ends before the deadline.
PlanAnswer MakePlan(const PlanProblem& problem, const PlanOptions& options,
                    const Deadline& deadline, const PlanProgressSink& progress = {});

}  // namespace inlay
