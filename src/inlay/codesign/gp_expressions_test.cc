#include "inlay/codesign/gp_expressions.h"

#include <gtest/gtest.h>

#include "inlay/codesign/thistle_template.h"
#include "inlay/core/shapes.h"

namespace inlay {
namespace {

Architecture Template() {
  Technology technology;
  technology.mac_area_um2 = 1;
  Architecture architecture = ThistleTemplate(technology, 100).base;
  architecture.levels[LevelId(1)].fanout.x = 8;
  return architecture;
}

const ExplainedLevel& LevelOf(const Explanation& explanation, size_t i) {
  return explanation.levels.at(i);
}

size_t Kept(const ExplainedLevel& level) {
  size_t kept = 0;
  for (const ExplainedClass& explained : level.classes) kept += explained.dominated_by ? 0U : 1U;
  return kept;
}

// Equations 1 and 2 of the paper: SRAM loops of a matrix product, the reduction innermost.
TEST(Explain, AMatrixProduct) {
  const auto explanation =
      Explain({"gemm", "gemm", MakeGemm("gemm", {.p = 8, .k = 8, .c = 8}), 1}, Template());
  ASSERT_TRUE(explanation.has_value());
  ASSERT_EQ(explanation->tiles.size(), 2U);
  EXPECT_EQ(explanation->tiles[1].first, "registers");
  EXPECT_EQ(explanation->tiles[1].second,
            (TensorExpressions{{"Weights", "K_registers*C_registers"},
                               {"Inputs", "P_registers*C_registers"},
                               {"Outputs", "P_registers*K_registers"}}));
  const ExplainedLevel& dram = LevelOf(*explanation, 0);
  EXPECT_EQ(dram.orders, 6U);
  ASSERT_EQ(Kept(dram), 3U);  // which tensor stays: weights, inputs or outputs
  for (const ExplainedClass& explained : dram.classes) {
    if (explained.order.back() != "C") continue;
    // The outputs stay while C runs: every loop but C repeats, both ways.
    EXPECT_EQ(explained.copies[2].second.back().words,
              "2*P_DRAM*K_DRAM*P_SRAM*P_PEs*K_SRAM*K_PEs*P_registers*K_registers");
    EXPECT_EQ(explained.copies[2].second.front().words,
              "P_SRAM*P_PEs*K_SRAM*K_PEs*P_registers*K_registers");
  }
}

// The paper's example: 24 orders of a 3 × 3 convolution, 14, 8 and 5 classes; every pruned one
// names a class that stays.
TEST(Explain, AConvolutionHasThePapersClasses) {
  const auto explanation = Explain(
      {"conv", "conv", MakeConv("conv", {.k = 4, .c = 4, .p = 8, .q = 8, .r = 3, .s = 3}), 1},
      Template());
  ASSERT_TRUE(explanation.has_value());
  ASSERT_EQ(explanation->levels.size(), 2U);
  for (const ExplainedLevel& level : explanation->levels) {
    EXPECT_EQ(level.orders, 24U);
    EXPECT_EQ(level.paper_classes, 14U);
    EXPECT_EQ(level.classes.size(), 8U);
    EXPECT_EQ(Kept(level), 5U);
    for (const ExplainedClass& explained : level.classes) {
      EXPECT_EQ(explained.copies.front().second.size(), (level.level == "SRAM" ? 9U : 5U));
      if (!explained.dominated_by) continue;
      EXPECT_FALSE(level.classes.at(*explained.dominated_by - 1).dominated_by);
    }
  }
  // A window is a number: two more rows than the tile has.
  EXPECT_EQ(explanation->tiles[1].second[1].second,
            "C_registers*(P_registers + 2)*(Q_registers + 2)");
}

TEST(Explain, ABypassedLevelIsSkipped) {
  Architecture architecture = Template();
  architecture.levels[LevelId(1)].keep = TensorNameSet{false, {"Inputs", "Outputs"}};
  architecture.levels[LevelId(1)].bypass = TensorNameSet{false, {"Weights"}};
  const auto explanation =
      Explain({"gemm", "gemm", MakeGemm("gemm", {.p = 8, .k = 8, .c = 8}), 1}, architecture);
  ASSERT_TRUE(explanation.has_value());
  EXPECT_EQ(explanation->tiles[0].second.front().first, "Inputs");  // no weights
  const ExplainedClass& from_sram = LevelOf(*explanation, 1).classes.front();
  EXPECT_TRUE(from_sram.copies[0].second.empty());
  EXPECT_FALSE(from_sram.copies[1].second.empty());
  EXPECT_FALSE(LevelOf(*explanation, 0).classes.front().copies[0].second.empty());
}

}  // namespace
}  // namespace inlay
