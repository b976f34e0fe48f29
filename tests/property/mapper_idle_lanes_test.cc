// Bounds from boxes where lanes are idle in short tiles: every mapping of small spaces against the
// bound of its own sizes.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "inlay/core/shapes.h"
#include "inlay/cost/evaluate.h"
#include "inlay/mapper/exact/box_bound.h"
#include "inlay/mapspace/enumerate.h"
#include "tests/support/box_sizes.h"
#include "tests/support/mapspace_name.h"
#include "tests/support/random_space.h"

namespace inlay {
namespace {

using exact_search::BoxBounder;
using exact_search::KeepCase;
using testing::BoxSizesOf;
using testing::CaseCount;
using testing::Chance;
using testing::Describe;
using testing::Pick;
using testing::Random;

// A level that keeps these tensors, every access at one price, with so many lanes below it.
Level MakeLevel(const std::string& name, double price, std::vector<std::string> keeps,
                int64_t lanes) {
  Level level;
  level.name = name;
  level.energy = AccessEnergy{price, price, price};
  level.keep = TensorNameSet{.all = false, .names = keeps};
  level.bypass = TensorNameSet{.all = true, .names = {}};
  level.fanout.name = "F" + name;
  level.fanout.x = lanes;
  return level;
}

// Goes through mappings until one fails; how many bounds are within 2 % of the cost.
int64_t CheckMappings(const Space& space, int64_t most) {
  std::vector<KeepCase> keep_cases;
  std::vector<BoxBounder> bounders;
  for (const auto& keeps : exact_search::KeepChoices(space)) keep_cases.emplace_back(space, keeps);
  for (const KeepCase& keep_case : keep_cases) bounders.emplace_back(space, keep_case);
  int64_t count = 0, tight = 0;
  ForEachMapping(space, [&](const Problem& problem, const Mapping& mapping) {
    if (++count > most) return false;
    if (!Fits(space, problem, mapping)) return true;
    const auto cost = Evaluate(problem, space.architecture, mapping);
    IndexedVector<LevelId, TensorSet> keeps;
    for (const LevelMapping& level : mapping.levels) keeps.push_back(level.keep);
    for (size_t f = 0; f < keep_cases.size(); ++f) {
      if (keep_cases[f].keeps != keeps) continue;
      const double least = bounders[f].BoundOf(BoxSizesOf(space, mapping)).energy_pj;
      if (least > 0.98 * cost->energy_pj) ++tight;
      EXPECT_LE(least, cost->energy_pj * (1 + 1e-12))
          << Describe({problem, space.architecture, mapping}) << Describe(space);
    }
    return !::testing::Test::HasFailure();
  });
  return tight;
}

class MapperIdleLanesTest : public ::testing::TestWithParam<Mapspace> {};
INSTANTIATE_TEST_SUITE_P(All, MapperIdleLanesTest,
                         ::testing::Values(Mapspace::kRubyS, Mapspace::kRuby, Mapspace::kAny),
                         testing::MapspaceName);

// Three outputs on two lanes, cut outside the level above the lanes: in every second tile one lane
// is idle and keeps its sum, while the other one keeps its input.
TEST_P(MapperIdleLanesTest, OneLaneKeepsASumAndTheOtherAnInput) {
  Architecture architecture;
  architecture.name = "idle";
  architecture.compute.energy_pj = 0;
  architecture.levels.push_back(MakeLevel("L0", 100, {"Weights", "Inputs", "Outputs"}, 1));
  architecture.levels.push_back(MakeLevel("L1", 1, {"Inputs", "Outputs"}, 1));
  architecture.levels.push_back(MakeLevel("L2", 1, {"Weights", "Outputs"}, 2));
  architecture.levels.push_back(MakeLevel("L3", 1, {"Weights", "Inputs", "Outputs"}, 1));
  const Problem problem = MakeGemm("product", {.g = 1, .p = 1, .k = 3, .c = 4});
  const auto space = MakeSpace(problem, architecture, GetParam());
  ASSERT_TRUE(space.has_value());
  EXPECT_GT(CheckMappings(*space, 1'000'000), 0);
}

// Prices of any proportion, on levels that keep any tensors, products and windows.
TEST_P(MapperIdleLanesTest, NoBoundIsAboveAMappingOfTheSameSizes) {
  const int64_t cases = CaseCount(40, 3000);
  Random random(static_cast<uint64_t>(GetParam()) + 79);
  int64_t tight = 0;
  for (int64_t done = 0; done < cases; ++done) {
    const Problem problem =
        Chance(random, 0.7)
            ? MakeGemm("product", {.g = 1,
                                   .p = Pick(random, 1, 5),
                                   .k = Pick(random, 1, 3),
                                   .c = Pick(random, 1, 5)})
            : MakeConv("conv",
                       {.k = Pick(random, 1, 3), .p = Pick(random, 1, 4), .r = Pick(random, 2, 3)});
    Architecture architecture;
    architecture.name = "idle";
    architecture.compute.energy_pj = 0;
    const int64_t levels = Pick(random, 3, 4);
    for (int64_t l = 0; l < levels; ++l) {
      std::vector<std::string> keeps;
      for (const Tensor& tensor : problem.tensors) {
        if (l == 0 || Chance(random, 0.6)) keeps.push_back(tensor.name);
      }
      const double price = std::pow(10, static_cast<double>(Pick(random, 0, 12)) / 4);
      const int64_t lanes = l > 0 && Chance(random, 0.6) ? Pick(random, 2, 4) : 1;
      architecture.levels.push_back(MakeLevel("L" + std::to_string(l), price, keeps, lanes));
    }
    const auto space = MakeSpace(problem, architecture, GetParam());
    ASSERT_TRUE(space.has_value());
    tight += CheckMappings(*space, 3000);
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(tight, cases);
}

}  // namespace
}  // namespace inlay
