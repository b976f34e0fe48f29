#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "inlay/scratchpad/choices.h"
#include "inlay/scratchpad/dsa/dsa.h"

namespace inlay {

// Where addresses were not found: the stays of these tensors in the pad, and the workspaces, each
// within the steps from … to − 1.
struct Misfit {
  PadId pad;
  int64_t from = 0, to = 0;
  std::vector<ValueId> tensors;  // ascending, each once
  bool proven = false;           // there are no such addresses; else they were not found in time
};

// Gives addresses to everything that lies in the pad, workspaces too. `like`: a plan in the same
// order, or none; where the plan differs from it, and around, addresses are looked for first, the
// others stay.
std::optional<Misfit> GiveAddresses(const PlanProblem& problem, const Choices& choices, PadId pad,
                                    const dsa::Options& options, const Plan* like, Plan* plan);

}  // namespace inlay
