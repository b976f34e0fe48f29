#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inlay/io/timeloop/map_text.h"
#include "inlay/io/timeloop/read.h"
#include "inlay/io/timeloop/write.h"
#include "inlay/mapspace/space.h"

namespace inlay::io {
namespace {

using ::testing::HasSubstr;

constexpr const char* kFile = R"(
problem:
  shape: gemm_ABZ
  instance: {M: 4, N: 6, K: 10}
arch:
  arithmetic: {name: MAC, instances: 6, meshX: 2, meshY: 3, energy: 1}
  storage:
  - {name: RF, instances: 6, meshX: 2, meshY: 3, vector_access_energy: 1}
  - {name: GLB, instances: 1, entries: 100, vector_access_energy: 2}
  - {name: DRAM, instances: 1, technology: DRAM, vector_access_energy: 100}
)";

Inputs ReadWell(const std::string& text) {
  auto inputs = ReadTimeloop({{"f.yaml", text}});
  EXPECT_TRUE(inputs.has_value()) << Format(inputs.error());
  return inputs ? *std::move(inputs) : Inputs();
}

Result<Mapping> Map(const std::string& directives) {
  auto inputs = ReadTimeloop({{"f.yaml", kFile + ("mapping:\n" + directives)}});
  if (!inputs) return Fail(inputs.error());
  return inputs->mapping(*inputs->problem, *inputs->architecture);
}

std::string Errors(const std::string& directives) {
  const auto mapping = Map(directives);
  return mapping ? "" : Format(mapping.error());
}

constexpr const char* kGood = R"(
- {target: DRAM, type: temporal, factors: M=4 K=3, permutation: KM}
- {target: GLB, type: spatial, factors: N=2 K=2, permutation: NK, split: 1}
- {target: GLB, type: temporal, factors: N=3, permutation: N}
- {target: GLB, type: datatype, keep: [A, Z], bypass: [B]}
- {target: RF, type: temporal, factors: 'K=2,2'}
)";

TEST(TimeloopMappingTest, StepsAreWhatTheInnerLoopsCover) {
  const auto mapping = Map(R"(
- {target: DRAM, type: temporal, factors: M=4 K=3, permutation: KM}
- {target: GLB, type: spatial, factors: 'N=2 K=2,1', permutation: NK, split: 1}
- {target: GLB, type: temporal, factors: N=3}
- {target: RF, type: temporal, factors: K=2}
)");
  ASSERT_TRUE(mapping.has_value()) << Format(mapping.error());
  const DimId m(0), n(1), k(2);
  EXPECT_EQ(mapping->levels[LevelId(0)].temporal,
            (std::vector<Loop>{{m, 1, Axis::kTime}, {k, 4, Axis::kTime}}));
  EXPECT_EQ(mapping->levels[LevelId(1)].temporal, (std::vector<Loop>{{n, 2, Axis::kTime}}));
  EXPECT_EQ(mapping->levels[LevelId(1)].spatial,
            (std::vector<Loop>{{k, 2, Axis::kY}, {n, 1, Axis::kX}}));
  EXPECT_EQ(mapping->levels[LevelId(2)].temporal, (std::vector<Loop>{{k, 1, Axis::kTime}}));
  for (const LevelMapping& level : mapping->levels) EXPECT_EQ(level.keep.size(), 3);
}

TEST(TimeloopMappingTest, ShowsTheArithmetic) {
  EXPECT_THAT(Errors(kGood),
              HasSubstr("the factors of 'K' make 3 · 2 · 2 = 12 iterations, not 10"));
  EXPECT_THAT(Errors("- {target: DRAM, type: temporal, factors: 'M=4 N=6 K=3'}\n"
                     "- {target: RF, type: temporal, factors: 'K=4,1'}\n"),
              HasSubstr("the factors of 'K' make 3 · 4,1 → (2)·4 + 0 + 1 = 9 iterations, not 10"));
  EXPECT_THAT(Errors("- {target: DRAM, type: temporal, factors: M=4}\n"),
              HasSubstr("the factors of 'N' make 1 = 1 iterations, not 6"));
  EXPECT_THAT(Errors("- {target: DRAM, type: temporal, factors: M=4 N=6 K=9000000000000000000}\n"
                     "- {target: RF, type: temporal, factors: K=4}\n"),
              HasSubstr("= too many iterations, not 10"));
}

