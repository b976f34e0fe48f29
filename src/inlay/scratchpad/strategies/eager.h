#pragma once

#include "inlay/scratchpad/choices.h"

namespace inlay {

// Strategy `eager`, in the manner of OnSRAM-Eager: decides step by step, without look-ahead, from
// the steps before. What a node writes goes into the first pad with room; where there is none, the
// tensors that were used longest ago are written back, in the step before, until there is. The
// place of a tensor that no later step uses is free again. `alone` is strategy none's answer: it
// gives the order and the tilings, and is the plan where it needs pads itself.
Plan PlanEagerly(const PlanProblem& problem, const Choices& alone);

}  // namespace inlay
