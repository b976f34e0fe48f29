#pragma once

#include <optional>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/mapper/least_product.h"
#include "inlay/mapper/mapper.h"

namespace inlay {

// A problem that layers of a network have, and what its own search came to.
struct TotalsLayer {
  const Space* space = nullptr;
  LayerAnswer* answer = nullptr;
  double repeat = 0;   // of all these layers
  MapOptions options;  // its time limit holds for all searches of the problem together
};

struct TotalsLimits {
  int threads = 1;
  const Deadline& deadline;       // of all layers
  std::optional<double> seconds;  // that it has from its start on; none: no limit
};

struct TotalsBound {
  double lower_bound = 0;  // no mappings have a smaller product of sums; 0: nothing is known
  bool proven = false;     // none has a smaller one than those found
};

// Mappings of the least (Σ energy) × (Σ cycles), every repeat counted; `fixed`, which depends on no
// mapping, is added to both sums. The searches are by energy + price × cycles, at one price after
// the other (LeastProduct). Replaces the best mapping of the
// answers; their certificates say what is known of the problem's own edp, as before. Nothing is
// done where some answer has no mapping.
TotalsBound FindLeastTotals(std::vector<TotalsLayer> layers, const EnergyDelay& fixed,
                            const TotalsLimits& limits, const MapProgressSink& progress);

}  // namespace inlay
