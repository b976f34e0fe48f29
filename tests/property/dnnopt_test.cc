// DNNOPT's formulas against a walk over all blocks, its search against trying everything, and its
// model against the exact cost of the mapping it returns.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "inlay/core/shapes.h"
#include "inlay/cost/evaluate.h"
#include "tests/support/dnnopt_space.h"
#include "tests/support/dnnopt_walk.h"
#include "tests/support/random_case.h"

namespace inlay {
namespace {

using testing::BlockWalk;
using testing::BlockWalkLoop;
using testing::Chance;
using testing::MapByDnnopt;
using testing::Pick;
using testing::Random;
using testing::WalkBlocks;
using Exit = DnnoptOptions::Exit;
using Optimize = DnnoptOptions::Optimize;

struct Trial {
  Space space;
  MapOptions options;
  SystolicArray array;
  double words_per_cycle = 0;
};

Problem RandomLayer(Random& random) {
  if (Chance(random, 0.2)) {
    return MakeGemm("gemm", {.g = Chance(random, 0.3) ? Pick(random, 2, 3) : 1,
                             .p = Pick(random, 1, 9),
                             .k = Pick(random, 1, 9),
                             .c = Pick(random, 1, 9)});
  }
  ConvShape shape{.p = Pick(random, 1, 7), .q = Pick(random, 1, 7)};
  const bool depthwise = Chance(random, 0.2);
  if (depthwise) {
    shape.g = Pick(random, 2, 6);
  } else {
    shape.k = Pick(random, 1, 8);
    shape.c = Pick(random, 1, 6);
  }
  if (Chance(random, 0.2)) shape.n = Pick(random, 2, 3);
  shape.r = Pick(random, 1, 4);
  shape.s = Pick(random, 1, 4);
  shape.stride_h = Pick(random, 1, 3);
  shape.stride_w = Pick(random, 1, 3);
  shape.dilation_h = Pick(random, 1, 2);
  return MakeConv("conv", shape);
}

Trial RandomTrial(int64_t seed) {
  Random random(static_cast<uint64_t>(seed));
  Trial trial;
  const Problem problem = RandomLayer(random);
  trial.options.dnnopt.dataflow = static_cast<Dataflow>(Pick(random, 0, 2));
  trial.array = {Pick(random, 1, 4), Pick(random, 1, 4), trial.options.dnnopt.dataflow};
  trial.options.dnnopt.stride =
      Chance(random, 0.5) ? DnnoptOptions::Stride::kArray : DnnoptOptions::Stride::kOne;
  int64_t all = 0;
  for (TensorId t : Ids(problem.tensors)) all += TensorWords(problem, t);
  trial.space = testing::SystolicSpace(problem, trial.array.rows, trial.array.columns,
                                       Pick(random, 8, 8 + all), false);
  if (Chance(random, 0.7)) {
    trial.words_per_cycle = static_cast<double>(Pick(random, 1, 8)) / 4;
    trial.space.architecture.levels[LevelId(0)].shared_bandwidth = trial.words_per_cycle;
  }
  return trial;
}

bool IsBlocked(const Problem& problem, DimId dim) {
  if (problem.dims[dim].bound == 1) return false;
  const std::string& name = problem.dims[dim].name;
  return name != "R" && name != "S";
}

int64_t StrideOf(const Trial& trial, const std::string& name, bool last_pixel) {
  if (trial.options.dnnopt.stride == DnnoptOptions::Stride::kOne) return 1;
  if (name == "K") return trial.array.columns;
  if (name == "C") return trial.array.rows;
  if (!last_pixel) return 1;
  return trial.array.dataflow == Dataflow::kInputStationary ? trial.array.columns
                                                            : trial.array.rows;
}

// Every block size of a dimension, ascending.
std::vector<int64_t> BlocksOf(const Trial& trial, DimId dim) {
  const Problem& problem = trial.space.problem;
  bool last_pixel = false;
  for (DimId d : Ids(problem.dims)) {
    const std::string& name = problem.dims[d].name;
    if (problem.dims[d].bound > 1 && (name == "N" || name == "P" || name == "Q")) {
      last_pixel = d == dim;
    }
  }
  const int64_t bound = problem.dims[dim].bound;
  std::vector<int64_t> blocks;
  for (int64_t b = StrideOf(trial, problem.dims[dim].name, last_pixel); b < bound;
       b += StrideOf(trial, problem.dims[dim].name, last_pixel)) {
    blocks.push_back(b);
  }
  blocks.push_back(bound);
  return blocks;
}

bool BlocksFit(const Trial& trial, const std::vector<BlockWalkLoop>& loops) {
  const Problem& problem = trial.space.problem;
  IndexedVector<DimId, int64_t> sizes;
  for (const Dimension& dim : problem.dims) sizes.push_back(dim.bound);
  for (const BlockWalkLoop& loop : loops) sizes[loop.dim] = loop.block;
  int64_t words = 0;
  for (const Tensor& tensor : problem.tensors) words += TileWords(tensor, sizes);
  return words <= *trial.space.architecture.levels[LevelId(1)].capacity_words;
}

// The fewest words of all blocks and orders, each walked; none if no blocks fit.
std::optional<int64_t> TryEverything(const Trial& trial) {
  const Problem& problem = trial.space.problem;
  std::vector<DimId> dims;
  for (DimId d : Ids(problem.dims)) {
    if (IsBlocked(problem, d)) dims.push_back(d);
  }
  std::optional<int64_t> fewest;
  do {
    std::vector<BlockWalkLoop> loops;
    const auto choose = [&](const auto& self, size_t i) -> void {
      if (i < dims.size()) {
        for (const int64_t block : BlocksOf(trial, dims[i])) {
          loops.push_back({dims[i], block});
          self(self, i + 1);
          loops.pop_back();
        }
        return;
      }
      if (!BlocksFit(trial, loops)) return;
      const int64_t words = WalkBlocks(problem, loops, trial.array, 0).words;
      if (!fewest || words < *fewest) fewest = words;
    };
    choose(choose, 0);
  } while (std::next_permutation(dims.begin(), dims.end()));
  return fewest;
}

std::vector<BlockWalkLoop> LoopsOf(const Problem& problem, const DnnoptFigures& figures) {
  std::vector<BlockWalkLoop> loops;
  for (const auto& block : figures.order) {
    loops.push_back({*FindDim(problem, block.dim), block.size});
  }
  return loops;
}

// What was tried is small enough to walk every block of every point.
bool IsSmall(const Trial& trial) {
  double work = 1;
  int axes = 0;
  for (DimId d : Ids(trial.space.problem.dims)) {
    if (!IsBlocked(trial.space.problem, d)) continue;
    // Σ over block sizes of the number of blocks
    double blocks = 0;
    for (const int64_t b : BlocksOf(trial, d)) {
      blocks += static_cast<double>((trial.space.problem.dims[d].bound + b - 1) / b);
    }
    work *= blocks * ++axes;
  }
  return work < 30000;
}

TEST(DnnoptPropertyTest, SafeIsTheBestOfEverything) {
  const int64_t cases = testing::CaseCount(1000, 10000);
  int64_t compared = 0, infeasible = 0, fewer_points = 0;
  for (int64_t seed = 0; compared < cases; ++seed) {
    Trial trial = RandomTrial(seed);
    if (!IsSmall(trial)) continue;
    ++compared;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto fewest = TryEverything(trial);
    trial.options.dnnopt.exit = Exit::kSafe;
    const LayerAnswer safe = MapByDnnopt(trial.space, trial.options);
    trial.options.dnnopt.exit = Exit::kNone;
    const LayerAnswer none = MapByDnnopt(trial.space, trial.options);
    ASSERT_EQ(safe.best.has_value(), fewest.has_value());
    if (!fewest) {
      ++infeasible;
      ASSERT_FALSE(safe.unsupported.empty());
      continue;
    }
    ASSERT_EQ(safe.dnnopt->total_offchip_words, *fewest);
    ASSERT_EQ(none.dnnopt->total_offchip_words, *fewest);
    ASSERT_EQ(safe.best->mapping, none.best->mapping);
    ASSERT_LE(*safe.points_visited, *none.points_visited);
    fewer_points += *safe.points_visited < *none.points_visited ? 1 : 0;
  }
  EXPECT_GT(infeasible, 0);
  EXPECT_LT(infeasible, compared / 2);
  EXPECT_GT(fewer_points, compared / 2);
}

// Both halves of: the model is an upper bound on the exact off-chip words, and equal to them unless
// wrap-around tiles overlap.
TEST(DnnoptPropertyTest, ModelIsExactButForWrapAroundOverlap) {
  const int64_t cases = testing::CaseCount(3000, 30000);
  int64_t equal = 0, above = 0, stalled = 0;
  for (int64_t seed = 0; seed < cases; ++seed) {
    Trial trial = RandomTrial(seed);
    Random random(static_cast<uint64_t>(seed) + 77);
    trial.options.dnnopt.exit = static_cast<Exit>(Pick(random, 0, 1));
    trial.options.dnnopt.optimize = Chance(random, 0.5) ? Optimize::kBoth : Optimize::kBlock;
    const LayerAnswer answer = MapByDnnopt(trial.space, trial.options);
    if (!answer.best) continue;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Problem& problem = trial.space.problem;
    const BlockWalk walk =
        WalkBlocks(problem, LoopsOf(problem, *answer.dnnopt), trial.array, trial.words_per_cycle);
    ASSERT_EQ(answer.dnnopt->total_offchip_words, walk.words);
    ASSERT_EQ(answer.dnnopt->array_cycles, walk.cycles - 1);
    ASSERT_EQ(answer.dnnopt->stall_cycles, walk.stalls);
    ASSERT_TRUE(Validate(problem, trial.space.architecture, answer.best->mapping).empty());
    ASSERT_TRUE(CheckCapacity(problem, trial.space.architecture, answer.best->mapping).empty());
    ASSERT_EQ(answer.best->cost.offchip_words, walk.words - walk.wrap_overlap);
    ++(walk.wrap_overlap == 0 ? equal : above);
    stalled += walk.stalls > 0 ? 1 : 0;
  }
  EXPECT_GT(equal, cases / 4);
  EXPECT_GT(above, cases / 200);
  EXPECT_GT(stalled, cases / 20);
}

// The example of the specification: P = 4 in tiles of 2 under a window of 3, inside K = 2.
TEST(DnnoptPropertyTest, WrapAroundTilesOverlap) {
  const Problem problem = MakeConv("wrap", {.k = 2, .p = 4, .r = 3});
  const Space space = testing::SystolicSpace(problem, 1, 1, 100, false);
  const DimId k = *FindDim(problem, "K"), p = *FindDim(problem, "P"), r = *FindDim(problem, "R");
  const BlockWalk walk = WalkBlocks(problem, {{k, 1}, {p, 2}}, {1, 1}, 0);
  Mapping mapping;
  mapping.levels.resize(2);
  for (auto& level : mapping.levels) level.keep = TensorSet::FirstN(3);
  mapping.levels[LevelId(0)].temporal = {{k, 1, Axis::kTime}, {p, 2, Axis::kTime}};
  mapping.levels[LevelId(1)].temporal = {{p, 1, Axis::kTime}, {r, 1, Axis::kTime}};
  const auto cost = Evaluate(problem, space.architecture, mapping);
  const TensorId inputs = *FindTensor(problem, "Inputs");
  const auto& traffic = cost->levels[LevelId(0)].tensors[inputs].total;
  EXPECT_EQ(traffic.reads, 10);
  const int64_t others = 2 * 3 + 2 * 4;  // weights once, outputs out once
  EXPECT_EQ(walk.words - others, 12);
  EXPECT_EQ(cost->offchip_words - others, 10);
  EXPECT_EQ(walk.wrap_overlap, 2);
}

// Blocks are boxes: with a stride beyond the window they hold words that no iteration reads, the
// more the larger they are.
bool HasHoles(const Problem& problem) {
  for (const Tensor& tensor : problem.tensors) {
    for (const Rank& rank : tensor.ranks) {
      int64_t step = 0, base = 1;
      for (const Term& term : rank.terms) {
        const bool slides = rank.terms.size() > 1 && &term == &rank.terms.back();
        if (slides) base += term.coefficient * (problem.dims[term.dim].bound - 1);
        if (!slides) step = term.coefficient;
      }
      if (step > base) return true;
    }
  }
  return false;
}

// Order only: a memory that keeps more than the previous tile. The mapping writes down the blocks
// that stay on chip, so its exact words are at most the model's, but for holes.
TEST(DnnoptPropertyTest, OrderOnlyIsAnUpperBoundToo) {
  const int64_t cases = testing::CaseCount(4000, 40000);
  int64_t compared = 0, worse_than_both = 0;
  for (int64_t seed = 0; seed < cases; ++seed) {
    Trial trial = RandomTrial(seed);
    if (HasHoles(trial.space.problem)) continue;
    trial.options.dnnopt.optimize = Optimize::kOrder;
    const LayerAnswer order = MapByDnnopt(trial.space, trial.options);
    if (!order.best) continue;
    ++compared;
    SCOPED_TRACE("seed " + std::to_string(seed));
    ASSERT_LE(order.best->cost.offchip_words, order.dnnopt->total_offchip_words);
    trial.options.dnnopt.optimize = Optimize::kBoth;
    const LayerAnswer both = MapByDnnopt(trial.space, trial.options);
    ASSERT_LE(both.dnnopt->total_offchip_words, order.dnnopt->total_offchip_words);
    worse_than_both += both.dnnopt->total_offchip_words < order.dnnopt->total_offchip_words ? 1 : 0;
  }
  EXPECT_GT(compared, cases / 8);
  EXPECT_GT(worse_than_both, compared / 20);
}

}  // namespace
}  // namespace inlay
