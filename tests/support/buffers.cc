#include "tests/support/buffers.h"

#include <algorithm>
#include <string>

namespace inlay::testing {
namespace {

bool Collide(const Buffer& a, int64_t at, const Buffer& b, int64_t bt) {
  for (int64_t time = a.lower; time < a.upper; ++time) {
    if (time < b.lower || time >= b.upper) continue;
    for (int64_t byte = at; byte < at + a.size; ++byte) {
      if (byte >= bt && byte < bt + b.size) return true;
    }
  }
  return false;
}

bool FitFrom(const dsa::Problem& problem, std::vector<int64_t>* offsets) {
  const size_t i = offsets->size();
  if (i == problem.buffers.size()) return true;
  const Buffer& b = problem.buffers[i];
  if (b.size == 0 || b.lower == b.upper) {
    offsets->push_back(0);
    const bool fits = FitFrom(problem, offsets);
    offsets->pop_back();
    return fits;
  }
  for (int64_t at = 0; at + b.size <= problem.capacity; ++at) {
    if (at % b.alignment != 0 || (b.fixed && *b.fixed != at)) continue;
    bool free = true;
    for (size_t j = 0; j < i && free; ++j) {
      free = !Collide(b, at, problem.buffers[j], (*offsets)[j]);
    }
    if (!free) continue;
    offsets->push_back(at);
    const bool fits = FitFrom(problem, offsets);
    offsets->pop_back();
    if (fits) return true;
  }
  return false;
}

}  // namespace

dsa::Problem RandomBuffers(Random& random, int64_t most) {
  dsa::Problem problem;
  const int64_t count = Pick(random, 1, most), steps = Pick(random, 2, 9);
  const int64_t largest = Pick(random, 2, 6), common = Chance(random, 0.2) ? 2 : 1;
  const bool aligned = Chance(random, 0.3), fixed = Chance(random, 0.3);
  for (int64_t i = 0; i < count; ++i) {
    Buffer b;
    b.id = "b" + std::to_string(i);
    b.lower = Pick(random, 0, steps - 1);
    b.upper = Pick(random, b.lower + (Chance(random, 0.05) ? 0 : 1), steps);
    b.size = Pick(random, Chance(random, 0.05) ? 0 : 1, largest);
    b.alignment = common;
    if (aligned && Chance(random, 0.5)) b.alignment = Pick(random, 1, 4);
    if (fixed && Chance(random, 0.2)) b.fixed = b.alignment * Pick(random, 0, 3);
    problem.buffers.push_back(b);
  }
  problem.capacity =
      std::max<int64_t>(0, dsa::FindPeakLoad(problem.buffers).bytes + Pick(random, -1, 2));
  return problem;
}

bool FitsByBruteForce(const dsa::Problem& problem) {
  dsa::Problem sorted = problem;  // those without a choice first: it saves hours
  std::stable_partition(sorted.buffers.begin(), sorted.buffers.end(),
                        [](const Buffer& b) { return b.fixed.has_value(); });
  std::vector<int64_t> offsets;
  return FitFrom(sorted, &offsets);
}

std::optional<int64_t> LeastCapacityByBruteForce(const std::vector<Buffer>& buffers, int64_t most) {
  for (int64_t capacity = 0; capacity <= most; ++capacity) {
    if (FitsByBruteForce({buffers, capacity})) return capacity;
  }
  return std::nullopt;
}

}  // namespace inlay::testing
