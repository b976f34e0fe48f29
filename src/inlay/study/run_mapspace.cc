#include <string>
#include <utility>

#include "inlay/base/deadline.h"
#include "inlay/mapspace/count.h"
#include "inlay/study/prepare.h"

namespace inlay::study {
namespace {

void SetExact(const std::string& name, const BigUint& count, StudyFigures* figures) {
  figures->Set(name, count.ToDouble());
  figures->texts.emplace_back(name, count.ToString());
}

void Run(const Network& network, const Architecture& architecture, Mapspace mapspace,
         const Deadline& deadline, StudyPoint* point) {
  point->status = PointStatus::kDone;
  const auto fail = [&](const Layer& layer, const Faults& faults) {
    point->status = PointStatus::kNoAnswer;
    for (const Fault& fault : faults) point->reasons.push_back(layer.name + ": " + fault.message);
  };
  for (const Layer& layer : network.layers) {
    const auto space = MakeSpace(layer.problem, architecture, mapspace);
    if (!space) {
      fail(layer, space.error());
      continue;
    }
    const auto size = CountMappings(*space, &deadline);
    if (!size) {
      fail(layer, size.error());
      continue;
    }
    StudyFigures figures;
    SetExact("size", size->size, &figures);
    SetExact("tilings", size->tilings, &figures);
    SetExact("bypass", size->bypass, &figures);
    point->layers.push_back({layer.name, layer.repeat, std::move(figures)});
  }
  // A sum over layers is the size of nothing; a point of one layer has its figures.
  if (network.layers.size() == 1 && point->layers.size() == 1) {
    point->figures = point->layers.front().figures;
    point->layers.clear();
  }
}

Result<RunPoint> PrepareMapspace(const Settings& settings, Loader* loader) {
  const auto workload = Need(settings, "workload"), arch = Need(settings, "arch"),
             name = Need(settings, "mapspace");
  Diagnostics errors;
  for (const auto* part : {&workload, &arch, &name}) {
    if (!*part) errors.insert(errors.end(), part->error().begin(), part->error().end());
  }
  if (!errors.empty()) return Fail(std::move(errors));
  const auto mapspace = FromName<Mapspace>((*name)->text);
  if (!mapspace) {
    errors = At((*name)->place, {MakeError({}, "there is no mapspace '" + (*name)->text + "'",
                                           "perfect, padded, ruby-s, ruby-t, ruby or any")});
  }
  const auto network = loader->Workload(**workload);
  const auto architecture = loader->Arch(**arch);
  if (!network) errors.insert(errors.end(), network.error().begin(), network.error().end());
  if (!architecture) {
    errors.insert(errors.end(), architecture.error().begin(), architecture.error().end());
  }
  if (!errors.empty()) return Fail(std::move(errors));
  return RunPoint([network = *network, architecture = *architecture, mapspace = *mapspace](
                      const RunLimits& limits, const StopFlag& stop, StudyPoint* point) {
    Run(*network, *architecture, mapspace, Deadline(stop, limits.seconds), point);
  });
}

}  // namespace

RunRecord MapspaceRun() { return {"mapspace", {"workload", "arch", "mapspace"}, PrepareMapspace}; }

}  // namespace inlay::study
