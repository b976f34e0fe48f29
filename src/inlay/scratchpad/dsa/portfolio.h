#pragma once

#include <cstdint>
#include <vector>

#include "inlay/scratchpad/dsa/instance.h"
#include "inlay/scratchpad/dsa/search.h"

namespace inlay::dsa {

struct PartAnswer {
  Search::Outcome outcome = Search::Outcome::kCut;
  std::vector<int64_t> starts;  // by item, in units of the instance; if placed
  int64_t nodes = 0;
};

// Runs the search again and again, with Luby's limits and another rule each time, until one run
// comes to its end or `nodes` are used up. Without Options::restarts one run of the first rule.
PartAnswer SolvePart(const Instance& instance, const Options& options, int64_t nodes,
                     DeadlineWatch* watch);

}  // namespace inlay::dsa
