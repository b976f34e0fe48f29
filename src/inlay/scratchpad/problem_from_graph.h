#pragma once

#include <optional>
#include <tl/expected.hpp>

#include "inlay/base/deadline.h"
#include "inlay/core/element_bits.h"
#include "inlay/scratchpad/problem.h"

namespace inlay {

struct PlanSettings {
  int bits = 16;  // of every element
  // Where elements are of several widths, that of each value, views too; `bits` is then the widest.
  // Empty: all have `bits`.
  IndexedVector<ValueId, int> value_bits = {};
  bool weights_stay = false;
  bool side_by_side = false;  // whether equal units run independent nodes in one step
  int threads = 1;            // for the fronts
  // The most time for the fronts; then what was found by then is used. None: to their end.
  std::optional<double> table_seconds = {};
};

// The bits of an element of the value.
inline int BitsOf(const PlanSettings& settings, ValueId value) {
  return settings.value_bits.empty() ? settings.bits : settings.value_bits[value];
}

// The planning problem of a valid graph on a valid machine. Where a unit has an architecture, the
// mapper's fronts are computed here, those of equal layers once; a stop cuts them short as the end
// of their time does. Faults: a tensor of no bytes or of more than 64 bits hold, a layer that the
// architecture cannot compute. A view of a part of a value, which a valid graph has not, counts as
// many bytes as it has.
tl::expected<PlanProblem, Faults> MakePlanProblem(const Graph& graph, const Machine& machine,
                                                  const PlanSettings& settings,
                                                  const StopFlag& stop);

}  // namespace inlay
