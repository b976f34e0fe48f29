#include "inlay/scratchpad/unit_assignment.h"

#include <optional>

#include "inlay/scratchpad/problem.h"

namespace inlay {
namespace {

bool IsFaster(const ComputeUnit& a, const ComputeUnit& b) {
  if (a.architecture.has_value() != b.architecture.has_value()) return a.architecture.has_value();
  return a.macs_per_second > b.macs_per_second;
}

}  // namespace

UnitId UnitFor(const Machine& machine, bool multiplies) {
  UnitId best(0);
  for (UnitId u : Ids(machine.units)) {
    const ComputeUnit &unit = machine.units[u], &other = machine.units[best];
    if (multiplies ? IsFaster(unit, other) : IsFaster(other, unit)) best = u;
  }
  return best;
}

IndexedVector<UnitId, PadId> WorkspacePads(const Machine& machine) {
  IndexedVector<UnitId, PadId> pads;
  for (UnitId u : Ids(machine.units)) {
    std::optional<PadId> largest;
    for (PadId p : Ids(machine.pads)) {
      if (!Reaches(machine, u, p)) continue;
      if (!largest || machine.pads[p].bytes > machine.pads[*largest].bytes) largest = p;
    }
    pads.push_back(largest.value_or(PadId(0)));
  }
  return pads;
}

}  // namespace inlay
