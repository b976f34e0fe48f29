#include <memory>
#include <string>
#include <utility>

#include "inlay/base/deadline.h"
#include "inlay/run/mapspace.h"
#include "inlay/study/run_kinds.h"

namespace inlay::study {
namespace {

std::vector<Option> MapspaceAxisOptions() {
  return AxisOptions(StructureOf(static_cast<const run::MapspaceRequest*>(nullptr)),
                     {"seed", "time_limit"});
}

void SetExact(const std::string& name, const BigUint& count, StudyFigures* figures) {
  figures->Set(name, count.ToDouble());
  figures->texts.emplace_back(name, count.ToString());
}

StudyFigures FiguresOf(const SpaceSize& size) {
  StudyFigures figures;
  SetExact("size", size.size, &figures);
  SetExact("tilings", size.tilings, &figures);
  SetExact("bypass", size.bypass, &figures);
  return figures;
}

void Run(const run::LayerInputs& inputs, Mapspace mapspace, const Deadline& deadline,
         StudyPoint* point) {
  point->status = PointStatus::kDone;
  run::LayerCounter counter(inputs, mapspace, deadline);
  const std::vector<Layer>& layers = inputs.network.layers;
  for (size_t i = 0; i < layers.size(); ++i) {
    const run::LayerSize& layer = counter.At(i);
    if (layer.size) {
      point->layers.push_back({layers[i].name, layers[i].repeat, FiguresOf(*layer.size)});
      continue;
    }
    point->status = PointStatus::kNoAnswer;
    AddReasons(layer.faults, point, layers[i].name);
  }
  // A sum over layers is the size of nothing; a point of one layer has its figures.
  if (layers.size() == 1 && point->layers.size() == 1) {
    point->figures = point->layers.front().figures;
    point->layers.clear();
  }
}

Result<RunPoint> PrepareMapspace(const Settings& settings, Loader* loader) {
  Diagnostics errors;
  const auto request = ReadRequest<run::MapspaceRequest>(settings, MapspaceAxisOptions(), &errors);
  run::ValueOr(Need(settings, "mapspace"), &errors);
  const auto inputs = std::make_shared<const run::LayerInputs>(LayersOf(settings, loader, &errors));
  if (!errors.empty()) return Fail(std::move(errors));
  return RunPoint([inputs, mapspace = request.mapspace](const RunLimits& limits,
                                                        const StopFlag& stop, StudyPoint* point) {
    Run(*inputs, mapspace, Deadline(stop, limits.seconds), point);
  });
}

}  // namespace

RunRecord MapspaceRun() {
  return {"mapspace", AxesOf({"workload", "arch"}, MapspaceAxisOptions()), PrepareMapspace};
}

}  // namespace inlay::study
