#include <algorithm>

#include "inlay/scratchpad/dsa/dsa.h"

namespace inlay::dsa {

Solution Solve(const Problem& problem, const Options& options) {
  const PeakLoad peak = FindPeakLoad(problem.buffers);
  Solution solution;
  solution.lower_bound = peak.bytes;
  for (const Buffer& b : problem.buffers) {
    solution.lower_bound = std::max(solution.lower_bound, b.fixed.value_or(0) + b.size);
  }
  if (solution.lower_bound > problem.capacity) {
    solution.status = Status::kInfeasible;
    return solution;
  }
  return FirstFit(problem, options);
}

Solution Minimize(const std::vector<Buffer>& buffers, const Options& options) {
  return Solve({buffers, int64_t{1} << 62}, options);
}

}  // namespace inlay::dsa
