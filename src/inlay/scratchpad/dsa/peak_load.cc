#include <algorithm>
#include <utility>

#include "inlay/scratchpad/dsa/dsa.h"

namespace inlay::dsa {

PeakLoad FindPeakLoad(const std::vector<Buffer>& buffers) {
  std::vector<std::pair<int64_t, int64_t>> changes;  // time, by how much the load changes there
  changes.reserve(2 * buffers.size());
  for (const Buffer& b : buffers) {
    if (!TakesRoom(b)) continue;
    changes.emplace_back(b.lower, b.size);
    changes.emplace_back(b.upper, -b.size);
  }
  std::sort(changes.begin(), changes.end());
  PeakLoad peak;
  int64_t load = 0;
  for (size_t i = 0; i < changes.size();) {
    const int64_t time = changes[i].first;
    for (; i < changes.size() && changes[i].first == time; ++i) load += changes[i].second;
    if (load > peak.bytes) peak = {load, time, changes[i].first};
  }
  return peak;
}

}  // namespace inlay::dsa
