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

double VectorRateOf(const ComputeUnit& unit, double clock_hz) {
  if (!unit.architecture) return unit.vector_ops_per_second.value_or(0);
  const VectorUnits& vector = unit.architecture->vector_units;
  if (vector.units.empty()) return 0;
  return vector.units.front().ops_per_cycle *
         static_cast<double>(VectorInstances(*unit.architecture)) * clock_hz;
}

UnitId UnitFor(const Machine& machine, bool multiplies) {
  UnitId best(0);
  for (UnitId u : Ids(machine.units)) {
    const ComputeUnit &unit = machine.units[u], &other = machine.units[best];
    const double rate = VectorRateOf(unit, machine.clock_hz);
    const double best_rate = VectorRateOf(other, machine.clock_hz);
    const bool better = multiplies          ? IsFaster(unit, other)
                        : rate != best_rate ? rate > best_rate
                                            : IsFaster(other, unit);
    if (better) best = u;
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
