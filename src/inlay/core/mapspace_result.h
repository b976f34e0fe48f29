#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inlay/core/result.h"

namespace inlay {

// Decimal numbers as text; they may be larger than JSON readers can hold.
struct MapspaceSize {
  std::string size, tilings, orders, bypass;  // size = tilings × orders × bypass
};
struct MapspaceLayer {
  std::string name;
  int64_t repeat = 1;
  MapspaceSize size;
};
// What result.json of `mapspace` says.
struct MapspaceResult {
  ResultHeader header;
  std::string mapspace;
  std::optional<MapspaceSize> only;  // of a single layer, again
  std::vector<MapspaceLayer> layers;
  double seconds = 0;  // measured
};
const Structure& StructureOf(const MapspaceSize*);
const Structure& StructureOf(const MapspaceLayer*);
const Structure& StructureOf(const MapspaceResult*);

}  // namespace inlay
