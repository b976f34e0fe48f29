#include "inlay/scratchpad/dsa/dsa.h"

namespace inlay::dsa {

std::optional<InfeasibleWindow> SmallestInfeasibleWindow(const Problem& problem,
                                                         const Options& /*options*/) {
  const PeakLoad peak = FindPeakLoad(problem.buffers);
  if (peak.bytes <= problem.capacity) return std::nullopt;
  InfeasibleWindow window{peak.lower, peak.upper, {}};
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const Buffer& b = problem.buffers[i];
    if (b.lower < peak.upper && b.upper > peak.lower && b.size > 0) window.members.push_back(i);
  }
  return window;
}

}  // namespace inlay::dsa
