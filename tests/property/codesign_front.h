#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "inlay/codesign/codesign.h"

namespace inlay::testing {

using DesignPoint = std::array<double, 3>;  // energy, cycles, area

inline DesignPoint PointOf(const Design& design) {
  return {design.energy_pj, static_cast<double>(design.cycles), design.choice.area_um2.value()};
}

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
  for (const Design& design : designs) front.push_back(PointOf(design));
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

// Of a front that was cut short: whatever the whole one has, a design is as near as the gap says.
inline void ExpectWithin(const std::vector<Design>& whole, const std::vector<Design>& cut,
                         double gap) {
  for (const Design& design : whole) {
    DesignPoint point = PointOf(design);
    for (double& value : point) value /= 1 - gap;  // infinite if nothing is known
    EXPECT_TRUE(std::any_of(cut.begin(), cut.end(),
                            [&](const Design& other) { return Beats(PointOf(other), point); }));
  }
}

}  // namespace inlay::testing
