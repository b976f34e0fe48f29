#include "inlay/core/plan.h"

#include "inlay/base/check.h"
#include "inlay/base/fields.h"

namespace inlay {

const Structure& StructureOf(const PlanFigures*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&PlanFigures::latency_seconds>("latency_us", "time of one inference", {.scale = 1e6}),
      Row<&PlanFigures::offchip_bytes>("offchip_bytes", "bytes to and from off chip"),
      Row<&PlanFigures::energy_pj>("energy_pj", "energy of all accesses to memories and off chip"),
  });
  return Describe<PlanFigures, kFields>("PlanFigures");
}

double ValueOf(const PlanFigures& figures, PlanObjective objective) {
  switch (objective) {
    case PlanObjective::kLatency:
      return figures.latency_seconds;
    case PlanObjective::kBytes:
      return static_cast<double>(figures.offchip_bytes);
    case PlanObjective::kEnergy:
      return figures.energy_pj;
  }
  INLAY_CHECK(false);
}

}  // namespace inlay