TEST(TimeloopMappingTest, CountsUpToTheLargestBound) {
  const Inputs inputs = ReadWell(R"(
problem: {shape: gemm_ABZ, instance: {M: 9223372036854775807, N: 1, K: 1}}
arch:
  arithmetic: {instances: 1, energy: 1}
  storage:
  - {name: DRAM, instances: 1, vector_access_energy: 1}
  - {name: Disk, instances: 1, vector_access_energy: 1}
mapping:
- {target: Disk, type: temporal, factors: M=2}
- {target: DRAM, type: temporal, factors: 'M=9223372036854775806,1'}
)");
  const auto mapping = inputs.mapping(*inputs.problem, *inputs.architecture);
  ASSERT_TRUE(mapping.has_value()) << Format(mapping.error());
  EXPECT_EQ(mapping->levels[LevelId(0)].temporal.front().step, 9223372036854775806);
}

TEST(TimeloopMappingTest, RefusesAShortOutermostLoop) {
  EXPECT_THAT(Errors("- {target: DRAM, type: temporal, factors: 'M=4 N=6 K=7,5'}\n"
                     "- {target: RF, type: temporal, factors: K=2}\n"),
              HasSubstr("the outermost loop over 'K', at 'DRAM', has factor 7,5"));
  EXPECT_THAT(Errors("- {target: DRAM, type: temporal, factors: 'M=4 N=6 K=2,5'}\n"),
              HasSubstr("the residual of 'K=2,5' is not in 1 … 2"));
}

TEST(TimeloopMappingTest, ZeroIsTheRest) {
  const auto mapping =
      Map("- {target: 2, type: temporal, factors: M0 N0 K0}\n"
          "- {target: 0, type: temporal, factors: K=5}\n");
  ASSERT_TRUE(mapping.has_value()) << Format(mapping.error());
  EXPECT_EQ(mapping->levels[LevelId(0)].temporal.front().step, 5);  // K, outermost
  EXPECT_THAT(Errors("- {target: DRAM, type: temporal, factors: M0 N0 K0}\n"
                     "- {target: RF, type: temporal, factors: K=3}\n"),
              HasSubstr("the factor 0 of 'K' would be 10 / 3"));
  EXPECT_THAT(Errors("- {target: DRAM, type: temporal, factors: M0 N0 K0}\n"
                     "- {target: RF, type: temporal, factors: K=0}\n"),
              HasSubstr("dimension 'K' has two factors 0"));
}

TEST(TimeloopMappingTest, ReportsEveryFault) {
  const std::string errors = Errors(R"(
- {target: DRAMM, type: temporal, factors: M=4}
- {target: 7, type: temporal}
- {target: RF, type: spatial, factors: M=4}
- {target: GLB, type: temporal, factors: X=4, permutation: MY}
- {target: GLB, type: temporal, factors: N=6}
- {target: RF, type: bypass, keep: [A], bypass: [A, C]}
)");
  for (const char* message :
       {"there is no level 'DRAMM'", "did you mean 'DRAM'?", "there is no level 7",
        "levels are counted from 0, the innermost, to 2", "there is no fan-out below 'RF'",
        "'X' is not a dimension of the problem", "'Y' is not a dimension of the problem",
        "a second directive of this type for 'GLB'", "'A' is both kept and bypassed",
        "'C' is not a data space of the problem"}) {
    EXPECT_THAT(errors, HasSubstr(message));
  }
}

TEST(TimeloopMappingTest, ReportsFaultsOfForm) {
  EXPECT_THAT(Errors("  target: DRAM\n"), HasSubstr("a mapping must be a list of directives"));
  EXPECT_THAT(Errors("- {target: DRAM}\n"), HasSubstr("needs a 'target' and a 'type'"));
  EXPECT_THAT(Errors("- {target: DRAM, type: temporary}\n"),
              HasSubstr("unknown type of directive 'temporary'"));
  EXPECT_THAT(Errors("- {target: DRAM, type: temporal, factor: M=4}\n"),
              HasSubstr("did you mean 'factors'?"));
  EXPECT_THAT(Errors("- {target: DRAM, type: temporal, factors: M<=4}\n"),
              HasSubstr("the factor of 'M' is a bound"));
}

TEST(TimeloopMappingTest, PlacesWhatCoreFinds) {
  EXPECT_THAT(Errors("- {target: DRAM, type: temporal, factors: M=4 N=2 K=10}\n"
                     "- {target: GLB, type: spatial, factors: N=3}\n"),
              HasSubstr("f.yaml:13:3: error: 3 lanes are used on x below 'GLB', which has 2"));
  EXPECT_THAT(Errors("- {target: DRAM, type: temporal, factors: M=4 N=6 K=10}\n"
                     "- {target: DRAM, type: bypass, bypass: [A]}\n"),
              HasSubstr("f.yaml:13:3: error: 'DRAM' must keep 'A'"));
}

