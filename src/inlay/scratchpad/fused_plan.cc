#include "inlay/scratchpad/fused_plan.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "inlay/base/check.h"
#include "inlay/core/search_moments.h"
#include "inlay/scratchpad/merged_step.h"

namespace inlay {
namespace {

// Parts of a time limit that are over when the plan without fused steps has to be found, and when
// the trees have to.
constexpr double kUnfusedShare = 0.45, kTreesShare = 0.7;
constexpr int kMostRounds = 6;     // of merging steps
constexpr size_t kMostTries = 12;  // of single changes, each with a quick plan

using Runs = std::vector<const FusedCandidate*>;  // by their first node

// Runs and the best quick plan of them.
struct Trial {
  Runs runs;
  PlanProblem problem;
  PlanAnswer answer;
  double value = std::numeric_limits<double>::infinity();  // of its plan, if there is one
};

class RunChooser {
 public:
  RunChooser(const PlanProblem& problem, const std::vector<FusedCandidate>& candidates,
             const PlanOptions& options, const Deadline& deadline)
      : problem_(problem), candidates_(candidates), options_(options), deadline_(deadline) {
    if (RecordOf(options.strategy).kind == PlanStrategyKind::kSearch) {
      options_.strategy = PlanStrategy::kGreedy;
    }
    options_.reorder = false;
  }

  // Those with the best quick plan. The first are chosen by what a plan without fused steps, in
  // the given order, would gain; and the quick one.
  Trial Choose(const Plan& unfused) {
    best_ = Evaluate({});
    if (candidates_.empty() || !best_.answer.plan) return std::move(best_);
    Trial start = best_;
    start.answer.plan = unfused;
    TakeBetter(Evaluate(Merged(start)));
    for (int round = 0; round < kMostRounds && !deadline_.Passed(); ++round) {
      if (!TryMerging() && !TryOneByOne()) break;
    }
    TryDissolving();
    return std::move(best_);
  }

 private:
  Trial Evaluate(Runs runs) const {
    Trial trial{std::move(runs), {}, {}};
    trial.problem = WithFusedSteps(problem_, trial.runs);
    trial.answer = MakePlan(trial.problem, options_, deadline_);
    if (trial.answer.plan) trial.value = ValueOf(trial.answer.figures, options_.objective);
    return trial;
  }

  bool TakeBetter(Trial trial) {
    if (!(trial.value < best_.value)) return false;
    best_ = std::move(trial);
    return true;
  }

  // Candidates that are several steps of a plan as it is, with the first of those and the one
  // behind the last.
  struct Merge {
    const FusedCandidate* run;
    size_t first, end;
    double gain;
  };
  std::vector<Merge> MergesOf(const Trial& trial) const {
    // By node of the problem: the step that begins with it, or ends before it.
    constexpr size_t kNone = std::numeric_limits<size_t>::max();
    std::vector<size_t> step_at(problem_.nodes.size() + 1, kNone);
    size_t node = 0;
    for (size_t s = 0; s < trial.problem.nodes.size(); ++s) {
      step_at[node] = s;
      const PlanNode& step = trial.problem.nodes[s];
      node += step.fused ? step.fused->nodes.size() : 1;
    }
    step_at[node] = trial.problem.nodes.size();
    const MergedStepCost cost(trial.problem, *trial.answer.plan, options_.objective);
    std::vector<Merge> merges;
    for (const FusedCandidate& run : candidates_) {
      const size_t first = step_at[run.first], end = step_at[run.end];
      if (first == kNone || end == kNone || end - first < 2) continue;
      const auto merged = cost.Of(first, end, run.step);
      double apart = 0;
      for (size_t s = first; s < end; ++s) apart += cost.Of(s);
      if (merged && *merged < apart * (1 - 1e-9)) {
        merges.push_back({&run, first, end, apart - *merged});
      }
    }
    return merges;
  }

  static Runs With(const Runs& runs, const std::vector<const Merge*>& merges) {
    Runs all;
    const auto is_inside = [&](const FusedCandidate* run) {
      return std::any_of(merges.begin(), merges.end(), [&](const Merge* merge) {
        return merge->run->first <= run->first && run->end <= merge->run->end;
      });
    };
    for (const FusedCandidate* run : runs) {
      if (!is_inside(run)) all.push_back(run);
    }
    for (const Merge* merge : merges) all.push_back(merge->run);
    std::sort(all.begin(), all.end(),
              [](const auto* a, const auto* b) { return a->first < b->first; });
    return all;
  }

