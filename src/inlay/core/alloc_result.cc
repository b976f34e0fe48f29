#include "inlay/core/alloc_result.h"

#include "inlay/base/fields.h"

namespace inlay {

const Structure& StructureOf(const AllocCause*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&AllocCause::lower>("lower", "from this time"),
      Row<&AllocCause::upper>("upper", "to before this time"),
      Row<&AllocCause::buffers>("buffers", "buffers that do not fit together"),
      Row<&AllocCause::bytes>("bytes", "the sum of their sizes"),
  });
  return Describe<AllocCause, kFields>("AllocCause");
}

const Structure& StructureOf(const AllocPeak*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&AllocPeak::bytes>("bytes", "the largest sum of buffers that live at the same time"),
      Row<&AllocPeak::lower>("lower", "the first time with that sum"),
      Row<&AllocPeak::upper>("upper", "the end of that time"),
  });
  return Describe<AllocPeak, kFields>("AllocPeak");
}

const Structure& StructureOf(const AllocResult*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&AllocResult::header>("", "", {.inlined = true}),
      Row<&AllocResult::capacity>("capacity", "as asked for; else as found",
                                  {.presence = Presence::kNull}),
      Row<&AllocResult::height>("height", "the end of the highest buffer",
                                {.presence = Presence::kNull}),
      Row<&AllocResult::lower_bound>("lower_bound", "no smaller capacity is enough"),
      Row<&AllocResult::peak_load>("peak_load", "when most is in use"),
      Row<&AllocResult::status>("status", "placed, infeasible or timeout"),
      Row<&AllocResult::interrupted>("interrupted", "stopped by the user",
                                     {.presence = Presence::kUnlessDefault}),
      Row<&AllocResult::cause>("cause", "why there is no placement"),
      Row<&AllocResult::offsets>("offsets", "the address of every buffer"),
      Row<&AllocResult::buffers>("buffers", "what was to be placed"),
      Row<&AllocResult::seconds>("seconds", "time of the search", {.group = "measured"}),
      Row<&AllocResult::nodes>("nodes", "partial placements looked at", {.group = "measured"}),
  });
  return Describe<AllocResult, kFields>("AllocResult");
}

}  // namespace inlay
