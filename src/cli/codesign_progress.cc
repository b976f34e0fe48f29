#include "cli/codesign_progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "inlay/report/numbers.h"

namespace inlay::cli {

CodesignProgressLine::CodesignProgressLine(const CodesignTask& task, const Session& session)
    : task_(task),
      session_(session),
      what_(task.scope == Scope::kLayer || task.scope == Scope::kDominant ? "layers"
                                                                          : "architectures") {}

void CodesignProgressLine::Show(const CodesignProgress& state) {
  constexpr auto kPause = std::chrono::milliseconds(100);
  last_ = state;
  const auto now = Clock::now();
  if (now - shown_ < kPause && state.done < state.all) return;
  shown_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const auto done = static_cast<double>(state.done), all = static_cast<double>(state.all);
  std::string line = fmt::format("{}: {}/{} {}", Name(task_.method), state.done, state.all, what_);
  if (state.incumbent) {
    line += fmt::format("  {} {:.4g}", Name(task_.options.objective.front()), *state.incumbent);
  }
  if (state.done > 0 && state.done < state.all) {
    double left = seconds / done * (all - done);
    if (task_.options.time_limit_seconds) {
      left = std::min(left, std::max(0.0, *task_.options.time_limit_seconds - seconds));
    }
    // Bounds rule out what comes later sooner.
    line += fmt::format("  at most {:.0f} s left", left);
  }
  session_.ShowProgress(line);
}

void CodesignProgressLine::Finish() {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  session_.ShowProgress(
      fmt::format("{}: {} {} in {:.2f} s\n", Name(task_.method), last_.all, what_, seconds));
}

}  // namespace inlay::cli
