#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "inlay/batch/policies/joint_slice_plans.h"
#include "inlay/batch/policies/policies.h"

namespace inlay::batch {
namespace {

// Of the task's own window.
constexpr std::array kWindows = {0.25, 0.5, 1.0, 2.0};
// See JointSlicePlans::Choose: overcommit and reluctance.
constexpr std::array kBudgets = {std::pair(1.0, 0.0), std::pair(1.3, 0.0), std::pair(1.6, 0.0),
                                 std::pair(2.0, 0.0), std::pair(2.0, 0.01)};
// Of larger tasks a part is simulated to choose.
constexpr int64_t kMostInferences = 256;
constexpr size_t kMostRequests = 16;

// The task with fewer and smaller requests, if it has too many.
Task Rehearsal(const Task& task) {
  Task part = task;
  const int64_t most = LargestBatch(task);
  for (TaskWorkload& w : part.workloads) {
    w.requests.resize(std::min(w.requests.size(), kMostRequests));
    if (most <= kMostInferences) continue;
    for (Request& request : w.requests) {
      const double scale = static_cast<double>(kMostInferences) / static_cast<double>(most);
      const double scaled = static_cast<double>(request.inferences) * scale;
      request.inferences = std::max<int64_t>(1, static_cast<int64_t>(scaled));
    }
  }
  return part;
}

bool SameRequests(const Task& a, const Task& b) {
  return std::equal(a.workloads.begin(), a.workloads.end(), b.workloads.begin(),
                    [](const TaskWorkload& one, const TaskWorkload& other) {
                      return one.requests == other.requests;
                    });
}

bool SamePlans(const Task& a, const Task& b) {
  return a.accelerator == b.accelerator &&
         std::equal(a.workloads.begin(), a.workloads.end(), b.workloads.begin(),
                    [](const TaskWorkload& one, const TaskWorkload& other) {
                      return one.plan == other.plan && one.remaps == other.remaps;
                    });
}

// One that ends goes before one that does not; of two that do the one that ends sooner.
bool IsBetter(const Outcome& a, const Outcome& b) {
  if (a.ending != Ending::kDone || b.ending != Ending::kDone) {
    return a.ending == Ending::kDone && b.ending != Ending::kDone;
  }
  return a.makespan < b.makespan;
}

// What is worth trying, none twice.
std::vector<Task> Candidates(const Task& task) {
  const JointSlicePlans joint(task);
  std::vector<Task> candidates;
  if (std::optional<Task> by_rule = ChooseByRule(task, joint)) {
    candidates.push_back(*std::move(by_rule));
  }
  for (const double window : kWindows) {
    const double bytes = static_cast<double>(task.accelerator.window_bytes) * window;
    for (const auto& [overcommit, reluctance] : kBudgets) {
      Task planned = joint.Choose(overcommit, static_cast<int64_t>(bytes), reluctance);
      const bool known = std::any_of(candidates.begin(), candidates.end(),
                                     [&](const Task& other) { return SamePlans(other, planned); });
      if (!known) candidates.push_back(std::move(planned));
    }
  }
  return candidates;
}

}  // namespace

// Static batching with the task's own settings and the choice of the online rule are among what is
// tried, so this is no worse than either where the rehearsal is the whole task.
PolicyRun RunStallFree(const Task& task, const PolicyOptions& options, const RunOptions& run) {
  const double start = ThreadSeconds();
  const RunOptions quiet{nullptr, run.check, run.deadline};
  const Rules whole = RulesOf(Advance::kStatic, options);
  const Rules rules = RulesOf(Advance::kPlanned, options);
  const Task part = Rehearsal(task);
  PolicyRun best = RunPlain(part, whole, quiet);
  for (const Task& candidate : Candidates(task)) {
    Task tried = candidate;
    for (size_t i = 0; i < tried.workloads.size(); ++i) {
      tried.workloads[i].requests = part.workloads[i].requests;
    }
    PolicyRun result = RunPlain(tried, rules, quiet);
    if (!IsBetter(result.outcome, best.outcome)) continue;
    best = std::move(result);
  }
  if (!SameRequests(part, task)) {
    for (size_t i = 0; i < task.workloads.size(); ++i) {
      best.task.workloads[i].requests = task.workloads[i].requests;
    }
    PolicyRun result = RunPlain(task, whole, quiet);
    best = RunPlain(best.task, best.rules, quiet);
    if (IsBetter(result.outcome, best.outcome)) best = std::move(result);
  }
  best.plan_seconds = ThreadSeconds() - start;
  if (run.observer != nullptr) best.outcome = Simulate(best.task, best.rules, run);
  return best;
}

}  // namespace inlay::batch
