// Reproduces SCALE-Sim's own runs. Compared, for all 118 of them: the sizes SCALE-Sim derives, the
// cycles net of stalls, the reads of both SRAMs, the mapping efficiency, and the writes of the
// output SRAM after taking off what SCALE-Sim adds by mistake.
// Not compared: stalls and overall_cycles (they hang on prefetching, which SCALE-Sim over-counts
// under InterfaceBandwidth = USER, see "notes" in the file), compute_util_pct (a share of
// overall_cycles), the DRAM traffic (likewise) and wall_s. overall_util_pct is a share of the
// cycles with stalls, so it is compared after adding the recorded stalls to ours.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "inlay/core/shapes.h"
#include "inlay/cost/exact.h"
#include "inlay/cost/systolic.h"
#include "inlay/io/scalesim/config.h"
#include "inlay/io/scalesim/topology.h"
#include "tests/support/golden.h"

namespace inlay {
namespace {

using nlohmann::json;

json Golden() { return testing::LoadGolden("scalesim/scalesim_golden.json"); }

// The case as the row of a topology file, read by the reader that users go through.
Problem ProblemOf(const json& run) {
  const bool gemm = run["kind"] == "gemm";
  io::Source csv{"golden.csv", gemm ? "Layer, M, N, K,\n" : "Layer, H, W, R, S, C, K, stride,\n"};
  csv.text += run["layer"].get<std::string>();
  for (const json& size : run["params"]) csv.text += "," + std::to_string(size.get<int64_t>());
  csv.text += ",\n";
  const auto network = io::ReadScaleSimTopology(csv);
  EXPECT_TRUE(network) << Format(network.error());
  EXPECT_TRUE(network->warnings.empty()) << Format(network->warnings);
  EXPECT_EQ(network->value.layers.at(0).kind, run["kind"].get<std::string>());
  return network->value.layers.at(0).problem;
}

TEST(ScaleSim, ReproducesEveryRun) {
  const json golden = Golden();
  ASSERT_EQ(golden["cases"].size(), 118U);
  for (const json& run : golden["cases"]) {
    const SystolicArray array{run["array"][0], run["array"][1],
                              *DataflowFromShortName(run["dataflow"].get<std::string>())};
    SCOPED_TRACE(run["net"].get<std::string>() + "/" + run["layer"].get<std::string>() + " on " +
                 std::to_string(array.rows) + "x" + std::to_string(array.columns) + " " +
                 Name(array.dataflow));
    const Problem problem = ProblemOf(run);
    EXPECT_EQ(SystolicShapeOf(problem).value(), (SystolicShape{1, run["Sr"], run["Sc"], run["T"]}));
    const auto cost = EvaluateSystolic(problem, array);
    ASSERT_TRUE(cost);
    const int64_t stalls = run["stall_cycles"];
    EXPECT_EQ(cost->cycles, run["total_cycles"].get<int64_t>() - stalls);
    EXPECT_EQ(cost->input_reads, run["ifmap_sram_reads"].get<int64_t>());
    EXPECT_EQ(cost->weight_reads, run["filter_sram_reads"].get<int64_t>());
    // Under os SCALE-Sim counts the skew of every fold as writes.
    const int64_t artefact = array.dataflow == Dataflow::kOutputStationary
                                 ? cost->folds * (array.rows + array.columns)
                                 : 0;
    EXPECT_EQ(cost->output_writes, run["ofmap_sram_writes"].get<int64_t>() - artefact);
    EXPECT_NEAR(100 * cost->mapping_efficiency, run["mapping_eff_pct"].get<double>(), 1e-9);
    const double with_stalls =
        static_cast<double>(cost->cycles) / static_cast<double>(cost->cycles + stalls);
    EXPECT_NEAR(100 * cost->utilization * with_stalls, run["overall_util_pct"].get<double>(), 1e-9);
  }
}

// The architecture that a configuration becomes, with the SRAMs too large to matter.
Architecture ArchitectureOf(const SystolicArray& array) {
  const io::Source cfg{"golden.cfg",
                       "[architecture_presets]\nArrayHeight: " + std::to_string(array.rows) +
                           "\nArrayWidth: " + std::to_string(array.columns) +
                           "\nIfmapSramSzkB: 1000000\nFilterSramSzkB: 1000000\n"
                           "OfmapSramSzkB: 1000000\nDataflow: " +
                           Name(array.dataflow) + "\n"};
  Technology technology;
  technology.name = "free";
  auto config = io::ReadScaleSimConfig(cfg, technology);
  EXPECT_TRUE(config) << Format(config.error());
  EXPECT_EQ(config->value.array, array);
  return config->value.architecture;
}

// Folds over the two dimensions that are laid out on the array, and a stream over the third.
Mapping FoldedMapping(const Problem& gemm, const SystolicArray& array) {
  const DimId pixels = *FindDim(gemm, "P"), filters = *FindDim(gemm, "K"),
              window = *FindDim(gemm, "C");
  const bool os = array.dataflow == Dataflow::kOutputStationary;
  const bool is = array.dataflow == Dataflow::kInputStationary;
  const DimId x = is ? pixels : filters, y = os ? pixels : window;
  const DimId streamed = os ? window : (is ? filters : pixels);
  const auto bound = [&gemm](DimId dim) { return gemm.dims[dim].bound; };
  Mapping mapping;
  mapping.levels.resize(3);
  mapping.levels[LevelId(0)].keep = TensorSet::FirstN(3);
  LevelMapping& sram = mapping.levels[LevelId(1)];
  sram.keep = TensorSet::FirstN(3);
  const int64_t tile_x = std::min(bound(x), array.columns), tile_y = std::min(bound(y), array.rows);
  sram.temporal = {{y, tile_y, Axis::kTime}, {x, tile_x, Axis::kTime}};
  sram.spatial = {{x, 1, Axis::kX}, {y, 1, Axis::kY}};
  LevelMapping& element = mapping.levels[LevelId(2)];
  element.keep.insert(*FindTensor(gemm, os ? "Outputs" : (is ? "Inputs" : "Weights")));
  element.temporal = {{streamed, 1, Axis::kTime}};
  return mapping;
}

// The cost model that counts words in any architecture finds SCALE-Sim's counts in this one.
TEST(ScaleSim, TheExactSemanticsCountTheSameWords) {
  const json golden = Golden();
  for (const json& run : golden["cases"]) {
    const SystolicArray array{run["array"][0], run["array"][1],
                              *DataflowFromShortName(run["dataflow"].get<std::string>())};
    SCOPED_TRACE(run["net"].get<std::string>() + "/" + run["layer"].get<std::string>() + " on " +
                 std::to_string(array.rows) + "x" + std::to_string(array.columns) + " " +
                 Name(array.dataflow));
    const Problem gemm = MakeGemm("gemm", {.p = run["Sr"], .k = run["Sc"], .c = run["T"]});
    const Architecture architecture = ArchitectureOf(array);
    const Mapping mapping = FoldedMapping(gemm, array);
    ASSERT_TRUE(Validate(gemm, architecture, mapping).empty());
    Cost cost;
    ASSERT_TRUE(ExactModel(gemm, architecture).Evaluate(mapping, &cost));
    const auto& sram = cost.levels[LevelId(1)].tensors;
    EXPECT_EQ(sram[*FindTensor(gemm, "Inputs")].total.reads,
              run["ifmap_sram_reads"].get<int64_t>());
    EXPECT_EQ(sram[*FindTensor(gemm, "Weights")].total.reads,
              run["filter_sram_reads"].get<int64_t>());
    EXPECT_EQ(sram[*FindTensor(gemm, "Outputs")].total.updates,
              EvaluateSystolic(gemm, array)->output_writes);
    // Folds that overlapped perfectly would take this long: no skew, no loading.
    EXPECT_LE(cost.compute_cycles, EvaluateSystolic(gemm, array)->cycles);
  }
}

}  // namespace
}  // namespace inlay
