#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "inlay/run/map.h"
#include "inlay/study/run_kinds.h"

namespace inlay::study {
namespace {

std::vector<Option> MapAxisOptions() {
  return AxisOptions(StructureOf(static_cast<const run::MapRequest*>(nullptr)),
                     {"front", "onchip"});
}

double Share(double part, double whole) { return whole > 0 ? part / whole : 0; }

// The figures of one layer.
StudyFigures FiguresOf(const Layer& layer, const LayerAnswer& answer) {
  const Cost& cost = answer.best->cost;
  StudyFigures figures = CostFigures(Operations(layer.problem), cost);
  if (cost.padded_operations) {
    figures.Set("padded_operations", static_cast<double>(*cost.padded_operations));
  }
  figures.Set("gap", answer.certificate.gap);
  if (answer.dnnopt) {
    figures.Set("model_offchip_words", static_cast<double>(answer.dnnopt->total_offchip_words));
    figures.Set("model_over_exact", Share(static_cast<double>(answer.dnnopt->total_offchip_words),
                                          static_cast<double>(cost.offchip_words)));
    figures.Set("array_cycles",
                static_cast<double>(answer.dnnopt->array_cycles + answer.dnnopt->stall_cycles));
  }
  if (answer.points_visited && answer.points_in_space) {
    figures.Set("points_visited", *answer.points_visited);
    figures.Set("points_in_space", *answer.points_in_space);
    figures.Set("pruned", 1 - Share(*answer.points_visited, *answer.points_in_space));
  }
  return figures;
}

// Sums over the layers, repeats counted; ratios are those of the sums.
StudyFigures TotalsOf(const Architecture& architecture, const std::vector<StudyLayer>& layers,
                      const std::vector<size_t>& same_as) {
  const auto sum = [&](const std::string& name, bool repeated) {
    std::optional<double> total;
    for (size_t i = 0; i < layers.size(); ++i) {
      const auto value = layers[i].figures.Find(name);
      if (!value || (!repeated && same_as[i] != i)) continue;
      total = total.value_or(0) + *value * (repeated ? static_cast<double>(layers[i].repeat) : 1);
    }
    return total;
  };
  StudyFigures figures;
  const double operations = *sum("operations", true), cycles = *sum("cycles", true);
  const double energy = *sum("energy_pj", true);
  figures.Set("operations", operations);
  figures.Set("energy_pj", energy);
  figures.Set("cycles", cycles);
  figures.Set("edp", energy * cycles);
  figures.Set("offchip_words", *sum("offchip_words", true));
  figures.Set("utilization",
              operations / (static_cast<double>(ComputeLanes(architecture)) * cycles));
  figures.Set("pj_per_op", energy / operations);
  figures.Set("ops_per_cycle", operations / cycles);
  for (const char* name : {"padded_operations", "model_offchip_words", "array_cycles"}) {
    if (const auto total = sum(name, true)) figures.Set(name, *total);
  }
  double gap = 0;
  for (const StudyLayer& layer : layers) gap = std::max(gap, *layer.figures.Find("gap"));
  figures.Set("gap", gap);
  const auto visited = sum("points_visited", false), in_space = sum("points_in_space", false);
  if (visited && in_space) {
    figures.Set("points_visited", *visited);
    figures.Set("points_in_space", *in_space);
    figures.Set("pruned", 1 - Share(*visited, *in_space));
  }
  if (const auto area = AreaUm2(architecture)) figures.Set("area_um2", *area);
  return figures;
}

void Fill(const NetworkTask& task, const NetworkAnswer& answer, StudyPoint* point) {
  bool complete = true, cut = false;
  for (size_t i = 0; i < answer.layers.size(); ++i) {
    const LayerAnswer& layer = answer.layers[i];
    point->seconds += layer.effort.seconds;
    cut |= layer.interrupted;
    if (layer.best) {
      const StudyCertificate proof{layer.certificate.status, layer.certificate.gap,
                                   layer.certificate.proven};
      point->layers.push_back({task.network.layers[i].name, task.network.layers[i].repeat,
                               FiguresOf(task.network.layers[i], layer), proof});
      if (!point->proof) point->proof = proof;
      point->proof->Worsen(proof);
      continue;
    }
    complete = false;
    AddReasons(layer.infeasible, point, task.network.layers[i].name);
    AddReasons(layer.unsupported, point, task.network.layers[i].name);
  }
  if (complete) point->figures = TotalsOf(task.architecture, point->layers, answer.same_as);
  if (complete && answer.totals && answer.totals->certificate) {
    const Certificate& known = *answer.totals->certificate;
    point->proof = StudyCertificate{known.status, known.gap, known.proven};
    point->figures.Set("gap", known.gap);
  }
  point->status = complete ? PointStatus::kDone : PointStatus::kNoAnswer;
  if (cut) point->status = PointStatus::kCut;
}

void Run(NetworkTask task, const RunLimits& limits, const StopFlag& stop, StudyPoint* point) {
  task.seconds = limits.seconds;
  task.options.threads = limits.threads;
  const auto answer = MapNetwork(task, stop);
  if (answer) return Fill(task, *answer, point);
  point->status = PointStatus::kNoAnswer;
  AddReasons(answer.error(), point);
}

Result<RunPoint> PrepareMap(const Settings& settings, Loader* loader) {
  Diagnostics errors;
  const auto request = ReadRequest<run::MapRequest>(settings, MapAxisOptions(), &errors);
  run::LayerInputs inputs = LayersOf(settings, loader, &errors);
  if (!errors.empty()) return Fail(std::move(errors));
  inputs.tensor_names_resolved = io::MatchTensorNames(
      inputs.network.layers, &inputs.architecture, &inputs.constraints, &loader->record, &errors);
  if (!errors.empty()) return Fail(std::move(errors));
  // Each value is right, their combination is not: a hole in the grid.
  if (const Diagnostics unable = run::Check(request); !unable.empty()) {
    return RunPoint([unable](const RunLimits&, const StopFlag&, StudyPoint* point) {
      point->status = PointStatus::kNoAnswer;
      AddReasons(unable, point);
    });
  }
  const auto task = std::make_shared<const NetworkTask>(TaskOf(request, std::move(inputs)));
  return RunPoint([task](const RunLimits& limits, const StopFlag& stop, StudyPoint* point) {
    Run(*task, limits, stop, point);
  });
}

}  // namespace

RunRecord MapRun() { return {"map", AxesOf({"workload", "arch"}, MapAxisOptions()), PrepareMap}; }

}  // namespace inlay::study
