#include "inlay/scratchpad/problem.h"

#include <algorithm>
#include <limits>

#include "inlay/base/checked_arithmetic.h"

namespace inlay {

int64_t AlignedBytes(const Scratchpad& pad, int64_t size) {
  const auto rounded = CheckedMultiply(CeilDiv(size, pad.alignment_bytes), pad.alignment_bytes);
  return rounded.value_or(std::numeric_limits<int64_t>::max());
}

bool Reaches(const Machine& machine, UnitId unit, PadId pad) {
  const std::vector<UnitId>& units = machine.pads[pad].reached_by;
  return std::find(units.begin(), units.end(), unit) != units.end();
}

}  // namespace inlay
