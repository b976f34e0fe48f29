#include "cli/codesign_result.h"

#include <optional>
#include <string>
#include <utility>

#include "cli/map_files.h"
#include "inlay/io/library/library.h"
#include "inlay/io/load.h"
#include "inlay/report/map_result.h"

namespace inlay::cli {
namespace {

// By level, outer to inner, and of the compute.
std::vector<std::pair<std::string, double>> Named(const Architecture& architecture,
                                                  const std::vector<double>& parts) {
  std::vector<std::pair<std::string, double>> named;
  for (LevelId l : Ids(architecture.levels)) {
    named.emplace_back(architecture.levels[l].name, parts[l.value()]);
  }
  named.emplace_back(architecture.compute.name, parts.back());
  return named;
}

// What each level adds to the area; the rest is the compute's. None without a technology.
std::optional<std::vector<double>> AreaParts(const Architecture& architecture) {
  const auto all = AreaUm2(architecture);
  if (!all) return std::nullopt;
  std::vector<double> parts;
  Architecture bare = architecture;
  double before = *all;
  for (Level& level : bare.levels) {
    level.capacity_words.reset();
    level.partitions.clear();
    const double after = AreaUm2(bare).value_or(0);
    parts.push_back(before - after);
    before = after;
  }
  parts.push_back(before);
  return parts;
}

ArchitectureResult ResultOf(const CodesignTask& task, const Design& design) {
  const Architecture& architecture = design.choice.architecture;
  ArchitectureResult result;
  result.name = architecture.name;
  for (size_t i = 0; i < task.space.free.size(); ++i) {
    result.attributes.emplace_back(task.space.free[i].name, design.choice.values[i]);
  }
  result.area_um2 = design.choice.area_um2;
  result.lanes = ComputeLanes(architecture);
  if (const auto parts = AreaParts(architecture)) {
    result.area_parts_um2 = Named(architecture, *parts);
  }
  std::vector<double> energy(architecture.levels.size() + 1, 0);
  double relaxed = 0;
  bool is_sum = task.options.objective.front() != Metric::kEdp || design.layers.size() == 1;
  for (const LayerDesign& layer : design.layers) {
    LayerAnswer answer;
    answer.best = layer.solution;
    const Layer& of = task.network.layers[layer.layer];
    result.layers.push_back(report::LayerResultOf(of, architecture, answer));
    const auto repeat = static_cast<double>(of.repeat);
    const Cost& cost = layer.solution.cost;
    for (LevelId l : Ids(cost.levels)) energy[l.value()] += repeat * cost.levels[l].energy_pj;
    energy.back() += repeat * cost.compute_energy_pj;
    is_sum &= layer.relaxed.has_value() &&
              (of.repeat == 1 || task.options.objective.front() != Metric::kEdp);
    relaxed += repeat * layer.relaxed.value_or(0);
  }
  if (is_sum) result.relaxed = relaxed;
  result.energy_parts_pj = Named(architecture, energy);
  result.total = {design.energy_pj, design.cycles,
                  design.energy_pj * static_cast<double>(design.cycles)};
  return result;
}

}  // namespace

std::vector<ArchitectureResult> ArchitecturesOf(const CodesignTask& task,
                                                const CodesignAnswer& answer) {
  std::vector<ArchitectureResult> results;
  for (const Design& design : answer.designs) results.push_back(ResultOf(task, design));
  return results;
}

ComparedMethod ComparedTo(const CodesignAnswer& answer, const CodesignTask& task,
                          const CodesignAnswer& other) {
  ComparedMethod compared;
  compared.method = Name(task.method);
  compared.architectures = ArchitecturesOf(task, other);
  if (answer.certificate && other.certificate && answer.certificate->objective > 0) {
    compared.gap = other.certificate->objective / answer.certificate->objective - 1;
  }
  return compared;
}

std::vector<OutputFile> FilesOf(const CodesignTask& task, const std::vector<Design>& designs) {
  std::vector<OutputFile> files;
  for (size_t i = 0; i < designs.size(); ++i) {
    const Architecture& architecture = designs[i].choice.architecture;
    std::vector<LayerAnswer> answers(task.network.layers.size());
    for (const LayerDesign& layer : designs[i].layers) answers[layer.layer].best = layer.solution;
    std::vector<OutputFile> of_design = LayerFiles(task.network, architecture, answers);
    of_design.push_back({"architecture.yaml", io::WriteNative(architecture, io::BuiltinContext())});
    for (OutputFile& file : of_design) {
      if (designs.size() > 1) {
        file.name = "architectures/" + std::to_string(i + 1) + "/" + file.name;
      }
      files.push_back(std::move(file));
    }
  }
  return files;
}

}  // namespace inlay::cli
