#include "cli/plan_progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "inlay/report/numbers.h"
#include "inlay/report/plan.h"

namespace inlay::cli {
namespace {

constexpr auto kBetweenLines = std::chrono::milliseconds(100);  // between two lines

std::string ValueText(PlanObjective objective, double value, const TextStyle& style) {
  switch (objective) {
    case PlanObjective::kLatency:
      return report::WithPrefix(value, "s", style);
    case PlanObjective::kBytes:
      return report::BytesText(value);
    case PlanObjective::kEnergy:
      return report::WithPrefix(value * 1e-12, "J", style);
  }
  return "";
}

}  // namespace

void PlanProgressLine::Show(const PlanProgress& state) {
  const auto now = Clock::now();
  if (shown_ && now - *shown_ < kBetweenLines) return;
  shown_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  std::string line = "planning";
  if (limit_) {
    constexpr int kBarColumns = 8;
    std::string bar = report::Bar(std::min(1.0, seconds / *limit_), kBarColumns, style_);
    bar.append(kBarColumns - std::min<size_t>(DisplayWidth(bar), kBarColumns), ' ');
    line = fmt::format("[{}] {:.0f} s left", bar, std::max(0.0, *limit_ - seconds));
  }
  line += fmt::format("  {} {}", Name(objective_), ValueText(objective_, state.incumbent, style_));
  if (state.bound > 0) {
    line += "  bound " + ValueText(objective_, state.bound, style_);
    if (state.incumbent > 0) {
      line += "  gap " + report::Percent(1 - state.bound / state.incumbent);
    }
  }
  session_.ShowProgress(line);
}

void PlanProgressLine::Finish() {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  session_.ShowProgress(fmt::format("planned in {:.2f} s\n", seconds));
}

}  // namespace inlay::cli
