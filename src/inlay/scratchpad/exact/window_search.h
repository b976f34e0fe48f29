#pragma once

#include <cstdint>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/scratchpad/exact/model.h"
#include "inlay/scratchpad/strategies/lns.h"

namespace inlay::exact {

struct WindowSearchOptions {
  uint64_t seed = 1;
  double target = 0;  // of the objective's figure: reaching it ends the search
  int patience = 60;  // ends after so many parts in a row without a better plan
};

// Large-neighbourhood search by exact parts: what the choices of a window of steps, or those in
// which a relaxation differs from the plan, are best if all others stay as they are. `relaxed` is
// an answer of the model's relaxation, or empty. Parts grow as long as they are solved quickly.
// `with_cuts` is the model's program with further rows. `best` has addresses and only gets better.
// Returns how many parts were solved.
int64_t ImproveByParts(const Model& model, const milp::Milp& with_cuts,
                       const std::vector<double>& relaxed, const WindowSearchOptions& options,
                       const Deadline& deadline, PlacedPlan* best, const PlacedSink& sink = {});

// An answer with the integer columns given, the others as they follow; empty if there is none.
std::vector<double> Completed(const Model& model, const std::vector<double>& integers,
                              const Deadline& deadline);

}  // namespace inlay::exact
