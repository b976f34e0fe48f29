#include "inlay/io/native/mapping_line.h"

#include <gtest/gtest.h>

#include <regex>

namespace inlay::io {
namespace {

TEST(MappingLineTest, KeepLines) {
  const MappingLine all = ParseMappingLine("DRAM keeps all").value();
  EXPECT_EQ(all.kind, MappingLine::Kind::kKeep);
  EXPECT_EQ(all.level.text, "DRAM");
  EXPECT_TRUE(all.keeps_all);

  const MappingLine some = ParseMappingLine("GLB keeps Inputs  Outputs").value();
  EXPECT_FALSE(some.keeps_all);
  ASSERT_EQ(some.tensors.size(), 2U);
  EXPECT_EQ(some.tensors[1].text, "Outputs");
  EXPECT_EQ(some.tensors[1].offset, 18U);

  const MappingLine none = ParseMappingLine("spads keep none").value();
  EXPECT_FALSE(none.keeps_all);
  EXPECT_TRUE(none.tensors.empty());
}

TEST(MappingLineTest, Loops) {
  const MappingLine time = ParseMappingLine("for P in 56 step 13").value();
  EXPECT_EQ(time.kind, MappingLine::Kind::kLoop);
  EXPECT_EQ(time.dim.text, "P");
  EXPECT_EQ(time.range, 56);
  EXPECT_EQ(time.range_offset, 9U);
  EXPECT_EQ(time.step, 13);
  EXPECT_EQ(time.axis, Axis::kTime);

  const MappingLine space = ParseMappingLine("parallel Q in 14 step 1 on array.x").value();
  EXPECT_EQ(space.axis, Axis::kX);
  EXPECT_EQ(space.fanout.text, "array");
  EXPECT_EQ(space.fanout.offset, 27U);
  EXPECT_EQ(ParseMappingLine("parallel Q in 14 step 1 on a.b.y").value().fanout.text, "a.b");
}

TEST(MappingLineTest, ErrorsHaveTheirColumn) {
  const struct {
    const char* text;
    size_t offset;
    const char* message;
  } cases[] = {
      {"", 0, "an empty line in the mapping"},
      {"GLB", 0, "cannot read this line"},
      {"GLB holds all", 4, "expected 'keeps'"},
      {"GLB also holds all", 9, "expected 'keeps'"},
      {"GLB keeps", 9, "expected the tensors that the level keeps"},
      {"GLB keeps Inputs, Outputs", 16,
       "a name must not contain spaces, commas, quotes or control characters"},
      {"GLB keeps Inputs all", 17, "'all' cannot be a name"},
      {"GLB keeps none Inputs", 10, "'none' cannot be a name"},
      {"for", 3, "expected a dimension"},
      {"for 3 in 4 step 1", 4, "expected a dimension"},
      {"for P from 56 step 13", 6, "expected 'in'"},
      {"for P in many step 13", 9, "expected a whole number from 1 for the range"},
      {"for P in 0 step 13", 9, "the range must be at least 1"},
      {"for P in 56", 11, "expected 'step'"},
      {"for P in 56 steps 13", 12, "expected 'step'"},
      {"for P in 56 step -1", 17, "expected a whole number from 1 for the step"},
      {"for P in 56 step 13 on array.x", 20, "unexpected text at the end of the line"},
      {"parallel P in 56 step 13", 24, "expected 'on'"},
      {"parallel P in 56 step 13 on array", 28, "expected a fan-out and its axis"},
      {"parallel P in 56 step 13 on .x", 28, "expected a fan-out and its axis"},
      {"parallel P in 56 step 13 on array.z", 28, "expected a fan-out and its axis"},
  };
  for (const auto& bad : cases) {
    const auto line = ParseMappingLine(bad.text);
    ASSERT_FALSE(line) << bad.text;
    EXPECT_EQ(line.error().offset, bad.offset) << bad.text;
    EXPECT_EQ(line.error().message, bad.message) << bad.text;
  }
}

TEST(MappingLineTest, ThePatternAcceptsWhatTheParserAccepts) {
  const std::regex pattern(MappingLinePattern());
  for (const char* text : {"DRAM keeps all", "a keep b c", "GLB also keeps b",
                           "for P in 56 step 13", "parallel Q in 14 step 1 on array.x"}) {
    EXPECT_TRUE(ParseMappingLine(text).has_value()) << text;
    EXPECT_TRUE(std::regex_search(text, pattern)) << text;
  }
  for (const char* text :
       {"GLB holds all", "GLB also b", "for P in 56", "parallel Q in 14 step 1 on array"}) {
    EXPECT_FALSE(std::regex_search(text, pattern)) << text;
  }
}

}  // namespace
}  // namespace inlay::io
