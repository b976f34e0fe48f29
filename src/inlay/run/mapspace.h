#pragma once

#include <optional>
#include <string>

#include "inlay/core/mapspace_result.h"
#include "inlay/run/layers.h"

namespace inlay::run {

// What `inlay mapspace` is asked for.
struct MapspaceRequest {
  std::string workload;
  std::optional<std::string> arch;
  Mapspace mapspace = Mapspace::kRubyS;
  std::optional<std::string> constraints;
  CommonRequest common;
};
const Structure& StructureOf(const MapspaceRequest*);

Result<LayerInputs> Load(const MapspaceRequest* request);

// The sizes of the mapspaces of all layers; layers of the same problem are counted once.
Outcome<MapspaceResult> Run(const MapspaceRequest& request, const LayerInputs& inputs,
                            const StopFlag& stop);

}  // namespace inlay::run
