#include "inlay/io/native/bind_mapping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inlay/core/shapes.h"
#include "inlay/io/schema/check.h"
#include "tests/support/native.h"

namespace inlay::io {
namespace {

using ::inlay::testing::Brief;
using ::inlay::testing::ReadText;
using ::testing::ElementsAre;
using ::testing::StartsWith;

Architecture ThreeLevels() {
  Architecture architecture;
  for (const char* name : {"DRAM", "GLB", "RF"}) {
    Level level;
    level.name = name;
    level.energy.emplace();
    level.keep.emplace();  // the mapping decides
    architecture.levels.push_back(level);
  }
  architecture.levels[LevelId(1)].fanout = {"array", 4, 2, Multicast::kTile, true};
  architecture.compute.energy_pj = 1;
  return architecture;
}

Result<Mapping> Bind(const std::vector<std::string>& lines) {
  std::string text = "format: inlay/1\nmapping:\n";
  for (const std::string& line : lines) text += "- " + line + "\n";  // from line 3, column 3
  const auto inputs = ReadText(text);
  EXPECT_TRUE(inputs) << Format(inputs.error());
  return inputs->mapping(MakeGemm("g", {.p = 8, .k = 6, .c = 5}), ThreeLevels());
}

std::vector<std::string> Errors(const std::vector<std::string>& lines) {
  const auto mapping = Bind(lines);
  return mapping ? std::vector<std::string>() : Brief(mapping.error());
}

TEST(BindMappingTest, LoopsBelongToTheLevelAbove) {
  const auto mapping =
      Bind({"DRAM keeps all", "for P in 8 step 3", "for C in 5 step 1", "GLB keeps Inputs",
            "parallel K in 6 step 2 on array.x", "parallel P in 3 step 2 on array.y",
            "RF keeps none", "for P in 2 step 1", "for K in 2 step 1"});
  ASSERT_TRUE(mapping) << Format(mapping.error());
  const DimId p(0), k(1), c(2);
  EXPECT_EQ(mapping->levels[LevelId(0)].keep, TensorSet::FirstN(3));
  EXPECT_EQ(mapping->levels[LevelId(0)].temporal,
            (std::vector<Loop>{{p, 3, Axis::kTime}, {c, 1, Axis::kTime}}));
  EXPECT_EQ(mapping->levels[LevelId(1)].keep.size(), 1);
  EXPECT_TRUE(mapping->levels[LevelId(1)].keep.contains(TensorId(1)));
  EXPECT_EQ(mapping->levels[LevelId(1)].spatial,
            (std::vector<Loop>{{k, 2, Axis::kX}, {p, 2, Axis::kY}}));
  EXPECT_TRUE(mapping->levels[LevelId(2)].keep.empty());
  EXPECT_EQ(mapping->levels[LevelId(2)].temporal.size(), 2U);
}

TEST(BindMappingTest, NamesAreLookedUp) {
  EXPECT_THAT(Errors({"DRAM keeps Input", "for Pp in 8 step 1", "GBL keeps all", "GLB keeps all",
                      "parallel P in 8 step 1 on arry.x", "RF keeps Inputs Inputs"}),
              ElementsAre("3:14: the problem has no tensor 'Input' (did you mean 'Inputs'?)",
                          "4:7: the problem has no dimension 'Pp' (did you mean 'P'?)",
                          "5:3: the architecture has no level 'GBL' (did you mean 'GLB'?)",
                          "7:29: the architecture has no fan-out 'arry' (did you mean 'array'?)",
                          "8:19: tensor 'Inputs' is listed twice"));
}

TEST(BindMappingTest, RangesAreChecked) {
  EXPECT_THAT(
      Errors({"DRAM keeps all", "for P in 7 step 4", "for K in 6 step 1", "for C in 5 step 1",
              "GLB keeps none", "for P in 3 step 1", "RF keeps none"}),
      ElementsAre("4:12: the range of 'P' is 8 here, not 7 (8 is its bound)",
                  "8:12: the range of 'P' is 4 here, not 3 (4 is the step of the loop in line "
                  "4)"));
}

TEST(BindMappingTest, TheOrderOfLines) {
  EXPECT_THAT(
      Errors({"for P in 8 step 1", "DRAM keeps all", "RF keeps all", "GLB keeps none",
              "RF keeps all"}),
      ElementsAre("3:3: a loop stands above the first level (a loop belongs to the level "
                  "named above it)",
                  "5:3: the mapping does not mention level 'GLB' (say what it holds, for "
                  "example 'GLB keeps all'; every level has a line, outer to inner)",
                  "6:3: level 'GLB' must stand above the levels inside it (levels are named "
                  "once each, outer to inner)",
                  "7:3: level 'RF' is named twice (levels are named once each, outer to "
                  "inner)"));
  EXPECT_THAT(Errors({"DRAM keeps all"}),
              ElementsAre("3:1: the mapping does not mention level 'GLB' (say what it holds, for "
                          "example 'GLB keeps all'; every level has a line, outer to inner)",
                          "3:1: the mapping does not mention level 'RF' (say what it holds, for "
                          "example 'RF keeps all'; every level has a line, outer to inner)"));
  EXPECT_THAT(
      Errors({"DRAM keeps all", "parallel P in 8 step 1 on array.x", "GLB keeps all",
              "parallel K in 6 step 2 on array.x", "for K in 2 step 1", "RF keeps all"}),
      ElementsAre("4:29: fan-out 'array' is below 'GLB', not below 'DRAM' (a parallel loop "
                  "belongs to the level named above it)",
                  "7:3: 'for' after 'parallel' in level 'GLB' (the parallel loops of a level "
                  "are its innermost ones)"));
}

TEST(BindMappingTest, WhatCoreFindsIsReportedAtItsLine) {
  EXPECT_THAT(
      Errors({"DRAM keeps Inputs Outputs", "for P in 8 step 9", "for P in 9 step 1",
              "for K in 6 step 2", "GLB keeps none", "parallel C in 5 step 1 on array.x",
              "RF keeps none"}),
      ElementsAre(
          "3:1: tensor 'Weights' is kept nowhere",
          "4:3: the step of 'P' is 9, larger than its range 8 (a tile cannot be larger than its "
          "parent)",
          "6:3: the innermost step of 'K' is 2, not 1 (add a loop 'for K in 2 step 1')",
          "8:3: 5 lanes are used on x below 'GLB', which has 4 (unroll less, or spread over the "
          "other "
          "axis)"));
}

TEST(BindMappingTest, AStepLargerThanTheRangeDoesNotBlameTheNextLoop) {
  for (const char* next : {"for P in 8 step 1", "for P in 9 step 1"}) {
    EXPECT_THAT(Errors({"DRAM keeps all", "for P in 8 step 9", next, "for K in 6 step 1",
                        "for C in 5 step 1", "GLB keeps none", "RF keeps none"}),
                ElementsAre("4:3: the step of 'P' is 9, larger than its range 8 (a tile cannot be "
                            "larger than its parent)"));
  }
}

TEST(BindMappingTest, AForgottenLoopIsReportedAtTheLastLine) {
  EXPECT_THAT(
      Errors({"DRAM keeps all", "for P in 8 step 1", "for K in 6 step 1", "GLB keeps none",
              "RF keeps none"}),
      ElementsAre("7:3: the innermost step of 'C' is 5, not 1 (add a loop 'for C in 5 step 1')"));
}

TEST(BindMappingTest, AnotherArchitecturesMappingGivesOneErrorPerLevel) {
  EXPECT_THAT(Errors({"Memory keeps all", "for P in 8 step 2", "Buffer keeps all",
                      "parallel P in 2 step 1 on lanes.x", "for K in 6 step 1", "Buffer keeps all",
                      "Regs keeps all", "for C in 5 step 1"}),
              ElementsAre("3:3: the architecture has no level 'Memory' (expected one of DRAM, GLB, "
                          "RF)",
                          "5:3: the architecture has no level 'Buffer' (expected one of DRAM, GLB, "
                          "RF)",
                          "9:3: the architecture has no level 'Regs' (expected one of DRAM, GLB, "
                          "RF)"));
}

TEST(BindMappingTest, LinesThatCannotBeReadDoNotHideTheOthers) {
  EXPECT_THAT(
      inlay::testing::ErrorsOf(R"(format: inlay/1
problem:
  name: g
  dims: {P: 8, R: 3}
  tensors: {Inputs: '[P]', Weights: '[R]', Outputs: '[P] +='}
architecture:
  name: a
  levels:
  - {name: DRAM, kind: dram, energy: {read: 1 pJ, write: 1 pJ}}
  - {name: RF, kind: register, energy: {read: 1 pJ, write: 1 pJ}}
  - {compute: mac, energy: 1 pJ}
mapping:
- DRAM keeps all
- fro R in 3 step 1
- for P in 7 step 1
- RF keep
- for X in 1 step 1
)"),
      ElementsAre("14:3: a loop starts with 'for' or 'parallel', not 'fro' (did you mean 'for'?)",
                  "15:12: the range of 'P' is 8 here, not 7 (8 is its bound)",
                  "16:10: expected the tensors that the level keeps (list them, or write 'all' or "
                  "'none')",
                  "17:7: the problem has no dimension 'X' (expected one of P, R)"));
}

// Were each error to cost the time of the lines before it, this would take hours.
TEST(BindMappingTest, ManyWrongLinesAreReadInTimeAndCutShort) {
  std::vector<std::string> lines(200'000, "for Nowhere in 1 step 1");
  lines.insert(lines.begin(), "DRAM keeps all");
  EXPECT_EQ(Errors(lines).size(), kMostErrors);
}

TEST(BindMappingTest, LinesThatCannotBeRead) {
  EXPECT_THAT(
      inlay::testing::ErrorsOf(R"(format: inlay/1
mapping:
- DRAM holds all
- {target: GLB}
- for P in 8 step
)"),
      ElementsAre(::testing::StartsWith("3:8: expected 'keeps' (a line is"),
                  "4:3: an entry of 'mapping' must be a line such as 'GLB keeps all' or 'for "
                  "P in 56 step 13', found a mapping",
                  "5:18: expected a whole number from 1 for the step"));
}

TEST(BindMappingTest, TensorsEnterALevelBetweenItsLoops) {
  const std::vector<std::string> lines = {
      "DRAM keeps all",    "for P in 8 step 4",      "GLB keeps Inputs",
      "for C in 5 step 1", "for K in 6 step 3",      "GLB also keeps Weights",
      "for P in 4 step 2", "GLB also keeps Outputs", "parallel K in 3 step 1 on array.x",
      "RF keeps none",     "for P in 2 step 1"};
  const auto mapping = Bind(lines);
  ASSERT_TRUE(mapping) << Format(mapping.error());
  const LevelMapping& glb = mapping->levels[LevelId(1)];
  EXPECT_EQ(glb.keep, TensorSet::FirstN(3));
  EXPECT_EQ(glb.temporal.size(), 3U);
  const Problem problem = MakeGemm("g", {.p = 8, .k = 6, .c = 5});
  EXPECT_EQ(LoopsOutside(glb, *FindTensor(problem, "Inputs")), 0U);
  EXPECT_EQ(LoopsOutside(glb, *FindTensor(problem, "Weights")), 2U);
  EXPECT_EQ(LoopsOutside(glb, *FindTensor(problem, "Outputs")), 3U);
  EXPECT_EQ(Classify(problem, *mapping), Mapspace::kUneven);
  EXPECT_EQ(MappingLines(problem, ThreeLevels(), *mapping), lines);
}

TEST(BindMappingTest, AlsoKeepsStandsAmongTheLoopsOfItsLevel) {
  EXPECT_THAT(
      Errors({"DRAM keeps all", "GLB keeps none", "GLB also keeps Inputs", "for P in 8 step 1",
              "DRAM also keeps Inputs", "GBL also keeps Inputs", "GLB also keeps Input",
              "parallel K in 6 step 2 on array.x", "GLB also keeps Weights", "RF keeps none",
              "for K in 2 step 1", "for C in 5 step 1"}),
      ElementsAre(StartsWith("5:3: no loop stands between 'GLB' and its 'also keeps'"),
                  StartsWith("7:3: 'DRAM also keeps' does not stand among the loops"),
                  StartsWith("8:3: the architecture has no level 'GBL'"),
                  StartsWith("9:18: the problem has no tensor 'Input'"),
                  StartsWith("11:3: 'GLB also keeps' stands inside 'parallel'")));
  EXPECT_THAT(Errors({"DRAM keeps none", "for P in 8 step 1", "DRAM also keeps all",
                      "for K in 6 step 1", "for C in 5 step 1", "GLB keeps none", "RF keeps none"}),
              ElementsAre(StartsWith("3:3: 'Weights' enters 'DRAM', the outermost level"),
                          StartsWith("3:3: 'Inputs' enters 'DRAM', the outermost level"),
                          StartsWith("3:3: 'Outputs' enters 'DRAM', the outermost level")));
}

TEST(BindMappingTest, FanoutsWithoutANameCanBeWritten) {
  Architecture architecture = ThreeLevels();
  architecture.levels[LevelId(1)].fanout.name = "";
  const Problem problem = MakeGemm("g", {.p = 4});
  Mapping mapping;
  mapping.levels.resize(3);
  mapping.levels[LevelId(0)].keep = TensorSet::FirstN(3);
  mapping.levels[LevelId(1)].spatial = {{DimId(0), 1, Axis::kX}};
  EXPECT_THAT(MappingLines(problem, architecture, mapping),
              ElementsAre("DRAM keeps all", "GLB keeps none",
                          "parallel P in 4 step 1 on GLB_array.x", "RF keeps none"));
  const auto inputs = ReadText(WriteNative(problem, architecture, mapping));
  ASSERT_TRUE(inputs);
  EXPECT_EQ(inputs->mapping(problem, architecture).value(), mapping);
  EXPECT_EQ(ReadText(WriteNative(architecture))->architecture->levels[LevelId(1)].fanout.name,
            "GLB_array");
}

}  // namespace
}  // namespace inlay::io
