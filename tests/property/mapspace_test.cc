// Mapspaces against their definitions: listing, counting and drawing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/mapspace/count.h"
#include "inlay/mapspace/enumerate.h"
#include "inlay/mapspace/explain_infeasible.h"
#include "inlay/mapspace/sample.h"
#include "inlay/mapspace/smallest_tiles.h"
#include "inlay/mapspace/tilings.h"
#include "tests/support/mapspace_name.h"
#include "tests/support/random_space.h"

namespace inlay {
namespace {

using testing::Describe;
using testing::Random;
using testing::RandomSpace;

class MapspaceTest : public ::testing::TestWithParam<Mapspace> {};

INSTANTIATE_TEST_SUITE_P(All, MapspaceTest,
                         ::testing::Values(Mapspace::kPerfect, Mapspace::kPadded, Mapspace::kRubyS,
                                           Mapspace::kRubyT, Mapspace::kRuby, Mapspace::kAny),
                         testing::MapspaceName);

// A mapping as text: the same for equal mappings only.
std::string Text(const Problem& problem, const Mapping& mapping) {
  std::string text;
  for (const Dimension& dim : problem.dims) text += std::to_string(dim.bound) + " ";
  for (const LevelMapping& level : mapping.levels) {
    text += "| " + std::to_string(level.keep.bits());
    for (const auto* loops : {&level.temporal, &level.spatial}) {
      for (const Loop& loop : *loops) {
        text += " " + std::to_string(loop.dim.value()) + ":" + std::to_string(loop.step) +
                "tXY"[static_cast<size_t>(loop.axis)];
      }
    }
  }
  return text;
}

// Every sequence of tiles, one per slot, none larger than the one before, the last one 1.
void ListTiles(size_t slots, int64_t range, std::vector<int64_t>* tiles,
               std::vector<std::vector<int64_t>>* all) {
  if (tiles->size() == slots) {
    if (range == 1) all->push_back(*tiles);
    return;
  }
  for (int64_t tile = 1; tile <= range; ++tile) {
    tiles->push_back(tile);
    ListTiles(slots, tile, tiles, all);
    tiles->pop_back();
  }
}

// A problem of one dimension and the mapping that these tiles make of it, on one-lane-per-slot
// rules.
std::optional<Mapspace> ClassOf(const Space& space, int64_t bound,
                                const std::vector<int64_t>& tiles) {
  Problem problem;
  problem.dims.push_back({"d", bound});
  Mapping mapping;
  mapping.levels.resize(space.architecture.levels.size());
  int64_t range = bound;
  for (SlotId s : Ids(space.slots)) {
    const int64_t tile = tiles[s.value()];
    if (tile == range) continue;
    LevelMapping& level = mapping.levels[space.slots[s].level];
    auto& loops = space.slots[s].axis == Axis::kTime ? level.temporal : level.spatial;
    loops.push_back({DimId(0), tile, space.slots[s].axis});
    range = tile;
  }
  return Classify(problem, mapping);
}

bool Inside(Mapspace found, Mapspace asked) {
  if (found == Mapspace::kPerfect || asked == Mapspace::kAny) return true;
  return found == asked || (asked == Mapspace::kRuby && found != Mapspace::kAny);
}

// Inner to outer: what the inner loops leave over, in their tiles, is the remainder of a loop.
bool RemaindersAllowed(const Space& space, int64_t bound, const std::vector<int64_t>& tiles) {
  int64_t left = bound;
  for (size_t i = tiles.size(); i-- > 0;) {
    const int64_t steps = CeilDiv(i == 0 ? bound : tiles[i - 1], tiles[i]);
    if (left % steps != 0 && steps > space.remainders[SlotId(i)]) return false;
    left = CeilDiv(left, steps);
  }
  return true;
}

// The chains of a dimension by their definition: all sequences of tiles, those kept that the rules
// allow.
std::set<std::vector<int64_t>> ChainsByDefinition(const Space& space, DimId dim) {
  const int64_t bound = space.problem.dims[dim].bound;
  const bool padded = space.mapspace == Mapspace::kPadded;
  int64_t most = bound;
  if (padded) most = bound + ComputeLanes(space.architecture) - 1;
  std::set<std::vector<int64_t>> chains;
  for (int64_t range = bound; range <= most; ++range) {
    std::vector<int64_t> tiles;
    std::vector<std::vector<int64_t>> all;
    ListTiles(space.slots.size(), range, &tiles, &all);
    for (std::vector<int64_t>& chain : all) {
      bool allowed = true;
      int64_t outer = range;
      int64_t unrolling = 1;
      IndexedVector<LevelId, int64_t> lanes(space.unrolling.size(), 1);
      for (SlotId s : Ids(space.slots)) {
        const int64_t steps = CeilDiv(outer, chain[s.value()]);
        outer = chain[s.value()];
        const FactorRange& limits = space.factors[s][dim];
        allowed = allowed && steps >= limits.min && steps <= limits.max;
        if (space.slots[s].axis == Axis::kTime) continue;
        allowed = allowed && steps <= space.slots[s].max_lanes;
        unrolling *= steps;
        lanes[space.slots[s].level] *= steps;
      }
      for (LevelId l : Ids(lanes)) {
        const FactorRange& limits = space.unrolling[l][dim];
        allowed = allowed && lanes[l] >= limits.min && lanes[l] <= limits.max;
      }
      allowed = allowed &&
                Inside(*ClassOf(space, range, chain), padded ? Mapspace::kPerfect : space.mapspace);
      allowed =
          allowed && (space.mapspace == Mapspace::kAny || RemaindersAllowed(space, range, chain));
      allowed = allowed && (!padded || CeilDiv(bound, unrolling) * unrolling == range);
      chain.push_back(range);
      if (allowed) chains.insert(chain);
    }
  }
  return chains;
}

TEST_P(MapspaceTest, ChainsAreThoseOfTheDefinition) {
  int64_t compared = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    testing::SpaceLimits limits;
    limits.most_levels = 2;
    const Space space = RandomSpace(random, GetParam(), limits);
    if (ComputeLanes(space.architecture) > 12) continue;
    for (DimId d : Ids(space.problem.dims)) {
      std::set<std::vector<int64_t>> found;
      const std::vector<Chain> chains = ChainsOf(space, d);
      for (const Chain& chain : chains) {
        std::vector<int64_t> tiles(chain.tiles.begin(), chain.tiles.end());
        int64_t range = chain.bound;
        for (SlotId s : Ids(space.slots)) {
          EXPECT_EQ(chain.steps[s], CeilDiv(range, chain.tiles[s]));
          range = chain.tiles[s];
        }
        tiles.push_back(chain.bound);
        EXPECT_TRUE(found.insert(tiles).second) << "twice\n" << Describe(space);
      }
      ASSERT_EQ(found, ChainsByDefinition(space, d)) << Describe(space) << "seed " << seed;
      compared += static_cast<int64_t>(chains.size());
    }
  }
  EXPECT_GT(compared, 200);
}

// Lists a space, or gives up beyond `most` mappings.
std::optional<std::map<std::string, int64_t>> ListSpace(const Space& space, size_t most) {
  std::map<std::string, int64_t> mappings;
  const bool complete = ForEachMapping(space, [&](const Problem& problem, const Mapping& mapping) {
    ++mappings[Text(problem, mapping)];
    return mappings.size() < most;
  });
  if (!complete) return std::nullopt;
  return mappings;
}

TEST_P(MapspaceTest, EveryMappingIsListedOnceAndBelongs) {
  int64_t empty = 0, listed = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    const Space space = RandomSpace(random, GetParam());
    std::set<std::string> seen;
    ForEachMapping(space, [&](const Problem& problem, const Mapping& mapping) {
      EXPECT_TRUE(seen.insert(Text(problem, mapping)).second) << Describe(space);
      EXPECT_TRUE(Validate(problem, space.architecture, mapping).empty()) << Describe(space);
      const Faults faults = CheckMembership(space, problem, mapping);
      EXPECT_TRUE(faults.empty()) << faults.front().message << "\n" << Describe(space);
      return seen.size() < 500 && !::testing::Test::HasFailure();
    });
    (seen.empty() ? empty : listed) += 1;
  }
  EXPECT_GT(listed, 30);
  EXPECT_GT(empty, 0);
}

