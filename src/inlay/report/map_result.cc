#include "inlay/report/map_result.h"

#include <utility>

#include "inlay/base/mention.h"
#include "inlay/io/native/native.h"
#include "inlay/io/timeloop/write.h"
#include "inlay/report/eval.h"

namespace inlay::report {

Faults ReasonsOf(const LayerAnswer& answer) {
  if (answer.best || !answer.front.empty()) return {};
  if (!answer.unsupported.empty()) return answer.unsupported;
  if (!answer.infeasible.empty()) return answer.infeasible;
  if (!answer.begun) return {{"", "not searched (interrupted)", ""}};
  if (answer.interrupted) {
    return {{"", "the search was stopped before it had found a mapping", "allow more time"}};
  }
  return {{"", "the search gave up: it found no mapping, and no proof that there is none",
           "try a smaller mapspace, or constrain the dimensions that are large"}};
}

LayerResult LayerResultOf(const Layer& layer, const Architecture& architecture,
                          const LayerAnswer& answer) {
  LayerResult result;
  result.name = layer.name;
  result.repeat = layer.repeat;
  result.operations = Operations(layer.problem);
  result.interrupted = answer.interrupted;
  result.searched = answer.begun;
  result.points_visited = answer.points_visited;
  result.points_in_space = answer.points_in_space;
  result.measured = answer.effort;
  for (const Fault& reason : ReasonsOf(answer)) result.reasons.push_back(Spell(reason.message));
  if (!answer.front.empty()) result.front.emplace();
  for (const FrontPoint& point : answer.front) {
    result.front->push_back(
        {point.footprint_words, point.offchip_words, point.cycles,
         io::MappingLines(point.solution.problem, architecture, point.solution.mapping)});
  }
  if (answer.best || !answer.front.empty()) result.certificate = answer.certificate;
  if (!answer.best) return result;
  const Solution& best = *answer.best;
  result.cost = LayerCostOf(layer.problem, architecture, best.cost);
  result.cost->limited_by = LimitText(architecture, best.cost);
  result.mapping = io::MappingLines(best.problem, architecture, best.mapping);
  result.counts = LayerCountsOf(architecture, best);
  if (auto timeloop = io::TimeloopMappingOf(best.problem, architecture, best.mapping)) {
    result.timeloop_mapping = *std::move(timeloop);
  } else {
    result.timeloop_note = timeloop.error().front().message;
  }
  if (answer.dnnopt) {
    const DnnoptFigures& model = *answer.dnnopt;
    result.dnnopt = DnnoptResult{
        model.order, {}, model.total_offchip_words, model.array_cycles, model.stall_cycles};
    for (TensorId t : Ids(model.offchip_words)) {
      result.dnnopt->offchip_words.emplace_back(layer.problem.tensors[t].name,
                                                model.offchip_words[t]);
    }
  }
  return result;
}

}  // namespace inlay::report