  // With the merges that gain most together, if everything else stayed as it is.
  Runs Merged(const Trial& trial) const {
    const std::vector<Merge> merges = MergesOf(trial);
    const size_t steps = trial.problem.nodes.size();
    std::vector<double> gain(steps + 1, 0);
    std::vector<const Merge*> last(steps + 1, nullptr);
    for (size_t end = 1; end <= steps; ++end) {
      gain[end] = gain[end - 1];
      for (const Merge& merge : merges) {
        if (merge.end != end || gain[merge.first] + merge.gain <= gain[end]) continue;
        gain[end] = gain[merge.first] + merge.gain;
        last[end] = &merge;
      }
    }
    std::vector<const Merge*> chosen;
    for (size_t end = steps; end > 0;) {
      if (last[end] == nullptr) {
        --end;
        continue;
      }
      chosen.push_back(last[end]);
      end = last[end]->first;
    }
    return With(trial.runs, chosen);
  }

  bool TryMerging() {
    Runs merged = Merged(best_);
    return merged != best_.runs && TakeBetter(Evaluate(std::move(merged)));
  }

  bool TryOneByOne() {
    std::vector<Merge> merges = MergesOf(best_);
    std::stable_sort(merges.begin(), merges.end(),
                     [](const Merge& a, const Merge& b) { return a.gain > b.gain; });
    const Runs runs = best_.runs;
    for (size_t i = 0; i < std::min(merges.size(), kMostTries) && !deadline_.Passed(); ++i) {
      if (TakeBetter(Evaluate(With(runs, {&merges[i]})))) return true;
    }
    return false;
  }

  void TryDissolving() {
    const Runs runs = best_.runs;
    for (size_t i = 0; i < std::min(runs.size(), 2 * kMostTries) && !deadline_.Passed(); ++i) {
      Runs others = best_.runs;
      std::erase(others, runs[i]);
      TakeBetter(Evaluate(std::move(others)));
    }
  }

  const PlanProblem& problem_;
  const std::vector<FusedCandidate>& candidates_;
  PlanOptions options_;
  const Deadline& deadline_;
  Trial best_;
};

bool HasGivenOrder(const PlanProblem& problem, const Plan& plan) {
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    if (plan.steps[s].node != problem.nodes[s].node) return false;
  }
  return true;
}

// The plan, or if it has another order a quick one that has the problem's.
Plan InGivenOrder(const PlanProblem& problem, const PlanOptions& options, const Plan& plan,
                  const Deadline& deadline) {
  if (HasGivenOrder(problem, plan)) return plan;
  PlanOptions quick = options;
  quick.strategy = PlanStrategy::kGreedy;
  quick.reorder = false;
  PlanAnswer answer = MakePlan(problem, quick, deadline);
  INLAY_CHECK(answer.plan.has_value());  // there is one in this order
  return *std::move(answer.plan);
}

}  // namespace

FusedPlanAnswer MakeFusedPlan(const PlanProblem& problem, const FusableSteps& steps,
                              const PlanOptions& options, const Deadline& deadline,
                              const PlanProgressSink& progress) {
  const double bound = ValueOf(steps.LeastFigures(), options.objective);
  // What is proven of other plans says nothing of those with fused steps.
  double incumbent = std::numeric_limits<double>::infinity();
  SearchMoments moments;
  const PlanProgressSink sink = [&](const PlanProgress& state) {
    if (state.incumbent >= incumbent) return;
    incumbent = state.incumbent;
    if (progress) progress({incumbent, bound});
    moments.Add(deadline.SecondsSinceStart(), incumbent, bound);
  };
  FusedPlanAnswer answer;
  answer.problem = problem;
  const Deadline unfused_end(deadline, kUnfusedShare), trees_end(deadline, kTreesShare);
  const bool limited = deadline.Limited();
  answer.unfused = MakePlan(problem, options, limited ? unfused_end : deadline, sink);
  answer.best = answer.unfused;
  answer.best.effort.progress.clear();
  if (!answer.unfused.plan) return answer;
  const Plan plan = InGivenOrder(problem, options, *answer.unfused.plan, deadline);
  answer.searched = RunsWorthFusing(steps, problem, plan, options.objective,
                                    FusableRuns(steps, problem, kMostFusedNodes));
  answer.candidates =
      FindFusedCandidates(steps, problem, answer.searched, limited ? trees_end : deadline);
  Trial quick = RunChooser(problem, answer.candidates, options, deadline).Choose(plan);
  const auto value = [&](const PlanAnswer& of) { return ValueOf(of.figures, options.objective); };
  if (!quick.runs.empty()) {
    PlanAnswer best = MakePlan(quick.problem, options, deadline, sink);
    if (!best.plan || value(quick.answer) < value(best)) best = std::move(quick.answer);
    if (value(best) < value(answer.unfused)) {
      answer.problem = std::move(quick.problem);
      answer.best = std::move(best);
    }
  }
  answer.certificate = CertificateOf(value(answer.best), bound);
  answer.interrupted = deadline.Passed();
  answer.best.baseline = answer.unfused.baseline;
  answer.best.effort.nodes += answer.unfused.effort.nodes;
  answer.best.effort.seconds = deadline.SecondsSinceStart();
  answer.best.effort.progress = moments.Take();
  return answer;
}

}  // namespace inlay
