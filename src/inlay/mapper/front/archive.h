#pragma once

#include <cstdint>
#include <vector>

#include "inlay/core/map_result.h"

namespace inlay::exact_search {

// The points found so far. They are offered by ascending footprint, so one that is as good as a new
// one in off-chip words and cycles is as good in all three, and two figures decide.
class FrontArchive {
 public:
  // Whether some point has at most this many off-chip words and cycles.
  bool Excludes(double offchip_words, double cycles) const {
    return CyclesAt(offchip_words) <= cycles;
  }
  // The fewest cycles of a point with at most this many off-chip words; infinite if there is none.
  double CyclesAt(double offchip_words) const;
  // The footprint is at least that of every point before. Whether the point is taken.
  bool Offer(int64_t footprint_words, int64_t offchip_words, const Solution& solution);
  // By footprint, then off-chip words. Empties the archive.
  std::vector<FrontPoint> Take();

 private:
  struct Stair {
    double offchip_words = 0;
    double cycles = 0;
    size_t point = 0;
  };
  std::vector<Stair> stairs_;  // off-chip words ascending, cycles descending
  std::vector<FrontPoint> points_;
  std::vector<uint8_t> beaten_;  // by point: by a later one of the same footprint
};

}  // namespace inlay::exact_search