// Drops loops of one step and sorts the spatial loops.
Mapping Canonical(const Problem& problem, const Mapping& mapping) {
  Mapping result = mapping;
  IndexedVector<DimId, int64_t> ranges;
  for (const Dimension& dim : problem.dims) ranges.push_back(dim.bound);
  for (LevelMapping& level : result.levels) {
    for (auto* loops : {&level.temporal, &level.spatial}) {
      std::vector<Loop> kept;
      for (const Loop& loop : *loops) {
        if (loop.step < ranges[loop.dim]) kept.push_back(loop);
        ranges[loop.dim] = loop.step;
      }
      *loops = kept;
    }
    std::stable_sort(level.spatial.begin(), level.spatial.end(), [](const Loop& a, const Loop& b) {
      return std::pair(a.axis, a.dim) < std::pair(b.axis, b.dim);
    });
  }
  return result;
}

TEST_P(MapspaceTest, MembershipIsBeingListed) {
  if (GetParam() == Mapspace::kPadded) GTEST_SKIP() << "random mappings are not padded";
  int64_t members = 0, strangers = 0;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    Random random(seed);
    testing::SpaceLimits limits;
    limits.most_operations = 12;
    limits.most_levels = 2;
    const Space space = RandomSpace(random, GetParam(), limits);
    const auto mappings = ListSpace(space, 20000);
    if (!mappings) continue;
    for (int i = 0; i < 60; ++i) {
      const auto steps = static_cast<testing::Steps>(i % 3);
      Mapping mapping =
          RandomMapping(random, space.problem, space.architecture.levels.size(), steps);
      for (LevelId l : Ids(mapping.levels)) {
        const auto& choices = space.keeps[l];
        if (i % 4 != 0) mapping.levels[l].keep = choices.back();
      }
      if (!Validate(space.problem, space.architecture, mapping).empty()) continue;
      const bool listed =
          mappings->contains(Text(space.problem, Canonical(space.problem, mapping)));
      const Faults faults = CheckMembership(space, mapping);
      ASSERT_EQ(faults.empty(), listed)
          << Describe(space) << Text(space.problem, mapping) << (listed ? faults[0].message : "");
      (listed ? members : strangers) += 1;
    }
  }
  EXPECT_GT(members, 50);
  EXPECT_GT(strangers, 50);
}

