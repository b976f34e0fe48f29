#pragma once

#include <chrono>
#include <optional>

#include "cli/session.h"
#include "inlay/core/plan.h"
#include "inlay/scratchpad/planner.h"

namespace inlay::cli {

// The line on a terminal while a plan is searched: how much of the time limit is gone, the best
// plan so far, its bound and gap.
class PlanProgressLine {
 public:
  PlanProgressLine(PlanObjective objective, std::optional<double> seconds, const Session& session)
      : objective_(objective), limit_(seconds), session_(session), style_(StyleOf(2)) {}

  void Show(const PlanProgress& state);
  void Finish();

 private:
  using Clock = std::chrono::steady_clock;

  PlanObjective objective_;
  std::optional<double> limit_;
  const Session& session_;
  TextStyle style_;
  Clock::time_point start_ = Clock::now();
  std::optional<Clock::time_point> shown_;
};

}  // namespace inlay::cli
