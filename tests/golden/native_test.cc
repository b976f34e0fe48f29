// The whole files that fix the shape of the native format, one per kind in tests/golden/native/.
#include "inlay/io/native/native.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "inlay/core/shapes.h"
#include "inlay/io/file.h"
#include "inlay/io/library/library.h"
#include "tests/support/native.h"
#include "tests/support/paths.h"

namespace inlay::io {
namespace {

using ::inlay::testing::Brief;
using ::testing::ElementsAre;

Source Load(const std::string& name) {
  auto source = ReadTextFile(INLAY_SOURCE_DIR "/tests/golden/native/" + name + ".yaml");
  EXPECT_TRUE(source) << Format(source.error());
  return source.value_or(Source());
}

Inputs Read(const std::vector<std::string>& names) {
  std::vector<Source> sources;
  for (const std::string& name : names) sources.push_back(Load(name));
  auto inputs = ReadNative(std::move(sources));
  EXPECT_TRUE(inputs) << Format(inputs.error());
  return inputs.value_or(Inputs());
}

TEST(NativeGoldenTest, Problem) {
  const Problem problem = Read({"problem"}).problem.value();
  EXPECT_EQ(problem.name, "conv3x3");
  // The built-in convolution without its batch.
  Problem expected = MakeConv("conv3x3", {.k = 64, .c = 64, .p = 56, .q = 56, .r = 3, .s = 3});
  EXPECT_EQ(Operations(problem), Operations(expected));
  for (TensorId t : Ids(problem.tensors)) {
    EXPECT_EQ(problem.tensors[t].name, expected.tensors[t].name);
    EXPECT_EQ(TensorWords(problem, t), TensorWords(expected, t));
  }
  EXPECT_EQ(problem.dims.size(), 6U);
  EXPECT_EQ(OutputTensor(problem), TensorId(2));
  EXPECT_EQ(ToString(problem, problem.tensors[TensorId(1)]), "Inputs[C, P + R, Q + S]");
}

TEST(NativeGoldenTest, Technology) {
  const Technology technology = Read({"technology"}).technology.value();
  EXPECT_EQ(technology.name, "thistle-45nm");
  EXPECT_EQ(technology.word_bits, 16);
  EXPECT_EQ(technology.mac_energy_pj, 2.2);
  EXPECT_EQ(technology.mac_area_um2, 1239.5);
  EXPECT_EQ(technology.reg, (MemoryTechnology{{0, 9.06719e-3, 0}, {0, 19.874, 0}}));
  EXPECT_EQ(technology.sram, (MemoryTechnology{{0, 0, 17.88e-3}, {0, 6.806, 0}}));
  EXPECT_EQ(technology.dram, (MemoryTechnology{{128, 0, 0}, {}}));
}

TEST(NativeGoldenTest, Architecture) {
  const Architecture a = Read({"architecture", "technology"}).architecture.value();
  EXPECT_EQ(a.name, "my-eyeriss");
  ASSERT_EQ(a.levels.size(), 3U);
  const Level &dram = a.levels[LevelId(0)], &glb = a.levels[LevelId(1)],
              &spads = a.levels[LevelId(2)];
  EXPECT_EQ(dram.kind, MemoryKind::kDram);
  EXPECT_FALSE(dram.capacity_words || dram.keep || dram.bypass);
  EXPECT_EQ(glb.kind, MemoryKind::kSram);
  EXPECT_EQ(glb.capacity_words, 65536);
  EXPECT_EQ(glb.read_bandwidth, 16);
  EXPECT_EQ(glb.write_bandwidth, 16);
  EXPECT_EQ(glb.keep, (TensorNameSet{false, {"Inputs", "Outputs"}}));
  EXPECT_EQ(glb.bypass, (TensorNameSet{false, {"Weights"}}));
  EXPECT_EQ(glb.fanout, (Fanout{"array", 14, 12, Multicast::kTile, true}));
  EXPECT_EQ(spads.kind, MemoryKind::kRegister);
  EXPECT_EQ(spads.partitions, (std::vector<Partition>{
                                  {"Inputs", 12, 16}, {"Weights", 192, 16}, {"Outputs", 16, 16}}));
  EXPECT_EQ(spads.read_bandwidth, 2);
  EXPECT_FALSE(spads.write_bandwidth);
  EXPECT_EQ(a.compute.name, "mac");
  EXPECT_EQ(ComputeLanes(a), 168);

  ASSERT_EQ(a.constraints.size(), 3U);
  using Names = std::vector<std::string>;
  EXPECT_EQ(a.constraints[0].at, "array");
  EXPECT_EQ(a.constraints[0].x, (Names{"Q", "K"}));
  EXPECT_EQ(a.constraints[0].y, (Names{"S", "C", "K"}));
  EXPECT_EQ(a.constraints[1].loops, (Names{"K", "C", "R"}));
  EXPECT_EQ(a.constraints[2].factors, (std::vector<FactorBound>{{"R", Relation::kEqual, 1},
                                                                {"C", Relation::kAtMost, 16},
                                                                {"K", Relation::kAtLeast, 2}}));
  EXPECT_EQ(a.constraints[2].innermost, (Names{"P", "Q"}));
  EXPECT_EQ(a.constraints[2].min_utilization, 0.5);
}

// The energies that the reference architecture is said to have, rounded as they are printed there.
TEST(NativeGoldenTest, TechnologyPricesTheArchitecture) {
  const Architecture a = Read({"architecture", "technology"}).architecture.value();
  EXPECT_EQ(EnergyOf(a, LevelId(0), "Inputs").read_pj, 128);
  EXPECT_NEAR(EnergyOf(a, LevelId(1), "Inputs").read_pj, 4.577, 0.0005);
  EXPECT_NEAR(EnergyOf(a, LevelId(2), "Inputs").read_pj, 0.1088, 0.00005);
  EXPECT_NEAR(EnergyOf(a, LevelId(2), "Weights").read_pj, 1.741, 0.0005);
  EXPECT_NEAR(EnergyOf(a, LevelId(2), "Outputs").read_pj, 0.1451, 0.00005);
  EXPECT_EQ(ComputeEnergyPj(a), 2.2);
}

TEST(NativeGoldenTest, TheMappingFitsTheArchitecture) {
  const Inputs inputs = Read({"problem", "architecture", "technology", "mapping"});
  const auto mapping = inputs.mapping(*inputs.problem, *inputs.architecture);
  ASSERT_TRUE(mapping) << Format(mapping.error());
  EXPECT_TRUE(CheckCapacity(*inputs.problem, *inputs.architecture, *mapping).empty());
  std::map<std::pair<size_t, std::string>, int64_t> used;  // by level and partition
  for (const Occupancy& use : Occupancies(*inputs.problem, *inputs.architecture, *mapping)) {
    const std::string part =
        use.partition ? inputs.problem->tensors[*use.partition].name : std::string("shared");
    used[{use.level.value(), part}] = use.used_words;
  }
  EXPECT_EQ((used[{1, "shared"}]), 13920 + 46592);
  const auto sizes = TileSizes(*inputs.problem, *mapping, LevelId(1));
  EXPECT_EQ(TileWords(inputs.problem->tensors[TensorId(1)], sizes), 13920);
  EXPECT_EQ(TileWords(inputs.problem->tensors[TensorId(2)], sizes), 46592);
  EXPECT_EQ((used[{2, "Inputs"}]), 12);
  EXPECT_EQ((used[{2, "Weights"}]), 192);
  EXPECT_EQ((used[{2, "Outputs"}]), 16);
  // Within ruby, and there in the smallest part that holds it: only temporal tiles are short.
  EXPECT_EQ(Classify(*inputs.problem, *mapping), Mapspace::kRubyT);
}

TEST(NativeGoldenTest, OneFileHoldsAWholeCase) {
  const Inputs apart = Read({"problem", "architecture", "technology", "mapping"});
  const Inputs together = Read({"case"});
  EXPECT_EQ(together.problem, apart.problem);
  EXPECT_EQ(together.architecture, apart.architecture);
  EXPECT_EQ(together.technology, apart.technology);
  EXPECT_EQ(together.mapping(*apart.problem, *apart.architecture).value(),
            apart.mapping(*apart.problem, *apart.architecture).value());
}

TEST(NativeGoldenTest, Layers) {
  const Network network = Read({"layers"}).network.value();
  EXPECT_EQ(network.name, "tiny-net");
  ASSERT_EQ(network.layers.size(), 3U);
  EXPECT_EQ(
      network.layers[0],
      (Layer{"stem", "conv",
             MakeConv(
                 "stem",
                 {.k = 16, .c = 3, .p = 16, .q = 16, .r = 3, .s = 3, .stride_h = 2, .stride_w = 2}),
             1}));
  EXPECT_EQ(network.layers[1],
            (Layer{"body", "conv",
                   MakeConv("body", {.k = 16, .c = 16, .p = 16, .q = 16, .r = 3, .s = 3}), 4}));
  EXPECT_EQ(network.layers[2],
            (Layer{"head", "gemm", MakeGemm("head", {.p = 1, .k = 10, .c = 4096}), 1}));
}

TEST(NativeGoldenTest, Study) {
  const auto inputs = ReadNative({Load("study")}, BuiltinContext());
  ASSERT_TRUE(inputs) << Format(inputs.error());
  const Study study = inputs->study.value();
  EXPECT_EQ(study.name, "arrays");
  ASSERT_EQ(study.grids.size(), 1U);
  EXPECT_EQ(study.grids[0].run, "map");
  const std::vector<StudyAxis>& axes = study.grids[0].axes;
  ASSERT_EQ(axes.size(), 4U);
  EXPECT_EQ(axes[0], StudyAxis::OfTexts("workload", {"resnet50"}));
  EXPECT_EQ(axes[0].At(0)->text, "resnet50");
  EXPECT_EQ(axes[1].name, "arch");
  std::vector<std::string> labels;
  std::vector<Architecture> made;
  for (size_t i = 0; i < axes[1].size(); ++i) {
    const auto setting = axes[1].At(i);
    ASSERT_TRUE(setting);
    labels.push_back(setting->label);
    ASSERT_TRUE(setting->architecture);
    EXPECT_EQ(setting->architecture->name, setting->label);
    made.push_back(*setting->architecture);
  }
  EXPECT_THAT(labels, ::testing::ElementsAre("eyeriss x=7 y=6", "eyeriss x=7 y=12",
                                             "eyeriss x=14 y=6", "eyeriss x=14 y=12"));
  Architecture like = made[3];
  like.name = "eyeriss";
  EXPECT_EQ(like, *LoadBuiltin(BuiltinKind::kArchitecture, "eyeriss")->architecture);
  EXPECT_EQ(made[0].levels[LevelId(1)].fanout.x, 7);
  EXPECT_EQ(made[0].levels[LevelId(1)].fanout.y, 6);
  EXPECT_EQ(axes[2].size(), 2U);
  EXPECT_EQ(study.figure, (StudyFigure{"area_um2", "edp", {"mapspace"}, true}));
}

TEST(NativeGoldenTest, Mix) {
  const auto inputs = ReadNative({Load("mix")}, BuiltinContext());
  ASSERT_TRUE(inputs) << Format(inputs.error());
  const Mix& mix = inputs->mix.value();
  EXPECT_EQ(mix.accelerator.memory_bytes, 20 << 20);
  EXPECT_EQ(mix.accelerator.bytes_per_cycle, 450);
  EXPECT_EQ(mix.accelerator.arrays, 16);
  ASSERT_EQ(mix.workloads.size(), 2U);
  EXPECT_EQ(mix.workloads[0].network, "resnet50");
  EXPECT_EQ(mix.workloads[0].batch, 4);
  EXPECT_EQ(mix.workloads[0].graph->name, "resnet50");
  EXPECT_EQ(mix.workloads[0].arrivals, Arrivals());
  EXPECT_EQ(mix.workloads[1].batch, 10);
  EXPECT_EQ(mix.workloads[1].arrivals.kind, Arrivals::Kind::kPoisson);
  EXPECT_EQ(mix.workloads[1].arrivals.per_second, 200);
  EXPECT_EQ(mix.workloads[1].arrivals.seed, 1U);
}

TEST(NativeGoldenTest, NetworkAndMachine) {
  const Inputs inputs = Read({"network", "machine"});
  EXPECT_EQ(ReadNative({{"written", WriteNative(*inputs.graph)}})->graph, inputs.graph);
  EXPECT_EQ(ReadNative({{"written", WriteNative(*inputs.machine)}})->machine, inputs.machine);
}

TEST(NativeGoldenTest, WrittenAndReadAgainTheyAreTheSame) {
  const Inputs inputs = Read({"problem", "architecture", "technology", "mapping", "layers"});
  const Mapping mapping = inputs.mapping(*inputs.problem, *inputs.architecture).value();
  const auto read = [](const std::string& text) {
    auto again = ReadNative({{"written", text}});
    EXPECT_TRUE(again) << text << Format(again.error());
    return again.value_or(Inputs());
  };
  EXPECT_EQ(read(WriteNative(*inputs.problem)).problem, inputs.problem);
  EXPECT_EQ(read(WriteNative(*inputs.architecture)).architecture, inputs.architecture);
  EXPECT_EQ(read(WriteNative(*inputs.technology)).technology, inputs.technology);
  EXPECT_EQ(read(WriteNative(*inputs.network)).network, inputs.network);
  const std::string text = WriteNative(*inputs.problem, *inputs.architecture, mapping);
  EXPECT_EQ(read(text).mapping(*inputs.problem, *inputs.architecture).value(), mapping);
}

// What is written looks like what people write: the example's own lines.
TEST(NativeGoldenTest, TheMappingIsWrittenAsItStands) {
  const Inputs inputs = Read({"case"});
  const Mapping mapping = inputs.mapping(*inputs.problem, *inputs.architecture).value();
  EXPECT_THAT(MappingLines(*inputs.problem, *inputs.architecture, mapping),
              ElementsAre("DRAM keeps all", "for C in 64 step 16", "for P in 56 step 13",
                          "GLB keeps Inputs Outputs", "for K in 64 step 16", "for P in 13 step 1",
                          "for Q in 56 step 14", "parallel Q in 14 step 1 on array.x",
                          "parallel C in 16 step 4 on array.y", "parallel S in 3 step 1 on array.y",
                          "spads keeps all", "for K in 16 step 1", "for C in 4 step 1",
                          "for R in 3 step 1"));
}

TEST(NativeGoldenTest, AKnownTechnologyIsWrittenByName) {
  const Inputs inputs = Read({"architecture", "technology"});
  NativeContext context;
  context.find_technology = [&inputs](const std::string&, const Node&) -> Result<Technology> {
    return *inputs.technology;
  };
  const std::string text = WriteNative(*inputs.architecture, context);
  EXPECT_THAT(text, ::testing::HasSubstr("  technology: thistle-45nm\n"));
  EXPECT_EQ(ReadNative({{"written", text}}, context)->architecture, inputs.architecture);
}

}  // namespace
}  // namespace inlay::io
