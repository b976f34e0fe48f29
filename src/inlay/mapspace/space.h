#pragma once

#include <cstdint>
#include <limits>
#include <tl/expected.hpp>
#include <vector>

#include "inlay/core/architecture.h"
#include "inlay/core/fault.h"
#include "inlay/core/mapping.h"
#include "inlay/core/problem.h"

namespace inlay {

using SlotId = Index<struct SlotTag>;

// A place in the nest that may hold one loop of every dimension: the time, the x or the y of a
// level. The two spatial slots of a level stand for the fan-out below it.
struct Slot {
  LevelId level;
  Axis axis = Axis::kTime;
  int64_t max_lanes = 1;  // spatial: the product of the steps of its loops is at most this, …
  int64_t min_lanes = 1;  // … and at least this (Space::min_lanes says more where x meets y)
};

// How many steps a loop takes through a full range: ⌈range / step⌉. A loop of one step is not
// there, so {1, 1} forbids the loop.
struct FactorRange {
  static constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();
  int64_t min = 1;
  int64_t max = kUnlimited;
  bool operator==(const FactorRange&) const = default;
};

// The order of a level's temporal loops: those of `outermost`, in that order, then the unlisted
// ones in any order, then those of `innermost`, whose first is the innermost of all. A listed
// dimension without a loop is skipped.
struct OrderRule {
  std::vector<DimId> outermost;
  std::vector<DimId> innermost;
};

bool Contains(const std::vector<DimId>& dims, DimId dim);

// All mappings of one problem on one architecture under a set of constraints, before any look at
// capacities. A slot holds at most one loop of a dimension. Two mappings are the same if they are
// equal after loops of one step are dropped. Canonical form: no loop of one step; spatial loops x
// before y, each by dimension. In `padded` a dimension may be unrolled more often than it is long.
struct Space {
  Problem problem;
  Architecture architecture;
  Mapspace mapspace = Mapspace::kRubyS;
  IndexedVector<SlotId, Slot>
      slots;  // outer to inner: time, x, y of level 0, time, x, y of level 1
  IndexedVector<SlotId, IndexedVector<DimId, FactorRange>> factors;
  // A loop of more steps than this is perfect in every mapspace but `any`.
  IndexedVector<SlotId, int64_t> remainders;
  // Steps on x × steps on y of one dimension. Says no more than `factors` where one of the two axes
  // is closed to the dimension.
  IndexedVector<LevelId, IndexedVector<DimId, FactorRange>> unrolling;
  IndexedVector<LevelId, int64_t> min_lanes;  // of the whole fan-out below the level
  IndexedVector<LevelId, OrderRule> orders;
  // The choices, each level by itself, by their bits; never empty. A mapping keeps every tensor
  // somewhere, so not every combination is one.
  IndexedVector<LevelId, std::vector<TensorSet>> keeps;
  // Least share of the capacity that the kept tiles fill; 0: none asked for.
  IndexedVector<LevelId, double> min_utilization;
};

// Resolves the architecture's own constraints and `more` against the problem. Names of dimensions
// that the problem has not are skipped, but for M, which means K where there is K and no M. A fault
// names a constraint at an unknown level or fan-out, or constraints that contradict each other.
// What merely does not fit this problem is no fault: the space is then empty.
tl::expected<Space, Faults> MakeSpace(const Problem& problem, const Architecture& architecture,
                                      Mapspace mapspace, const std::vector<Constraint>& more = {});

// The problem that a padded mapping computes: every unrolled dimension rounded up to a multiple of
// the product of its unrollings. Elsewhere the problem itself.
Problem PaddedTo(const Problem& problem, const IndexedVector<DimId, int64_t>& unrolling);

// Which rules of the space a mapping breaks, capacities left aside; empty if it belongs to the
// space. `where` is "levels.NAME" or "dims.NAME" for a constraint, "mapping" where the mapping is
// of another mapspace, or of a form that no mapspace has (two loops of a dimension in one slot).
// The mapping is valid for `problem`, which is the padded one in `padded` and the space's own
// elsewhere.
Faults CheckMembership(const Space& space, const Problem& problem, const Mapping& mapping);
Faults CheckMembership(const Space& space, const Mapping& mapping);  // of the space's own problem

// Whether a mapping of the space respects every capacity and every least utilisation of a level.
// `problem` as above.
bool Fits(const Space& space, const Problem& problem, const Mapping& mapping);

// The share of a level's capacity that the largest kept tiles fill, by bits; 0 if it is unbounded.
double UtilizationOf(const Problem& problem, const Architecture& architecture,
                     const Mapping& mapping, LevelId level);
double UtilizationOf(const Problem& problem, const Level& level,
                     const std::vector<Occupancy>& of_level);

}  // namespace inlay
