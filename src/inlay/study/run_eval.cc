#include <string>
#include <utility>

#include "inlay/cost/evaluate.h"
#include "inlay/study/prepare.h"

namespace inlay::study {
namespace {

void Run(const io::Case& input, StudyPoint* point) {
  point->status = PointStatus::kNoAnswer;
  for (const Fault& fault : CheckCapacity(input.problem, input.architecture, input.mapping)) {
    point->reasons.push_back(fault.message);
  }
  if (!point->reasons.empty()) return;
  const auto cost = Evaluate(input.problem, input.architecture, input.mapping);
  if (!cost) {
    point->reasons.push_back(cost.error().message);
    return;
  }
  point->status = PointStatus::kDone;
  const auto cycles = static_cast<double>(cost->cycles);
  const auto operations = static_cast<double>(cost->operations);
  point->figures.Set("operations", operations);
  point->figures.Set("energy_pj", cost->energy_pj);
  point->figures.Set("cycles", cycles);
  point->figures.Set("edp", cost->energy_pj * cycles);
  point->figures.Set("offchip_words", static_cast<double>(cost->offchip_words));
  point->figures.Set("utilization", cost->utilization);
  point->figures.Set("pj_per_op", cost->energy_pj / operations);
  point->figures.Set("ops_per_cycle", operations / cycles);
}

Result<RunPoint> PrepareEval(const Settings& settings, Loader* loader) {
  const auto name = Need(settings, "case");
  if (!name) return Fail(name.error());
  auto input = io::LoadCase({.files = {(*name)->text}, .problem = {}, .arch = {}, .mapping = {}});
  if (!input) return Fail(At((*name)->place, std::move(input.error())));
  for (const InputRecord& record : input->inputs) loader->record.inputs.push_back(record);
  return RunPoint([input = *std::move(input)](const RunLimits&, const StopFlag&,
                                              StudyPoint* point) { Run(input, point); });
}

}  // namespace

RunRecord EvalRun() { return {"eval", {"case"}, PrepareEval}; }

}  // namespace inlay::study
