#include "inlay/core/memory_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "inlay/base/rng.h"

namespace inlay {
namespace {

using ::testing::AllOf;
using ::testing::DoubleNear;
using ::testing::Ge;
using ::testing::Le;

// Reads cost 1 pJ at 1 KiB and 8 bits, twice as much at four times the size or the width.
KnownMemories SquareRoots() {
  KnownMemories table;
  for (const int bits : {8, 32, 128}) {
    for (const int64_t bytes : {1024, 16384, 262144}) {
      const double pj = std::sqrt(static_cast<double>(bytes) / 1024 * bits / 8);
      table.push_back({bytes, bits, MemoryPorts::kReadOrWrite, pj, 2 * pj,
                       static_cast<double>(bytes) / 64, static_cast<double>(bytes)});
    }
  }
  return table;
}

MemorySize Size(double bytes, double bits) { return {8 * bytes, bits, MemoryPorts::kReadOrWrite}; }

TEST(MemoryTable, RowsAreWhatTheySay) {
  for (const KnownMemory& row : SquareRoots()) {
    const MemoryFigures figures =
        FiguresOf(SquareRoots(), Size(static_cast<double>(row.capacity_bytes), row.width_bits));
    EXPECT_DOUBLE_EQ(figures.read_pj, row.read_pj);
    EXPECT_DOUBLE_EQ(figures.write_pj, row.write_pj);
    EXPECT_DOUBLE_EQ(figures.leakage_uw, row.leakage_uw);
    EXPECT_DOUBLE_EQ(figures.area_um2, row.area_um2);
  }
}

TEST(MemoryTable, APowerLawIsFollowedBetweenAndBeyondTheRows) {
  for (const double bytes : {512.0, 1000.0, 4096.0, 65536.0, 1048576.0}) {
    for (const double bits : {8.0, 16.0, 48.0, 128.0}) {
      const MemoryFigures figures = FiguresOf(SquareRoots(), Size(bytes, bits));
      const double pj = std::sqrt(bytes / 1024 * bits / 8);
      EXPECT_NEAR(figures.read_pj / pj, 1, 1e-5) << bytes << " B, " << bits << " bits";
      EXPECT_NEAR(figures.area_um2 / bytes, 1, 1e-5);
    }
  }
}

TEST(MemoryTable, WiderThanTheWidestIsSeveralSideBySide) {
  const MemoryFigures one = FiguresOf(SquareRoots(), Size(4096, 128));
  const MemoryFigures three = FiguresOf(SquareRoots(), Size(3 * 4096, 3 * 128));
  EXPECT_NEAR(three.read_pj, 3 * one.read_pj, 1e-4);
  EXPECT_NEAR(three.area_um2, 3 * one.area_um2, 1);
  EXPECT_EQ(FiguresOf(SquareRoots(), Size(4096, 1)).read_pj,
            FiguresOf(SquareRoots(), Size(4096, 8)).read_pj);
}

TEST(MemoryTable, CoversWhatLiesBetweenRows) {
  EXPECT_TRUE(Covers(SquareRoots(), Size(1024, 8)));
  EXPECT_TRUE(Covers(SquareRoots(), Size(5000, 100)));
  EXPECT_TRUE(Covers(SquareRoots(), Size(262144, 128)));
  EXPECT_FALSE(Covers(SquareRoots(), Size(1000, 8)));
  EXPECT_FALSE(Covers(SquareRoots(), Size(262145, 8)));
  EXPECT_TRUE(Covers(SquareRoots(), Size(2 * 262144, 256)));
  EXPECT_FALSE(Covers(SquareRoots(), Size(1024, 256)));
  EXPECT_FALSE(Covers(SquareRoots(), {8 * 4096.0, 8, MemoryPorts::kReadAndWrite}));
  EXPECT_EQ(RangeText(SquareRoots(), MemoryPorts::kReadOrWrite),
            "1 KiB to 256 KiB, accesses of 8 to 128 bits");
}

// Random tables: between rows nothing is above or below the rows around; where the table rises with
// the capacity everywhere, so do the figures, beyond it too.
TEST(MemoryTable, FiguresStayBetweenRowsAndRiseWithThem) {
  Rng rng(7);
  const auto factor = [&rng] { return 1 + 2 * UniformUnit(rng); };
  for (int round = 0; round < 200; ++round) {
    KnownMemories table;
    for (const int bits : {8, 64}) {
      double pj = factor();
      for (int64_t bytes = 64; bytes <= 4096; bytes *= 4) {
        pj *= factor();
        table.push_back({bytes, bits, MemoryPorts::kReadOrWrite, pj, 1 / pj, 0, 0});
      }
    }
    double before = 0;
    for (double bytes = 8; bytes < 100000; bytes *= 1.3) {
      const double pj = FiguresOf(table, Size(bytes, 8)).read_pj;
      EXPECT_GE(pj, before);
      before = pj;
    }
    for (double bytes = 64; bytes <= 4096; bytes *= 1.1) {
      double least = INFINITY;
      double most = 0;
      for (const KnownMemory& row : table) {
        const auto capacity = static_cast<double>(row.capacity_bytes);
        if (capacity * 4 < bytes || capacity > bytes * 4) continue;
        least = std::min(least, row.read_pj);
        most = std::max(most, row.read_pj);
      }
      EXPECT_THAT(FiguresOf(table, Size(bytes, 20)).read_pj,
                  AllOf(Ge(least * 0.99999), Le(most * 1.00001)));
    }
  }
}

TEST(MemoryTable, TheNearestFormulaIsTheOneThatMadeTheTable) {
  KnownMemories table;
  for (const int64_t bytes : {64, 256, 1024, 4096, 16384}) {
    const double words = static_cast<double>(bytes) / 2;
    table.push_back({bytes, 16, MemoryPorts::kReadOrWrite, 0.5 + 0.01 * std::sqrt(words),
                     0.25 + 1e-4 * words, 0, 7 * words});
  }
  const MemorySize size = {0, 16, MemoryPorts::kReadOrWrite};
  const SizeFunction read = FormulaNear(table, MemoryFigure::kRead, size, 16);
  EXPECT_THAT(read.constant, DoubleNear(0.5, 1e-3));
  EXPECT_THAT(read.root, DoubleNear(0.01, 1e-4));
  const SizeFunction write = FormulaNear(table, MemoryFigure::kWrite, size, 16);
  EXPECT_THAT(write.constant, DoubleNear(0.25, 1e-3));
  EXPECT_THAT(write.linear, DoubleNear(1e-4, 1e-6));
  const SizeFunction area = FormulaNear(table, MemoryFigure::kArea, size, 16);
  EXPECT_THAT(area.linear, DoubleNear(7, 1e-3));
}

}  // namespace
}  // namespace inlay
