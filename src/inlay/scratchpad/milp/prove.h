#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/scratchpad/milp/milp.h"

namespace inlay::milp {

// Branch and cut in which weak duality alone closes a leaf (Relaxation::Bound), so that the bound
// holds whatever the tolerances of the linear solver. CBC finds answers faster, but its proofs are
// not used: with a cutoff it has called programs infeasible that had an answer below.

struct ProofOptions {
  double cutoff = kInfinity;  // only answers below it count
  int64_t node_limit = 1'000'000'000;
};

// What a proof asks for on its way. All integer columns are 0 or 1.
struct ProofHooks {
  // Rows that every answer worth finding satisfies and the values do not.
  std::function<std::vector<Row>(const std::vector<double>& values)> cuts;
  // An answer below the cutoff. Returns the cutoff that holds after that, not above the last one;
  // nullopt ends the proof.
  std::function<std::optional<double>(const std::vector<double>& values)> found;
};

struct Proof {
  double bound = -kInfinity;  // no answer is below; the cutoff counts as an answer
  int64_t nodes = 0;
};

// The program must have a solution of its relaxation. Every row and every cut is kept.
Proof ProveBound(const Milp& milp, const ProofOptions& options, const ProofHooks& hooks,
                 const Deadline& deadline);

}  // namespace inlay::milp
