#pragma once

#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/scratchpad/exact/model.h"

namespace inlay::exact {

// What the linear relaxation of a model says after rounds of cuts.
struct RootRelaxation {
  double bound = 0;             // on the program's value; valid whatever ended the rounds
  std::vector<double> values;   // of the relaxation; empty if it was not solved once
  std::vector<milp::Row> cuts;  // that bind there
  bool infeasible = false;      // no choices fit
  int rounds = 0;
  double first = 0;  // the bound without cuts
};

// Ends when cuts do not help any more, or the bound comes within `close` of `incumbent` (both of
// the program).
RootRelaxation SolveRoot(const Model& model, double incumbent, double close,
                         const Deadline& deadline);

// A bound on the objective's figure of all plans in the model's order.
double FigureBound(const Model& model, double program_bound);

}  // namespace inlay::exact
