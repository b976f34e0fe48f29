#pragma once

#include <optional>
#include <vector>

#include "inlay/core/architecture.h"
#include "inlay/core/cost.h"
#include "inlay/core/problem.h"
#include "inlay/gp/posynomial.h"
#include "inlay/gp/volume.h"

namespace inlay::gp {

// pJ per word.
struct SymbolicEnergy {
  Signomial read, fill, update;
};

// Σ weight × words of a tile ≤ capacity.
struct SymbolicRoom {
  Monomial capacity;
  IndexedVector<TensorId, double> weights;  // 0: lies elsewhere
};

struct SymbolicLevel {
  IndexedVector<TensorId, SymbolicEnergy> energy;
  std::vector<SymbolicRoom> rooms;  // none: unbounded
  Monomial x, y;                    // lanes below it
  Signomial leakage_pj_per_cycle;   // of all instances
};

// The sizes of an architecture that a program may choose: constants or variables.
struct Sizes {
  IndexedVector<LevelId, std::optional<Monomial>> capacity_words;  // shared ones; none: unbounded
  IndexedVector<LevelId, Monomial> x, y;                           // fan-outs
};
Sizes SizesOf(const Architecture& architecture);

// An architecture as a geometric program sees it: what an access costs and how much fits, as
// numbers or as posynomials of the sizes that are still free.
struct SymbolicArchitecture {
  IndexedVector<LevelId, SymbolicLevel> levels;
  double compute_pj = 0;          // per operation
  std::vector<Signomial> limits;  // on the free sizes: posynomials ≤ 1
};

// The architecture for one problem, because a tensor may have words of its own width. The
// technology prices what is free; energies that the architecture gives outright stay what they are.
SymbolicArchitecture SymbolicArchitectureOf(const Problem& problem,
                                            const Architecture& architecture, const Sizes& sizes);

// Area in um2 of all instances; the architecture has a technology.
Signomial AreaOf(const Architecture& architecture, const Sizes& sizes);

// Copies of one tensor from one level that keeps it to the next; the compute lanes stand last.
struct Transfer {
  TensorId tensor;
  LevelId outer, inner;
  Words words;
};
std::vector<Transfer> TransfersOf(const Problem& problem, const Nest& nest);

// pJ of a word that goes both ways if it is an output, inward only if not; the operands of a MAC,
// if the transfer is to the compute lanes.
Signomial PjPerWord(const Problem& problem, const SymbolicArchitecture& machine,
                    const Transfer& transfer);

// pJ of the whole problem, the first read of every partial sum counted (accounting `literal`).
// Corrections with a minus are left out, so that it is a posynomial, exact where windows are whole.
Signomial EnergyOf(const Problem& problem, const SymbolicArchitecture& machine, const Nest& nest);

// pJ of the first reads of partial sums, which the accounting `elide` leaves out of it.
Signomial FirstReadsOf(const Problem& problem, const SymbolicArchitecture& machine,
                       const Nest& nest);

// The tiles of all levels fit: posynomials ≤ 1.
std::vector<Signomial> RoomConstraints(const Problem& problem, const SymbolicArchitecture& machine,
                                       const Nest& nest);

// Without its negative terms: no less than it.
Signomial WithoutCorrections(Signomial signomial);

}  // namespace inlay::gp