TEST(TimeloopMappingTest, AnEmptyListIsNoMapping) {
  EXPECT_FALSE(ReadWell(kFile + std::string("mapping: []\n")).mapping);
}

struct Case {
  Inputs inputs;
  Mapping mapping;
};

Case GoodCase() {
  Case result;
  result.inputs = ReadWell(kFile + std::string(R"(
mapping:
- {target: DRAM, type: temporal, factors: M=4 K=3, permutation: KM}
- {target: GLB, type: spatial, factors: 'N=2 K=2,1', permutation: NK, split: 1}
- {target: GLB, type: temporal, factors: N=3}
- {target: GLB, type: bypass, bypass: [B]}
- {target: RF, type: temporal, factors: K=2}
)"));
  result.mapping =
      result.inputs.mapping(*result.inputs.problem, *result.inputs.architecture).value();
  return result;
}

TEST(TimeloopMapTextTest, LooksLikeTimeloops) {
  const Case good = GoodCase();
  EXPECT_EQ(WriteMapText(*good.inputs.problem, *good.inputs.architecture, good.mapping),
            R"(DRAM [ A:40 (40) B:60 (60) Z:24 (24) ]
--------------------------------------
| for M in [0:4)
|   for K in [0:3)

GLB [ A:4 (4) Z:6 (6) ]
-----------------------
|     for N in [0:3)
|       for K in [0:2,1) (Spatial-Y)
|         for N in [0:2) (Spatial-X)

RF [ A:2 (2) B:2 (2) Z:1 (1) ]
------------------------------
|           for K in [0:2)
|             << Compute >>

)");
}

TEST(TimeloopMapTextTest, LevelsWithoutLoopsShareABlock) {
  Case good = GoodCase();
  for (LevelMapping& level : good.mapping.levels) {
    level.temporal.clear();
    level.spatial.clear();
  }
  good.mapping.levels[LevelId(1)].temporal = {{DimId(2), 3, Axis::kTime},
                                              {DimId(2), 1, Axis::kTime},
                                              {DimId(0), 1, Axis::kTime},
                                              {DimId(1), 1, Axis::kTime}};
  const std::string text =
      WriteMapText(*good.inputs.problem, *good.inputs.architecture, good.mapping);
  EXPECT_THAT(text, HasSubstr("DRAM [ A:40 (40) B:60 (60) Z:24 (24) ]\n"
                              "GLB [ A:40 (40) Z:24 (24) ]\n"
                              "---------------------------\n"
                              "| for K in [0:4)\n"
                              "|   for K in [0:3,1)\n"));
}

TEST(TimeloopWriteTest, WritesTheMappingAlone) {
  const Case good = GoodCase();
  const auto text =
      WriteTimeloopMapping(*good.inputs.problem, *good.inputs.architecture, good.mapping);
  ASSERT_TRUE(text.has_value());
  EXPECT_THAT(*text, HasSubstr("- {target: DRAM, type: temporal, factors: \"K=3 M=4 N=1\", "
                               "permutation: KMN}\n"));
  EXPECT_THAT(*text, HasSubstr("- {target: GLB, type: spatial, factors: \"N=2 K=2,1 M=1\", "
                               "permutation: NKM, split: 1}\n"));
  EXPECT_THAT(*text, HasSubstr("- {target: GLB, type: bypass, keep: [A, Z], bypass: [B]}\n"));
  const Inputs again = ReadWell(kFile + *text);
  EXPECT_TRUE(again.mapping(*again.problem, *again.architecture).value() == good.mapping);
}

TEST(TimeloopWriteTest, RenamesLongDimensions) {
  Case good = GoodCase();
  Problem& problem = *good.inputs.problem;
  problem.dims[DimId(0)].name = "rows";
  problem.dims[DimId(1)].name = "R";
  problem.dims[DimId(2)].name = "reduced";
  const auto text =
      WriteTimeloop(&problem, &*good.inputs.architecture, &good.mapping, TimeloopVersion::k03);
  ASSERT_TRUE(text.has_value());
  EXPECT_THAT(*text,
              HasSubstr("# Dimensions are renamed to single letters: O is rows, E is reduced"));
  EXPECT_THAT(*text, HasSubstr("dimensions: [O, R, E]"));
  const Inputs again = ReadWell(*text);
  EXPECT_TRUE(again.mapping(*again.problem, *again.architecture).value() == good.mapping);
}

TEST(TimeloopWriteTest, WritesScalars) {
  Case good = GoodCase();
  good.inputs.problem->tensors.push_back({"scale", {}, false});
  const auto text = WriteTimeloop(&*good.inputs.problem, nullptr, nullptr, TimeloopVersion::k03);
  ASSERT_TRUE(text.has_value());
  EXPECT_EQ(ReadWell(*text).problem, good.inputs.problem);
}

TEST(TimeloopWriteTest, KeepsConstraints) {
  Case good = GoodCase();
  Architecture& architecture = *good.inputs.architecture;
  architecture.levels[LevelId(1)].keep = TensorNameSet{false, {"A"}};
  architecture.levels[LevelId(1)].bypass = TensorNameSet{false, {"B"}};
  Constraint glb;
  glb.at = "GLB";
  glb.factors = {{"M", Relation::kAtMost, 2}};
  glb.innermost = {"K"};
  glb.outermost = {"M"};
  glb.min_utilization = 0.5;
  glb.default_factor = FactorBound{"", Relation::kAtMost, 4};
  glb.remainders = 7;
  Constraint array;
  array.at = "GLB_fanout";
  array.x = {{"M", "N"}};
  array.y = {{"K"}};
  array.min_utilization = 0.75;
  array.remainders = 3;
  architecture.constraints = {glb, array};
  for (const auto version : {TimeloopVersion::k03, TimeloopVersion::k04}) {
    const auto text = WriteTimeloop(&*good.inputs.problem, &architecture, nullptr, version);
    ASSERT_TRUE(text.has_value());
    Inputs again = ReadWell(*text);
    EXPECT_EQ(again.architecture->levels[LevelId(1)], architecture.levels[LevelId(1)]);
    // The share of the capacity comes from an attribute of the level, that of the lanes apart.
    const Problem& problem = *good.inputs.problem;
    for (const Mapspace mapspace : {Mapspace::kPerfect, Mapspace::kRuby}) {
      const auto before = MakeSpace(problem, architecture, mapspace);
      const auto after = MakeSpace(problem, *again.architecture, mapspace);
      ASSERT_TRUE(before && after) << *text;
      EXPECT_EQ(after->factors, before->factors) << *text;
      EXPECT_EQ(after->unrolling, before->unrolling) << *text;
      EXPECT_EQ(after->min_lanes, before->min_lanes);
      EXPECT_EQ(after->min_utilization, before->min_utilization);
      EXPECT_EQ(after->keeps, before->keeps);
      for (LevelId l : Ids(before->orders)) {
        EXPECT_EQ(after->orders[l].innermost, before->orders[l].innermost);
        EXPECT_EQ(after->orders[l].outermost, before->orders[l].outermost);
      }
      for (SlotId s : Ids(before->remainders)) {  // those written are below any number of steps
        EXPECT_EQ(std::min<int64_t>(after->remainders[s], 1 << 20),
                  std::min<int64_t>(before->remainders[s], 1 << 20));
      }
    }
  }
}

TEST(TimeloopWriteTest, RefusesWhatTimeloopCannotSay) {
  const auto errors = [](const auto& change) {
    Case good = GoodCase();
    change(&good);
    const auto text = WriteTimeloop(&*good.inputs.problem, &*good.inputs.architecture,
                                    &good.mapping, TimeloopVersion::k03);
    return text ? "" : Format(text.error());
  };
  const LevelId glb(1);
  EXPECT_THAT(errors([&](Case* c) { c->inputs.architecture->levels[glb].fanout.reduce = false; }),
              HasSubstr("'GLB' has a fan-out without reduction, which Timeloop cannot say"));
  EXPECT_THAT(errors([&](Case* c) {
                c->inputs.architecture->levels[glb].fanout.multicast = Multicast::kNone;
              }),
              HasSubstr("'GLB' has a fan-out without multicast"));
  EXPECT_THAT(
      errors([&](Case* c) { c->inputs.architecture->levels[glb].tensor_bits.push_back({}); }),
      HasSubstr("'GLB' has word bits per tensor"));
  EXPECT_THAT(errors([&](Case* c) { c->inputs.architecture->levels[glb].name = "G[0]"; }),
              HasSubstr("rename the level"));
  EXPECT_THAT(errors([&](Case* c) {
                auto& loops = c->mapping.levels[LevelId(0)].temporal;
                loops = {{DimId(0), 2, Axis::kTime},
                         {DimId(2), 4, Axis::kTime},
                         {DimId(0), 1, Axis::kTime}};
              }),
              HasSubstr("'DRAM' has two loops over 'M'"));
  EXPECT_THAT(errors([&](Case* c) {
                c->mapping.levels[LevelId(0)].temporal[1].step = 5;
                c->mapping.levels[glb].spatial[0].step = 2;
              }),
              HasSubstr("this tiling cannot be written as factors"));
}

}  // namespace
}  // namespace inlay::io
