#include "inlay/io/native/free_attribute.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inlay/io/library/library.h"

namespace inlay::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// DRAM, SRAM, lanes and registers with these attributes, and what follows the levels.
std::string File(const std::string& sram, const std::string& lanes, const std::string& registers,
                 const std::string& rest = "") {
  return "format: inlay/1\narchitecture:\n  name: family\n  technology: thistle-45nm\n  levels:\n"
         "  - {name: DRAM, kind: dram}\n  - {name: SRAM, kind: sram, " +
         sram + "}\n  - {fanout: PEs, " + lanes + "}\n  - {name: registers, kind: register, " +
         registers + "}\n  - {compute: mac}\n" + rest;
}

Result<Inputs> Read(const std::string& text, bool families = true) {
  NativeContext context = BuiltinContext();
  context.families = families;
  return ReadNative({{"f", text}}, context);
}

std::vector<double> ValuesOf(const std::string& sram) {
  const auto inputs = Read(File(sram, "x: 4", "capacity: 8 words"));
  EXPECT_TRUE(inputs.has_value()) << inputs.error().front().message;
  return inputs ? inputs->family->free.front().values : std::vector<double>();
}

TEST(FreeAttribute, SetsOfValues) {
  EXPECT_THAT(ValuesOf("capacity: {free: pow2, min: 5, max: 40}"), ElementsAre(8, 16, 32));
  EXPECT_THAT(ValuesOf("capacity: {free: [16, 4 words, 2 KiB]}"), ElementsAre(4, 16, 1024));
  EXPECT_THAT(ValuesOf("capacity: {free: range, min: 64, max: 200, step: 64}"),
              ElementsAre(64, 128, 192));
  EXPECT_THAT(ValuesOf("capacity: 64 words, read_bandwidth: {free: pow2, min: 0.3, max: 2}"),
              ElementsAre(0.5, 1, 2));
  EXPECT_THAT(ValuesOf("capacity: 64 words, shared_bandwidth: {free: [4 B/cycle, 16]}"),
              ElementsAre(2, 16));
  EXPECT_THAT(ValuesOf("capacity: 64 words, leakage: {free: range, min: 0.1, max: 0.3, step: 0.1}"),
              ElementsAre(0.1, 0.2, ::testing::DoubleEq(0.1 + 2 * 0.1)));
  EXPECT_THAT(ValuesOf("capacity: 64 words, word_bits: {free: [8, 16]}"), ElementsAre(8, 16));
}

TEST(FreeAttribute, AnyNumberCanBeFree) {
  const auto inputs = Read(
      "format: inlay/1\narchitecture:\n  levels:\n"
      "  - {name: D, kind: dram, energy: {read: {free: [1]}, write: {free: [2, 3]}}}\n"
      "  - {name: B, kind: sram, energy: {read: 1 pJ, fill: {free: [4]}, write: {free: [5]}}, "
      "partition: {W: {free: [6]}, O: {capacity: {free: [7]}, kind: register}}, block: {free: "
      "[2]}, buffering: {free: [1.5]}}\n"
      "  - {fanout: array, x: {free: [2]}, y: {free: [3]}}\n"
      "  - {compute: mac, energy: {free: [0.5]}, word_bits: {free: [8]}}\n");
  ASSERT_TRUE(inputs.has_value()) << inputs.error().front().message;
  const ArchitectureSpace& space = inputs->family.value();
  std::vector<std::string> names;
  for (const FreeAttribute& free : space.free) names.push_back(free.name);
  EXPECT_THAT(names,
              ElementsAre("D.energy.read", "D.energy.write", "B.energy.fill", "B.energy.write",
                          "B.partition.W", "B.partition.O", "B.block", "B.buffering", "array.x",
                          "array.y", "mac.energy", "mac.word_bits"));
  const Level& buffer = space.base.levels[LevelId(1)];
  EXPECT_EQ(buffer.energy, (AccessEnergy{1, 4, 5}));
  EXPECT_EQ(buffer.partitions[1].capacity_words, 7);
  EXPECT_EQ(buffer.block_words, 2);
  EXPECT_EQ(buffer.buffering, 1.5);
  EXPECT_EQ(buffer.fanout.x * buffer.fanout.y, 6);
  EXPECT_EQ(space.base.compute.energy_pj, 0.5);
  EXPECT_EQ(ListArchitectures(space).value().size(), 2U);
}

TEST(FreeAttribute, BudgetsAndLimits) {
  const auto inputs = Read(File("capacity: {free: pow2, min: 64, max: 1024}",
                                "x: {free: [2, 4]}, y: {free: [2, 4]}", "capacity: 8 words",
                                "  budget: {area: 0.5 mm2, sram: 1 KiB, limits: ['PEs.x = PEs.y', "
                                "'2 * PEs.x*PEs.y + SRAM.capacity <= 300']}\n"));
  ASSERT_TRUE(inputs.has_value()) << inputs.error().front().message;
  const Budget& budget = inputs->family->budget;
  EXPECT_EQ(budget.area_um2, 5e5);
  EXPECT_EQ(budget.sram_bits, 8192);
  EXPECT_EQ(budget.limits.size(), 2U);
  // 64, 128, 256 words with 2 × 2 lanes, all but the last with 4 × 4.
  EXPECT_EQ(ListArchitectures(*inputs->family).value().size(), 6U);
}

