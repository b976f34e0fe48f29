#pragma once

#include <optional>
#include <string>
#include <vector>

#include "inlay/core/map_result.h"
#include "inlay/mapper/network.h"
#include "inlay/run/layers.h"
#include "inlay/run/vector_nodes.h"

namespace inlay::run {

enum class FrontMeasure : uint8_t { kFootprint, kOffchip, kCycles };

// What `inlay map` is asked for.
struct MapRequest {
  std::vector<std::string> workloads, arch, constraints;  // arch: empty where workloads hold it
  MapOptions options;  // time limit, threads, seed and front are those below
  Mapspace mapspace = Mapspace::kRubyS;
  std::vector<FrontMeasure> front;    // empty: one mapping; otherwise all three
  std::optional<std::string> onchip;  // with a front: names of tensors, separated by commas
  CommonRequest common;
};
const Structure& StructureOf(const MapRequest*);

// Options that contradict each other, or that would have no effect.
Diagnostics Check(const MapRequest& request);

// For the result: values that could have changed the answer.
std::vector<std::pair<std::string, OptionValue>> RecordedOptions(const MapRequest& request);

// What the mapper is asked for, of a request that passed its check.
NetworkTask TaskOf(const MapRequest& request, LayerInputs inputs);

struct MapInputs {
  NetworkTask task;
  io::LoadRecord record;
  std::optional<VectorNodes> vector = {};  // their sum is in the task
};
// Everything that can be wrong before the search starts, all at once.
Result<MapInputs> Load(const MapRequest* request);

struct MapRun {
  MapResult result;
  NetworkAnswer answer;
  bool complete = false;  // every layer has a mapping
  Diagnostics missing;    // why the others have none
};
// Fails if no layer has a mapping.
Outcome<MapRun> Run(const MapRequest& request, const MapInputs& inputs, const StopFlag& stop,
                    const MapProgressSink& progress = {});

}  // namespace inlay::run

namespace inlay {
template <>
inline constexpr auto kNames<run::FrontMeasure> =
    std::to_array<EnumName<run::FrontMeasure>>({{run::FrontMeasure::kFootprint, "footprint"},
                                                {run::FrontMeasure::kOffchip, "offchip"},
                                                {run::FrontMeasure::kCycles, "cycles"}});
}  // namespace inlay
