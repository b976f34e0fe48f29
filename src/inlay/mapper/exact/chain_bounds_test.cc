#include "inlay/mapper/exact/chain_bounds.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tests/support/small_machine.h"

namespace inlay::exact_search {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr size_t kLevels = 3;

// Six iterations: DRAM steps by 4, then 2 lanes of 2, each iteration by iteration. Lane 0 works on
// 0–1 and 4–5; lane 1 on 2–3, and has no second tile.
const std::vector<int64_t> kShort = {4, 4, 4, 4, 2, 2, 1, 1, 1};
// The same on eight iterations, where both lanes have two tiles.
const std::vector<int64_t> kFull = kShort;
// All at once: one loop, in the registers.
const std::vector<int64_t> kWhole = {6, 6, 6, 6, 6, 6, 1, 1, 1};

std::vector<double> RowOf(int64_t bound, const std::vector<int64_t>& tiles) {
  const Space space = testing::SmallSpace(MakeGemm("gemm", {.p = bound}), 2, Mapspace::kAny);
  const RowLayout layout(kLevels);
  std::vector<double> row(layout.size(), -1);
  RowFiller(space).Fill(layout, testing::ChainOfTiles(bound, tiles), row.data());
  return row;
}

TEST(ChainBoundsTest, TilesOfABufferAboveTheLanes) {
  const std::vector<double> row = RowOf(6, kShort);
  const double* at = row.data() + RowLayout(kLevels).At(1);
  EXPECT_EQ(at[kTilesLo], 2);  // of 4 and of 2 iterations
  EXPECT_EQ(at[kTilesHi], 2);
  EXPECT_EQ(at[kSizeLo], 6);
  EXPECT_EQ(at[kRoundTilesLo], 2);
  EXPECT_EQ(at[kRoundSizeLo], 6);
  EXPECT_EQ(at[kNextTilesLo], 1);
  EXPECT_EQ(at[kNextSizeLo], 2);
  EXPECT_EQ(at[kLanesHi], 1);
  EXPECT_EQ(at[kFirstSizeLo], 4);
  EXPECT_EQ(at[kTileHi], 4);
  EXPECT_EQ(at[kStrideLo], 4);
  EXPECT_EQ(at[kEven], 1);
  EXPECT_EQ(at[kAloneLanesLo], kInfinity);
}

TEST(ChainBoundsTest, ALaneWithOneTileIsAloneInItsRound) {
  const std::vector<double> row = RowOf(6, kShort);
  const double* at = row.data() + RowLayout(kLevels).At(2);
  EXPECT_EQ(at[kTilesLo], 3);  // lane 0 twice, lane 1 once
  EXPECT_EQ(at[kSizeLo], 6);
  EXPECT_EQ(at[kRoundTilesLo], 2);  // those of lane 0
  EXPECT_EQ(at[kRoundTilesHi], 2);
  EXPECT_EQ(at[kRoundSizeLo], 4);
  EXPECT_EQ(at[kNextTilesLo], 1);
  EXPECT_EQ(at[kNextSizeLo], 2);
  EXPECT_EQ(at[kLanesLo], 2);
  EXPECT_EQ(at[kFirstSizeLo], 4);
  EXPECT_EQ(at[kTileHi], 2);
  EXPECT_EQ(at[kStrideLo], 4);
  EXPECT_EQ(at[kMoves], 1);
  EXPECT_EQ(at[kMayBeStill], 0);
  EXPECT_EQ(at[kEven], 0);
  EXPECT_EQ(at[kAloneLanesLo], 2);
}

TEST(ChainBoundsTest, PairsOfStepsAndLanes) {
  const std::vector<double> row = RowOf(6, kShort);
  const double* at = row.data() + RowLayout(kLevels).At(2);
  EXPECT_EQ(at[RowLayout::Tiles(0)], 2);  // both lanes, at the first step of every loop
  EXPECT_EQ(at[RowLayout::Tiles(1)], 3);
  EXPECT_EQ(at[RowLayout::Tiles(2)], 3);  // the buffer has no loop
  EXPECT_EQ(at[RowLayout::DistinctLanes(2, 1, 0)], 1);
  EXPECT_EQ(at[RowLayout::DistinctLanes(2, 1, 1)], 2);  // a step each
  EXPECT_EQ(at[RowLayout::Between(2, 0)], 2);
  EXPECT_EQ(at[RowLayout::Between(2, 1)], 2);
  const double* compute = row.data() + RowLayout(kLevels).At(3);
  EXPECT_EQ(compute[kTilesLo], 6);
  EXPECT_EQ(compute[RowLayout::DistinctLanes(3, 0, 3)], 4);  // steps of lane 0
  EXPECT_EQ(row[RowLayout::MayMove(0)], 1);
  EXPECT_EQ(row[RowLayout::MayMove(1)], 0);
  EXPECT_EQ(row[RowLayout::MustMove(2)], 1);
}

TEST(ChainBoundsTest, FullTilesHaveEvenRounds) {
  const std::vector<double> row = RowOf(8, kFull);
  const double* at = row.data() + RowLayout(kLevels).At(2);
  EXPECT_EQ(at[kTilesLo], 4);
  EXPECT_EQ(at[kSizeLo], 8);
  EXPECT_EQ(at[kRoundTilesLo], 4);
  EXPECT_EQ(at[kNextTilesLo], 2);
  EXPECT_EQ(at[kNextSizeLo], 4);
  EXPECT_EQ(at[kFirstSizeLo], 4);
  EXPECT_EQ(at[kEven], 1);
  EXPECT_EQ(at[kAloneLanesLo], kInfinity);
  EXPECT_EQ(at[RowLayout::DistinctLanes(2, 0, 2)], 2);
}

TEST(ChainBoundsTest, ASetHasTheLeastAndTheMostOfItsChains) {
  const RowLayout layout(kLevels);
  std::vector<double> set = RowOf(6, kShort);
  Cover(layout, RowOf(6, kWhole).data(), set.data());
  const double* at = set.data() + layout.At(2);
  EXPECT_EQ(at[kTilesLo], 1);
  EXPECT_EQ(at[kTilesHi], 3);
  EXPECT_EQ(at[kRoundTilesLo], 2);  // over chains that move
  EXPECT_EQ(at[kRoundTilesHi], 2);
  EXPECT_EQ(at[kLanesLo], 1);
  EXPECT_EQ(at[kLanesHi], 2);
  EXPECT_EQ(at[kTileHi], 6);
  EXPECT_EQ(at[kMoves], 1);
  EXPECT_EQ(at[kMayBeStill], 1);
  EXPECT_EQ(at[kEven], 1);
  EXPECT_EQ(at[kAloneLanesLo], 2);
  EXPECT_EQ(at[RowLayout::Tiles(2)], 1);
  EXPECT_EQ(at[RowLayout::DistinctLanes(2, 0, 1)], 1);
  EXPECT_EQ(at[RowLayout::Between(2, 1)], 2);
  EXPECT_EQ(set[RowLayout::MayMove(0)], 1);
  EXPECT_EQ(set[RowLayout::MustMove(0)], 0);
  EXPECT_EQ(set[RowLayout::MustMove(2)], 1);
}

}  // namespace
}  // namespace inlay::exact_search
