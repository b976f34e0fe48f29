#pragma once

#include <string>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/core/mapspace_result.h"
#include "inlay/mapspace/count.h"
#include "inlay/run/layers.h"

namespace inlay::run {

// What `inlay mapspace` is asked for.
struct MapspaceRequest {
  std::vector<std::string> workloads, arch, constraints;  // arch: empty where workloads hold it
  Mapspace mapspace = Mapspace::kRubyS;
  CommonRequest common;
};
const Structure& StructureOf(const MapspaceRequest*);

Result<LayerInputs> Load(const MapspaceRequest* request);

// How many mappings a layer has, or why that cannot be said.
struct LayerSize {
  std::optional<SpaceSize> size;
  Faults faults;
  bool has_space = true;  // the faults are not those of the constraints
};

// Counts the mappings of layers; layers of the same problem are counted once. What it is made of
// outlives it.
class LayerCounter {
 public:
  LayerCounter(const LayerInputs& inputs, Mapspace mapspace, const Deadline& deadline);
  const LayerSize& At(size_t layer);

 private:
  LayerSize Count(const Layer& layer) const;

  const LayerInputs& inputs_;
  Mapspace mapspace_;
  const Deadline& deadline_;
  std::vector<std::optional<LayerSize>> sizes_;  // of each layer; of those like another none
};

// The sizes of the mapspaces of all layers.
Outcome<MapspaceResult> Run(const MapspaceRequest& request, const LayerInputs& inputs,
                            const StopFlag& stop);

}  // namespace inlay::run