// Tilings, and choices of what is kept, as they occur among the mappings.
TEST_P(MapspaceTest, CountIsTheLengthOfTheList) {
  const int64_t cases = testing::CaseCount(400, 5000);
  int64_t compared = 0, empty = 0;
  for (int64_t seed = 0; seed < cases; ++seed) {
    Random random(static_cast<uint64_t>(seed));
    const Space space = RandomSpace(random, GetParam());
    std::set<std::string> tilings, keeps;
    uint64_t mappings = 0;
    const bool complete =
        ForEachMapping(space, [&](const Problem& problem, const Mapping& mapping) {
          Mapping tiling = mapping;
          Mapping kept;
          for (LevelMapping& level : tiling.levels) {
            kept.levels.push_back({level.keep, {}, {}});
            level.keep = TensorSet();
            std::sort(level.temporal.begin(), level.temporal.end(),
                      [](const Loop& a, const Loop& b) { return a.dim < b.dim; });
          }
          tilings.insert(Text(problem, tiling));
          keeps.insert(Text(space.problem, kept));
          return ++mappings < 3000;
        });
    if (!complete) continue;
    const auto count = CountMappings(space);
    ASSERT_TRUE(count);
    ASSERT_EQ(count->size.ToString(), std::to_string(mappings)) << seed << Describe(space);
    ++(mappings > 0 ? compared : empty);
    if (mappings == 0) continue;
    EXPECT_EQ(count->tilings.ToString(), std::to_string(tilings.size())) << Describe(space);
    EXPECT_EQ(count->bypass.ToString(), std::to_string(keeps.size())) << Describe(space);
    BigUint left = count->orders_numerator;
    left *= count->tilings;
    left *= count->bypass;
    BigUint right = count->orders_denominator;
    right *= count->size;
    EXPECT_EQ(left, right) << OrdersText(*count);
  }
  EXPECT_GT(compared, cases / 5);
  EXPECT_GT(empty, 0);
}