TEST(FreeAttribute, OneFixedArchitectureStaysOne) {
  const std::string text = File("capacity: 64 words", "x: 4", "capacity: 8 words");
  EXPECT_TRUE(Read(text)->architecture.has_value());
  EXPECT_FALSE(Read(text)->family.has_value());
}

struct Wrong {
  const char* sram;
  const char* lanes;
  const char* message;
};

TEST(FreeAttribute, FaultsAreNamed) {
  const std::vector<Wrong> all = {
      {"capacity: {free: pow3, min: 4, max: 8}", "x: 4", "found 'pow3'"},
      {"capacity: {free: []}", "x: 4", "no value to choose from"},
      {"capacity: {free: pow2, min: 9, max: 15}", "x: 4", "no power of two from 9 to 15"},
      {"capacity: {free: pow2, min: 16, max: 4}", "x: 4", "'max' is below 'min'"},
      {"capacity: {free: pow2, max: 4}", "x: 4", "'pow2' needs 'min'"},
      {"capacity: {free: [0]}", "x: 4", "'0' is not above 0"},
      {"capacity: {free: [-4]}", "x: 4", "'-4' is not above 0"},
      {"capacity: {free: [1.5]}", "x: 4", "'1.5' is not a whole number"},
      {"capacity: {free: [1e30]}", "x: 4", "'1e30' is too large"},
      {"capacity: {free: [4, 4 words]}", "x: 4", "is listed twice"},
      {"capacity: {free: range, min: 1, max: 1e15}", "x: 4", "more than 4096 values"},
      {"capacity: {free: [4], min: 2}", "x: 4", "'min' means nothing beside a list"},
      {"capacity: {free: fill}", "x: 4", "only a fan-out"},
      {"capacity: {free: [4 mm2]}", "x: 4", "mm2"},
      {"capacity: {min: 4}", "x: 4", "needs the key 'free'"},
      {"capacity: 4 words", "x: {free: fill}", "no budget that a fan-out could fill"},
      {"capacity: 4 words", "x: {free: [1099511627776]}, y: 4", "more than 2^40 compute lanes"},
      {"capacity: 2 KiB, word_bits: {free: [8, 16]}", "x: 4", "their width is free"},
  };
  for (const Wrong& wrong : all) {
    SCOPED_TRACE(std::string(wrong.sram) + " " + wrong.lanes);
    const auto inputs = Read(File(wrong.sram, wrong.lanes, "capacity: 8 words"));
    ASSERT_FALSE(inputs.has_value());
    EXPECT_EQ(inputs.error().size(), 1U);
    EXPECT_THAT(inputs.error().front().message, HasSubstr(wrong.message));
    EXPECT_GT(inputs.error().front().location.column, 0);
  }
}

TEST(FreeAttribute, FaultsOfBudgetsAreNamed) {
  const auto fault = [](const std::string& budget) {
    const auto inputs = Read(
        File("capacity: {free: [64]}", "x: 4", "capacity: 8 words", "  budget: " + budget + "\n"));
    return inputs ? std::string() : inputs.error().front().message;
  };
  EXPECT_THAT(fault("{area: 5 words}"), HasSubstr("words"));
  EXPECT_THAT(fault("{area: 0 um2}"), HasSubstr("more than 0"));
  EXPECT_THAT(fault("{sram: unbounded}"), HasSubstr("cannot be unbounded"));
  EXPECT_THAT(fault("{power: 1 pJ/cycle}"), HasSubstr("'SRAM' has no bandwidth"));
  EXPECT_THAT(fault("{bandwidth: 1 words/cycle}"), HasSubstr("'DRAM' has no bandwidth"));
  EXPECT_THAT(fault("{speed: 1}"), HasSubstr("unknown key 'speed'"));
  EXPECT_THAT(fault("{limits: ['PEs.x']}"), HasSubstr("expected '<='"));
  EXPECT_THAT(fault("{limits: ['PEs.x < 4']}"), HasSubstr("expected '<='"));
  EXPECT_THAT(fault("{limits: ['PEs.z <= 4']}"), HasSubstr("no attribute 'PEs.z'"));
  EXPECT_THAT(fault("{limits: ['DRAM.capacity <= 4']}"), HasSubstr("not given"));
  EXPECT_THAT(fault("{limits: ['PEs.x <= 4 words']}"), HasSubstr("expected '+', '*' or the end"));
  EXPECT_THAT(fault("{limits: ['PEs.x * <= 4']}"), HasSubstr("expected a number"));
}

TEST(FreeAttribute, OutsideOfCodesignNothingCanBeFree) {
  const auto inputs = Read(File("capacity: {free: [64]}", "x: {free: [4]}", "capacity: 8 words",
                                "  budget: {area: 1 mm2}\n"),
                           false);
  ASSERT_FALSE(inputs.has_value());
  ASSERT_EQ(inputs.error().size(), 3U);
  EXPECT_THAT(inputs.error()[0].message, HasSubstr("'SRAM.capacity' is free"));
  EXPECT_THAT(inputs.error()[0].hint, HasSubstr("inlay codesign"));
  EXPECT_THAT(inputs.error()[2].message, HasSubstr("a budget is for"));
}

}  // namespace
}  // namespace inlay::io
