#include <memory>
#include <string>
#include <utility>

#include "inlay/run/fuse.h"
#include "inlay/study/run_kinds.h"

namespace inlay::study {
namespace {

std::vector<Option> FuseAxisOptions() {
  return AxisOptions(StructureOf(static_cast<const run::FuseRequest*>(nullptr)));
}

void Fill(run::FuseRequest request, const run::FuseInputs& inputs, const RunLimits& limits,
          const StopFlag& stop, StudyPoint* point) {
  point->status = PointStatus::kNoAnswer;
  ApplyLimits(limits, &request.common);
  const auto run = run::Run(request, inputs, stop);
  if (!run) return AddReasons(run.error().errors, point);
  const FuseResult& result = run->result;
  point->seconds = result.measured.seconds;
  point->status = stop.Requested() ? PointStatus::kCut : PointStatus::kDone;
  point->proof = StudyCertificate{result.certificate.status, result.certificate.gap,
                                  result.certificate.proven};
  const auto set = [&](const char* name, double value) { point->figures.Set(name, value); };
  set("offchip_words", static_cast<double>(result.total.offchip_words));
  set("energy_pj", result.total.energy_pj);
  set("cycles", static_cast<double>(result.total.cycles));
  set("edp", result.total.edp);
  set("operations", static_cast<double>(result.total.operations));
  set("recomputed_operations", static_cast<double>(result.total.recomputed_operations));
  set("room_words", static_cast<double>(result.room_words));
  set("runs", static_cast<double>(result.runs.size()));
  set("compulsory_words", static_cast<double>(result.compulsory_words));
  if (result.bound_any_fusion) set("bound_any_fusion", *result.bound_any_fusion);
  if (result.unfused) {
    set("unfused_offchip_words", static_cast<double>(result.unfused->cost.offchip_words));
  }
  set("gap", result.certificate.gap);
}

Result<RunPoint> PrepareFuse(const Settings& settings, Loader* loader) {
  Diagnostics errors;
  const auto request = ReadRequest<run::FuseRequest>(settings, FuseAxisOptions(), &errors);
  std::shared_ptr<const FusableWorkload> workload;
  std::shared_ptr<const Architecture> architecture;
  if (const auto setting = run::ValueOr(Need(settings, "workload"), &errors)) {
    workload = run::ValueOr(loader->FusableNodesOf(**setting), &errors).value_or(nullptr);
  }
  const bool has_own = workload && workload->architecture;
  if (settings.contains("arch") || !has_own) {
    if (const auto setting = run::ValueOr(Need(settings, "arch"), &errors)) {
      architecture = run::ValueOr(loader->Arch(**setting), &errors).value_or(nullptr);
    }
  }
  if (!errors.empty()) return Fail(std::move(errors));
  auto inputs = run::InputsOf(request, workload->nodes,
                              architecture ? *architecture : *workload->architecture);
  if (!inputs) return Fail(std::move(inputs.error()));
  loader->Warn(inputs->record.warnings);
  const auto shared = std::make_shared<const run::FuseInputs>(*std::move(inputs));
  return RunPoint(
      [request, shared](const RunLimits& limits, const StopFlag& stop, StudyPoint* point) {
        Fill(request, *shared, limits, stop, point);
      });
}

}  // namespace

RunRecord FuseRun() {
  return {"fuse", AxesOf({"workload", "arch"}, FuseAxisOptions()), PrepareFuse};
}

}  // namespace inlay::study
