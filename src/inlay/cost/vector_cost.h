#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "inlay/core/architecture.h"
#include "inlay/core/cost.h"
#include "inlay/core/problem.h"
#include "inlay/core/vector_work.h"

namespace inlay {

// What a node costs on vector units: docs/reference/vector-units.md.
struct VectorCost {
  Cost cost;                       // of the tensors of VectorTensors()
  std::optional<LevelId> held_in;  // where rows that are read several times lie
};

// Weights, Inputs and Outputs: what the nodes of vector units read and write is called so.
const Problem& VectorTensors();

// The cycles that the architecture's vector units compute for, by rule 8 of the page.
tl::expected<double, std::string> VectorCyclesOf(const VectorWork& work,
                                                 const Architecture& architecture);

// The architecture has vector units, and calls tensors by these names. The error says why the node
// cannot be counted.
tl::expected<VectorCost, std::string> CostOfVectorWork(const VectorWork& work,
                                                       const Architecture& architecture);

}  // namespace inlay
