// The bounds of the certified mapper against random completions: comparing optima alone does not
// find a wrong bound.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inlay/cost/evaluate.h"
#include "inlay/mapper/exact/bound.h"
#include "inlay/mapper/exact/chain_tree.h"
#include "inlay/mapper/exact/tiling_search.h"
#include "inlay/mapspace/enumerate.h"
#include "inlay/mapspace/sample.h"
#include "inlay/mapspace/tilings.h"
#include "tests/property/mapper_case.h"
#include "tests/support/mapspace_name.h"
#include "tests/support/random_space.h"

namespace inlay {
namespace {

using testing::CaseCount;
using testing::Chance;
using testing::Describe;
using testing::Pick;
using testing::Random;
using testing::RandomMapperLimits;
using testing::RandomSpace;

class MapperBoundsTest : public ::testing::TestWithParam<Mapspace> {};
INSTANTIATE_TEST_SUITE_P(All, MapperBoundsTest, ::testing::ValuesIn(testing::kMapspaces),
                         testing::MapspaceName);

// The chain of every dimension of a mapping, as an index into its tree's chains.
std::vector<size_t> ChainsIn(const Space& space, const std::vector<exact_search::ChainTree>& trees,
                             const Problem& problem, const Mapping& mapping) {
  std::vector<size_t> found;
  for (size_t d = 0; d < trees.size(); ++d) {
    size_t index = 0;
    for (; index < trees[d].chains().size(); ++index) {
      const Chain& chain = trees[d].chains()[index];
      bool same = chain.bound == problem.dims[DimId(d)].bound;
      for (SlotId s : Ids(space.slots)) {
        const LevelMapping& level = mapping.levels[space.slots[s].level];
        int64_t step = 0;
        const bool temporal = space.slots[s].axis == Axis::kTime;
        for (const Loop& loop : temporal ? level.temporal : level.spatial) {
          if (loop.dim.value() == d && loop.axis == space.slots[s].axis) step = loop.step;
        }
        same = same && (chain.steps[s] == 1 ? step == 0 : step == chain.tiles[s]);
      }
      if (same) break;
    }
    found.push_back(index);
  }
  return found;
}

// The dimension of the innermost temporal loop above a level, or that it is not known.
int SomeInner(Random& random, const Mapping& mapping, size_t level) {
  if (Chance(random, 0.4)) return exact_search::kAnyDim;
  for (size_t l = level; l-- > 0;) {
    const auto& loops = mapping.levels[LevelId(l)].temporal;
    if (!loops.empty()) return static_cast<int>(loops.back().dim.value());
  }
  return exact_search::kNoDim;
}

// A mapping and the chains that it is made of: what a bound is checked against.
struct Completion {
  const Space& space;
  const std::vector<exact_search::Stage>& stages;
  const std::vector<exact_search::ChainTree>& trees;
  const exact_search::KeepCase& keep_case;
  const exact_search::RowLayout& layout;
  const Mapping& mapping;
  std::vector<size_t> chain;  // by dimension
  bool fits = false;          // the capacities; most bounds hold for all mappings

