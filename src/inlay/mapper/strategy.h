#pragma once

#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/mapper/mapper.h"

namespace inlay {

// One way to search a layer; one file each. It uses options.threads, ends soon after the deadline
// has passed with the best it has, and reports its progress now and then. The frame (MapLayer)
// fills in what follows from the rest: the seconds, the certificate's objective and gap.
using SearchFunction = LayerAnswer (*)(const Space& space, const MapOptions& options,
                                       const Deadline& deadline, const MapProgressSink& progress);

struct StrategyRecord {
  Strategy strategy;
  Semantics semantics;  // a strategy has a row for each that it can search under
  bool finds_fronts;    // and not only one answer
  SearchFunction search;
};

// The table of all strategies, in mapper.cc. A new one is a file and a row.
const std::vector<StrategyRecord>& Strategies();

}  // namespace inlay
