// Pareto fronts of layers against their dumb twin, the enumeration of the whole mapspace.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "inlay/core/shapes.h"
#include "inlay/cost/evaluate.h"
#include "inlay/io/library/library.h"
#include "inlay/mapper/exact.h"
#include "inlay/mapper/front.h"
#include "inlay/mapper/front/front_worker.h"
#include "inlay/mapspace/enumerate.h"
#include "inlay/mapspace/sample.h"
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
using testing::RandomSpace;

class MapperFrontTest : public ::testing::TestWithParam<Mapspace> {};
INSTANTIATE_TEST_SUITE_P(All, MapperFrontTest, ::testing::ValuesIn(testing::kMapspaces),
                         testing::MapspaceName);

using Point = std::array<int64_t, 3>;  // footprint, off-chip words, cycles

Point PointOf(const Space& space, const Problem& problem, const Mapping& mapping, const Cost& cost,
              TensorSet onchip) {
  Point point = {0, 0, cost.cycles};
  for (const Occupancy& use : Occupancies(problem, space.architecture, mapping)) {
    if (use.level.value() == 1) point[0] += use.used_words;
  }
  for (TensorId t : Ids(problem.tensors)) {
    const Counts& counts = cost.levels[LevelId(0)].tensors[t].total;
    if (!onchip.contains(t)) point[1] += counts.reads + counts.updates;
  }
  return point;
}

bool Beats(const Point& a, const Point& b) {
  return a != b && a[0] <= b[0] && a[1] <= b[1] && a[2] <= b[2];
}

// The front over the whole mapspace; nullopt if it is too large to list.
std::optional<std::set<Point>> Enumerate(const Space& space, TensorSet onchip, int64_t most) {
  std::set<Point> all;
  int64_t mappings = 0;
  const bool complete = ForEachMapping(space, [&](const Problem& problem, const Mapping& mapping) {
    if (++mappings > most) return false;
    if (!Fits(space, problem, mapping)) return true;
    const auto cost = Evaluate(problem, space.architecture, mapping);
    EXPECT_TRUE(cost.has_value());
    all.insert(PointOf(space, problem, mapping, *cost, onchip));
    return true;
  });
  if (!complete) return std::nullopt;
  std::set<Point> front;
  for (const Point& point : all) {
    const bool beaten = std::any_of(all.begin(), all.end(),
                                    [&](const Point& other) { return Beats(other, point); });
    if (!beaten) front.insert(point);
  }
  return front;
}

testing::SpaceLimits RandomLimits(Random& random) {
  testing::SpaceLimits limits;
  limits.most_operations = Pick(random, 4, 100);
  limits.most_levels = static_cast<size_t>(Chance(random, 0.1) ? 1 : Pick(random, 2, 4));
  limits.bounded = Chance(random, 0.5) ? 0.3 : 0.8;
  limits.constrained = Chance(random, 0.5) ? 0.0 : 0.6;
  return limits;
}

// Every point's mapping belongs to the space, fits and costs what the front says.
void ExpectHonest(const Space& space, const FrontPoint& point, TensorSet onchip,
                  const std::string& what) {
  const Solution& solution = point.solution;
  EXPECT_TRUE(CheckMembership(space, solution.problem, solution.mapping).empty()) << what;
  EXPECT_TRUE(Fits(space, solution.problem, solution.mapping)) << what;
  const auto again = Evaluate(solution.problem, space.architecture, solution.mapping);
  ASSERT_TRUE(again.has_value()) << what;
  const Point said = {point.footprint_words, point.offchip_words, point.cycles};
  EXPECT_EQ(PointOf(space, solution.problem, solution.mapping, *again, onchip), said) << what;
  EXPECT_EQ(again->energy_pj, solution.cost.energy_pj) << what;
}

