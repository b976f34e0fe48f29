// The certified mapper against its dumb twin, the enumeration of the whole mapspace; its bounds are
// checked in mapper_bounds_test.cc.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "inlay/cost/evaluate.h"
#include "inlay/cost/walker.h"
#include "inlay/mapper/exact.h"
#include "inlay/mapspace/enumerate.h"
#include "tests/property/mapper_case.h"
#include "tests/support/mapspace_name.h"
#include "tests/support/random_space.h"
#include "tests/support/same_cost.h"

namespace inlay {
namespace {

using testing::CaseCount;
using testing::Describe;
using testing::ExpectSameCost;
using testing::Random;
using testing::RandomMapperLimits;
using testing::RandomSpace;

const std::vector<Objective> kObjectives = {{Metric::kEnergy},
                                            {Metric::kDelay},
                                            {Metric::kEdp},
                                            {Metric::kOffchip},
                                            {Metric::kDelay, Metric::kEnergy},
                                            {Metric::kOffchip, Metric::kEdp}};

class MapperExactTest : public ::testing::TestWithParam<Mapspace> {};
INSTANTIATE_TEST_SUITE_P(All, MapperExactTest, ::testing::ValuesIn(testing::kMapspaces),
                         testing::MapspaceName);

// The best values of every objective over the whole mapspace; nullopt if it is too large to list.
struct Optima {
  std::vector<std::optional<std::vector<double>>> best;  // by objective; none: infeasible
  int64_t mappings = 0;
};
std::optional<Optima> Enumerate(const Space& space, int64_t most) {
  Optima optima;
  optima.best.resize(kObjectives.size());
  const bool complete = ForEachMapping(space, [&](const Problem& problem, const Mapping& mapping) {
    if (++optima.mappings > most) return false;
    if (!Fits(space, problem, mapping)) return true;
    const auto cost = Evaluate(problem, space.architecture, mapping);
    EXPECT_TRUE(cost.has_value());
    for (size_t i = 0; i < kObjectives.size(); ++i) {
      const std::vector<double> values = ValuesOf(*cost, kObjectives[i]);
      if (!optima.best[i] || values < *optima.best[i]) optima.best[i] = values;
    }
    return true;
  });
  if (!complete) return std::nullopt;
  return optima;
}

void ExpectClose(double found, double expected, const std::string& what) {
  EXPECT_NEAR(found, expected, 1e-12 * std::abs(expected)) << what;
}

TEST_P(MapperExactTest, OptimumIsThatOfTheEnumeration) {
  const int64_t cases = CaseCount(200, 2000);
  Random random(static_cast<uint64_t>(GetParam()) + 77);
  StopFlag stop;
  int64_t compared = 0, feasible = 0;
  for (int64_t i = 0; compared < cases; ++i) {
    const Space space = RandomSpace(random, GetParam(), RandomMapperLimits(random));
    const auto optima = Enumerate(space, 20000);
    if (!optima) continue;
    ++compared;
    const size_t o = static_cast<size_t>(i) % kObjectives.size();
    MapOptions options;
    options.objective = kObjectives[o];
    const LayerAnswer answer = SearchExact(space, options, Deadline(stop));
    const std::string what =
        "case " + std::to_string(i) + " " + ToString(kObjectives[o]) + "\n" + Describe(space);
    ASSERT_EQ(answer.best.has_value(), optima->best[o].has_value()) << what;
    EXPECT_EQ(answer.certificate.status, CertificateStatus::kOptimal) << what;
    if (!answer.best) continue;
    ++feasible;
    const std::vector<double> found = ValuesOf(answer.best->cost, kObjectives[o]);
    for (size_t m = 0; m < found.size(); ++m) ExpectClose(found[m], (*optima->best[o])[m], what);
    EXPECT_LE(answer.certificate.lower_bound, found[0]) << what;
    EXPECT_TRUE(CheckMembership(space, answer.best->problem, answer.best->mapping).empty()) << what;
    EXPECT_TRUE(Fits(space, answer.best->problem, answer.best->mapping)) << what;
    const auto again = Evaluate(answer.best->problem, space.architecture, answer.best->mapping);
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(again->energy_pj, answer.best->cost.energy_pj) << what;
    EXPECT_EQ(again->cycles, answer.best->cost.cycles) << what;
    // The problems are small enough for the definition itself.
    const auto walked = Walk(answer.best->problem, space.architecture, answer.best->mapping);
    ASSERT_TRUE(walked.has_value()) << what;
    EXPECT_TRUE(walked->numeric_check) << what;
    SCOPED_TRACE(what);
    ExpectSameCost(answer.best->cost, walked->cost);
    if (HasFailure()) return;
  }
  EXPECT_GT(feasible, cases / 2);
}

std::vector<ExactSwitches> AllSwitches() {
  std::vector<ExactSwitches> all;
  for (const auto lanes : {ExactSwitches::Lanes::kByObjective, ExactSwitches::Lanes::kWithTile,
                           ExactSwitches::Lanes::kAfterTile}) {
    for (int bits = 0; bits < 32; ++bits) {
      ExactSwitches switches;
      switches.lanes = lanes;
      switches.dives = (bits & 1) != 0;
      switches.nested_bounds = (bits & 2) != 0;
      switches.skip_orders = (bits & 4) != 0;
      switches.split_inner = (bits & 8) != 0;
      switches.families = (bits & 16) != 0;
      all.push_back(switches);
    }
  }
  for (const auto products :
       {ExactSwitches::Products::kWherePossible, ExactSwitches::Products::kNever}) {
    all.emplace_back().products = products;
  }
  return all;
}

TEST_P(MapperExactTest, NoSwitchAndNoThreadChangesTheAnswer) {
  const int64_t cases = CaseCount(8, 120);
  Random random(static_cast<uint64_t>(GetParam()) + 777);
  StopFlag stop;
  const std::vector<ExactSwitches> all_switches = AllSwitches();
  int64_t compared = 0, infeasible = 0;
  for (int64_t i = 0; compared < cases; ++i) {
    const Space space = RandomSpace(random, GetParam(), RandomMapperLimits(random));
    MapOptions options;
    options.objective = kObjectives[static_cast<size_t>(i) % kObjectives.size()];
    if (!Enumerate(space, 5000)) continue;
    const LayerAnswer first = SearchExact(space, options, Deadline(stop));
    if (!first.best && ++infeasible > cases / 4) continue;  // a few are enough
    compared += first.best ? 1 : 0;
    const std::string what =
        "case " + std::to_string(i) + " " + ToString(options.objective) + "\n" + Describe(space);
    for (const int threads : {2, 4}) {
      MapOptions more = options;
      more.threads = threads;
      const LayerAnswer again = SearchExact(space, more, Deadline(stop));
      ASSERT_EQ(again.best.has_value(), first.best.has_value()) << what;
      if (!first.best) continue;
      EXPECT_EQ(again.best->mapping, first.best->mapping) << what;
    }
    for (size_t s = 0; s < all_switches.size(); ++s) {
      const LayerAnswer again = SearchExact(space, options, Deadline(stop), {}, all_switches[s]);
      ASSERT_EQ(again.best.has_value(), first.best.has_value()) << what;
      EXPECT_EQ(again.certificate.status, CertificateStatus::kOptimal) << what;
      if (!first.best) continue;
      const std::vector<double> expected = ValuesOf(first.best->cost, options.objective);
      const std::vector<double> found = ValuesOf(again.best->cost, options.objective);
      for (size_t m = 0; m < found.size(); ++m) {
        ExpectClose(found[m], expected[m], what + " switches " + std::to_string(s));
      }
    }
  }
}

}  // namespace
}  // namespace inlay
