// The search under thistle semantics against the listing of every mapping.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "inlay/core/shapes.h"
#include "inlay/cost/evaluate.h"
#include "inlay/mapper/mapper.h"
#include "inlay/mapper/thistle_exact.h"
#include "inlay/mapspace/enumerate.h"
#include "inlay/mapspace/tilings.h"
#include "tests/property/thistle_case.h"
#include "tests/support/mapspace_name.h"

namespace inlay {
namespace {

using testing::Random;

// The largest space that is listed.
int64_t MostMappings() {
  static const int64_t most = testing::CaseCount(3000, 6000);
  return most;
}

const std::vector<Objective>& Objectives() {
  static const std::vector<Objective> objectives = {{Metric::kEnergy},
                                                    {Metric::kDelay},
                                                    {Metric::kEdp},
                                                    {Metric::kOffchip},
                                                    {Metric::kDelay, Metric::kEnergy},
                                                    {Metric::kEnergy, Metric::kDelay},
                                                    {Metric::kEdp, Metric::kDelay},
                                                    {Metric::kOffchip, Metric::kDelay}};
  return objectives;
}

// Less by more than rounding, in the first metric that differs.
bool IsLess(const std::vector<double>& a, const std::vector<double>& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    const double tolerance = 1e-12 * std::max(std::abs(a[i]), std::abs(b[i]));
    if (a[i] < b[i] - tolerance) return true;
    if (a[i] > b[i] + tolerance) return false;
  }
  return false;
}

EvaluateOptions ThistleEvaluation(Accounting accounting) {
  EvaluateOptions options;
  options.semantics = Semantics::kThistle;
  options.accounting = accounting;
  return options;
}

struct Listing {
  int64_t mappings = 0;
  std::vector<std::optional<std::vector<double>>> best;  // per objective
};

// nullopt if there are too many mappings.
std::optional<Listing> ListAll(const Space& space, Accounting accounting, int64_t most) {
  Listing listing;
  listing.best.resize(Objectives().size());
  double tilings = 1;
  for (DimId d : Ids(space.problem.dims)) {
    tilings *= static_cast<double>(ChainsOf(space, d).size());
  }
  if (tilings > static_cast<double>(2 * most)) return std::nullopt;
  const bool complete = ForEachMapping(space, [&](const Problem& problem, const Mapping& mapping) {
    if (++listing.mappings > most) return false;
    const auto cost = Evaluate(problem, space.architecture, mapping, ThistleEvaluation(accounting));
    if (!cost || !testing::FitsThistle(space, *cost)) return true;
    for (size_t i = 0; i < listing.best.size(); ++i) {
      const auto values = ValuesOf(*cost, Objectives()[i]);
      auto& best = listing.best[i];
      if (!best || IsLess(values, *best)) best = values;
    }
    return true;
  });
  if (!complete) return std::nullopt;
  return listing;
}

void ExpectBest(const Space& space, const MapOptions& options,
                const std::optional<std::vector<double>>& best) {
  SCOPED_TRACE(ToString(options.objective));
  const StopFlag stop;
  const LayerAnswer answer = MapLayer(space, options, stop);
  ASSERT_TRUE(answer.unsupported.empty());
  EXPECT_FALSE(answer.interrupted);
  ASSERT_EQ(answer.best.has_value(), best.has_value());
  EXPECT_EQ(answer.infeasible.empty(), best.has_value());
  if (!best) return;
  const Solution& solution = *answer.best;
  EXPECT_TRUE(Validate(space.problem, space.architecture, solution.mapping).empty());
  EXPECT_TRUE(CheckMembership(space, solution.mapping).empty());
  EXPECT_TRUE(testing::FitsThistle(space, solution.cost));
  const auto values = ValuesOf(solution.cost, options.objective);
  EXPECT_FALSE(IsLess(values, *best)) << "better than anything listed";
  EXPECT_FALSE(IsLess(*best, values)) << values[0] << " against " << (*best)[0];
  EXPECT_EQ(answer.certificate.status, CertificateStatus::kOptimal);
  EXPECT_EQ(answer.certificate.objective, values[0]);
  EXPECT_EQ(answer.certificate.lower_bound, values[0]);
  MapOptions cut = options;  // nothing is better than the best, which is better than a little more
  cut.cutoff = values;
  EXPECT_FALSE(MapLayer(space, cut, stop).best.has_value());
  cut.cutoff->front() *= 1.001;
  const LayerAnswer below = MapLayer(space, cut, stop);
  ASSERT_TRUE(below.best.has_value());
  EXPECT_FALSE(IsLess(values, ValuesOf(below.best->cost, options.objective)));
  const auto least = LeastThistleCost(space, options, Deadline(stop));
  ASSERT_TRUE(least.has_value());
  EXPECT_LE(least->cycles, static_cast<double>(solution.cost.cycles));
  if (options.objective.front() != Metric::kOffchip) {
    EXPECT_LE(least->energy_pj, solution.cost.energy_pj * (1 + 1e-12));
  }
}

class ThistleSearchTest : public ::testing::TestWithParam<Mapspace> {};

INSTANTIATE_TEST_SUITE_P(All, ThistleSearchTest,
                         ::testing::Values(Mapspace::kPerfect, Mapspace::kRubyS, Mapspace::kRubyT,
                                           Mapspace::kRuby, Mapspace::kAny),
                         testing::MapspaceName);

TEST_P(ThistleSearchTest, FindsTheBestOfAllMappings) {
  const int64_t problems = testing::CaseCount(250, 2000);
  int64_t compared = 0, feasible = 0;
  for (uint64_t seed = 1; compared < problems; ++seed) {
    Random random(seed * 1000 + static_cast<uint64_t>(GetParam()));
    const Space space = testing::RandomThistleSpace(random, GetParam());
    MapOptions options;
    options.semantics = Semantics::kThistle;
    options.accounting = testing::Chance(random, 0.5) ? Accounting::kLiteral : Accounting::kElide;
    if (!MapLayer(space, options, StopFlag()).unsupported.empty()) continue;
    const auto listing = ListAll(space, options.accounting, MostMappings());
    if (!listing) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + " " + testing::Describe(space));
    ++compared;
    feasible += listing->best[0] ? 1 : 0;
    for (size_t i = 0; i < Objectives().size(); ++i) {
      options.objective = Objectives()[i];
      ExpectBest(space, options, listing->best[i]);
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(feasible, problems / 2);
}

// One long dimension, where tiles that do not divide each other meet, beside short ones.
TEST(ThistleSearch, FindsTheBestOfALongDimension) {
  const int64_t problems = testing::CaseCount(8, 200);
  for (int64_t seed = 1; seed <= problems; ++seed) {
    Random random(static_cast<uint64_t>(seed) * 31);
    const auto pick = [&](int64_t low, int64_t high) { return testing::Pick(random, low, high); };
    const Problem problem =
        testing::Chance(random, 0.5)
            ? MakeGemm("gemm", {.p = pick(12, 26), .k = pick(2, 3), .c = pick(1, 2)})
            : MakeConv("conv", {.k = pick(1, 2), .p = pick(12, 26), .r = pick(2, 3)});
    const Architecture architecture = testing::RandomThistleTemplate(random, problem);
    const Space space = MakeSpace(problem, architecture, Mapspace::kAny).value();
    MapOptions options;
    options.semantics = Semantics::kThistle;
    SCOPED_TRACE("seed " + std::to_string(seed) + " " + testing::Describe(space));
    const auto listing = ListAll(space, options.accounting, 200'000);
    if (!listing) continue;
    for (size_t i = 0; i < Objectives().size(); ++i) {
      options.objective = Objectives()[i];
      ExpectBest(space, options, listing->best[i]);
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace inlay
