#pragma once

#include <cstdint>
#include <tl/expected.hpp>

#include "inlay/base/deadline.h"
#include "inlay/scratchpad/addresses.h"
#include "inlay/scratchpad/choices.h"

namespace inlay {

// How long to look for addresses: nodes of the search for each pad, so that the answer does not
// depend on the machine; and the deadline, if any.
inline constexpr int64_t kAddressNodes = 2'000;

// The choices as a plan, with addresses; of a plan that is like it most are kept, which is quicker
// than to look for all of them.
tl::expected<Plan, Misfit> PlanFrom(const PlanProblem& problem, const Choices& choices,
                                    int64_t address_nodes = kAddressNodes,
                                    const Deadline* deadline = nullptr,
                                    const AddressHint& hint = {});

}  // namespace inlay
