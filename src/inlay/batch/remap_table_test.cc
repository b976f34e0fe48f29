#include "inlay/batch/remap_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "inlay/batch/policy.h"
#include "inlay/batch/policy_result.h"
#include "inlay/batch/remap_search.h"
#include "inlay/io/load.h"
#include "tests/support/random_profile.h"

namespace inlay::batch {
namespace {

double TimeOf(const TiledLayer& way, double bytes_per_cycle) {
  const auto cycles = static_cast<double>(way.cycles);
  const double fetch = static_cast<double>(way.stream_bytes) / bytes_per_cycle;
  return std::max(cycles, fetch) + 0.1 * std::min(cycles, fetch);
}

std::vector<TiledLayer> RandomWays(testing::Random& random) {
  std::vector<TiledLayer> ways;
  for (int64_t i = testing::Pick(random, 0, 12); i > 0; --i) {
    ways.push_back(
        {testing::Pick(random, 1, 20), testing::Pick(random, 0, 40), testing::Pick(random, 1, 40)});
  }
  return ways;
}

// Looks at every way.
std::optional<double> QuickestOf(const std::vector<TiledLayer>& ways, int64_t room, double rate) {
  std::optional<double> least;
  for (const TiledLayer& way : ways) {
    if (way.workspace_bytes > room) continue;
    least = std::min(least.value_or(1e300), TimeOf(way, rate));
  }
  return least;
}

TEST(RemapTable, FindsTheQuickestWay) {
  testing::Random random(31);
  for (int64_t i = 0; i < testing::CaseCount(500, 20000); ++i) {
    Accelerator accelerator;
    accelerator.bytes_per_cycle = static_cast<double>(testing::Pick(random, 1, 8)) / 2;
    auto profile = std::make_shared<NetworkProfile>();
    profile->layers.resize(1);
    const std::vector<TiledLayer> one = RandomWays(random), both = RandomWays(random);
    const double rate = accelerator.bytes_per_cycle;
    const RemapTable table(
        profile, accelerator, {{5, -1, 0}, {4, -1, 0}, {3, -1, 0}},
        {{{0, 2}, {RemapTable::ParetoFront(one, rate), RemapTable::ParetoFront(both, rate)}}});
    for (int64_t room = 0; room <= 21; ++room) {
      for (const size_t off : {1U, 2U, 3U}) {
        const TiledLayer* found = table.Find(0, off, room);
        const auto quickest = QuickestOf(off == 3 ? both : one, room, rate);
        ASSERT_EQ(found != nullptr, quickest.has_value());
        if (found == nullptr) continue;
        EXPECT_LE(found->workspace_bytes, room);
        EXPECT_EQ(TimeOf(*found, rate), *quickest);
      }
    }
  }
}

// A network whose tensors are known, the largest first, with ways to run its layers.
struct Known {
  std::shared_ptr<NetworkProfile> profile = std::make_shared<NetworkProfile>();
  Accelerator accelerator;
  std::vector<FeatureMap> tensors;
  std::vector<RemapTable::Layer> layers;
};

Known RandomKnown(testing::Random& random) {
  Known known;
  known.accelerator = testing::SmallAccelerator(random);
  const int64_t layers = testing::Pick(random, 1, 5);
  known.profile->layers.resize(static_cast<size_t>(layers));
  known.layers.resize(static_cast<size_t>(layers));
  for (int64_t i = testing::Pick(random, 1, 6); i > 0; --i) {
    const int64_t from = testing::Pick(random, -1, layers - 2);
    known.tensors.push_back(
        {testing::Pick(random, 1, 30), from, testing::Pick(random, from + 1, layers - 1)});
  }
  std::sort(known.tensors.begin(), known.tensors.end(),
            [](const FeatureMap& a, const FeatureMap& b) { return a.bytes > b.bytes; });
  for (size_t r = 0; r < known.tensors.size(); ++r) {
    const FeatureMap& tensor = known.tensors[r];
    for (int64_t l = std::max<int64_t>(0, tensor.from); l <= tensor.last; ++l) {
      const auto layer = static_cast<size_t>(l);
      const bool writes = l == tensor.from;
      (writes ? known.profile->layers[layer].output_bytes
              : known.profile->layers[layer].live_bytes) += tensor.bytes;
      if (writes || l == tensor.last) known.layers[layer].touched.push_back(r);
    }
  }
  for (size_t l = 0; l < known.layers.size(); ++l) {
    known.profile->layers[l].products = {{1, testing::Pick(random, 1, 9), 3, 4, 1, true}};
    for (size_t k = 0; k < known.layers[l].touched.size(); ++k) {
      known.layers[l].ways.push_back(
          RemapTable::ParetoFront(RandomWays(random), known.accelerator.bytes_per_cycle));
    }
  }
  return known;
}

// Bytes of one inference in a layer beside its workspace, with the `off` largest off chip.
int64_t OnChip(const Known& known, size_t layer, size_t off) {
  int64_t bytes = 0;
  for (size_t r = off; r < known.tensors.size(); ++r) {
    const auto l = static_cast<int64_t>(layer);
    if (known.tensors[r].from <= l && l <= known.tensors[r].last) bytes += known.tensors[r].bytes;
  }
  return bytes;
}

// By going through everything: how few tensors off chip make it fit.
std::optional<size_t> FewestOff(const Known& known, int64_t bytes) {
  for (size_t off = 0; off <= known.tensors.size(); ++off) {
    bool fits = true;
    for (size_t l = 0; l < known.layers.size(); ++l) {
      const RemapTable::Layer& layer = known.layers[l];
      const auto touched = static_cast<size_t>(std::count_if(
          layer.touched.begin(), layer.touched.end(), [off](size_t rank) { return rank < off; }));
      const int64_t room = bytes - OnChip(known, l, off);
      const bool way =
          touched == 0 ||
          std::any_of(layer.ways[touched - 1].begin(), layer.ways[touched - 1].end(),
                      [room](const TiledLayer& w) { return w.workspace_bytes <= room; });
      fits = fits && room >= 0 && way;
    }
    if (fits) return off;
  }
  return std::nullopt;
}

TEST(RemapTable, FitsWithAsFewTensorsOffChipAsPossible) {
  testing::Random random(32);
  int64_t remapped = 0;
  for (int64_t i = 0; i < testing::CaseCount(500, 20000); ++i) {
    const Known known = RandomKnown(random);
    const RemapTable table(known.profile, known.accelerator, known.tensors, known.layers);
    const int64_t bytes = testing::Pick(random, 0, 80);
    const auto fewest = FewestOff(known, bytes);
    const auto fit = table.Fit(bytes);
    ASSERT_EQ(fit.has_value(), fewest.has_value());
    if (!fit) continue;
    remapped += fit->layers;
    int64_t in_pieces = 0;
    for (size_t l = 0; l < known.layers.size(); ++l) {
      const LayerProfile &layer = fit->profile.layers[l], &whole = known.profile->layers[l];
      EXPECT_EQ(layer.live_bytes + layer.output_bytes, OnChip(known, l, *fewest));
      EXPECT_LE(layer.live_bytes + layer.output_bytes + layer.workspace_bytes, bytes);
      const bool tiled = !known.layers[l].touched.empty() && known.layers[l].touched[0] < *fewest;
      in_pieces += tiled ? 1 : 0;
      EXPECT_EQ(layer.products == whole.products, !tiled);
      // One inference after the other.
      EXPECT_EQ(CyclesOf(layer, known.accelerator, 3) == 3 * CyclesOf(layer, known.accelerator, 1),
                tiled || CyclesOf(whole, known.accelerator, 3) ==
                             3 * CyclesOf(whole, known.accelerator, 1));
    }
    EXPECT_EQ(fit->layers, in_pieces);
  }
  EXPECT_GT(remapped, 0);
}

TEST(RemapTable, PiecesOfAProductComeAtLeastOnce) {
  Problem problem;
  for (const auto& [name, bound] : {std::pair("P", 12), std::pair("K", 8), std::pair("C", 6)}) {
    problem.dims.push_back({name, bound});
  }
  const DimId p(0U), k(1U), c(2U);
  problem.tensors.push_back({"Inputs", {{{{p, 1}}}, {{{c, 1}}}}, false});
  problem.tensors.push_back({"Weights", {{{{c, 1}}}, {{{k, 1}}}}, false});
  problem.tensors.push_back({"Outputs", {{{{p, 1}}}, {{{k, 1}}}}, true});
  Accelerator accelerator;
  accelerator.arrays = 2;
  accelerator.array = {2, 4, Dataflow::kOutputStationary};
  accelerator.memory_bytes = 1 << 20;
  const StopFlag stop;
  for (const Dataflow dataflow :
       {Dataflow::kOutputStationary, Dataflow::kWeightStationary, Dataflow::kInputStationary}) {
    accelerator.array.dataflow = dataflow;
    TensorSet off;
    off.insert(TensorId(0U));
    off.insert(TensorId(2U));
    const auto ways = TilingsOfProduct(problem, off, accelerator, Deadline(stop));
    ASSERT_GT(ways.size(), 1U);
    bool smaller = false, at_once = false;
    for (const ProductTiling& way : ways) {
      for (const TensorId t : {TensorId(0U), TensorId(2U)}) {
        EXPECT_GE(way.traffic[t], 1);
        EXPECT_LE(way.pieces[t], 1);
        EXPECT_GT(way.pieces[t], 0);
      }
      EXPECT_GE(way.slower, 1);
      smaller = smaller || way.pieces[TensorId(0U)] * way.pieces[TensorId(2U)] < 0.1;
      at_once = at_once || (way.traffic[TensorId(0U)] == 1 && way.traffic[TensorId(2U)] == 1);
    }
    EXPECT_TRUE(smaller);
    EXPECT_TRUE(at_once);
  }
}

// In half of what one inference takes whole, every policy ends, within the memory.
TEST(RemapTables, WhatDoesNotFitRunsInPieces) {
  io::LoadRecord record;
  const auto graph = io::LoadGraph("squeezenet", &record);
  ASSERT_TRUE(graph);
  Mix mix;
  mix.accelerator.bytes_per_cycle = 450;
  mix.accelerator.memory_bytes = 64 << 20;
  mix.workloads.push_back({"squeezenet", std::make_shared<const Graph>(*graph), 3, {}});
  auto task = MakeTask(mix);
  ASSERT_TRUE(task);
  const StopFlag stop;
  const Deadline deadline(stop);
  RemapTables tables;
  tables.AddTo(mix, 1, deadline, &*task);
  EXPECT_EQ(task->workloads[0].remap, nullptr);  // there is room enough
  const int64_t peak = CostOf(*task->workloads[0].profile, mix.accelerator, 1, {}).peak_bytes;
  task->accelerator.memory_bytes = ReservesOf(*task) + peak / 2;
  EXPECT_FALSE(Fits(*task));
  auto tight = MakeTask(mix);  // what is said to suffice does, and a byte less does not
  tight->accelerator.memory_bytes = ReservesOf(*tight) + peak / 64;
  tables.AddTo(mix, 1, deadline, &*tight);
  ASSERT_NE(tight->workloads[0].remap, nullptr);
  const int64_t fits = tight->workloads[0].remap->LeastFit(peak / 64, peak);
  EXPECT_LT(fits, peak);
  EXPECT_TRUE(tight->workloads[0].remap->Fit(fits));
  EXPECT_FALSE(tight->workloads[0].remap->Fit(fits - 1));
  EXPECT_THAT(MisfitsOf(*tight, MemoryModel::kPool).at(0).message,
              ::testing::HasSubstr(std::to_string(ReservesOf(*tight) + fits)));
  tables.AddTo(mix, 1, deadline, &*task);
  ASSERT_TRUE(Fits(*task));
  EXPECT_GT(task->workloads[0].remaps, 0);
  const Controls controls = *ControlsOf(*task, {});
  for (const PolicyRecord& policy : Policies()) {
    SCOPED_TRACE(policy.name);
    const PolicyRun run = policy.run(*task, {}, {nullptr, true, nullptr});
    EXPECT_EQ(run.outcome.ending, Ending::kDone);
    EXPECT_LE(run.outcome.peak_bytes, task->accelerator.memory_bytes);
    EXPECT_GE(run.outcome.makespan, controls.lb);
    EXPECT_GT(run.outcome.streamed_bytes, 3 * peak / 2);
  }
}

}  // namespace
}  // namespace inlay::batch
