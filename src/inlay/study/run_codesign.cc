#include <algorithm>
#include <charconv>
#include <memory>
#include <string>
#include <utility>

#include "inlay/codesign/codesign.h"
#include "inlay/codesign/options.h"
#include "inlay/codesign/template.h"
#include "inlay/io/library/library.h"
#include "inlay/study/prepare.h"

namespace inlay::study {
namespace {

std::vector<Option> OptionRecords() {
  std::vector<Option> records = CodesignOptionRecords();
  records.push_back(TimeLimitRecord("the most time for the whole point"));
  records.push_back(ThreadsRecord());
  return records;
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
  StudyProof together{CertificateStatus::kHeuristic, 1, {}};  // all layers
  StudyProof alone = together;  // each: a bound on the whole says nothing about one
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
  if (limits.seconds) {
    task.options.time_limit_seconds =
        std::min(*limits.seconds, task.options.time_limit_seconds.value_or(*limits.seconds));
  }
  const CodesignAnswer answer = Codesign(task, stop);
  point->status = PointStatus::kNoAnswer;
  for (const Faults* faults : {&answer.unable, &answer.infeasible}) {
    for (const Fault& fault : *faults) point->reasons.push_back(fault.message);
  }
  if (point->reasons.empty()) Fill(task, answer, point);
}

// um2.
Result<double> AreaOf(const StudySetting& setting) {
  double area = 0;
  const char* end = setting.text.data() + setting.text.size();
  const auto [last, error] = std::from_chars(setting.text.data(), end, area);
  if (error == std::errc() && last == end && area > 0) return area;
  return Fail(At(
      setting.place,
      {MakeError({}, "expected an area in um2, found '" + setting.text + "'", "such as 2363756")}));
}

Result<RunPoint> PrepareCodesign(const Settings& settings, Loader* loader) {
  const std::vector<Option> records = OptionRecords();
  OptionValues values(records);
  Diagnostics errors = SetOptions(settings, records, &values);
  const auto collect = [&errors](const auto& result) {
    if (!result) errors.insert(errors.end(), result.error().begin(), result.error().end());
    return result.has_value();
  };
  auto task = std::make_shared<CodesignTask>();
  if (errors.empty()) errors = ReadCodesignOptions(values, task.get());
  const auto workload = Need(settings, "workload"), technology = Need(settings, "technology"),
             area = Need(settings, "area");
  if (collect(workload)) {
    const auto network = loader->Workload(**workload);
    if (collect(network)) task->network = **network;
  }
  if (collect(technology) && collect(area)) {
    auto known = io::LoadBuiltinTechnology((*technology)->text);
    if (!known) known = Fail(At((*technology)->place, known.error()));
    const auto um2 = AreaOf(**area);
    const bool both = static_cast<int>(collect(known)) + static_cast<int>(collect(um2)) == 2;
    if (both) task->space = ThistleTemplate(*known, *um2);
  }
  if (!errors.empty()) return Fail(std::move(errors));
  return RunPoint([task](const RunLimits& limits, const StopFlag& stop, StudyPoint* point) {
    Run(*task, limits, stop, point);
  });
}

}  // namespace

RunRecord CodesignRun() {
  RunRecord run{"codesign", {"workload", "technology", "area"}, PrepareCodesign};
  for (const Option& option : OptionRecords()) {
    if (option.name != "threads") run.axes.push_back(KeyOf(option));
  }
  return run;
}

}  // namespace inlay::study
