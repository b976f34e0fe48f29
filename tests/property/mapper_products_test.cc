// The search of `perfect` and `ruby-s` mappings by products against the enumeration of the whole
// mapspace, and its bounds against every mapping that they hold for.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inlay/cost/evaluate.h"
#include "inlay/mapper/exact.h"
#include "inlay/mapper/exact/products/product_bound.h"
#include "inlay/mapspace/enumerate.h"
#include "tests/property/mapper_case.h"
#include "tests/support/mapspace_name.h"
#include "tests/support/random_space.h"

namespace inlay {
namespace {

using exact_search::DimFactors;
using exact_search::KeepCase;
using exact_search::Outside;
using exact_search::ProductBound;
using testing::CaseCount;
using testing::Chance;
using testing::Describe;
using testing::Pick;
using testing::Random;
using testing::RandomMapperLimits;
using testing::RandomSpace;

// Up to five levels; often the last one keeps few words of one tensor, so that loops at it can
// stand further out.
Space RandomDeepSpace(Random& random, Mapspace mapspace) {
  testing::SpaceLimits limits = RandomMapperLimits(random);
  limits.most_levels = static_cast<size_t>(Pick(random, 1, 5));
  limits.timed = 0;  // products are words and steps; the search stands aside where time is more
  Space space = RandomSpace(random, mapspace, limits);
  const LevelId last(space.architecture.levels.size() - 1);
  if (last.value() == 0 || Chance(random, 0.5)) return space;
  TensorSet one;
  one.insert(TensorId(static_cast<size_t>(
      Pick(random, 0, static_cast<int64_t>(space.problem.tensors.size()) - 1))));
  space.keeps[last] = {one};
  space.keeps[LevelId(0)] = {TensorSet::FirstN(space.problem.tensors.size())};
  space.architecture.levels[last].partitions.clear();
  space.architecture.levels[last].capacity_words = Pick(random, 1, 2);
  return space;
}

class MapperProductsTest : public ::testing::TestWithParam<Mapspace> {};
INSTANTIATE_TEST_SUITE_P(All, MapperProductsTest,
                         ::testing::Values(Mapspace::kPerfect, Mapspace::kRubyS),
                         testing::MapspaceName);

const std::vector<Objective> kObjectives = {
    {Metric::kEnergy}, {Metric::kEdp}, {Metric::kEdp, Metric::kOffchip}};

TEST_P(MapperProductsTest, OptimumIsThatOfTheEnumeration) {
  const int64_t cases = CaseCount(400, 6000);
  Random random(4711 + static_cast<uint64_t>(GetParam()));
  StopFlag stop;
  int64_t compared = 0, feasible = 0;
  for (int64_t i = 0; compared < cases; ++i) {
    const Space space = RandomDeepSpace(random, GetParam());
    const Objective& objective = kObjectives[static_cast<size_t>(i) % kObjectives.size()];
    std::optional<std::vector<double>> best;
    int64_t mappings = 0;
    const bool complete =
        ForEachMapping(space, [&](const Problem& problem, const Mapping& mapping) {
          if (++mappings > 20000) return false;
          if (!Fits(space, problem, mapping)) return true;
          const auto cost = Evaluate(problem, space.architecture, mapping);
          const std::vector<double> values = ValuesOf(*cost, objective);
          if (!best || values < *best) best = values;
          return true;
        });
    if (!complete) continue;
    ++compared;
    feasible += best ? 1 : 0;
    const std::string what =
        "case " + std::to_string(i) + " " + ToString(objective) + "\n" + Describe(space);
    std::optional<Mapping> found;
    const bool dives = Chance(random, 0.5);
    for (const int threads : {1, 3}) {
      MapOptions options;
      options.objective = objective;
      options.threads = threads;
      ExactSwitches switches;
      switches.products = ExactSwitches::Products::kWherePossible;
      switches.dives = dives;
      const LayerAnswer answer = SearchExact(space, options, Deadline(stop), {}, switches);
      ASSERT_EQ(answer.best.has_value(), best.has_value()) << what;
      EXPECT_EQ(answer.certificate.status, CertificateStatus::kOptimal) << what;
      if (!best) continue;
      const std::vector<double> values = ValuesOf(answer.best->cost, objective);
      for (size_t m = 0; m < values.size(); ++m) {
        ASSERT_NEAR(values[m], (*best)[m], 1e-12 * (*best)[m]) << what;
      }
      EXPECT_LE(answer.certificate.lower_bound, values[0]) << what;
      EXPECT_TRUE(CheckMembership(space, answer.best->mapping).empty()) << what;
      EXPECT_TRUE(Fits(space, space.problem, answer.best->mapping)) << what;
      if (found) {
        EXPECT_EQ(answer.best->mapping, *found) << what;
      }
      found = answer.best->mapping;
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(feasible, cases / 2);
}

// The trips of a mapping's loops.
struct Trips {
  std::vector<DimFactors> time, lanes;  // [level]
};
Trips TripsOf(const Problem& problem, const Mapping& mapping) {
  Trips trips;
  std::vector<int64_t> range;
  for (const Dimension& dim : problem.dims) range.push_back(dim.bound);
  for (const LevelMapping& level : mapping.levels) {
    DimFactors time, lanes;
    time.fill(1);
    lanes.fill(1);
    const auto take = [&](const Loop& loop, DimFactors* factors) {
      int64_t& left = range[loop.dim.value()];
      (*factors)[loop.dim.value()] *= static_cast<double>((left + loop.step - 1) / loop.step);
      left = loop.step;
    };
    for (const Loop& loop : level.temporal) take(loop, &time);
    for (const Loop& loop : level.spatial) take(loop, &lanes);
    trips.time.push_back(time);
    trips.lanes.push_back(lanes);
  }
  return trips;
}

bool Slides(const Problem& problem) {
  for (const Tensor& tensor : problem.tensors) {
    for (const Rank& rank : tensor.ranks) {
      int moving = 0;
      for (const Term& term : rank.terms) {
        moving += term.coefficient != 0 && problem.dims[term.dim].bound > 1 ? 1 : 0;
      }
      if (moving > 1) return true;
    }
  }
  return false;
}

// Whether the best order of every tiling is in the space, and energies depend on words alone.
bool IsPlain(const Space& space) {
  for (const OrderRule& rule : space.orders) {
    if (!rule.innermost.empty() || !rule.outermost.empty()) return false;
  }
  return std::all_of(
      space.architecture.levels.begin(), space.architecture.levels.end(),
      [](const Level& level) { return level.block_words == 1 && level.leakage_pj_per_cycle == 0; });
}

TEST_P(MapperProductsTest, BoundsHoldForEveryMapping) {
  const int64_t cases = CaseCount(150, 3000);
  Random random(4712 + static_cast<uint64_t>(GetParam()));
  int64_t checked = 0, tight = 0;
  for (int64_t i = 0; checked < cases; ++i) {
    const Space space = RandomDeepSpace(random, GetParam());
    const size_t levels = space.architecture.levels.size();
    const size_t dims = space.problem.dims.size();
    std::map<std::vector<uint64_t>, std::unique_ptr<KeepCase>> keep_cases;
    // Of the tilings that are the same but for the order of loops: bound and least energy.
    std::map<std::vector<double>, std::pair<double, double>> tilings;
    int64_t mappings = 0;
    const std::string what = "case " + std::to_string(i) + "\n" + Describe(space);
    const auto check = [&](const Problem& problem, const Mapping& mapping) {
      if (++mappings > 3000) return false;
      const auto cost = Evaluate(problem, space.architecture, mapping);
      IndexedVector<LevelId, TensorSet> keeps;
      std::vector<uint64_t> key;
      for (const LevelMapping& level : mapping.levels) {
        keeps.push_back(level.keep);
        key.push_back(level.keep.bits());
      }
      auto& keep_case = keep_cases[key];
      if (keep_case == nullptr) keep_case = std::make_unique<KeepCase>(space, keeps);
      const Trips trips = TripsOf(problem, mapping);
      ProductBound bound(space, *keep_case);
      bound.SetLanes(trips.lanes);
      std::vector<DimFactors> inside(levels + 1);
      inside[levels].fill(1);
      std::vector<double> outer(levels + 1, 0);  // what enters the levels outside a level
      for (size_t l = levels; l-- > 0;) {
        for (size_t d = 0; d < dims; ++d) inside[l][d] = inside[l + 1][d] * trips.time[l][d];
      }
      std::vector<Outside> outside(levels);
      double steps = 1;
      for (size_t d = 0; d < dims; ++d) steps *= inside[0][d];
      EXPECT_LE(steps, static_cast<double>(cost->cycles)) << what;
      for (size_t l = 0; l < levels; ++l) {
        for (size_t d = 0; d < dims; ++d) {
          outside[l].least[d] = outside[l].most[d] = inside[0][d] / inside[l][d];
        }
      }
      const double settled = bound.settled_pj() + steps * keep_case->leakage_pj;
      double quick = settled;
      for (size_t l = 1; l < levels; ++l) {
        outer[l + 1] = outer[l] + bound.Entering(l, inside[l], outside[l]);
        quick += bound.LeastEntering(l);
      }
      const double energy = cost->energy_pj * (1 + 1e-12);
      EXPECT_LE(quick, energy) << what;
      ProductBound::Nest nest = bound.Nothing(), next;
      EXPECT_LE(settled + outer[levels], energy) << what;
      double all = settled;
      for (size_t l = levels; l-- > 1;) {
        bound.Decide(nest, l, inside[l], outside[l], &next);
        std::swap(nest, next);
        all = settled + nest.least_pj;
        EXPECT_LE(all + outer[l], energy) << what << " level " << l;
      }
      std::vector<double> tiling(key.begin(), key.end());
      for (size_t l = 0; l < levels; ++l) {
        tiling.insert(tiling.end(), trips.time[l].begin(), trips.time[l].begin() + dims);
        tiling.insert(tiling.end(), trips.lanes[l].begin(), trips.lanes[l].begin() + dims);
      }
      const auto [at, added] = tilings.try_emplace(tiling, all, cost->energy_pj);
      if (!added) at->second.second = std::min(at->second.second, cost->energy_pj);
      return !::testing::Test::HasFailure();
    };
    if (!ForEachMapping(space, check) && !HasFailure()) continue;
    ASSERT_FALSE(HasFailure());
    ++checked;
    if (GetParam() != Mapspace::kPerfect || Slides(space.problem) || !IsPlain(space)) continue;
    ++tight;
    // Nothing is lost: the bound of a complete tiling is what its best order costs.
    for (const auto& [tiling, values] : tilings) {
      ASSERT_NEAR(values.first, values.second, 1e-9 * values.second) << what;
    }
  }
  if (GetParam() == Mapspace::kPerfect) {
    EXPECT_GT(tight, cases / 10);
  }
}

}  // namespace
}  // namespace inlay
