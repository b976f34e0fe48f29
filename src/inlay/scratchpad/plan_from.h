#pragma once

#include <cstdint>
#include <tl/expected.hpp>
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

// How long to look for addresses: nodes of the search for each pad, so that the answer does not
// depend on the machine; and the deadline, if any.
inline constexpr int64_t kAddressNodes = 2'000;

// The choices as a plan, with addresses.
tl::expected<Plan, Misfit> PlanFrom(const PlanProblem& problem, const Choices& choices,
                                    int64_t address_nodes = kAddressNodes,
                                    const Deadline* deadline = nullptr);

}  // namespace inlay
