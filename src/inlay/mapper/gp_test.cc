#include "inlay/mapper/gp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inlay/core/shapes.h"
#include "inlay/io/library/library.h"
#include "inlay/mapper/mapper.h"

namespace inlay {
namespace {

using ::testing::HasSubstr;

Architecture Builtin(const std::string& name) {
  return *io::LoadBuiltin(io::BuiltinKind::kArchitecture, name).value().architecture;
}

LayerAnswer SearchBy(Strategy strategy, const Space& space, Metric metric,
                     Semantics semantics = Semantics::kExact) {
  MapOptions options;
  options.strategy = strategy;
  options.objective = {metric};
  options.semantics = semantics;
  return MapLayer(space, options, StopFlag());
}

// Five levels, two axes, bypasses, constraints: the mapping is valid and not far from the best.
TEST(GpStrategy, HandlesAnyHierarchyAndObjective) {
  const Problem conv = MakeConv("conv", {.k = 16, .c = 8, .p = 14, .q = 14, .r = 3, .s = 3});
  for (const char* name : {"thistle-eyeriss", "eyeriss", "simba"}) {
    const Space space = MakeSpace(conv, Builtin(name), Mapspace::kPerfect).value();
    for (const Metric metric : {Metric::kEnergy, Metric::kDelay, Metric::kEdp, Metric::kOffchip}) {
      SCOPED_TRACE(std::string(name) + " " + Name(metric));
      const LayerAnswer answer = SearchBy(Strategy::kGp, space, metric);
      ASSERT_TRUE(answer.best.has_value());
      EXPECT_TRUE(CheckMembership(space, answer.best->mapping).empty());
      EXPECT_TRUE(Fits(space, space.problem, answer.best->mapping));
      if (metric == Metric::kDelay || metric == Metric::kOffchip) continue;
      const double found = answer.certificate.objective;
      const LayerAnswer exact = SearchBy(Strategy::kExact, space, metric);
      EXPECT_GE(found, exact.certificate.lower_bound * (1 - 1e-9));
      EXPECT_LE(found, exact.certificate.objective * 1.5);
    }
  }
}

TEST(GpStrategy, AMemoryThatJustHoldsTheSmallestTilesIsFilled) {
  Architecture architecture = Builtin("thistle-eyeriss");
  architecture.levels[LevelId(2)].capacity_words = 3;
  const Space space =
      MakeSpace(MakeGemm("gemm", {.p = 8, .k = 8, .c = 8}), architecture, Mapspace::kPerfect)
          .value();
  EXPECT_TRUE(SearchBy(Strategy::kGp, space, Metric::kEnergy).best.has_value());
  architecture.levels[LevelId(2)].capacity_words = 2;
  const Space none = MakeSpace(space.problem, architecture, Mapspace::kPerfect).value();
  const LayerAnswer answer = SearchBy(Strategy::kGp, none, Metric::kEnergy);
  EXPECT_FALSE(answer.best.has_value());
  EXPECT_FALSE(answer.infeasible.empty());
}

TEST(GpStrategy, SaysWhatItCannotDo) {
  Architecture architecture = Builtin("thistle-eyeriss");
  architecture.levels[LevelId(1)].keep = TensorNameSet{false, {"Weights"}};
  const Space space =
      MakeSpace(MakeGemm("gemm", {.p = 8, .k = 8, .c = 8}), architecture, Mapspace::kPerfect)
          .value();
  const LayerAnswer answer = SearchBy(Strategy::kGp, space, Metric::kEnergy);
  ASSERT_EQ(answer.unsupported.size(), 1U);
  EXPECT_THAT(answer.unsupported.front().message, HasSubstr("'SRAM' may keep a tensor or not"));
}

}  // namespace
}  // namespace inlay
