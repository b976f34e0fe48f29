#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "inlay/scratchpad/dsa/dsa.h"

namespace inlay::dsa {
namespace {

// Each buffer for itself.
void CheckAlone(const Problem& problem, const std::vector<int64_t>& offsets, Faults* faults) {
  for (size_t i = 0; i < offsets.size(); ++i) {
    const Buffer& b = problem.buffers[i];
    const auto add = [&](const std::string& message) {
      faults->push_back({"offsets." + b.id, "buffer '" + b.id + "' " + message, ""});
    };
    if (offsets[i] < 0) add("has a negative address");
    if (TakesRoom(b) && offsets[i] > problem.capacity - b.size) add("ends above the capacity");
    if (offsets[i] % b.alignment != 0) add("is not aligned");
    if (b.fixed && offsets[i] != *b.fixed) add("is not at its fixed address");
  }
}

// Sweeps over time with the live buffers sorted by address. Only neighbours need a look: as long as
// no two live buffers overlap, the order by address is also the order by end.
void CheckPairs(const Problem& problem, const std::vector<int64_t>& offsets, Faults* faults) {
  std::vector<std::tuple<int64_t, bool, size_t>> events;  // at equal times, ends come first
  for (size_t i = 0; i < offsets.size(); ++i) {
    const Buffer& b = problem.buffers[i];
    if (!TakesRoom(b)) continue;
    events.emplace_back(b.lower, true, i);
    events.emplace_back(b.upper, false, i);
  }
  std::sort(events.begin(), events.end());
  std::set<std::pair<int64_t, size_t>> live;  // address, buffer
  const auto collide = [&](size_t a, size_t b) {
    if (offsets[a] + problem.buffers[a].size <= offsets[b]) return;
    faults->push_back({"offsets." + problem.buffers[b].id,
                       "buffers '" + problem.buffers[a].id + "' and '" + problem.buffers[b].id +
                           "' overlap in space and time",
                       ""});
  };
  for (const auto& [time, starts, i] : events) {
    if (!starts) {
      live.erase({offsets[i], i});
      continue;
    }
    const auto here = live.insert({offsets[i], i}).first;
    if (here != live.begin()) collide(std::prev(here)->second, i);
    if (std::next(here) != live.end()) collide(i, std::next(here)->second);
  }
}

}  // namespace

Faults CheckPlacement(const Problem& problem, const std::vector<int64_t>& offsets) {
  if (offsets.size() != problem.buffers.size()) {
    return {{"offsets",
             "there are " + std::to_string(offsets.size()) + " addresses for " +
                 std::to_string(problem.buffers.size()) + " buffers",
             ""}};
  }
  Faults faults;
  CheckAlone(problem, offsets, &faults);
  CheckPairs(problem, offsets, &faults);
  return faults;
}

}  // namespace inlay::dsa
