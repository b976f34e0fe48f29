#pragma once

#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/core/objective.h"
#include "inlay/gp/solver.h"
#include "inlay/gp/symbolic_architecture.h"
#include "inlay/mapper/gp/unknowns.h"
#include "inlay/mapper/mapper.h"

namespace inlay::gp {

// One loop order per level, and the nest of it.
struct OrderedNest {
  IndexedVector<LevelId, std::vector<DimId>> orders;
  Nest nest;
};

// Every combination of orders that are not dominated and that the constraints allow.
std::vector<OrderedNest> OrderedNests(const Space& space, const Unknowns& unknowns);

// Σ over the operand copies and so on, of one metric; the delay is the compute steps alone under
// thistle semantics and the most of those and the transfers of every level otherwise.
struct ProgramOptions {
  Metric metric = Metric::kEnergy;
  Semantics semantics = Semantics::kThistle;
  Accounting accounting = Accounting::kElide;  // of candidates; programs are `literal`
  double room = 1;  // memories are taken to hold so many times what they do
};

// The geometric program of one nest. Variables: those of the Unknowns, and, where there are
// bandwidths to keep to, the cycles.
Program MakeProgram(const Space& space, const Unknowns& unknowns,
                    const SymbolicArchitecture& machine, const Nest& nest,
                    const ProgramOptions& options);

// A strictly feasible point of it, found by putting ever less on the inner loops and giving every
// size, and the cycles, a little more than they need; empty if none is found, which is so where a
// memory just holds the smallest tiles.
Values FindStart(const Program& program, const Unknowns& unknowns);

}  // namespace inlay::gp
