// The examples are what their descriptions say.
#include <gtest/gtest.h>

#include <algorithm>

#include "inlay/core/mapping.h"
#include "inlay/cost/exact.h"
#include "inlay/io/library/library.h"

namespace inlay::io {
namespace {

struct Case {
  Problem problem;
  Architecture architecture;
  Mapping mapping;
};

Case Bind(const Problem& problem, const Architecture& architecture, const MappingBinder& binder) {
  auto mapping = binder(problem, architecture);
  EXPECT_TRUE(mapping) << Format(mapping.error());
  return {problem, architecture, *std::move(mapping)};
}

Case Example(std::string_view name) {
  const auto inputs = LoadBuiltin(BuiltinKind::kExample, name);
  EXPECT_TRUE(inputs) << Format(inputs.error());
  return Bind(*inputs->problem, *inputs->architecture, inputs->mapping);
}

Case ResNetOnEyeriss() {
  const auto problem = LoadBuiltin(BuiltinKind::kNetwork, "resnet50/conv2_1_3x3");
  const auto architecture = LoadBuiltin(BuiltinKind::kArchitecture, "eyeriss");
  const auto mapping = LoadBuiltin(BuiltinKind::kExample, "resnet50-conv2_1_3x3-eyeriss");
  EXPECT_TRUE(problem && architecture && mapping);
  return Bind(*problem->problem, *architecture->architecture, mapping->mapping);
}

Cost ExactCost(const Case& c) {
  Cost cost;
  EXPECT_TRUE(ExactModel(c.problem, c.architecture).Evaluate(c.mapping, &cost));
  return cost;
}

bool Allows(const std::optional<std::vector<std::string>>& dims, const std::string& dim) {
  return !dims || std::find(dims->begin(), dims->end(), dim) != dims->end();
}

// The loops of every constrained level and fan-out are among those that the constraint names.
void ExpectConstraintsHold(const Case& c) {
  for (const Constraint& constraint : c.architecture.constraints) {
    for (LevelId l : Ids(c.architecture.levels)) {
      const Level& level = c.architecture.levels[l];
      const auto check = [&](const Loop& loop,
                             const std::optional<std::vector<std::string>>& dims) {
        const std::string& dim = c.problem.dims[loop.dim].name;
        EXPECT_TRUE(Allows(dims, dim)) << dim << " at " << constraint.at;
      };
      if (constraint.at == level.name) {
        for (const Loop& loop : c.mapping.levels[l].temporal) check(loop, constraint.loops);
      }
      if (constraint.at != level.fanout.name) continue;
      for (const Loop& loop : c.mapping.levels[l].spatial) {
        check(loop, loop.axis == Axis::kX ? constraint.x : constraint.y);
      }
    }
  }
}

TEST(Examples, ResNetOnEyerissFitsAndKeepsEveryElementBusy) {
  const Case c = ResNetOnEyeriss();
  EXPECT_TRUE(Validate(c.problem, c.architecture, c.mapping).empty());
  EXPECT_TRUE(CheckCapacity(c.problem, c.architecture, c.mapping).empty());
  EXPECT_EQ(c.architecture.constraints.size(), 2U);
  ExpectConstraintsHold(c);
  EXPECT_EQ(Classify(c.problem, c.mapping), Mapspace::kPerfect);
  const Cost cost = ExactCost(c);
  EXPECT_EQ(cost.cycles, Operations(c.problem) / 168);
  EXPECT_EQ(cost.utilization, 1);
  // Outputs once; inputs once with two rows of halo in each of the four bands; weights per band.
  EXPECT_EQ(cost.offchip_words, 64 * 56 * 56 + 4 * 64 * 16 * 58 + 4 * 64 * 64 * 9);
}

TEST(Examples, AlexNetIsStripMined) {
  const Case c = Example("alexnet-conv2-strip-mined");
  EXPECT_TRUE(CheckCapacity(c.problem, c.architecture, c.mapping).empty());
  EXPECT_EQ(Classify(c.problem, c.mapping), Mapspace::kRubyS);
  EXPECT_NEAR(ExactCost(c).utilization, 13.5 / 14 * 10 / 12, 1e-12);
}

TEST(Examples, GemmHasTilesThatDoNotDivideEachOther) {
  const Case c = Example("gemm-any");
  EXPECT_TRUE(CheckCapacity(c.problem, c.architecture, c.mapping).empty());
  EXPECT_EQ(Classify(c.problem, c.mapping), Mapspace::kAny);
  EXPECT_EQ(ExactCost(c).operations, 100 * 30 * 50);
}

TEST(Examples, DepthwiseSpreadsPixelsOverBothAxes) {
  const Case c = Example("depthwise-systolic");
  EXPECT_TRUE(CheckCapacity(c.problem, c.architecture, c.mapping).empty());
  EXPECT_EQ(Classify(c.problem, c.mapping), Mapspace::kPerfect);
  EXPECT_EQ(ExactCost(c).utilization, 14.0 * 14 / 256);
}

}  // namespace
}  // namespace inlay::io
