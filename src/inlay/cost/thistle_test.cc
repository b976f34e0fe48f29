#include "inlay/cost/thistle.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "inlay/core/shapes.h"
#include "inlay/cost/thistle_volume.h"

namespace inlay {
namespace {

// Memory and registers, 1 pJ for everything, `lanes` lanes between them.
Architecture TwoLevels(int64_t lanes = 1) {
  Architecture architecture;
  for (const char* name : {"SRAM", "registers"}) {
    Level level;
    level.name = name;
    level.energy = AccessEnergy{1, 1, 1};
    architecture.levels.push_back(level);
  }
  architecture.levels[LevelId(0)].fanout.x = lanes;
  architecture.compute.energy_pj = 1;
  return architecture;
}

Mapping KeepAll(const Problem& problem, size_t levels) {
  Mapping mapping;
  mapping.levels.resize(levels);
  for (LevelMapping& level : mapping.levels) {
    level.keep = TensorSet::FirstN(problem.tensors.size());
  }
  return mapping;
}

// Loops of `trips` steps over register tiles of `tile`, in the order of `order`, then the register
// tile itself.
Mapping Tiled(const Problem& problem, const std::string& order,
              const std::map<char, int64_t>& tile) {
  Mapping mapping = KeepAll(problem, 2);
  for (char name : order) {
    const DimId dim = FindDim(problem, std::string(1, name)).value();
    mapping.levels[LevelId(0)].temporal.push_back({dim, tile.at(name)});
    mapping.levels[LevelId(1)].temporal.push_back({dim, 1});
  }
  return mapping;
}

// Table I of the paper: the permutation ⟨w, n, k, h, c, s, r⟩, stride 1 along h and 2 along w.
// The rows of the output are P, the columns Q.
TEST(Thistle, VolumesOfTableOne) {
  const std::map<char, int64_t> q = {{'Q', 3}, {'N', 2}, {'K', 5}, {'P', 7},
                                     {'C', 2}, {'S', 3}, {'R', 2}};
  const std::map<char, int64_t> r = {{'Q', 4}, {'N', 3}, {'K', 2}, {'P', 3},
                                     {'C', 5}, {'S', 2}, {'R', 3}};
  ConvShape shape;
  shape.n = q.at('N') * r.at('N');
  shape.k = q.at('K') * r.at('K');
  shape.c = q.at('C') * r.at('C');
  shape.p = q.at('P') * r.at('P');
  shape.q = q.at('Q') * r.at('Q');
  shape.r = q.at('R') * r.at('R');
  shape.s = q.at('S') * r.at('S');
  shape.stride_w = 2;
  const Problem problem = MakeConv("table1", shape);
  const Mapping mapping = Tiled(problem, "QNKPCSR", r);
  const Architecture architecture = TwoLevels();
  ASSERT_TRUE(Validate(problem, architecture, mapping).empty());
  const auto cost = EvaluateThistle(problem, architecture, mapping, Accounting::kLiteral);
  ASSERT_TRUE(cost.has_value());
  const LevelCost& sram = cost->levels[LevelId(0)];
  const LevelCost& registers = cost->levels[LevelId(1)];

  const int64_t in = q.at('Q') * q.at('N') * q.at('K') * q.at('P') * q.at('C') * q.at('S') *
                     (r.at('N') * r.at('C') * (r.at('P') + q.at('R') * r.at('R') - 1) *
                      (2 * r.at('Q') + r.at('S') - 2));
  const int64_t ker = q.at('Q') * q.at('N') * q.at('K') * q.at('P') * q.at('C') * q.at('S') *
                      (r.at('K') * r.at('C') * q.at('R') * r.at('R') * r.at('S'));
  const int64_t out = q.at('Q') * q.at('N') * q.at('K') *
                      (r.at('N') * r.at('K') * q.at('P') * r.at('P') * r.at('Q'));
  const int64_t operations = Operations(problem);
  EXPECT_EQ(sram.tensors[TensorId(0)].total, (Counts{ker, 0, 0, 0}));
  EXPECT_EQ(sram.tensors[TensorId(1)].total, (Counts{in, 0, 0, 0}));
  EXPECT_EQ(sram.tensors[TensorId(2)].total, (Counts{out, 0, out, 0}));
  EXPECT_EQ(registers.tensors[TensorId(0)].total, (Counts{operations, ker, 0, 0}));
  EXPECT_EQ(registers.tensors[TensorId(1)].total, (Counts{operations, in, 0, 0}));
  EXPECT_EQ(registers.tensors[TensorId(2)].total, (Counts{operations, out, operations, out}));
  EXPECT_EQ(registers.tensors[TensorId(1)].tile_words,
            r.at('N') * r.at('C') * (r.at('P') + r.at('R') - 1) * (2 * r.at('Q') + r.at('S') - 2));
  EXPECT_EQ(cost->cycles, operations);

  // Eliding drops the first read of every partial sum, nothing else.
  const auto elided = EvaluateThistle(problem, architecture, mapping, Accounting::kElide);
  ASSERT_TRUE(elided.has_value());
  const int64_t first = TensorWords(problem, OutputTensor(problem));
  EXPECT_EQ(elided->levels[LevelId(0)].tensors[TensorId(2)].total,
            (Counts{out - first, 0, out, 0}));
  EXPECT_EQ(elided->levels[LevelId(1)].tensors[TensorId(2)].total,
            (Counts{operations, out - first, operations, out}));
  EXPECT_EQ(cost->energy_pj - elided->energy_pj, static_cast<double>(2 * first));
}

// Equation 2: i, k, j tiles over the array, the word for several lanes counted once.
TEST(Thistle, MatrixMultiplicationOfEquationTwo) {
  const int64_t ni = 24, nj = 60, nk = 16;
  const int64_t ri = 2, rj = 3, rk = 4, pi = 3, pj = 5;
  const Problem problem = MakeGemm("gemm", {.p = ni, .k = nj, .c = nk});  // i = P, j = K, k = C
  const DimId i = FindDim(problem, "P").value();
  const DimId j = FindDim(problem, "K").value();
  const DimId k = FindDim(problem, "C").value();
  Mapping mapping = KeepAll(problem, 2);
  mapping.levels[LevelId(0)].temporal = {{i, ri * pi}, {j, rj * pj}, {k, rk}};
  mapping.levels[LevelId(0)].spatial = {{i, ri, Axis::kX}, {j, rj, Axis::kX}};
  mapping.levels[LevelId(1)].temporal = {{i, 1}, {j, 1}, {k, 1}};
  const Architecture architecture = TwoLevels(pi * pj);
  ASSERT_TRUE(Validate(problem, architecture, mapping).empty());
  const auto cost = EvaluateThistle(problem, architecture, mapping, Accounting::kLiteral);
  ASSERT_TRUE(cost.has_value());
  const LevelCost& sram = cost->levels[LevelId(0)];
  EXPECT_EQ(sram.tensors[FindTensor(problem, "Inputs").value()].total.reads,
            ni * nj * nk / (rj * pj));
  EXPECT_EQ(sram.tensors[FindTensor(problem, "Weights").value()].total.reads,
            ni * nj * nk / (ri * pi));
  EXPECT_EQ(sram.tensors[OutputTensor(problem)].total, (Counts{ni * nj, 0, ni * nj, 0}));
  EXPECT_EQ(cost->compute_lanes_used, pi * pj);
  EXPECT_EQ(cost->cycles, ni * nj * nk / (pi * pj));
}

TEST(Thistle, TouchedWordsLeaveOutHoles) {
  const Problem problem =
      MakeConv("strided", {.p = 5, .q = 5, .r = 1, .s = 3, .stride_h = 2, .stride_w = 2});
  IndexedVector<DimId, int64_t> sizes;
  for (const Dimension& dim : problem.dims) sizes.push_back(dim.bound);
  const Tensor& inputs = problem.tensors[FindTensor(problem, "Inputs").value()];
  EXPECT_EQ(static_cast<int64_t>(thistle::TouchedWords(inputs, sizes)), 5 * (2 * 5 + 1));
}

// The formula for touched words against a plain count.
TEST(Thistle, TouchedWordsCountDistinctSums) {
  for (int64_t s = 1; s <= 6; ++s) {
    for (int64_t d = 1; d <= 4; ++d) {
      for (int64_t m = 1; m <= 7; ++m) {
        for (int64_t n = 1; n <= 7; ++n) {
          std::vector<bool> seen(64, false);
          int64_t distinct = 0;
          for (int64_t x = 0; x < m; ++x) {
            for (int64_t y = 0; y < n; ++y) {
              const auto at = static_cast<size_t>(s * x + d * y);
              if (!seen[at]) ++distinct;
              seen[at] = true;
            }
          }
          Tensor tensor{"T", {{{{DimId(0), s}, {DimId(1), d}}}}, false};
          EXPECT_EQ(static_cast<int64_t>(thistle::TouchedWords(tensor, {m, n})), distinct);
        }
      }
    }
  }
}

// Clipped tiles count with what is left of them: 10 = 4 + 4 + 2 in lanes of 3.
TEST(Thistle, ClippedTiles) {
  const Problem problem = MakeGemm("gemm", {.p = 10, .k = 2, .c = 1});
  const DimId p = FindDim(problem, "P").value();
  const DimId k = FindDim(problem, "K").value();
  Mapping mapping = KeepAll(problem, 2);
  mapping.levels[LevelId(0)].temporal = {{k, 1}, {p, 4}};
  mapping.levels[LevelId(0)].spatial = {{p, 3, Axis::kX}};
  mapping.levels[LevelId(1)].temporal = {{p, 1}};
  const Architecture architecture = TwoLevels(2);
  ASSERT_TRUE(Validate(problem, architecture, mapping).empty());
  const auto cost = EvaluateThistle(problem, architecture, mapping, Accounting::kLiteral);
  ASSERT_TRUE(cost.has_value());
  EXPECT_EQ(cost->cycles, 2 * (3 + 3 + 2));
  EXPECT_EQ(cost->operations, 20);
  EXPECT_EQ(cost->compute_lanes_used, 2);
  const LevelCost& sram = cost->levels[LevelId(0)];
  EXPECT_EQ(sram.tensors[FindTensor(problem, "Inputs").value()].total.reads, 20);
  EXPECT_EQ(sram.tensors[FindTensor(problem, "Weights").value()].total.reads, 2);
}

// A level that a tensor bypasses is not there: its loops join those outside.
TEST(Thistle, BypassedLevel) {
  const Problem problem = MakeGemm("gemm", {.p = 8, .k = 6, .c = 1});
  const DimId p = FindDim(problem, "P").value();
  const DimId k = FindDim(problem, "K").value();
  const TensorId weights = FindTensor(problem, "Weights").value();
  Architecture architecture = TwoLevels(2);
  Level dram;
  dram.name = "DRAM";
  dram.energy = AccessEnergy{1, 1, 1};
  architecture.levels = {dram, architecture.levels[LevelId(0)], architecture.levels[LevelId(1)]};
  architecture.levels[LevelId(1)].keep = TensorNameSet{};  // the mapping decides
  Mapping mapping = KeepAll(problem, 3);
  mapping.levels[LevelId(0)].temporal = {{p, 4}, {k, 3}};
  mapping.levels[LevelId(1)].temporal = {{p, 2}, {k, 1}};
  mapping.levels[LevelId(1)].spatial = {{p, 1, Axis::kX}};
  const auto reads = [&](size_t level) {
    const auto cost = EvaluateThistle(problem, architecture, mapping, Accounting::kLiteral);
    return cost.value().levels[LevelId(level)].tensors[weights].total.reads;
  };
  ASSERT_TRUE(Validate(problem, architecture, mapping).empty());
  EXPECT_EQ(reads(0), 2 * 6);
  EXPECT_EQ(reads(1), 2 * 2 * 2 * 3);
  mapping.levels[LevelId(1)].keep.erase(weights);
  ASSERT_TRUE(Validate(problem, architecture, mapping).empty());
  EXPECT_EQ(reads(0), 2 * 2 * 2 * 3);
}

TEST(Thistle, ARankOfThreeDimensionsIsAFault) {
  Problem problem;
  problem.dims = {{"A", 2}, {"B", 2}, {"C", 2}};
  problem.tensors = {{"In", {{{{DimId(0), 1}, {DimId(1), 1}, {DimId(2), 1}}}}, false},
                     {"Out", {{{{DimId(0), 1}}}}, true}};
  Mapping mapping = KeepAll(problem, 2);
  mapping.levels[LevelId(0)].temporal = {{DimId(0), 1}, {DimId(1), 1}, {DimId(2), 1}};
  const auto cost = EvaluateThistle(problem, TwoLevels(), mapping);
  ASSERT_FALSE(cost.has_value());
  EXPECT_EQ(cost.error().where, "tensors.In");
}

}  // namespace
}  // namespace inlay
