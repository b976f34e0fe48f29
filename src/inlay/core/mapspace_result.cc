#include "inlay/core/mapspace_result.h"

#include "inlay/base/fields.h"

namespace inlay {

const Structure& StructureOf(const MapspaceSize*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&MapspaceSize::size>("size", "mappings: tilings × orders × bypass"),
      Row<&MapspaceSize::tilings>("tilings", "tilings, spatial unrolling included"),
      Row<&MapspaceSize::orders>("orders", "loop orders, on average; N/M where it is a fraction"),
      Row<&MapspaceSize::bypass>("bypass", "choices of what each level keeps"),
  });
  return Describe<MapspaceSize, kFields>("MapspaceSize");
}

const Structure& StructureOf(const MapspaceLayer*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&MapspaceLayer::name>("name", "the layer"),
      Row<&MapspaceLayer::repeat>("repeat", "how often the network has it"),
      Row<&MapspaceLayer::size>("", "", {.inlined = true}),
  });
  return Describe<MapspaceLayer, kFields>("MapspaceLayer");
}

const Structure& StructureOf(const MapspaceResult*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&MapspaceResult::header>("", "", {.inlined = true}),
      Row<&MapspaceResult::mapspace>("mapspace", "the mapspace"),
      Row<&MapspaceResult::only>("", "", {.inlined = true}),
      Row<&MapspaceResult::layers>("layers", "the size for every layer"),
      Row<&MapspaceResult::seconds>("seconds", "time of counting", {.group = "measured"}),
  });
  return Describe<MapspaceResult, kFields>("MapspaceResult");
}

}  // namespace inlay
