#include "inlay/mapper/dnnopt.h"

#include <gtest/gtest.h>

#include "inlay/core/shapes.h"
#include "inlay/io/library/library.h"

namespace inlay {
namespace {

Architecture Builtin(const std::string& name) {
  return *io::LoadBuiltin(io::BuiltinKind::kArchitecture, name)->architecture;
}

LayerAnswer Map(const Problem& problem, const Architecture& architecture, MapOptions options = {}) {
  const StopFlag stop;
  options.strategy = Strategy::kDnnopt;
  return MapLayer(MakeSpace(problem, architecture, Mapspace::kRubyS).value(), options, stop);
}

Problem SmallConv() {
  return MakeConv("small", {.n = 2, .k = 64, .c = 32, .p = 14, .q = 14, .r = 3, .s = 3});
}

MapOptions With(Dataflow dataflow) {
  MapOptions options;
  options.dnnopt.dataflow = dataflow;
  return options;
}

TEST(DnnoptTest, MapsOntoTheArrayOfItsDataflow) {
  for (const Dataflow dataflow :
       {Dataflow::kOutputStationary, Dataflow::kWeightStationary, Dataflow::kInputStationary}) {
    SCOPED_TRACE(Name(dataflow));
    const Architecture architecture = Builtin(std::string("systolic-") + Name(dataflow));
    const LayerAnswer answer = Map(SmallConv(), architecture, With(dataflow));
    ASSERT_TRUE(answer.best) << answer.unsupported.front().message;
    EXPECT_EQ(answer.best->cost.operations, Operations(SmallConv()));
    EXPECT_GT(answer.best->cost.compute_lanes_used, 128);
    EXPECT_EQ(answer.certificate.status, CertificateStatus::kHeuristic);
    EXPECT_EQ(answer.dnnopt->order.size(), 5U);  // K, C, N, P, Q: the batch is blocked too
    EXPECT_LE(answer.best->cost.offchip_words, answer.dnnopt->total_offchip_words);
    EXPECT_EQ(answer.dnnopt->stall_cycles, 0);  // no bandwidth given
    // Outputs, weights or inputs lie in the elements and nothing else.
    EXPECT_EQ(answer.best->mapping.levels.back().keep.size(), 1);
  }
}

TEST(DnnoptTest, RefusesAnArrayThatForbidsItsUnrolling) {
  const LayerAnswer answer =
      Map(SmallConv(), Builtin("systolic-os"), With(Dataflow::kWeightStationary));
  EXPECT_FALSE(answer.best);
  ASSERT_FALSE(answer.unsupported.empty());
  EXPECT_NE(answer.unsupported.front().message.find("on y of 'array'"), std::string::npos)
      << answer.unsupported.front().message;
}

TEST(DnnoptTest, RefusesOtherMachines) {
  const auto first_message = [](const Architecture& architecture) {
    const LayerAnswer answer = Map(SmallConv(), architecture);
    EXPECT_FALSE(answer.best);
    return answer.unsupported.empty() ? "" : answer.unsupported.front().message;
  };
  EXPECT_NE(first_message(Builtin("simba")).find("levels"), std::string::npos);
  EXPECT_NE(first_message(Builtin("eyeriss")).find("'GLB' does not hold Weights"),
            std::string::npos);
  EXPECT_NE(first_message(Builtin("toy-16")).find("fan-out 'PEs' below 'DRAM'"), std::string::npos);
  Architecture one_level = Builtin("toy-glb-9");
  one_level.levels.resize(1);
  EXPECT_NE(first_message(one_level).find("has 1 level"), std::string::npos);
}

TEST(DnnoptTest, SaysThatTheMemoryIsTooSmall) {
  Architecture architecture = Builtin("systolic-os");
  architecture.levels[LevelId(1)].capacity_words = 2 * 1000;
  const LayerAnswer answer = Map(SmallConv(), architecture);
  EXPECT_FALSE(answer.best);
  ASSERT_EQ(answer.unsupported.size(), 1U);
  EXPECT_NE(answer.unsupported[0].message.find("room for 1000"), std::string::npos)
      << answer.unsupported[0].message;
}

TEST(DnnoptTest, ElementsThatHoldLittleGetNoLoops) {
  // 512 registers in every element cannot hold what 64 channels of a 3 × 3 window touch.
  const LayerAnswer answer = Map(SmallConv(), Builtin("thistle-eyeriss"));
  ASSERT_TRUE(answer.best);
  EXPECT_TRUE(CheckCapacity(answer.best->problem, Builtin("thistle-eyeriss"), answer.best->mapping)
                  .empty());
}

TEST(DnnoptTest, StopsAtTheTimeLimit) {
  MapOptions options;
  options.time_limit_seconds = 1e-9;
  options.dnnopt.exit = DnnoptOptions::Exit::kNone;
  options.dnnopt.stride = DnnoptOptions::Stride::kOne;
  const Problem large = MakeGemm("large", {.p = 4096, .k = 4096, .c = 4096});
  const LayerAnswer answer = Map(large, Builtin("systolic-os"), options);
  EXPECT_TRUE(answer.interrupted);
  EXPECT_TRUE(answer.unsupported.empty());
}

TEST(DnnoptTest, OneElementAndAHugePrime) {
  const LayerAnswer one = Map(MakeGemm("one", {}), Builtin("systolic-os"));
  ASSERT_TRUE(one.best);
  EXPECT_EQ(one.dnnopt->total_offchip_words, 3);
  EXPECT_EQ(one.points_visited, 1);
  const LayerAnswer prime =
      Map(MakeGemm("prime", {.p = 2147483647, .k = 2, .c = 2}), Builtin("systolic-os"));
  ASSERT_TRUE(prime.best);
  EXPECT_EQ(prime.dnnopt->total_offchip_words, 4 + 2 * 2147483647LL * 2);
}

TEST(DnnoptTest, CountsThatDoNotFitAreRefused) {
  const LayerAnswer answer =
      Map(MakeGemm("huge", {.p = int64_t{1} << 31, .k = int64_t{1} << 31}), Builtin("systolic-os"));
  EXPECT_FALSE(answer.best);
  ASSERT_FALSE(answer.unsupported.empty());
  EXPECT_NE(answer.unsupported[0].message.find("64 bits"), std::string::npos);
}

// The array's cycles of a layer that lies on chip whole are SCALE-Sim's.
TEST(DnnoptTest, OneBlockTakesScaleSimsCycles) {
  const Problem problem = MakeGemm("gemm", {.p = 64, .k = 32, .c = 100});
  const LayerAnswer answer = Map(problem, Builtin("systolic-os"));
  ASSERT_TRUE(answer.best);
  // ⌈64/16⌉·⌈32/16⌉ folds of 100 + 16 + 16 − 2
  EXPECT_EQ(answer.dnnopt->array_cycles, 4 * 2 * 130 - 1);
}

}  // namespace
}  // namespace inlay