  const Chain& ChainOf(size_t d) const { return trees[d].chains()[chain[d]]; }
  bool HasLoop(size_t level, size_t d) const { return ChainOf(d).steps[SlotId(3 * level)] > 1; }
  // Whether some loop of the levels [from, to) moves the tensor.
  bool Moves(size_t tensor, size_t from, size_t to) const {
    for (size_t l = from; l < to; ++l) {
      for (size_t d = 0; d < trees.size(); ++d) {
        if (keep_case.tensors[tensor].rank_of[d] >= 0 && HasLoop(l, d)) return true;
      }
    }
    return false;
  }
  // The last stage that decides nothing above a level.
  size_t StageOf(size_t level) const {
    size_t stage = 0;
    for (size_t i = 0; i < stages.size(); ++i) {
      if (stages[i].level >= level || (stages[i].lanes && stage + 1 == i)) stage = i;
    }
    return stage;
  }
  // The figures of some set of a stage that holds the chain: a node or a range of its siblings.
  const double* SomeRow(Random& random, size_t stage, size_t d) const {
    const uint32_t node = trees[d].NodeOfChain(stage, chain[d]);
    if (stage == 0 || Chance(random, 0.7)) return trees[d].Row(trees[d].At(stage, node));
    const auto& parent = trees[d].At(stage - 1, trees[d].NodeOfChain(stage - 1, chain[d]));
    uint32_t begin = parent.child_begin, end = parent.child_end;
    const double* row = nullptr;
    while (end - begin >= exact_search::ChainTree::kLeastRange && Chance(random, 0.6)) {
      row = trees[d].RangeRow(stage, begin, end);
      const uint32_t middle = exact_search::ChainTree::Middle(begin, end);
      (node < middle ? end : begin) = middle;
    }
    return row != nullptr ? row : trees[d].Row(trees[d].At(stage, node));
  }
};

using exact_search::Bounder;
using exact_search::kAnyDim;
using exact_search::LowerBound;

// Level by level, all loops above a level taken together; perhaps with the lanes of some
// dimensions open.
LowerBound MergedBound(Random& random, const Completion& one, exact_search::Sharing* sharing,
                       Bounder* bounder) {
  const auto last_stage = static_cast<int64_t>(one.stages.size()) - 1;
  exact_search::Rows rows;
  uint64_t open = 0;
  const bool shares = Chance(random, 0.5);
  for (size_t d = 0; d < one.trees.size(); ++d) {
    const int64_t stage = Pick(random, -1, last_stage);
    const bool has_lanes = stage >= 0 && (one.stages[0].lanes || stage > 0);
    if (!has_lanes) open |= uint64_t{1} << d;
    rows.push_back(stage < 0 ? one.trees[d].RootRow()
                             : one.SomeRow(random, static_cast<size_t>(stage), d));
    if (stage == 1 && !one.stages[0].lanes) open |= uint64_t{1} << d;  // a range of lanes
  }
  double left = 1;
  for (SlotId s : exact_search::SpatialSlotsOf(one.space)) {
    int64_t taken = 1;
    for (size_t d = 0; d < one.trees.size(); ++d) {
      if ((open >> d & 1) == 0) taken *= one.ChainOf(d).steps[s];
    }
    const int64_t times = one.space.slots[s].max_lanes / taken;
    left *= static_cast<double>(times);
  }
  exact_search::MappingSet set = bounder->SetOf(rows);
  if (Chance(random, 0.5)) set.order_depth = static_cast<size_t>(Pick(random, 2, 8));
  // What holds for the innermost loop's dimension, as the search assumes it job by job.
  const size_t last = one.keep_case.levels - 1;
  const int inner = SomeInner(random, one.mapping, last);
  if (last > 0 && inner >= 0 && Chance(random, 0.7)) {
    const auto dim = static_cast<size_t>(inner);
    const auto& single = one.trees[dim].At(
        one.stages.size() - 1, one.trees[dim].NodeOfChain(one.stages.size() - 1, one.chain[dim]));
    const double* row = one.trees[dim].Row(single) + one.layout.At(last);
    if (row[exact_search::kEven] != 0) {
      set.assumptions.even_dim = inner;
    } else {
      set.assumptions.alone_dim = inner;
    }
  }
  if (shares) set.assumptions.lanes = ShareLanes(set, open, left, sharing);
  exact_search::BoundSum sum;
  sum.Begin(one.keep_case);
  for (size_t c = 1; c < one.keep_case.levels; ++c) {
    bounder->AddMerged(set, c, c == last ? inner : SomeInner(random, one.mapping, c), &sum);
  }
  bounder->AddMerged(set, one.keep_case.levels, kAnyDim, &sum);
  return Finish(set, FewestSteps(set, one.keep_case.instances[one.keep_case.levels]), sum);
}

// The loops of the inner levels as groups of their own, all tiles from some level on decided.
LowerBound NestedBound(Random& random, const Completion& one, Bounder* bounder) {
  const size_t levels = one.keep_case.levels;
  const auto first = static_cast<size_t>(Pick(random, 1, static_cast<int64_t>(levels) - 1));
  exact_search::Rows rows;
  for (size_t d = 0; d < one.trees.size(); ++d) {
    const size_t stage = one.StageOf(first);
    const uint32_t node = one.trees[d].NodeOfChain(stage, one.chain[d]);
    rows.push_back(one.trees[d].Row(one.trees[d].At(stage, node)));
  }
  exact_search::BoundSum sum;
  sum.Begin(one.keep_case);
  exact_search::MappingSet set = bounder->SetOf(rows);
  if (Chance(random, 0.5)) set.order_depth = static_cast<size_t>(Pick(random, 2, 8));
  bounder->AddNested(set, first, SomeInner(random, one.mapping, levels - 1), &sum);
  bounder->AddMerged(set, levels, kAnyDim, &sum);
  return Finish(set, FewestSteps(set, one.keep_case.instances[levels]), sum);
}

// What the levels above `end` send inwards, each with its own tile decided.
void AddSentAbove(Random& random, const Completion& one, size_t end, Bounder* bounder,
                  exact_search::BoundSum* sum) {
  const auto order_depth = static_cast<size_t>(Pick(random, 1, 8));
  for (size_t c = 1; c < end; ++c) {
    std::vector<const exact_search::Edge*> bypassing;
    uint64_t moved = 0;
    for (size_t q = c + 1; q < one.keep_case.levels; ++q) {
      for (const exact_search::Edge& edge : one.keep_case.edges[q]) {
        if (edge.parent + 1 != c) continue;
        std::vector<double> tile;
        for (size_t d = 0; d < one.trees.size(); ++d) {
          tile.push_back(static_cast<double>(one.ChainOf(d).tiles[SlotId(3 * c - 1)]));
        }
        if (one.Moves(edge.tensor, c, q)) {
          moved |= uint64_t{1} << bypassing.size();
        } else if (one.fits) {
          EXPECT_TRUE(one.keep_case.Holds(edge, c, tile.data()));
        }
        bypassing.push_back(&edge);
      }
    }
    exact_search::Rows rows;
    const auto last_stage = static_cast<int64_t>(one.stages.size()) - 1;
    for (size_t d = 0; d < one.trees.size(); ++d) {
      rows.push_back(one.SomeRow(random, static_cast<size_t>(Pick(random, 0, last_stage)), d));
    }
    EXPECT_TRUE(bounder->AddSentInward(bounder->SetOf(rows, {}, order_depth), c, bypassing, moved,
                                       SomeInner(random, one.mapping, c), sum));
  }
}

// Level by level what each sends inwards, also past others, in place of what enters those below.
LowerBound SentBound(Random& random, const Completion& one, Bounder* bounder) {
  const size_t last = one.keep_case.levels - 1;
  exact_search::Rows rows;
  for (size_t d = 0; d < one.trees.size(); ++d) {
    rows.push_back(one.SomeRow(random, one.stages[0].lanes ? 0 : 1, d));
  }
  const exact_search::MappingSet set = bounder->SetOf(rows);
  exact_search::BoundSum sum;
  sum.Begin(one.keep_case, last);
  bounder->AddMerged(set, last, SomeInner(random, one.mapping, last), &sum);
  bounder->AddMerged(set, one.keep_case.levels, kAnyDim, &sum);
  const LowerBound inside = Finish(set, 0, sum);
  exact_search::BoundSum above;
  above.Begin(one.keep_case);
  above.total = inside;
  above.total.energy_pj -= sum.bypassing.energy_pj;
  above.total.offchip_words -= sum.bypassing.offchip_words;
  AddSentAbove(random, one, last, bounder, &above);
  return above.total;
}

// The tile of a level being decided, in the case that is the mapping's: which tensors its loops
// move.
LowerBound SplitBound(Random& random, const Completion& one, Bounder* bounder) {
  const size_t levels = one.keep_case.levels;
  const auto level = static_cast<size_t>(Pick(random, 1, static_cast<int64_t>(levels) - 2));
  exact_search::Rows inside, rows;
  for (size_t d = 0; d < one.trees.size(); ++d) {
    const size_t stage = one.StageOf(level + 1);
    const uint32_t node = one.trees[d].NodeOfChain(stage, one.chain[d]);
    inside.push_back(one.trees[d].Row(one.trees[d].At(stage, node)));
    const bool decided = Chance(random, 0.5);
    rows.push_back(decided ? one.SomeRow(random, one.StageOf(level), d) : inside.back());
  }
  exact_search::BoundSum sum;
  sum.Begin(one.keep_case);
  std::vector<exact_search::OpenEdge> open;
  const auto order_depth = static_cast<size_t>(Pick(random, 1, 8));
  const exact_search::MappingSet inside_set = bounder->SetOf(inside, {}, order_depth);
  const exact_search::MappingSet set = bounder->SetOf(rows, {}, order_depth);
  int inner = bounder->AddInnerLevels(inside_set, level + 1,
                                      SomeInner(random, one.mapping, levels - 1), &sum, &open);
  uint64_t moved = 0;
  for (const exact_search::OpenEdge& edge : open) {
    if (one.Moves(edge.edge->tensor, level, level + 1)) moved |= uint64_t{1} << edge.edge->tensor;
  }
  bool empty = true;
  for (size_t d = 0; d < one.trees.size(); ++d) empty = empty && !one.HasLoop(level, d);
  if (moved == 0 && !empty) inner = kAnyDim;
  EXPECT_TRUE(bounder->AddLevelInCase(set, level, open, moved, inner, &sum));
  for (size_t c = 1; c < level; ++c) bounder->AddMerged(set, c, kAnyDim, &sum);
  bounder->AddMerged(inside_set, levels, kAnyDim, &sum);
  return Finish(set, FewestSteps(set, one.keep_case.instances[levels]), sum);
}

TEST_P(MapperBoundsTest, NoBoundIsAboveACompletion) {
  const int64_t checks = CaseCount(60'000, 1'000'000);
  Random random(static_cast<uint64_t>(GetParam()) + 7);
  const StopFlag stop;
  int64_t done = 0;
  while (done < checks) {
    testing::SpaceLimits limits = RandomMapperLimits(random);
    limits.most_operations = Pick(random, 20, 2000);
    const Space space = RandomSpace(random, GetParam(), limits);
    const auto sampler = SpaceSampler::Make(space);
    if (!sampler) continue;
    const size_t levels = space.architecture.levels.size();
    const exact_search::RowLayout layout(levels);
    const auto stages =
        exact_search::StagesOf(levels, Chance(random, 0.5) ? exact_search::LaneStage::kWithTile
                                                           : exact_search::LaneStage::kAfterTile);
    std::vector<exact_search::ChainTree> trees;
    bool small = true;
    for (DimId d : Ids(space.problem.dims)) {
      std::vector<Chain> chains;
      small = small && ForEachChain(space, d, [&](const Chain& chain) {
                chains.push_back(chain);
                return chains.size() < 5000;
              });
      if (!small || chains.empty()) break;
      trees.emplace_back(space, layout, stages, std::move(chains));
    }
    if (trees.size() < space.problem.dims.size()) continue;
    Rng rng(static_cast<uint64_t>(Pick(random, 0, 1'000'000'000)));
    for (int m = 0; m < 40; ++m) {
      const auto sample = SampleWithPadding(*sampler, rng);
      if (!sample) break;
      const Mapping& mapping = sample->mapping;
      IndexedVector<LevelId, TensorSet> keeps;
      for (const LevelMapping& level : mapping.levels) keeps.push_back(level.keep);
      const Problem problem = GetParam() == Mapspace::kPadded
                                  ? PaddedTo(space.problem, sample->unrolling)
                                  : space.problem;
      const auto cost = Evaluate(problem, space.architecture, mapping);
      ASSERT_TRUE(cost.has_value());
      const exact_search::KeepCase keep_case(space, keeps);
      exact_search::Bounder bounder(keep_case, layout);
      const Deadline deadline(stop);
      exact_search::Sharing sharing(space, keep_case, trees, deadline);
      const Completion one = {space,
                              stages,
                              trees,
                              keep_case,
                              layout,
                              mapping,
                              ChainsIn(space, trees, problem, mapping),
                              Fits(space, problem, mapping)};
      for (size_t d = 0; d < trees.size(); ++d) ASSERT_LT(one.chain[d], trees[d].chains().size());
      for (int k = 0; k < 10; ++k) {
        const int64_t kind = Pick(random, 0, levels > 2 ? 3 : levels > 1 ? 2 : 0);
        const LowerBound least = kind == 0   ? MergedBound(random, one, &sharing, &bounder)
                                 : kind == 1 ? NestedBound(random, one, &bounder)
                                 : kind == 2 ? SentBound(random, one, &bounder)
                                             : SplitBound(random, one, &bounder);
        ++done;
        const std::string what = "kind " + std::to_string(kind) + "\n" +
                                 Describe({problem, space.architecture, mapping}) + Describe(space);
        ASSERT_FALSE(HasFailure()) << what;
        ASSERT_LE(least.energy_pj, cost->energy_pj * (1 + 1e-12)) << what;
        ASSERT_LE(least.cycles, static_cast<double>(cost->cycles)) << what;
        ASSERT_LE(least.offchip_words, static_cast<double>(cost->offchip_words) * (1 + 1e-12))
            << what;
      }
    }
  }
}

// The bounds that are found once, before the search.
TEST_P(MapperBoundsTest, NoLevelCostsLessThanItsBound) {
  const int64_t cases = CaseCount(150, 3'000);
  Random random(static_cast<uint64_t>(GetParam()) + 9);
  StopFlag stop;
  for (int64_t done = 0; done < cases;) {
    testing::SpaceLimits limits = RandomMapperLimits(random);
    limits.most_operations = Pick(random, 20, 2000);
    const Space space = RandomSpace(random, GetParam(), limits);
    const auto sampler = SpaceSampler::Make(space);
    if (!sampler) continue;
    Rng rng(static_cast<uint64_t>(Pick(random, 0, 1'000'000'000)));
    const auto sample = SampleWithPadding(*sampler, rng);
    if (!sample) continue;
    const size_t levels = space.architecture.levels.size();
    const auto chains = exact_search::BuildChains(
        space, exact_search::StagesOf(levels, exact_search::LaneStage::kWithTile), Deadline(stop));
    if (!chains) continue;
    IndexedVector<LevelId, TensorSet> keeps;
    for (const LevelMapping& level : sample->mapping.levels) keeps.push_back(level.keep);
    const Problem problem = GetParam() == Mapspace::kPadded
                                ? PaddedTo(space.problem, sample->unrolling)
                                : space.problem;
    if (!Fits(space, problem, sample->mapping)) continue;
    const auto cost = Evaluate(problem, space.architecture, sample->mapping);
    ASSERT_TRUE(cost.has_value());
    const exact_search::KeepCase keep_case(space, keeps);
    const Metric metric = Chance(random, 0.5) ? Metric::kEnergy : Metric::kOffchip;
    const auto by_level = exact_search::BoundsByLevel(keep_case, *chains, metric, Deadline(stop));
    LowerBound entering, sent;
    for (size_t c = 1; c + 1 < levels; ++c) {
      entering.energy_pj += by_level[c].entering.energy_pj;
      entering.offchip_words += by_level[c].entering.offchip_words;
      sent.energy_pj += by_level[c].sent.energy_pj;
      sent.offchip_words += by_level[c].sent.offchip_words;
    }
    ++done;
    const std::string what =
        Describe({problem, space.architecture, sample->mapping}) + Describe(space);
    const LowerBound all = exact_search::BoundOfAll(space, keep_case);
    for (const LowerBound& least : {entering, sent, all}) {
      ASSERT_LE(least.energy_pj, cost->energy_pj * (1 + 1e-12)) << what;
      ASSERT_LE(least.cycles, static_cast<double>(cost->cycles)) << what;
      ASSERT_LE(least.offchip_words, static_cast<double>(cost->offchip_words) * (1 + 1e-12))
          << what;
    }
  }
}

}  // namespace
}  // namespace inlay
