#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/mapper/mapper.h"

namespace inlay {

// One way to search a layer; one file each. It uses options.threads, ends soon after the deadline
// has passed with the best it has, and reports its progress now and then. MapLayer fills in what
// follows from the rest: the seconds, the certificate's objective and gap.
using SearchFunction = LayerAnswer (*)(const Space& space, const MapOptions& options,
                                       const Deadline& deadline, const MapProgressSink& progress);

// All that is known of a strategy outside its own files. Its name is Name(strategy).
struct StrategyRecord {
  Strategy strategy = Strategy::kExact;
  std::string_view sentence;  // how it searches
  // The search under each semantics; null: it does not search under these.
  SearchFunction exact = nullptr;
  SearchFunction thistle = nullptr;
  bool finds_fronts = false;     // under exact semantics, and not only one answer
  bool finds_uneven = false;     // searches the mapspace `uneven`, under exact semantics
  bool draws_at_random = false;  // would draw for ever from a space in which nothing fits
  // Its mappings are those of a machine of its own: neither of the space's mapspace nor limited by
  // the memories as the architecture has them.
  bool has_own_machine = false;
  std::optional<Metric> only_metric = {};  // that it minimises, whatever the objective
  bool finds_least_totals = false;         // of a network, and not only every layer's own least

  SearchFunction SearchUnder(Semantics semantics) const {
    if (semantics == Semantics::kExact) return exact;
    return semantics == Semantics::kThistle ? thistle : nullptr;
  }
};

// The table of all strategies, in mapper.cc. A new one is a file and a row.
const std::vector<StrategyRecord>& Strategies();
const StrategyRecord& RecordOf(Strategy strategy);

}  // namespace inlay
