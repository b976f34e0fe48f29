#pragma once

#include <gtest/gtest.h>

#include <string>

#include "inlay/core/cost.h"

namespace inlay::testing {

// Every figure is the same: counts, cycles, energy to the last bit.
inline void ExpectSameCost(const Cost& a, const Cost& b) {
  EXPECT_EQ(a.operations, b.operations);
  EXPECT_EQ(a.compute_cycles, b.compute_cycles);
  EXPECT_EQ(a.compute_lanes_used, b.compute_lanes_used);
  EXPECT_EQ(a.cycles, b.cycles);
  EXPECT_EQ(a.offchip_words, b.offchip_words);
  EXPECT_EQ(a.energy_pj, b.energy_pj);
  EXPECT_EQ(a.utilization, b.utilization);
  EXPECT_EQ(a.start_cycles, b.start_cycles);
  EXPECT_EQ(a.idle_pj, b.idle_pj);
  EXPECT_EQ(a.seconds, b.seconds);
  for (LevelId l : Ids(a.levels)) {
    EXPECT_EQ(a.levels[l].cycles, b.levels[l].cycles) << "level " << l.value();
    EXPECT_EQ(a.levels[l].engine_cycles, b.levels[l].engine_cycles) << "level " << l.value();
    for (TensorId t : Ids(a.levels[l].tensors)) {
      const TensorCost& x = a.levels[l].tensors[t];
      const TensorCost& y = b.levels[l].tensors[t];
      const std::string where =
          "level " + std::to_string(l.value()) + " tensor " + std::to_string(t.value());
      EXPECT_EQ(x.kept, y.kept) << where;
      EXPECT_EQ(x.tile_words, y.tile_words) << where;
      EXPECT_EQ(x.instances, y.instances) << where;
      EXPECT_EQ(x.moves, y.moves) << where;
      EXPECT_EQ(x.total.reads, y.total.reads) << where;
      EXPECT_EQ(x.total.fills, y.total.fills) << where;
      EXPECT_EQ(x.total.updates, y.total.updates) << where;
      EXPECT_EQ(x.total.drains, y.total.drains) << where;
    }
  }
}

}  // namespace inlay::testing
