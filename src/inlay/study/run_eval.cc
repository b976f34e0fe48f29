#include <memory>
#include <string>
#include <utility>

#include "inlay/run/eval.h"
#include "inlay/study/run_kinds.h"

namespace inlay::study {
namespace {

void Run(const run::EvalRequest& request, const run::CaseInputs& inputs, StudyPoint* point) {
  const auto run = run::Run(request, inputs);
  point->status = run ? PointStatus::kDone : PointStatus::kNoAnswer;
  if (!run) return AddReasons(run.error().errors, point);
  const Cost& cost = run->costs.front().cost;
  point->figures = CostFigures(cost.operations, cost);
}

Result<RunPoint> PrepareEval(const Settings& settings, Loader* loader) {
  const auto name = Need(settings, "case");
  if (!name) return Fail(name.error());
  run::EvalRequest request;
  request.of.files = {(*name)->text};
  auto inputs = Load(&request);
  if (!inputs) return Fail(At((*name)->place, std::move(inputs.error())));
  for (const InputRecord& record : inputs->record.inputs) loader->record.inputs.push_back(record);
  return RunPoint(
      [request, inputs = *std::move(inputs)](const RunLimits&, const StopFlag&, StudyPoint* point) {
        Run(request, inputs, point);
      });
}

}  // namespace

RunRecord EvalRun() { return {"eval", {"case"}, PrepareEval}; }

}  // namespace inlay::study