// Pearson's statistic of draws against the uniform distribution, five standard deviations allowed.
TEST_P(MapspaceTest, DrawsAreUniform) {
  int64_t tested = 0;
  for (uint64_t seed = 0; seed < 200 && tested < 12; ++seed) {
    Random random(seed);
    testing::SpaceLimits limits;
    limits.most_operations = 18;
    const Space space = RandomSpace(random, GetParam(), limits);
    auto mappings = ListSpace(space, 600);
    if (!mappings) continue;
    const auto sampler = SpaceSampler::Make(space);
    ASSERT_TRUE(sampler);
    Rng rng(seed);
    if (mappings->empty()) {
      EXPECT_FALSE(Sample(*sampler, rng));
      continue;
    }
    for (auto& [text, count] : *mappings) count = 0;
    const auto expected = 20.0;
    const auto draws = static_cast<int64_t>(expected) * static_cast<int64_t>(mappings->size());
    for (int64_t i = 0; i < draws; ++i) {
      const auto sample = SampleWithPadding(*sampler, rng);
      ASSERT_TRUE(sample);
      Problem problem = space.problem;
      if (GetParam() == Mapspace::kPadded) problem = PaddedTo(problem, sample->unrolling);
      const auto found = mappings->find(Text(problem, sample->mapping));
      ASSERT_NE(found, mappings->end()) << Text(problem, sample->mapping) << Describe(space);
      ++found->second;
    }
    double statistic = 0;
    for (const auto& [text, count] : *mappings) {
      const double off = static_cast<double>(count) - expected;
      statistic += off * off / expected;
    }
    const auto freedom = static_cast<double>(mappings->size() - 1);
    EXPECT_LT(statistic, freedom + 5 * std::sqrt(2 * freedom) + 10) << Describe(space);
    ++tested;
  }
  EXPECT_EQ(tested, 12);
}

// Never a word where a mapping fits, always one where none does.
TEST_P(MapspaceTest, InfeasibilityIsExplained) {
  const int64_t cases = testing::CaseCount(600, 6000);
  int64_t feasible = 0, infeasible = 0, lazy = 0;
  for (int64_t seed = 0; seed < cases; ++seed) {
    Random random(static_cast<uint64_t>(seed) + 1000000);
    testing::SpaceLimits limits;
    limits.most_operations = 18;
    limits.constrained = 0.8;
    const Space space = RandomSpace(random, GetParam(), limits);
    if (const auto simple = SmallestTiles(space)) {
      EXPECT_TRUE(Validate(simple->first, space.architecture, simple->second).empty());
      EXPECT_TRUE(CheckMembership(space, simple->first, simple->second).empty())
          << CheckMembership(space, simple->first, simple->second)[0].message << Describe(space);
      ++lazy;
    }
    bool fits = false;
    int64_t listed = 0;
    const bool complete =
        ForEachMapping(space, [&](const Problem& problem, const Mapping& mapping) {
          fits = Fits(space, problem, mapping);
          return !fits && ++listed < 20000;
        });
    if (!fits && !complete) continue;
    const Faults faults = ExplainInfeasible(space);
    ASSERT_EQ(faults.empty(), fits) << "seed " << seed << "\n"
                                    << Describe(space) << (fits ? faults[0].message : "");
    for (const Fault& fault : faults) {
      EXPECT_FALSE(fault.message.empty());
      EXPECT_FALSE(fault.hint.empty());
    }
    ++(fits ? feasible : infeasible);
  }
  EXPECT_GT(feasible, cases / 20);
  EXPECT_GT(infeasible, cases / 20);
  EXPECT_GT(lazy, cases / 20);
}

}  // namespace
}  // namespace inlay
