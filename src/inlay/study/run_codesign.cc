#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "inlay/codesign/thistle_template.h"
#include "inlay/io/library/library.h"
#include "inlay/run/codesign.h"
#include "inlay/study/run_kinds.h"

namespace inlay::study {
namespace {

std::vector<Option> CodesignAxisOptions() {
  return AxisOptions(StructureOf(static_cast<const run::CodesignRequest*>(nullptr)),
                     {"technology", "area", "power", "sram", "bandwidth", "seed"});
}

StudyFigures FiguresOf(double operations, double energy_pj, double cycles) {
  StudyFigures figures;
  figures.Set("operations", operations);
  figures.Set("energy_pj", energy_pj);
  figures.Set("cycles", cycles);
  figures.Set("edp", energy_pj * cycles);
  figures.Set("pj_per_op", energy_pj / operations);
  figures.Set("ops_per_cycle", operations / cycles);
  return figures;
}

// Layer by layer in the order of the network, each with the architecture that it is on.
void Fill(const CodesignTask& task, const CodesignAnswer& answer, StudyPoint* point) {
  StudyCertificate together{CertificateStatus::kHeuristic, 1, {}};  // all layers
  StudyCertificate alone = together;  // each: a bound on the whole says nothing about one
  if (answer.certificate) {
    const Certificate& known = *answer.certificate;
    together = {known.status, known.gap, known.proven};
    if (known.status == CertificateStatus::kOptimal) alone = together;
  }
  std::vector<std::pair<size_t, StudyLayer>> layers;
  double operations = 0, energy = 0, cycles = 0;
  for (const Design& design : answer.designs) {
    const auto lanes = static_cast<double>(ComputeLanes(design.choice.architecture));
    for (const LayerDesign& placed : design.layers) {
      const Layer& layer = task.network.layers[placed.layer];
      const Cost& cost = placed.solution.cost;
      const auto of_layer = static_cast<double>(Operations(layer.problem));
      StudyFigures figures = FiguresOf(of_layer, cost.energy_pj, static_cast<double>(cost.cycles));
      figures.Set("offchip_words", static_cast<double>(cost.offchip_words));
      figures.Set("utilization", cost.utilization);
      figures.Set("gap", alone.gap);
      figures.Set("lanes", lanes);
      if (design.choice.area_um2) figures.Set("area_um2", *design.choice.area_um2);
      layers.push_back({placed.layer, {layer.name, layer.repeat, std::move(figures), alone}});
      operations += static_cast<double>(layer.repeat) * of_layer;
    }
    energy += design.energy_pj;
    cycles += static_cast<double>(design.cycles);
  }
  std::sort(layers.begin(), layers.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [number, layer] : layers) point->layers.push_back(std::move(layer));
  point->proof = together;
  point->seconds = answer.effort.seconds;
  point->status = answer.interrupted ? PointStatus::kCut : PointStatus::kDone;
  if (point->layers.size() != task.network.layers.size()) return;
  point->figures = FiguresOf(operations, energy, cycles);
  point->figures.Set("gap", together.gap);
  point->figures.Set("architectures", static_cast<double>(answer.designs.size()));
  if (answer.designs.size() != 1) return;
  const ArchitectureChoice& choice = answer.designs.front().choice;
  point->figures.Set("lanes", static_cast<double>(ComputeLanes(choice.architecture)));
  if (choice.area_um2) point->figures.Set("area_um2", *choice.area_um2);
}

void Run(CodesignTask task, const RunLimits& limits, const StopFlag& stop, StudyPoint* point) {
  task.options.threads = limits.threads;
  task.options.time_limit_seconds = SecondsOf(limits, task.options.time_limit_seconds);
  const CodesignAnswer answer = Codesign(task, stop);
  point->status = PointStatus::kNoAnswer;
  AddReasons(answer.unsupported, point);
  AddReasons(answer.infeasible, point);
  if (point->reasons.empty()) Fill(task, answer, point);
}

// um2.
Result<double> AreaOf(const StudySetting& setting) {
  if (const auto area = run::ParseArea(setting.text)) return *area;
  return Fail(At(
      setting.place,
      {MakeError({}, "expected an area in um2, found '" + setting.text + "'", "such as 2363756")}));
}

Result<RunPoint> PrepareCodesign(const Settings& settings, Loader* loader) {
  Diagnostics errors;
  const auto request = ReadRequest<run::CodesignRequest>(settings, CodesignAxisOptions(), &errors);
  auto task = std::make_shared<CodesignTask>();
  if (errors.empty()) errors = SetOptions(request, task.get());
  if (const auto workload = run::ValueOr(Need(settings, "workload"), &errors)) {
    const auto network = run::ValueOr(loader->Workload(**workload), &errors);
    if (network) task->network = **network;
  }
  const auto technology = run::ValueOr(Need(settings, "technology"), &errors);
  const auto area = run::ValueOr(Need(settings, "area"), &errors);
  if (technology && area) {
    auto known = io::LoadBuiltinTechnology((*technology)->text);
    if (!known) Append(At((*technology)->place, known.error()), &errors);
    const auto um2 = run::ValueOr(AreaOf(**area), &errors);
    if (known && um2) task->space = ThistleTemplate(*known, *um2);
  }
  if (errors.empty()) run::MatchNames(task.get(), &loader->record, &errors);
  if (!errors.empty()) return Fail(std::move(errors));
  return RunPoint([task](const RunLimits& limits, const StopFlag& stop, StudyPoint* point) {
    Run(*task, limits, stop, point);
  });
}

}  // namespace

RunRecord CodesignRun() {
  return {"codesign", AxesOf({"workload", "technology", "area"}, CodesignAxisOptions()),
          PrepareCodesign};
}

}  // namespace inlay::study
