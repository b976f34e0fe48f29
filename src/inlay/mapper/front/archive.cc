#include "inlay/mapper/front/archive.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "inlay/base/check.h"

namespace inlay::exact_search {

double FrontArchive::CyclesAt(double offchip_words) const {
  const auto after = std::upper_bound(
      stairs_.begin(), stairs_.end(), offchip_words,
      [](double words, const Stair& stair) { return words < stair.offchip_words; });
  if (after == stairs_.begin()) return std::numeric_limits<double>::infinity();
  return std::prev(after)->cycles;
}

bool FrontArchive::Offer(int64_t footprint_words, int64_t offchip_words, const Solution& solution) {
  INLAY_CHECK(points_.empty() || points_.back().footprint_words <= footprint_words);
  const auto words = static_cast<double>(offchip_words);
  const auto cycles = static_cast<double>(solution.cost.cycles);
  if (Excludes(words, cycles)) return false;
  const auto is_worse = [&](const Stair& stair) {
    const bool worse = stair.offchip_words >= words && stair.cycles >= cycles;
    if (worse && points_[stair.point].footprint_words == footprint_words) {
      beaten_[stair.point] = 1;
    }
    return worse;
  };
  stairs_.erase(std::remove_if(stairs_.begin(), stairs_.end(), is_worse), stairs_.end());
  const auto place = std::find_if(stairs_.begin(), stairs_.end(),
                                  [&](const Stair& stair) { return stair.offchip_words > words; });
  stairs_.insert(place, {words, cycles, points_.size()});
  points_.push_back({footprint_words, offchip_words, solution.cost.cycles, solution});
  beaten_.push_back(0);
  return true;
}

std::vector<FrontPoint> FrontArchive::Take() {
  std::vector<FrontPoint> front;
  for (size_t i = 0; i < points_.size(); ++i) {
    if (beaten_[i] == 0) front.push_back(std::move(points_[i]));
  }
  std::sort(front.begin(), front.end(), [](const FrontPoint& a, const FrontPoint& b) {
    return std::tie(a.footprint_words, a.offchip_words) <
           std::tie(b.footprint_words, b.offchip_words);
  });
  *this = FrontArchive();
  return front;
}

}  // namespace inlay::exact_search
