// Cases small enough to count by hand.
#include "inlay/cost/exact.h"

#include <gtest/gtest.h>

#include "inlay/core/shapes.h"
#include "inlay/cost/walker.h"

namespace inlay {
namespace {

Level Memory(const char* name, Fanout fanout = {}) {
  Level level;
  level.name = name;
  level.energy = AccessEnergy{1, 1, 1};
  level.fanout = std::move(fanout);
  return level;
}

Architecture Chain(std::vector<Level> levels) {
  Architecture architecture;
  for (Level& level : levels) architecture.levels.push_back(level);
  architecture.compute.energy_pj = 1;
  return architecture;
}

LevelMapping KeepAll(std::vector<Loop> temporal, std::vector<Loop> spatial = {}) {
  return {TensorSet::FirstN(3), std::move(temporal), std::move(spatial)};
}

// Evaluates in closed form and by walking, and expects them to agree on what the tests below look
// at.
Cost Evaluate(const Problem& problem, const Architecture& architecture, const Mapping& mapping) {
  EXPECT_TRUE(Validate(problem, architecture, mapping).empty());
  Cost cost;
  EXPECT_TRUE(ExactModel(problem, architecture).Evaluate(mapping, &cost));
  const auto walked = Walk(problem, architecture, mapping);
  EXPECT_TRUE(walked.has_value() && walked->numeric_check);
  for (LevelId l : Ids(cost.levels)) {
    for (TensorId t : Ids(problem.tensors)) {
      EXPECT_EQ(cost.levels[l].tensors[t].total, walked->cost.levels[l].tensors[t].total);
    }
  }
  EXPECT_EQ(cost.compute_cycles, walked->cost.compute_cycles);
  return cost;
}

const TensorId kWeights(0), kInputs(1), kOutputs(2);

Problem Conv1d(int64_t p, int64_t r) {
  ConvShape shape;
  shape.p = p;
  shape.r = r;
  return MakeConv("conv1d", shape);
}

const DimId kP(3), kR(5);  // of a convolution: N K C P Q R S

TEST(ExactTest, SlidingWindowReusesTheHalo) {
  // P steps by 1 above the buffer, R inside it: the first window brings 3 words, each later one 1.
  const Mapping mapping{{KeepAll({{kP, 1}}), KeepAll({{kR, 1}})}};
  const Cost cost = Evaluate(Conv1d(8, 3), Chain({Memory("DRAM"), Memory("Buf")}), mapping);
  EXPECT_EQ(cost.levels[LevelId(1)].tensors[kInputs].total.fills, 3 + 7);
  EXPECT_EQ(cost.levels[LevelId(1)].tensors[kInputs].tile_words, 3);
  EXPECT_EQ(cost.levels[LevelId(1)].tensors[kWeights].total.fills, 3);
  EXPECT_EQ(cost.levels[LevelId(1)].tensors[kOutputs].total.drains, 8);
  EXPECT_EQ(cost.levels[LevelId(0)].tensors[kOutputs].total.updates, 8);
}

TEST(ExactTest, OneWordTilesRefetch) {
  // P over R, tiles of one word: nothing overlaps the tile just before it. Timeloop says 17.
  const Mapping mapping{{KeepAll({{kP, 1}, {kR, 1}}), KeepAll({})}};
  const Cost cost = Evaluate(Conv1d(8, 3), Chain({Memory("DRAM"), Memory("Buf")}), mapping);
  EXPECT_EQ(cost.levels[LevelId(1)].tensors[kInputs].total.fills, 24);
}

TEST(ExactTest, PartialSumsComeBack) {
  // GEMM P = 2, K = 1, C = 3 with C outermost: every output is evicted between visits.
  const Problem problem = MakeGemm("gemm", {1, 2, 1, 3});
  const DimId p(0), c(2);
  const Mapping mapping{{KeepAll({{c, 1}, {p, 1}}), KeepAll({})}};
  const Cost cost = Evaluate(problem, Chain({Memory("DRAM"), Memory("Buf")}), mapping);
  const TensorCost& outer = cost.levels[LevelId(0)].tensors[kOutputs];
  const TensorCost& inner = cost.levels[LevelId(1)].tensors[kOutputs];
  EXPECT_EQ(outer.total.updates, 6);  // every departure
  EXPECT_EQ(outer.total.reads, 4);    // all but the first entries
  EXPECT_EQ(inner.total.fills, 4);
  EXPECT_EQ(inner.total.drains, 6);
  EXPECT_EQ(inner.total.updates, 6);
  EXPECT_EQ(inner.total.reads, 4);
}

TEST(ExactTest, MulticastAndReduction) {
  // Four lanes along C: inputs differ, outputs are summed on the way out.
  const Problem problem = MakeGemm("gemm", {1, 3, 1, 4});
  const DimId p(0), c(2);
  const Mapping mapping{{KeepAll({{p, 1}}, {{c, 1, Axis::kX}}), KeepAll({})}};
  Architecture architecture = Chain({Memory("DRAM", {"lanes", 4, 1}), Memory("Buf")});
  Cost cost = Evaluate(problem, architecture, mapping);
  EXPECT_EQ(cost.levels[LevelId(0)].tensors[kInputs].total.reads, 12);
  EXPECT_EQ(cost.levels[LevelId(0)].tensors[kOutputs].total.updates, 3);
  EXPECT_EQ(cost.levels[LevelId(1)].tensors[kOutputs].total.drains, 12);
  EXPECT_EQ(cost.compute_cycles, 3);
  architecture.levels[LevelId(0)].fanout.reduce = false;
  cost = Evaluate(problem, architecture, mapping);
  EXPECT_EQ(cost.levels[LevelId(0)].tensors[kOutputs].total.updates, 12);
}

TEST(ExactTest, UnrolledDimensionsThatMeetShareWords) {
  // P on x, R on y: lane (p, r) needs word p + r; 3 × 3 lanes need 5 words.
  const Mapping mapping{{KeepAll({}, {{kP, 1, Axis::kX}, {kR, 1, Axis::kY}}), KeepAll({})}};
  const Cost cost =
      Evaluate(Conv1d(3, 3), Chain({Memory("DRAM", {"array", 3, 3}), Memory("Buf")}), mapping);
  EXPECT_EQ(cost.levels[LevelId(0)].tensors[kInputs].total.reads, 5);
  EXPECT_EQ(cost.levels[LevelId(1)].tensors[kInputs].total.fills, 9);
}

TEST(ExactTest, ShortTilesAreShort) {
  // 127 outputs on 16 lanes: seven full rounds and one of 15.
  const Problem problem = MakeGemm("gemm", {1, 127, 1, 1});
  const Mapping mapping{{KeepAll({{DimId(0), 16}}, {{DimId(0), 1, Axis::kX}}), KeepAll({})}};
  const Cost cost =
      Evaluate(problem, Chain({Memory("DRAM", {"lanes", 16, 1}), Memory("Buf")}), mapping);
  EXPECT_EQ(cost.compute_cycles, 8);
  EXPECT_EQ(cost.operations, 127);
  EXPECT_EQ(cost.levels[LevelId(1)].tensors[kInputs].total.fills, 127);
  // Each of the 16 lanes takes the single weight once and keeps it; one read serves them all.
  EXPECT_EQ(cost.levels[LevelId(1)].tensors[kWeights].total.fills, 16);
  EXPECT_EQ(cost.levels[LevelId(0)].tensors[kWeights].total.reads, 1);
}

TEST(ExactTest, ARankWithoutDimensionsIsOneWordInShortTilesToo) {
  Problem problem;
  problem.dims = {{"b", 3}};
  problem.tensors = {{"X", {Rank()}}, {"Y", {Rank{{{DimId(0), 1}}}}, true}};
  ASSERT_TRUE(Validate(problem).empty());
  const TensorSet all = TensorSet::FirstN(2);
  const Mapping mapping{{{all, {{DimId(0), 2}, {DimId(0), 1}}, {}}, {all, {}, {}}}};
  const Cost cost = Evaluate(problem, Chain({Memory("DRAM"), Memory("Buf")}), mapping);
  EXPECT_EQ(cost.levels[LevelId(0)].tensors[TensorId(0)].total.reads, 1);
  EXPECT_EQ(cost.levels[LevelId(1)].tensors[TensorId(0)].total.fills, 1);
}

TEST(ExactTest, BypassMeasuresReuseFurtherIn) {
  // The buffer does not keep inputs; the registers' one-word tile is reused across its K loop.
  const Problem problem = MakeGemm("gemm", {1, 2, 3, 1});
  const DimId p(0), k(1);
  Mapping mapping{{KeepAll({{p, 1}}), KeepAll({{k, 1}}), KeepAll({})}};
  mapping.levels[LevelId(1)].keep.erase(kInputs);
  Architecture architecture = Chain({Memory("DRAM"), Memory("Buf"), Memory("Reg")});
  architecture.levels[LevelId(1)].keep = TensorNameSet{};
  const Cost cost = Evaluate(problem, architecture, mapping);
  EXPECT_EQ(cost.levels[LevelId(0)].tensors[kInputs].total.reads, 2);
  EXPECT_EQ(cost.levels[LevelId(2)].tensors[kInputs].total.fills, 2);
  EXPECT_FALSE(cost.levels[LevelId(1)].tensors[kInputs].kept);
}

TEST(ExactTest, BandwidthLimitsTheCycles) {
  const Problem problem = MakeGemm("gemm", {1, 4, 1, 4});
  const Mapping mapping{{KeepAll({{DimId(0), 1}, {DimId(2), 1}}), KeepAll({})}};
  Architecture architecture = Chain({Memory("DRAM"), Memory("Buf")});
  architecture.levels[LevelId(0)].read_bandwidth = 0.5;
  const Cost cost = Evaluate(problem, architecture, mapping);
  EXPECT_EQ(cost.compute_cycles, 16);
  // 16 inputs and 16 weights (swept once per row) at half a word per cycle.
  EXPECT_EQ(cost.levels[LevelId(0)].cycles, 64);
  EXPECT_EQ(cost.levels[LevelId(0)].limit, CycleLimit::kRead);
  EXPECT_EQ(cost.cycles, 64);
  EXPECT_DOUBLE_EQ(cost.utilization, 0.25);
}

TEST(ExactTest, LargeCounts) {
  const Problem problem = MakeGemm("gemm", {1, int64_t{1} << 31, 1, int64_t{1} << 29});
  const Mapping mapping{{KeepAll({{DimId(0), 1}, {DimId(2), 1}})}};
  Cost cost;
  EXPECT_TRUE(ExactModel(problem, Chain({Memory("DRAM")})).Evaluate(mapping, &cost));
  EXPECT_EQ(cost.levels[LevelId(0)].tensors[kInputs].total.reads, int64_t{1} << 60);
}

TEST(ExactTest, CountsBeyond64BitsAreRefused) {
  // A tile of 2^51 words (mostly holes of the stride) comes in anew 2^13 times.
  Problem problem = MakeGemm("gemm", {1, int64_t{1} << 31, 1 << 12, 2});
  problem.tensors[kInputs].ranks[0].terms[0].coefficient = 1 << 20;
  EXPECT_TRUE(Validate(problem).empty());
  const Mapping mapping{{KeepAll({{DimId(1), 1}, {DimId(2), 1}}), KeepAll({{DimId(0), 1}})}};
  Cost cost;
  EXPECT_FALSE(
      ExactModel(problem, Chain({Memory("DRAM"), Memory("Buf")})).Evaluate(mapping, &cost));
}

TEST(ExactTest, CyclesAreRoundedUpExactly) {
  const Mapping mapping{{KeepAll({{DimId(0), 1}})}};
  const auto cycles = [&](int64_t rows, double bandwidth) {
    const Problem problem = MakeGemm("gemm", {1, rows, 1, 1});
    Architecture architecture = Chain({Memory("DRAM")});
    architecture.levels[LevelId(0)].write_bandwidth = bandwidth;  // one update per row
    Cost cost;
    EXPECT_TRUE(ExactModel(problem, architecture).Evaluate(mapping, &cost));
    return cost.levels[LevelId(0)].cycles;
  };
  EXPECT_EQ(cycles(30, 0.3), 100);  // 0.3 is a little less than 0.3
  EXPECT_EQ(cycles(31, 0.3), 104);
  EXPECT_EQ(cycles(1'000'000'000'000, 0.5), 2'000'000'000'000);
  EXPECT_EQ(cycles(499'999'999'999, 0.4), 1'249'999'999'998);
}

TEST(ExactTest, CyclesBeyond64BitsAreRefused) {
  const Problem problem = MakeGemm("gemm", {1, 4, 1, 1});
  Architecture architecture = Chain({Memory("DRAM")});
  architecture.levels[LevelId(0)].read_bandwidth = 1e-300;
  Cost cost;
  EXPECT_FALSE(
      ExactModel(problem, architecture).Evaluate(Mapping{{KeepAll({{DimId(0), 1}})}}, &cost));
}

TEST(ExactTest, SumsOfCountsBeyond64BitsAreRefused) {
  const Problem problem = MakeGemm("gemm", {1, int64_t{1} << 62, 1, 1});
  Cost cost;
  EXPECT_FALSE(ExactModel(problem, Chain({Memory("DRAM")}))
                   .Evaluate(Mapping{{KeepAll({{DimId(0), 1}})}}, &cost));
}

TEST(ExactTest, FirstFillAndLastDrainAddUp) {
  // Tiles of 4 inputs, 1 weight and 4 outputs cross a DRAM port of one word per cycle.
  const Problem problem = MakeGemm("gemm", {1, 4, 1, 1});
  Architecture architecture = Chain({Memory("DRAM"), Memory("Buf")});
  architecture.levels[LevelId(0)].read_bandwidth = 1;
  architecture.levels[LevelId(0)].write_bandwidth = 1;
  const Mapping mapping{{KeepAll({}), KeepAll({{DimId(0), 1}})}};
  Cost cost;
  ASSERT_TRUE(ExactModel(problem, architecture).Evaluate(mapping, &cost, false));
  const int64_t overlapped = cost.cycles;
  ASSERT_TRUE(ExactModel(problem, architecture).Evaluate(mapping, &cost, true));
  EXPECT_EQ(cost.cycles, overlapped + 5 + 4);
}

TEST(ExactTest, WalkingRefusesWhatIsMostlyIdle) {
  // 34 operations, but 2^33 index tuples.
  const Problem problem = MakeGemm("gemm", {1, 34, 1, 1});
  std::vector<Loop> loops;
  for (int64_t step = 33; step >= 1; --step) loops.push_back({DimId(0), step});
  const Mapping mapping{{KeepAll(loops)}};
  const Architecture architecture = Chain({Memory("DRAM")});
  EXPECT_TRUE(Validate(problem, architecture, mapping).empty());
  EXPECT_FALSE(Walk(problem, architecture, mapping).has_value());
  Cost cost;
  ASSERT_TRUE(ExactModel(problem, architecture).Evaluate(mapping, &cost));
  EXPECT_EQ(cost.compute_cycles, 34);
}

}  // namespace
}  // namespace inlay
