#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>

#include "inlay/base/fields.h"
#include "inlay/run/plan.h"
#include "inlay/study/run_kinds.h"

namespace inlay::study {

// The request of a point and what studies have besides it.
struct PlanPointRequest {
  run::PlanRequest plan;
  std::optional<int64_t> pads_kib;
  run::CommonRequest common;
};

const Structure& StructureOf(const PlanPointRequest*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&PlanPointRequest::plan>("", "", {.inlined = true}),
      Row<&PlanPointRequest::pads_kib>(
          "pads_kib",
          "KiB of all memories together, shared out equally; without it each has its own size",
          {.option = {.value_name = "N", .min = 1, .max = 1 << 30}}),
  });
  return Describe<PlanPointRequest, kFields>("PlanPointRequest");
}

namespace {

std::vector<Option> PlanAxisOptions() {
  return AxisOptions(StructureOf(static_cast<const PlanPointRequest*>(nullptr)));
}

void ResizePads(int64_t kib, Machine* machine) {
  for (Scratchpad& pad : machine->pads) {
    const int64_t share = kib * 1024 / static_cast<int64_t>(machine->pads.size());
    pad.bytes = std::max(share / pad.alignment_bytes, int64_t{1}) * pad.alignment_bytes;
  }
}

// There is nothing to prove of a baseline. Only searches look for the best; for the others the
// bound says how far from it they end.
std::optional<StudyCertificate> ProofOfPlan(PlanStrategy strategy,
                                            const PlanCertificate& certificate) {
  const PlanStrategyKind kind = RecordOf(strategy).kind;
  if (kind == PlanStrategyKind::kBaseline) return std::nullopt;
  StudyCertificate proof{certificate.status, certificate.gap, {}};
  const bool searches = kind == PlanStrategyKind::kSearch;
  if (!searches && proof.status == CertificateStatus::kBounded) {
    proof.status = CertificateStatus::kHeuristic;
  }
  return proof;
}

void Fill(run::PlanRequest request, const run::PlanInputs& inputs, const RunLimits& limits,
          const StopFlag& stop, StudyPoint* point) {
  point->status = PointStatus::kNoAnswer;
  ApplyLimits(limits, &request.common);
  const auto result = run::Run(request, inputs, stop);
  if (!result) return AddReasons(result.error().errors, point);
  point->seconds = result->seconds;
  point->status = stop.Requested() ? PointStatus::kCut : PointStatus::kDone;
  point->proof = ProofOfPlan(request.options.strategy, *result->certificate);
  point->figures.Set("latency_us", result->figures.latency_seconds * 1e6);
  point->figures.Set("offchip_bytes", static_cast<double>(result->figures.offchip_bytes));
  point->figures.Set("energy_pj", result->figures.energy_pj);
  point->figures.Set("gap", result->certificate->gap);
}

Result<RunPoint> PreparePlan(const Settings& settings, Loader* loader) {
  Diagnostics errors;
  auto request = ReadRequest<PlanPointRequest>(settings, PlanAxisOptions(), &errors);
  auto inputs = std::make_shared<run::PlanInputs>();
  if (const auto workload = run::ValueOr(Need(settings, "workload"), &errors)) {
    const auto graph = run::ValueOr(loader->WorkloadGraph(**workload), &errors);
    if (graph) inputs->graph = *graph;
  }
  if (const auto machine = run::ValueOr(Need(settings, "machine"), &errors)) {
    const auto found = run::ValueOr(loader->MachineOf(**machine), &errors);
    if (found) inputs->machine = **found;
  }
  if (!errors.empty()) return Fail(std::move(errors));
  request.plan.common = request.common;
  if (auto wrong = run::FindBits(&request.plan, inputs.get()); !wrong.empty()) return Fail(wrong);
  if (request.pads_kib) ResizePads(*request.pads_kib, &inputs->machine);
  return RunPoint([request = std::move(request.plan), inputs](
                      const RunLimits& limits, const StopFlag& stop, StudyPoint* point) {
    Fill(request, *inputs, limits, stop, point);
  });
}

}  // namespace

RunRecord PlanRun() {
  return {"plan",
          AxesOf({"workload", "machine"}, PlanAxisOptions()),
          PreparePlan,
          {{"order", "reorder", {{"given", "false"}, {"any", "true"}}},
           {"weights", "weights_stay", {{"fetched", "false"}, {"stay", "true"}}}}};
}

}  // namespace inlay::study
