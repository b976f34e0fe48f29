#pragma once

#include <cstdint>
#include <limits>
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

// What is known of addresses before.
struct AddressHint {
  const Plan* like = nullptr;  // a plan in the same order, or none
  // What begins before this step has good addresses there.
  int64_t known_until = std::numeric_limits<int64_t>::max();
  // Only what begins before this step gets an address.
  int64_t until = std::numeric_limits<int64_t>::max();
};

// Gives addresses to everything that lies in the pad, workspaces too. Where the plan differs from
// the one it is like, and around, addresses are looked for first while the others stay.
std::optional<Misfit> GiveAddresses(const PlanProblem& problem, const Choices& choices, PadId pad,
                                    const dsa::Options& options, const AddressHint& hint,
                                    Plan* plan);

}  // namespace inlay
