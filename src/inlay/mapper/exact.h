#pragma once

#include "inlay/base/deadline.h"
#include "inlay/mapper/mapper.h"

namespace inlay {

// Parts of the search that change how long it takes, never what it finds. Every combination is
// tested.
struct ExactSwitches {
  enum class Lanes { kByObjective, kWithTile, kAfterTile } lanes = Lanes::kByObjective;
  bool dives = true;          // look for a first answer before the first pass
  bool nested_bounds = true;  // bounds know the loops of each level, not only their product
  bool skip_orders = true;    // leave out orders that cannot differ
  bool split_inner = true;    // a search of its own for each innermost loop
  bool families = false;      // bounds from families of chains even where all chains can be listed
  // A search of its own for `perfect` and `ruby-s`, where words are products.
  enum class Products {
    kOnDeepMachines,
    kWherePossible,
    kNever
  } products = Products::kOnDeepMachines;
};

// The best mapping of a layer under `exact` semantics, with a proof: every mapping of the space is
// looked at or lies in a set whose lower bound is above the answer.
// docs/reference/mapper-bounds.md.
LayerAnswer SearchExact(const Space& space, const MapOptions& options, const Deadline& deadline,
                        const MapProgressSink& progress, const ExactSwitches& switches);
LayerAnswer SearchExact(const Space& space, const MapOptions& options, const Deadline& deadline,
                        const MapProgressSink& progress = {});

}  // namespace inlay
