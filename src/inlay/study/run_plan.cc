#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "inlay/base/deadline.h"
#include "inlay/scratchpad/make_problem.h"
#include "inlay/scratchpad/options.h"
#include "inlay/scratchpad/planner.h"
#include "inlay/scratchpad/validator.h"
#include "inlay/study/prepare.h"

namespace inlay::study {
namespace {

struct Prepared {
  std::shared_ptr<const Graph> graph;
  Machine machine;
  PlanSettings settings;
  PlanOptions options;
  std::optional<double> seconds;
};

std::vector<Option> OptionRecords() {
  return {PlanStrategyRecord(),
          PlanObjectiveRecord(),
          BitsRecord("bits of every element"),
          {.name = "order",
           .type = OptionType::kChoice,
           .choices = {"given", "any"},
           .default_text = "given"},
          {.name = "weights",
           .type = OptionType::kChoice,
           .choices = {"fetched", "stay"},
           .default_text = "fetched"},
          // Of all memories together, shared out equally; without it each has its own size.
          {.name = "pads-kib", .type = OptionType::kInteger, .min = 1, .max = 1 << 30},
          {.name = "seed", .type = OptionType::kInteger, .default_text = "1"},
          TimeLimitRecord("the most time for the planning")};
}

void ResizePads(int64_t kib, Machine* machine) {
  for (Scratchpad& pad : machine->pads) {
    const int64_t share = kib * 1024 / static_cast<int64_t>(machine->pads.size());
    pad.bytes = std::max(share / pad.alignment_bytes, int64_t{1}) * pad.alignment_bytes;
  }
}

// `none` is what it is. The quick strategies do not look for the best; the bound says how far from
// it they end.
std::optional<StudyProof> ProofOfPlan(PlanStrategy strategy, const Certificate& certificate) {
  if (strategy == PlanStrategy::kNone) return std::nullopt;
  StudyProof proof{certificate.status, certificate.gap, {}};
  const bool searches = strategy == PlanStrategy::kLns || strategy == PlanStrategy::kExact;
  if (!searches && proof.status == CertificateStatus::kBounded) {
    proof.status = CertificateStatus::kHeuristic;
  }
  return proof;
}

void Run(const Prepared& prepared, const RunLimits& limits, const StopFlag& stop,
         StudyPoint* point) {
  point->status = PointStatus::kNoAnswer;
  PlanSettings settings = prepared.settings;
  settings.threads = limits.threads;
  std::optional<double> seconds = prepared.seconds;
  if (limits.seconds) seconds = std::min(seconds.value_or(*limits.seconds), *limits.seconds);
  if (seconds) settings.table_seconds = *seconds * kTableShare;
  const Deadline deadline(stop, seconds);
  const auto problem = MakePlanProblem(*prepared.graph, prepared.machine, settings, stop);
  if (!problem) {
    for (const Fault& fault : problem.error()) point->reasons.push_back(fault.message);
    return;
  }
  PlanOptions options = prepared.options;
  options.threads = limits.threads;
  const PlanAnswer answer = MakePlan(*problem, options, deadline);
  point->seconds = deadline.SecondsSinceStart();
  for (const Fault& fault : answer.infeasible) point->reasons.push_back(fault.message);
  if (!answer.plan) return;
  const auto figures = Replay(*problem, *answer.plan);
  if (!figures) {
    for (const Fault& fault : figures.error()) point->reasons.push_back(fault.message);
    return;
  }
  point->status = stop.Requested() ? PointStatus::kCut : PointStatus::kDone;
  point->proof = ProofOfPlan(options.strategy, answer.certificate);
  point->figures.Set("latency_us", figures->latency_seconds * 1e6);
  point->figures.Set("offchip_bytes", static_cast<double>(figures->offchip_bytes));
  point->figures.Set("energy_pj", figures->energy_pj);
  point->figures.Set("gap", answer.certificate.gap);
}

Result<RunPoint> PreparePlan(const Settings& settings, Loader* loader) {
  const std::vector<Option> records = OptionRecords();
  OptionValues values(records);
  Diagnostics errors = SetOptions(settings, records, &values);
  const auto collect = [&errors](const Diagnostics& more) {
    errors.insert(errors.end(), more.begin(), more.end());
  };
  Prepared prepared;
  const auto workload = Need(settings, "workload"), machine = Need(settings, "machine");
  if (!workload) collect(workload.error());
  if (!machine) collect(machine.error());
  if (workload) {
    auto graph = loader->WorkloadGraph(**workload);
    if (!graph) collect(graph.error());
    if (graph) prepared.graph = *std::move(graph);
  }
  if (machine) {
    const auto found = loader->MachineOf(**machine);
    if (!found) collect(found.error());
    if (found) prepared.machine = **found;
  }
  if (!errors.empty()) return Fail(std::move(errors));
  prepared.settings.bits = static_cast<int>(values.Integer("bits"));
  prepared.settings.weights_stay = values.Text("weights") == "stay";
  prepared.options.strategy = *PlanStrategyFromName(values.Text("strategy"));
  prepared.options.objective = *FromName<PlanObjective>(values.Text("objective"));
  prepared.options.reorder = values.Text("order") == "any";
  prepared.options.seed = static_cast<uint64_t>(values.Integer("seed"));
  prepared.seconds = values.Seconds("time-limit");
  if (values.Has("pads-kib")) ResizePads(values.Integer("pads-kib"), &prepared.machine);
  return RunPoint([prepared](const RunLimits& limits, const StopFlag& stop, StudyPoint* point) {
    Run(prepared, limits, stop, point);
  });
}

}  // namespace

RunRecord PlanRun() {
  RunRecord run{"plan", {"workload", "machine"}, PreparePlan};
  for (const Option& option : OptionRecords()) run.axes.push_back(KeyOf(option));
  return run;
}

}  // namespace inlay::study
