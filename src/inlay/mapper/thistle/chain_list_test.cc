#include "inlay/mapper/thistle/chain_list.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>
#include <vector>

#include "inlay/core/shapes.h"
#include "inlay/mapspace/tilings.h"

namespace inlay::thistle {
namespace {

// DRAM – SRAM – 5 lanes – registers, nothing bounded.
Space MakeListed(int64_t p, Mapspace mapspace) {
  Architecture architecture;
  architecture.name = "listed";
  Level dram, sram, registers;
  dram.name = "DRAM";
  sram.name = "SRAM";
  sram.fanout.name = "PEs";
  sram.fanout.x = 5;
  registers.name = "registers";
  architecture.levels = {dram, sram, registers};
  for (Level& level : architecture.levels) level.energy = AccessEnergy{1, 1, 1};
  architecture.compute.energy_pj = 1;
  return MakeSpace(MakeGemm("gemm", {.p = p, .k = 2, .c = 2}), architecture, mapspace).value();
}

class ChainListTest : public ::testing::Test {
 protected:
  using Key = std::tuple<int64_t, int64_t, int64_t, int64_t>;

  static Key KeyOf(const ListedChain& chain) {
    return {chain.sram, chain.array, chain.lanes, chain.tile};
  }
  ChainList List(const Space& space, size_t most = ChainList::kMost) {
    const Model model(space, {});
    DeadlineWatch watch(deadline_);
    return {model, 0, &watch, most};
  }

  StopFlag stop_;
  Deadline deadline_{stop_};
};

TEST_F(ChainListTest, HoldsEveryChainOnceAndFindsThemByTiles) {
  for (const Mapspace mapspace : {Mapspace::kPerfect, Mapspace::kRuby, Mapspace::kAny}) {
    const Space space = MakeListed(24, mapspace);
    std::set<Key> all;
    for (const Chain& chain : ChainsOf(space, DimId(0))) {
      all.insert({chain.tiles[SlotId(0)], chain.tiles[SlotId(3)], chain.steps[SlotId(4)],
                  chain.tiles[SlotId(4)]});
    }
    const ChainList list = List(space);
    std::vector<Key> listed;
    for (const ListedChain& chain : list.chains()) listed.push_back(KeyOf(chain));
    EXPECT_EQ(listed, std::vector<Key>(all.begin(), all.end()));
    for (int64_t low = 1; low <= 24; low += 5) {
      for (int64_t high = low; high <= 24; high += 4) {
        std::vector<Key> expected, found;
        for (const Key& key : listed) {
          if (std::get<0>(key) < low || std::get<0>(key) > high) continue;
          if (std::get<1>(key) >= low - 1 && std::get<1>(key) <= high - 2) expected.push_back(key);
        }
        list.ForEachIn(low, high, low - 1, high - 2,
                       [&](const ListedChain& chain) { found.push_back(KeyOf(chain)); });
        EXPECT_EQ(found, expected);
      }
    }
  }
}

TEST_F(ChainListTest, GivesUpBeyondTheMost) {
  const Space space = MakeListed(24, Mapspace::kRuby);
  const size_t count = List(space).chains().size();
  EXPECT_FALSE(List(space, count).is_too_long());
  const ChainList cut = List(space, count - 1);
  EXPECT_TRUE(cut.is_too_long());
  EXPECT_TRUE(cut.chains().empty());
  EXPECT_TRUE(List(MakeListed(2147483647, Mapspace::kRuby)).is_too_long());
}

TEST_F(ChainListTest, IsEmptyAfterAStop) {
  stop_.Request();
  const ChainList list = List(MakeListed(30'011, Mapspace::kRuby));
  EXPECT_FALSE(list.is_too_long());
  EXPECT_TRUE(list.chains().empty());
  EXPECT_TRUE(list.srams().empty());
}

}  // namespace
}  // namespace inlay::thistle
