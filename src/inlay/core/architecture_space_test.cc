#include "inlay/core/architecture_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inlay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// One um2 a register or SRAM word, two a MAC.
ArchitectureSpace Small(std::optional<double> area) {
  Level outer, sram, registers;
  outer.name = "DRAM";
  outer.kind = MemoryKind::kDram;
  sram.name = "SRAM";
  sram.fanout.name = "PEs";
  sram.capacity_words = 1;
  registers.name = "registers";
  registers.kind = MemoryKind::kRegister;
  registers.capacity_words = 1;
  Technology technology;
  technology.mac_area_um2 = 2;
  technology.sram.area_um2.linear = 1;
  technology.reg.area_um2.linear = 1;
  ArchitectureSpace space;
  space.base.technology = technology;
  space.base.levels = {outer, sram, registers};
  space.budget.area_um2 = area;
  const auto free = [&space](const char* name, std::vector<double> values) {
    space.free.push_back({name, FindAttribute(space.base, name).value(), std::move(values)});
  };
  free("registers.capacity", {1, 4});
  free("SRAM.capacity", {8, 16});
  free("PEs.x", {});
  return space;
}

TEST(ArchitectureSpace, AFanOutTakesWhatTheAreaLeaves) {
  const auto choices = ListArchitectures(Small(20)).value();
  ASSERT_EQ(choices.size(), 3U);  // 16 + 4 + 2 um2 are too many
  EXPECT_THAT(choices[0].values, ElementsAre(1, 8, 4));
  EXPECT_THAT(choices[1].values, ElementsAre(1, 16, 1));
  EXPECT_THAT(choices[2].values, ElementsAre(4, 8, 2));
  EXPECT_EQ(choices[0].area_um2, 20);
  EXPECT_EQ(choices[0].architecture.levels[LevelId(1)].fanout.x, 4);
  EXPECT_EQ(choices[2].architecture.levels[LevelId(2)].capacity_words, 4);
}

TEST(ArchitectureSpace, ABudgetThatIsTooSmallSaysWhatIsNeeded) {
  const auto choices = ListArchitectures(Small(10.5));
  ASSERT_FALSE(choices.has_value());
  EXPECT_THAT(choices.error().front().message, HasSubstr("takes 11 um2"));
  EXPECT_EQ(ListArchitectures(Small(11)).value().size(), 1U);
  ArchitectureSpace space = Small(100);
  space.budget.sram_bits = 7 * 16;
  EXPECT_THAT(ListArchitectures(space).error().front().message,
              HasSubstr("the smallest architecture within the other budgets takes 8 words"));
  space.budget.sram_bits = 8 * 16;
  EXPECT_EQ(ListArchitectures(space).value().size(), 2U);
}

TEST(ArchitectureSpace, FaultsAreFound) {
  EXPECT_TRUE(Validate(Small(10)).empty());
  EXPECT_THAT(Validate(Small(std::nullopt)).front().message,
              HasSubstr("no budget that a fan-out could fill"));
  ArchitectureSpace space = Small(10);
  space.free[0].values.clear();
  EXPECT_EQ(Validate(space).size(), 2U);  // a memory cannot fill the area, and two are too many
  space = Small(10);
  space.free[1].values = {0};
  space.base.technology.reset();
  EXPECT_EQ(Validate(space).size(), 2U);
}

TEST(ArchitectureSpace, PowersOfTwoAreThoseBetween) {
  EXPECT_THAT(PowersOfTwo(3, 16), ElementsAre(4, 8, 16));
  EXPECT_THAT(PowersOfTwo(1, 1), ElementsAre(1));
  EXPECT_TRUE(PowersOfTwo(5, 7).empty());
}

}  // namespace
}  // namespace inlay
