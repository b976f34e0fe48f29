// The exact mapper where a mapspace is too large to be listed: figures of families against each of
// their chains, bounds from families against random mappings, and what the search makes of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "inlay/core/shapes.h"
#include "inlay/cost/evaluate.h"
#include "inlay/io/library/library.h"
#include "inlay/mapper/exact.h"
#include "inlay/mapper/exact/families.h"
#include "inlay/mapper/exact/local_search.h"
#include "inlay/mapper/exact/tiling_search.h"
#include "inlay/mapspace/enumerate.h"
#include "inlay/mapspace/sample.h"
#include "inlay/mapspace/tilings.h"
#include "tests/property/mapper_case.h"
#include "tests/support/mapspace_name.h"
#include "tests/support/random_space.h"

namespace inlay {
namespace {

using exact_search::Family;
using exact_search::RowLayout;
using testing::CaseCount;
using testing::Chance;
using testing::Describe;
using testing::Pick;
using testing::Random;
using testing::RandomSpace;

class MapperWideTest : public ::testing::TestWithParam<Mapspace> {};
INSTANTIATE_TEST_SUITE_P(All, MapperWideTest,
                         ::testing::Values(Mapspace::kPerfect, Mapspace::kRubyS, Mapspace::kRubyT,
                                           Mapspace::kRuby, Mapspace::kAny),
                         testing::MapspaceName);

testing::SpaceLimits RandomLimits(Random& random) {
  testing::SpaceLimits limits;
  limits.most_operations = Pick(random, 4, 400);
  limits.most_levels = static_cast<size_t>(Pick(random, 1, 4));
  limits.constrained = Chance(random, 0.5) ? 0.0 : 0.6;
  return limits;
}

double SomeWidth(Random& random) {
  return std::array{0.0, 0.0, 0.3, 1e9}[static_cast<size_t>(Pick(random, 0, 3))];
}

// Checks at most `most` chains of a dimension: each belongs to one family, whose figures cover its
// own. Returns how many.
int64_t ExpectCovered(const Space& space, DimId dim, double width, int64_t most) {
  const RowLayout layout(space.architecture.levels.size());
  exact_search::RowFiller counter(space);
  std::vector<Family> families;
  exact_search::ForEachFamily(space, dim, width, [&](const Family& family) {
    families.push_back(family);
    return true;
  });
  std::vector<double> row(layout.size()), of_family(layout.size());
  int64_t done = 0;
  ForEachChain(space, dim, [&](const Chain& chain) {
    const std::string what = Describe(space) + " " + space.problem.dims[dim].name;
    const Family* own = nullptr;
    for (const Family& family : families) {
      if (!Holds(space, family, chain)) continue;
      EXPECT_EQ(own, nullptr) << what;
      own = &family;
    }
    if (own == nullptr) {
      ADD_FAILURE() << "a chain without a family: " << what;
      return false;
    }
    EXPECT_TRUE(FillFamily(layout, *own, of_family.data())) << what;
    counter.Fill(layout, chain, row.data());
    const std::vector<double> before = of_family;
    Cover(layout, row.data(), of_family.data());
    for (size_t i = 0; i < row.size(); ++i) {
      EXPECT_EQ(of_family[i], before[i]) << "figure " << i << ": " << row[i] << "\n" << what;
    }
    return ++done < most && !::testing::Test::HasFailure();
  });
  return done;
}

TEST_P(MapperWideTest, FamiliesCoverTheirChains) {
  const int64_t chains = CaseCount(60'000, 1'000'000);
  Random random(static_cast<uint64_t>(GetParam()) + 31);
  for (int64_t done = 0; done < chains;) {
    const Space space = RandomSpace(random, GetParam(), RandomLimits(random));
    const double width = SomeWidth(random);
    for (DimId d : Ids(space.problem.dims)) {
      done += ExpectCovered(space, d, width, 2000);
      if (HasFailure()) return;
    }
  }
}

// Bounds whose tiles are sorted by size alone; exact in a double.
TEST(MapperHugeTest, FamiliesCoverTheirChains) {
  const Architecture architecture =
      io::LoadBuiltin(io::BuiltinKind::kArchitecture, "toy-glb-9").value().architecture.value();
  for (const int64_t odd : {1, 3, 35}) {
    const Problem problem = MakeGemm("huge", {.p = odd << 33, .k = 2, .c = 1});
    for (const Mapspace mapspace : {Mapspace::kPerfect, Mapspace::kRubyS}) {
      const Space space = MakeSpace(problem, architecture, mapspace).value();
      EXPECT_GT(ExpectCovered(space, *FindDim(problem, "P"), 1e9, 3000), 100);
    }
  }
}

TEST(MapperHugeTest, TilesAreSortedIntoFewClasses) {
  for (const int bits : {20, 32, 33, 52, 60, 62}) {
    const int64_t bound = int64_t{1} << bits;
    for (const double width : {1e9, 0.25, 0.0}) {
      if (width == 0 && bits <= 32) continue;  // every size by itself
      const std::vector<int64_t> classes = exact_search::TileClasses(bound, width);
      EXPECT_LE(classes.size(), 150'000);
      EXPECT_TRUE(std::is_sorted(classes.begin(), classes.end(), std::less_equal<>()));
      EXPECT_EQ(classes.front(), 1);
    }
  }
}

// The limits of time and memory hold.
TEST(MapperHugeTest, HasAnAnswerInTime) {
  const Problem problem = MakeGemm("huge", {.p = int64_t{1} << 60, .k = 2, .c = 1});
  MapOptions options;
  options.time_limit_seconds = 0.1;
  for (const char* name : {"toy-9", "eyeriss", "simba"}) {
    const Architecture architecture =
        io::LoadBuiltin(io::BuiltinKind::kArchitecture, name).value().architecture.value();
    for (const Mapspace mapspace : {Mapspace::kRubyT, Mapspace::kRuby, Mapspace::kAny}) {
      SCOPED_TRACE(std::string(name) + " " + Name(mapspace));
      const Space space = MakeSpace(problem, architecture, mapspace).value();
      const LayerAnswer answer = MapLayer(space, options, StopFlag());
      EXPECT_TRUE(answer.best.has_value());
      EXPECT_LT(answer.effort.seconds, 5);
    }
  }
}

// The family of every dimension's chain in a mapping.
std::vector<const Family*> FamiliesIn(const Space& space,
                                      const std::vector<std::vector<Family>>& families,
                                      const Mapping& mapping) {
  std::vector<const Family*> found;
  for (DimId d : Ids(space.problem.dims)) {
    Chain chain;
    int64_t range = chain.bound = space.problem.dims[d].bound;
    for (const Slot& slot : space.slots) {
      const LevelMapping& level = mapping.levels[slot.level];
      int64_t tile = range;
      for (const Loop& loop : slot.axis == Axis::kTime ? level.temporal : level.spatial) {
        if (loop.dim == d && loop.axis == slot.axis) tile = loop.step;
      }
      chain.steps.push_back((range + tile - 1) / tile);
      chain.tiles.push_back(tile);
      range = tile;
    }
    const auto& all = families[d.value()];
    const auto at = std::find_if(all.begin(), all.end(),
                                 [&](const Family& family) { return Holds(space, family, chain); });
    if (at != all.end()) found.push_back(&*at);
  }
  return found;
}

// Bounds from the figures of families alone, or of some of their dimensions' families together.
TEST_P(MapperWideTest, NoBoundOfFamiliesIsAboveACompletion) {
  const int64_t checks = CaseCount(60'000, 1'000'000);
  Random random(static_cast<uint64_t>(GetParam()) + 3);
  for (int64_t done = 0; done < checks;) {
    testing::SpaceLimits limits = RandomLimits(random);
    limits.most_operations = Pick(random, 20, 20'000);
    const Space space = RandomSpace(random, GetParam(), limits);
    const auto sampler = SpaceSampler::Make(space);
    if (!sampler) continue;
    const size_t levels = space.architecture.levels.size();
    const RowLayout layout(levels);
    std::vector<std::vector<Family>> families;
    std::vector<std::vector<double>> roots;  // what covers all families of a dimension
    const double width = SomeWidth(random);
    bool empty = false;
    for (DimId d : Ids(space.problem.dims)) {
      std::vector<double> row(layout.size()), root;
      families.emplace_back();
      exact_search::ForEachFamily(space, d, width, [&](const Family& family) {
        if (!FillFamily(layout, family, row.data())) return true;
        if (root.empty()) root = row;
        Cover(layout, row.data(), root.data());
        families.back().push_back(family);
        return families.back().size() < 20'000;
      });
      empty = empty || root.empty() || families.back().size() == 20'000;
      roots.push_back(root);
    }
    if (empty) continue;
    Rng rng(static_cast<uint64_t>(Pick(random, 0, 1'000'000'000)));
    for (int m = 0; m < 60; ++m) {
      const std::optional<Mapping> mapping = Sample(*sampler, rng);
      if (!mapping) break;
      const auto cost = Evaluate(space.problem, space.architecture, *mapping);
      ASSERT_TRUE(cost.has_value());
      IndexedVector<LevelId, TensorSet> keeps;
      for (const LevelMapping& level : mapping->levels) keeps.push_back(level.keep);
      const exact_search::KeepCase keep_case(space, keeps);
      exact_search::Bounder bounder(keep_case, layout);
      const std::vector<const Family*> own = FamiliesIn(space, families, *mapping);
      ASSERT_EQ(own.size(), keep_case.dims) << Describe(space);
      for (int k = 0; k < 4; ++k, ++done) {
        const bool nested = k % 2 == 1 && levels > 1;
        std::vector<std::vector<double>> figures = roots;
        exact_search::Rows rows;
        for (size_t d = 0; d < keep_case.dims; ++d) {
          if (nested || Chance(random, 0.7)) FillFamily(layout, *own[d], figures[d].data());
          rows.push_back(figures[d].data());
        }
        const exact_search::MappingSet set = bounder.SetOf(rows);
        exact_search::BoundSum sum;
        sum.Begin(keep_case);
        if (nested) {
          bounder.AddNested(set,
                            static_cast<size_t>(Pick(random, 1, static_cast<int64_t>(levels) - 1)),
                            exact_search::kAnyDim, &sum);
        } else {
          for (size_t c = 1; c < levels; ++c) {
            bounder.AddMerged(set, c, exact_search::kAnyDim, &sum);
          }
        }
        bounder.AddMerged(set, levels, exact_search::kAnyDim, &sum);
        const double steps = FewestSteps(set, keep_case.instances[levels]);
        const exact_search::LowerBound least = Finish(set, steps, sum);
        const std::string what =
            Describe({space.problem, space.architecture, *mapping}) + Describe(space);
        ASSERT_LE(least.energy_pj, cost->energy_pj * (1 + 1e-12)) << what;
        ASSERT_LE(least.cycles, static_cast<double>(cost->cycles)) << what;
        ASSERT_LE(least.offchip_words, static_cast<double>(cost->offchip_words) * (1 + 1e-12))
            << what;
      }
    }
  }
}

// What all mapspaces share, also those that families do not describe.
class MapperWideAllTest : public ::testing::TestWithParam<Mapspace> {};
INSTANTIATE_TEST_SUITE_P(All, MapperWideAllTest, ::testing::ValuesIn(testing::kMapspaces),
                         testing::MapspaceName);

// The bound without a look at tiles, which is the only one of a `padded` too large to be listed.
TEST_P(MapperWideAllTest, NoMappingIsBelowWhatHoldsForAll) {
  const int64_t checks = CaseCount(20'000, 1'000'000);
  Random random(static_cast<uint64_t>(GetParam()) + 41);
  for (int64_t done = 0; done < checks;) {
    testing::SpaceLimits limits = RandomLimits(random);
    limits.most_operations = Pick(random, 20, 20'000);
    const Space space = RandomSpace(random, GetParam(), limits);
    const auto sampler = SpaceSampler::Make(space);
    if (!sampler) continue;
    Rng rng(static_cast<uint64_t>(Pick(random, 0, 1'000'000'000)));
    for (int m = 0; m < 60; ++m, ++done) {
      const auto sample = SampleWithPadding(*sampler, rng);
      if (!sample) break;
      const Problem problem = GetParam() == Mapspace::kPadded
                                  ? PaddedTo(space.problem, sample->unrolling)
                                  : space.problem;
      const auto cost = Evaluate(problem, space.architecture, sample->mapping);
      ASSERT_TRUE(cost.has_value());
      IndexedVector<LevelId, TensorSet> keeps;
      for (const LevelMapping& level : sample->mapping.levels) keeps.push_back(level.keep);
      const auto least = exact_search::BoundOfAll(space, exact_search::KeepCase(space, keeps));
      const std::string what =
          Describe({problem, space.architecture, sample->mapping}) + Describe(space);
      ASSERT_LE(least.energy_pj, cost->energy_pj * (1 + 1e-12)) << what;
      ASSERT_LE(least.cycles, static_cast<double>(cost->cycles)) << what;
      ASSERT_LE(least.offchip_words, static_cast<double>(cost->offchip_words) * (1 + 1e-12))
          << what;
    }
  }
}

const std::vector<Objective> kObjectives = {{Metric::kEnergy},
                                            {Metric::kDelay},
                                            {Metric::kEdp},
                                            {Metric::kOffchip},
                                            {Metric::kDelay, Metric::kEnergy}};

// With bounds from families the optimum is still that of the whole mapspace. A wrong bound would
// end the search too early.
TEST_P(MapperWideAllTest, OptimumWithFamiliesIsThatOfTheEnumeration) {
  const int64_t cases = CaseCount(60, 2000);
  Random random(static_cast<uint64_t>(GetParam()) + 51);
  StopFlag stop;
  ExactSwitches switches;
  switches.families = true;
  for (int64_t done = 0, i = 0; done < cases; ++i) {
    testing::SpaceLimits limits = RandomLimits(random);
    limits.most_operations = Pick(random, 4, 60);
    const Space space = RandomSpace(random, GetParam(), limits);
    MapOptions options;
    options.objective = kObjectives[static_cast<size_t>(i) % kObjectives.size()];
    std::optional<std::vector<double>> best;
    int64_t count = 0;
    const bool complete =
        ForEachMapping(space, [&](const Problem& problem, const Mapping& mapping) {
          if (++count > 20'000) return false;
          if (!Fits(space, problem, mapping)) return true;
          const auto cost = Evaluate(problem, space.architecture, mapping);
          const std::vector<double> values = ValuesOf(*cost, options.objective);
          if (!best || values < *best) best = values;
          return true;
        });
    if (!complete) continue;
    ++done;
    const LayerAnswer answer = SearchExact(space, options, Deadline(stop), {}, switches);
    const std::string what = ToString(options.objective) + "\n" + Describe(space);
    ASSERT_EQ(answer.best.has_value(), best.has_value()) << what;
    EXPECT_EQ(answer.certificate.status, CertificateStatus::kOptimal) << what;
    if (!best) continue;
    const std::vector<double> found = ValuesOf(answer.best->cost, options.objective);
    for (size_t m = 0; m < found.size(); ++m) {
      ASSERT_NEAR(found[m], (*best)[m], 1e-12 * (*best)[m]) << what;
    }
    EXPECT_LE(answer.certificate.lower_bound, found[0] * (1 + 1e-12)) << what;
    EXPECT_TRUE(CheckMembership(space, answer.best->problem, answer.best->mapping).empty()) << what;
  }
}

// The local search stays in the mapspace and within the capacities, never makes a mapping worse,
// and finds the same in one go or in several.
TEST_P(MapperWideTest, LocalSearchStaysInTheMapspace) {
  const int64_t cases = CaseCount(60, 1000);
  Random random(static_cast<uint64_t>(GetParam()) + 5);
  StopFlag stop;
  int64_t improved = 0;
  for (int64_t done = 0, i = 0; done < cases; ++i) {
    const Space space = RandomSpace(random, GetParam(), RandomLimits(random));
    const auto sampler = SpaceSampler::Make(space);
    if (!sampler) continue;
    Rng rng(static_cast<uint64_t>(i));
    const std::optional<Mapping> mapping = Sample(*sampler, rng);
    if (!mapping || !Fits(space, space.problem, *mapping)) continue;
    ++done;
    const Objective& objective = kObjectives[static_cast<size_t>(i) % kObjectives.size()];
    const Solution start = {space.problem, *mapping,
                            *Evaluate(space.problem, space.architecture, *mapping)};
    exact_search::LocalSearch search(space, objective, start);
    exact_search::LocalSearch in_steps(space, objective, start);
    const Deadline never(stop);
    DeadlineWatch watch(never);
    search.Run(2000, &watch);
    while (in_steps.evaluations() < search.evaluations()) {
      in_steps.Run(std::min<int64_t>(250, 2000 - in_steps.evaluations()), &watch);
    }
    const Solution& end = search.best();
    const std::string what = ToString(objective) + "\n" + Describe(space);
    EXPECT_LE(ValuesOf(end.cost, objective), ValuesOf(start.cost, objective)) << what;
    improved += ValuesOf(end.cost, objective) < ValuesOf(start.cost, objective) ? 1 : 0;
    EXPECT_TRUE(CheckMembership(space, end.mapping).empty()) << what;
    EXPECT_TRUE(Fits(space, space.problem, end.mapping)) << what;
    EXPECT_EQ(end.mapping, in_steps.best().mapping) << what;
    EXPECT_EQ(Evaluate(space.problem, space.architecture, end.mapping)->energy_pj,
              end.cost.energy_pj)
        << what;
  }
  EXPECT_GT(improved, cases / 4);
}

// Larger mapspaces hold the mappings of smaller ones, so their best is no worse.
void ExpectLargerIsNoWorse(Space space, const Objective& objective, const ExactSwitches& switches) {
  using M = Mapspace;
  StopFlag stop;
  MapOptions options;
  options.objective = objective;
  std::map<M, std::optional<Solution>> best;
  for (const M mapspace : testing::kMapspaces) {
    space.mapspace = mapspace;
    const LayerAnswer answer = SearchExact(space, options, Deadline(stop), {}, switches);
    EXPECT_EQ(answer.certificate.status, CertificateStatus::kOptimal) << Describe(space);
    best[mapspace] = answer.best;
  }
  const std::vector<std::pair<M, M>> larger_first = {
      {M::kAny, M::kRuby},      {M::kRuby, M::kRubyS},    {M::kRuby, M::kRubyT},
      {M::kRubyS, M::kPerfect}, {M::kRubyT, M::kPerfect}, {M::kPadded, M::kPerfect}};
  for (const auto& [larger, smaller] : larger_first) {
    const auto& few = best[smaller];
    const auto& many = best[larger];
    if (!few) continue;
    ASSERT_TRUE(many.has_value()) << Describe(space);
    EXPECT_LE(ValueOf(many->cost, objective[0]), ValueOf(few->cost, objective[0]) * (1 + 1e-12))
        << ToString(objective) << "\n"
        << Describe(space);
  }
}

// Layers of AlexNet and ResNet-50 on a small buffer with three lanes, which divide none of their
// channels.
TEST(MapperOrderTest, LargerMapspacesAreNoWorseForRealLayers) {
  Architecture architecture;
  architecture.name = "small";
  architecture.compute.energy_pj = 1;
  Level dram, buffer;
  dram.name = "DRAM";
  dram.energy = AccessEnergy{100, 100, 100};
  buffer.name = "buffer";
  buffer.energy = AccessEnergy{2, 2, 2};
  buffer.capacity_words = 64;
  buffer.fanout.name = "array";
  buffer.fanout.x = 3;
  architecture.levels = {dram, buffer};
  const Problem conv2 = MakeConv("conv2", {.k = 192, .c = 64, .p = 27, .q = 27, .r = 5, .s = 5});
  const Problem conv3_1 =
      MakeConv("conv3_1_3x3", {.k = 128, .c = 128, .p = 28, .q = 28, .r = 3, .s = 3});
  for (const Metric metric : {Metric::kEnergy, Metric::kEdp, Metric::kDelay}) {
    ExpectLargerIsNoWorse(MakeSpace(conv3_1, architecture, Mapspace::kAny).value(), {metric}, {});
  }
  ExpectLargerIsNoWorse(MakeSpace(conv2, architecture, Mapspace::kAny).value(), {Metric::kEdp}, {});
}

TEST(MapperOrderTest, LargerMapspacesAreNoWorse) {
  const int64_t cases = CaseCount(100, 1000);
  Random random(99);
  for (int64_t i = 0; i < cases; ++i) {
    testing::SpaceLimits limits = RandomLimits(random);
    limits.most_operations = Pick(random, 4, 60);
    limits.most_levels = static_cast<size_t>(Pick(random, 1, 3));
    ExactSwitches switches;
    switches.families = Chance(random, 0.5);
    ExpectLargerIsNoWorse(RandomSpace(random, Mapspace::kAny, limits),
                          kObjectives[static_cast<size_t>(i) % kObjectives.size()], switches);
  }
}

}  // namespace
}  // namespace inlay
