#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "inlay/codesign/codesign.h"

namespace inlay::testing {

using DesignPoint = std::array<double, 3>;  // energy, cycles, area

// No worse in anything, but for rounding.
inline bool Beats(const DesignPoint& a, const DesignPoint& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i] * (1 + 1e-9)) return false;
  }
  return true;
}

// The designs are the front of `points`: each is one of them, none beats another, and every point
// is beaten by one.
inline void ExpectFrontOf(const std::vector<DesignPoint>& points,
                          const std::vector<Design>& designs) {
  std::vector<DesignPoint> front;
  for (const Design& design : designs) {
    front.push_back(
        {design.energy_pj, static_cast<double>(design.cycles), design.choice.area_um2.value()});
  }
  for (const DesignPoint& point : points) {
    EXPECT_TRUE(std::any_of(front.begin(), front.end(),
                            [&](const DesignPoint& other) { return Beats(other, point); }));
  }
  for (const DesignPoint& point : front) {
    EXPECT_TRUE(std::any_of(points.begin(), points.end(), [&](const DesignPoint& other) {
      return Beats(other, point) && Beats(point, other);
    }));
    EXPECT_EQ(std::count_if(front.begin(), front.end(),
                            [&](const DesignPoint& other) { return Beats(other, point); }),
              1);
  }
}

}  // namespace inlay::testing