TEST_P(MapperFrontTest, FrontIsThatOfTheEnumeration) {
  const int64_t cases = CaseCount(150, 1500);
  Random random(static_cast<uint64_t>(GetParam()) + 177);
  StopFlag stop;
  int64_t compared = 0;
  int64_t several = 0;  // fronts of several points
  for (int64_t i = 0; compared < cases; ++i) {
    testing::SpaceLimits limits = RandomLimits(random);
    limits.timed = 0.4;
    const Space space = RandomSpace(random, GetParam(), limits);
    MapOptions options;
    options.front = FrontOptions();
    for (TensorId t : Ids(space.problem.tensors)) {
      if (i % 2 == 1 && Chance(random, 0.4)) options.front->onchip.insert(t);
    }
    const auto expected = Enumerate(space, options.front->onchip, 20000);
    if (!expected) continue;
    ++compared;
    const LayerAnswer answer = SearchFront(space, options, Deadline(stop));
    const std::string what = "case " + std::to_string(i) + "\n" + Describe(space);
    EXPECT_EQ(answer.certificate.status, CertificateStatus::kOptimal) << what;
    EXPECT_FALSE(answer.interrupted) << what;
    EXPECT_EQ(answer.infeasible.empty(), !expected->empty()) << what;
    std::vector<Point> found;
    for (const FrontPoint& point : answer.front) {
      found.push_back({point.footprint_words, point.offchip_words, point.cycles});
      ExpectHonest(space, point, options.front->onchip, what);
    }
    EXPECT_EQ(found, std::vector<Point>(expected->begin(), expected->end())) << what;
    several += found.size() > 1 ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(several, cases / 5);  // fronts of one point would test little
}

Point PointOf(const FrontPoint& point) {
  return {point.footprint_words, point.offchip_words, point.cycles};
}

// Spaces too large to list.
testing::SpaceLimits LargeLimits(Random& random) {
  testing::SpaceLimits limits = RandomLimits(random);
  limits.most_operations = Pick(random, 60, 400);
  limits.most_levels = static_cast<size_t>(Pick(random, 2, 4));
  return limits;
}

bool HasManyChains(const Space& space) {
  size_t chains = 0;
  for (DimId d : Ids(space.problem.dims)) {
    ForEachChain(space, d, [&](const Chain&) { return ++chains < 90; });
  }
  return chains >= 90;
}

TEST_P(MapperFrontTest, NoSampleBeatsTheFrontAndItsEndsAreTheOptima) {
  const int64_t cases = CaseCount(10, 200);
  Random random(static_cast<uint64_t>(GetParam()) + 1777);
  StopFlag stop;
  int64_t samples = 0;
  for (int64_t i = 0; i < cases;) {
    const Space space = RandomSpace(random, GetParam(), LargeLimits(random));
    const auto sampler = SpaceSampler::Make(space);
    if (!sampler || HasManyChains(space)) continue;
    ++i;
    MapOptions options;
    options.front = FrontOptions();
    const LayerAnswer answer = SearchFront(space, options, Deadline(stop));
    const std::string what = "case " + std::to_string(i) + "\n" + Describe(space);
    ASSERT_EQ(answer.certificate.status, CertificateStatus::kOptimal) << what;
    std::vector<Point> front;
    for (const FrontPoint& point : answer.front) {
      front.push_back(PointOf(point));
      ExpectHonest(space, point, {}, what);
    }
    Rng rng(static_cast<uint64_t>(i));
    for (int m = 0; m < 300; ++m) {
      const auto sample = SampleWithPadding(*sampler, rng);
      if (!sample) break;
      const Problem problem = GetParam() == Mapspace::kPadded
                                  ? PaddedTo(space.problem, sample->unrolling)
                                  : space.problem;
      if (!Fits(space, problem, sample->mapping)) continue;
      const auto cost = Evaluate(problem, space.architecture, sample->mapping);
      ASSERT_TRUE(cost.has_value());
      const Point found = PointOf(space, problem, sample->mapping, *cost, {});
      ++samples;
      EXPECT_TRUE(std::any_of(front.begin(), front.end(), [&](const Point& point) {
        return point == found || Beats(point, found);
      })) << what;
    }
    for (const auto& [first, second] : {std::pair(Metric::kOffchip, Metric::kDelay),
                                        std::pair(Metric::kDelay, Metric::kOffchip)}) {
      MapOptions one_answer;
      one_answer.objective = {first, second};
      const LayerAnswer best = SearchExact(space, one_answer, Deadline(stop));
      ASSERT_EQ(best.best.has_value(), !front.empty()) << what;
      if (!best.best) continue;
      const size_t one = first == Metric::kOffchip ? 1 : 2;
      const auto end =
          std::min_element(front.begin(), front.end(), [&](const auto& a, const auto& b) {
            return std::pair(a[one], a[3 - one]) < std::pair(b[one], b[3 - one]);
          });
      EXPECT_EQ((*end)[1], best.best->cost.offchip_words) << what;
      EXPECT_EQ((*end)[2], best.best->cost.cycles) << what;
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(samples, cases);
}

// A front that ran out of time says so, and all its points but those of the largest footprint are
// points of the whole front.
TEST_P(MapperFrontTest, AnInterruptedFrontSaysSoAndIsRightAsFarAsItGot) {
  const int64_t cases = CaseCount(6, 100);
  Random random(static_cast<uint64_t>(GetParam()) + 3777);
  StopFlag stop;
  int64_t interrupted = 0;
  for (int64_t i = 0; i < cases;) {
    const Space space = RandomSpace(random, GetParam(), LargeLimits(random));
    if (HasManyChains(space)) continue;
    ++i;
    MapOptions options;
    options.front = FrontOptions();
    std::set<Point> whole;
    for (const FrontPoint& point : SearchFront(space, options, Deadline(stop)).front) {
      whole.insert(PointOf(point));
    }
    for (const double seconds : {0.0, 1e-4, 1e-3}) {
      const LayerAnswer part = SearchFront(space, options, Deadline(stop, seconds));
      EXPECT_EQ(part.interrupted, part.certificate.status == CertificateStatus::kBounded);
      EXPECT_TRUE(part.interrupted || part.front.size() == whole.size());
      interrupted += part.interrupted ? 1 : 0;
      for (const FrontPoint& point : part.front) {
        ExpectHonest(space, point, {}, Describe(space));
        if (point.footprint_words == part.front.back().footprint_words) continue;
        EXPECT_EQ(whole.count(PointOf(point)), 1U) << Describe(space);
      }
    }
  }
  EXPECT_GE(interrupted, cases);  // at 0 s, all
}

const double* RowOf(const exact_search::ChainTree& tree, size_t stage, size_t chain) {
  return tree.Row(tree.At(stage, tree.NodeOfChain(stage, chain)));
}

// What is in a mapping, found without the search.
struct MappingParts {
  std::vector<uint32_t> chains;     // nodes of the last stage
  std::vector<size_t> outer_order;  // dimensions of level 0's loops, inner to outer
  bool plain = true;                // no lanes at level 0, no padding
};

std::optional<MappingParts> PartsOf(const Space& space, const exact_search::Chains& chains,
                                    const Problem& problem, const Mapping& mapping) {
  MappingParts parts;
  for (size_t d = 0; d < chains.trees.size(); ++d) {
    const exact_search::ChainTree& tree = chains.trees[d];
    std::optional<uint32_t> found;
    for (uint32_t n = 0; n < tree.Singles().size() && !found; ++n) {
      const Chain& chain = tree.ChainOf(tree.Singles()[n]);
      bool same = chain.bound == problem.dims[DimId(d)].bound;
      for (SlotId s : Ids(space.slots)) {
        const LevelMapping& level = mapping.levels[space.slots[s].level];
        int64_t step = 0;
        for (const auto* loops : {&level.temporal, &level.spatial}) {
          for (const Loop& loop : *loops) {
            if (loop.dim.value() == d && loop.axis == space.slots[s].axis) step = loop.step;
          }
        }
        same = same && (chain.steps[s] == 1 ? step == 0 : step == chain.tiles[s]);
      }
      if (same) found = n;
    }
    if (!found) return std::nullopt;
    parts.chains.push_back(*found);
    parts.plain = parts.plain && problem.dims[DimId(d)].bound == space.problem.dims[DimId(d)].bound;
  }
  parts.plain = parts.plain && mapping.levels[LevelId(0)].spatial.empty();
  const std::vector<Loop>& loops = mapping.levels[LevelId(0)].temporal;
  for (size_t i = loops.size(); i-- > 0;) parts.outer_order.push_back(loops[i].dim.value());
  return parts;
}

exact_search::BypassCases::Rounds RoundsOf(const exact_search::KeepCase& keep_case, size_t tensor,
                                           const Problem& problem, const std::vector<Loop>& loops) {
  exact_search::BypassCases::Rounds rounds;
  for (const Loop& loop : loops) {  // outer to inner
    const int64_t bound = problem.dims[loop.dim].bound;
    if (keep_case.tensors[tensor].rank_of[loop.dim.value()] < 0) {
      rounds.all *= static_cast<double>((bound + loop.step - 1) / loop.step);
    } else {
      rounds.loops.insert(rounds.loops.begin(), {loop.dim.value(), rounds.all});
    }
  }
  return rounds;
}

// The entry of the table that a mapping is part of is there, in every mask, and not above its
// cycles.
void ExpectInTable(const exact_search::Chains& chains,
                   const std::vector<exact_search::TileBlocks>& blocks, size_t in_case,
                   exact_search::InnerTable* table, const MappingParts& parts,
                   const Mapping& mapping, const Cost& cost, const std::string& what) {
  std::vector<uint32_t> nodes;  // of the first stage
  for (size_t d = 0; d < chains.trees.size(); ++d) {
    const exact_search::ChainTree& tree = chains.trees[d];
    const uint32_t node = tree.NodeOfChain(0, tree.Singles()[parts.chains[d]].child_begin);
    nodes.push_back(node);
  }
  bool found = false;
  for (size_t e = 0; e < table->size() && !found; ++e) {
    found = true;
    for (size_t d = 0; d < nodes.size() && found; ++d) {
      found = table->Chain(e, d, nodes[d]) == parts.chains[d];
    }
    if (!found) continue;
    for (size_t d = 0; d < nodes.size(); ++d) {
      for (const size_t block : {blocks[d].Of(nodes[d]), exact_search::TileBlocks::kRoot}) {
        EXPECT_NE(table->Mask(in_case, d, block)[e / 64] >> (e % 64) & 1, 0U) << what;
      }
    }
    table->Begin(chains, nodes);
    const uint64_t moved = table->Moved(e);
    int inner = exact_search::kNoDim;
    for (const size_t l : {size_t{0}, size_t{1}}) {
      const std::vector<Loop>& loops = mapping.levels[LevelId(l)].temporal;
      if (!loops.empty()) inner = static_cast<int>(loops.back().dim.value());
    }
    EXPECT_EQ(moved == 0, mapping.levels[LevelId(1)].temporal.empty()) << what;
    EXPECT_LE(table->Cycles(e), static_cast<double>(cost.cycles)) << what;
    EXPECT_LE(table->Cycles(e, moved, inner), static_cast<double>(cost.cycles)) << what;
  }
  EXPECT_TRUE(found) << what;
}

TEST_P(MapperFrontTest, NoBoundIsAboveACompletion) {
  const int64_t checks = CaseCount(20'000, 1'000'000);
  Random random(static_cast<uint64_t>(GetParam()) + 4777);
  StopFlag stop;
  int64_t done = 0, passed = 0, ordered = 0, listed = 0;
  while (done < checks) {
    testing::SpaceLimits limits = LargeLimits(random);
    limits.most_operations = Pick(random, 100, 3000);  // nothing is searched here
    const Space space = RandomSpace(random, GetParam(), limits);
    const auto sampler = SpaceSampler::Make(space);
    const size_t levels = space.architecture.levels.size();
    if (!sampler || levels < 2) continue;
    const auto chains =
        exact_search::BuildChains(space, exact_search::FrontStages(levels), Deadline(stop));
    if (!chains) continue;
    std::vector<exact_search::TileBlocks> blocks;
    for (const auto& tree : chains->trees) blocks.emplace_back(chains->layout, tree);
    Rng rng(static_cast<uint64_t>(Pick(random, 0, 1'000'000'000)));
    for (int m = 0; m < 40; ++m) {
      const auto sample = SampleWithPadding(*sampler, rng);
      if (!sample) break;
      const Mapping& mapping = sample->mapping;
      const Problem problem = GetParam() == Mapspace::kPadded
                                  ? PaddedTo(space.problem, sample->unrolling)
                                  : space.problem;
      const auto parts = PartsOf(space, *chains, problem, mapping);
      ASSERT_TRUE(parts.has_value());
      const auto cost = Evaluate(problem, space.architecture, mapping);
      ASSERT_TRUE(cost.has_value());
      IndexedVector<LevelId, TensorSet> keeps;
      for (const LevelMapping& level : mapping.levels) keeps.push_back(level.keep);
      const exact_search::KeepCase keep_case(space, keeps);
      exact_search::Bounder bounder(keep_case, chains->layout);
      exact_search::BypassCases cases(space, keep_case, *chains);
      const std::string what = Describe({problem, space.architecture, mapping}) + Describe(space);
      // Rows of the chains themselves, or of all chains with the same tile of level 1.
      exact_search::Rows rows;
      const size_t last = chains->stages.size() - 1;
      for (size_t d = 0; d < keep_case.dims; ++d) {
        const exact_search::ChainTree& tree = chains->trees[d];
        const size_t chain = tree.Singles()[parts->chains[d]].child_begin;
        rows.push_back(RowOf(tree, Chance(random, 0.5) ? last : 0, chain));
      }
      const exact_search::MappingSet set = bounder.SetOf(rows);
      for (size_t c = 1; c < levels; ++c) {
        for (const exact_search::Edge& edge : keep_case.edges[c]) {
          if (!edge.offchip) continue;
          const Counts& counts = cost->levels[LevelId(0)].tensors[TensorId(edge.tensor)].total;
          const auto words = static_cast<double>(counts.reads + counts.updates) * (1 + 1e-12);
          bool moved = false;
          for (size_t l = 1; l < c; ++l) {
            for (const Loop& loop : mapping.levels[LevelId(l)].temporal) {
              moved = moved || keep_case.tensors[edge.tensor].rank_of[loop.dim.value()] >= 0;
            }
          }
          ++done;
          if (moved) {
            ASSERT_LE(OffchipMoved(set, edge), words) << what;
          } else {
            std::vector<size_t> order = parts->outer_order;
            order.resize(static_cast<size_t>(Pick(random, 0, static_cast<int64_t>(order.size()))));
            ASSERT_LE(OffchipInOrder(set, edge, TermsOf(set, edge), order), words)
                << what << order.size() << " loops known";
            ordered += order.size() > 1 ? 1 : 0;
          }
        }
      }
      // The case of the mapping, and no other, is that of its chains.
      size_t held = cases.size();
      for (size_t c = 0; c < cases.size(); ++c) {
        if (!cases.Holds(c, parts->chains)) continue;
        ASSERT_EQ(held, cases.size()) << what;
        held = c;
        for (size_t d = 0; d < keep_case.dims; ++d) {
          ASSERT_TRUE(cases.Allows(c, d, parts->chains[d])) << what;
          const size_t chain = chains->trees[d].Singles()[parts->chains[d]].child_begin;
          rows[d] = RowOf(chains->trees[d], 0, chain);
        }
      }
      ASSERT_LT(held, cases.size()) << what;
      if (m == 0 && Fits(space, problem, mapping) && !HasManyChains(space)) {
        const StopFlag never;
        const Deadline endless(never);
        DeadlineWatch watch(endless);
        exact_search::InnerTable table(space, keep_case, *chains, blocks, cases, &watch);
        if (!table.empty()) {
          ++listed;
          ExpectInTable(*chains, blocks, held, &table, *parts, mapping, *cost, what);
        }
      }
      std::vector<double> bounds;
      cases.Bound(set, &bounder, &bounds);
      ASSERT_LE(bounds[held], static_cast<double>(cost->offchip_words) * (1 + 1e-12)) << what;
      for (size_t i = 0; i < cases.edges().size() && parts->plain; ++i) {
        const size_t tensor = cases.edges()[i]->tensor;
        const std::vector<Loop>& loops = mapping.levels[LevelId(0)].temporal;
        const Counts& counts = cost->levels[LevelId(0)].tensors[TensorId(tensor)].total;
        const auto words = static_cast<double>(counts.reads + counts.updates);
        const auto rounds = RoundsOf(keep_case, tensor, problem, loops);
        ++passed;
        ASSERT_LE(cases.WordsOf(i, rounds, parts->chains), words) << what;
        const auto& inner = mapping.levels[LevelId(1)].temporal;
        const auto& any = inner.empty() ? loops : inner;
        if (any.empty()) continue;
        ASSERT_LE(cases.WordsByInner(i, any.back().dim.value(), parts->chains), words) << what;
      }
    }
  }
  EXPECT_GT(passed, checks / 100);
  EXPECT_GT(ordered, checks / 100);
  EXPECT_GT(listed, checks / 4000);
}

TEST(MapperFrontStopTest, StopsWhenAskedTo) {
  Random random(5);
  StopFlag stop;
  stop.Request();
  MapOptions options;
  options.front = FrontOptions();
  const Space space = RandomSpace(random, Mapspace::kRubyS, {});
  const LayerAnswer answer = SearchFront(space, options, Deadline(stop));
  EXPECT_TRUE(answer.interrupted);
  EXPECT_EQ(answer.certificate.status, CertificateStatus::kBounded);
}

// Tables of many choices of tensors kept took seconds before the first look at the clock.
TEST(MapperFrontStopTest, HeedsTheLimitWhileTablesAreBuilt) {
  const Architecture architecture =
      io::LoadBuiltin(io::BuiltinKind::kArchitecture, "eyeriss-free").value().architecture.value();
  MapOptions options;
  options.front = FrontOptions();
  options.time_limit_seconds = 0.01;
  for (const Mapspace mapspace : {Mapspace::kPadded, Mapspace::kRubyS}) {
    const Problem problem =
        MakeConv("conv", {.k = 64, .c = 3, .p = 112, .q = 112, .r = 7, .s = 7, .stride_h = 2});
    const LayerAnswer answer =
        MapLayer(MakeSpace(problem, architecture, mapspace).value(), options, StopFlag());
    EXPECT_TRUE(answer.interrupted);
    EXPECT_LT(answer.effort.seconds, 0.3);
  }
}

}  // namespace
}  // namespace inlay
