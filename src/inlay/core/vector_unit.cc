#include "inlay/core/vector_unit.h"

#include <algorithm>
#include <cmath>

#include "inlay/core/units.h"

namespace inlay {

bool VectorOpSet::contains(VectorOp op) const {
  return all || std::find(ops.begin(), ops.end(), op) != ops.end();
}

const Structure& StructureOf(const VectorUnit*) {
  // What is told apart by its first key has to begin with one of its own.
  static constexpr auto kKeys = std::to_array<Field>({
      KeyOf<&VectorUnit::ops>("ops", "what the units do, for nodes that do not multiply",
                              {.required = true}),
      KeyOf<&VectorUnit::name>("compute", "the name of the units",
                               {.required = true, .text = TextForm::kName}),
      KeyOf<&VectorUnit::ops_per_cycle>("rate", "operations per cycle of one instance",
                                        {.required = true, .unit = &kOperationRateUnits}),
      KeyOf<&VectorUnit::energy_pj>("energy", "of one operation",
                                    {.required = true, .unit = &kEnergyUnits}),
  });
  return DescribeKeys<VectorUnit, kKeys>("a vector unit");
}

Faults Validate(const VectorUnits& vector) {
  Faults faults;
  for (const VectorUnit& unit : vector.units) {
    const std::string where = "levels." + unit.name;
    if (!unit.ops.all && unit.ops.ops.empty()) {
      faults.push_back(
          {where + ".ops", "'" + unit.name + "' has no operations", "write 'ops: all'"});
    }
    if (!(std::isfinite(unit.ops_per_cycle) && unit.ops_per_cycle > 0)) {
      faults.push_back({where + ".rate", "the rate of '" + unit.name + "' is not positive",
                        "write for example '128 ops/cycle'"});
    }
    if (!(std::isfinite(unit.energy_pj) && unit.energy_pj >= 0)) {
      faults.push_back(
          {where + ".energy", "the energy of an operation must be finite and not negative", ""});
    }
  }
  return faults;
}

}  // namespace inlay
