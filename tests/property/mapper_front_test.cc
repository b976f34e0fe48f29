// Pareto fronts of layers against their dumb twin, the enumeration of the whole mapspace.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "inlay/cost/evaluate.h"
#include "inlay/mapper/front.h"
#include "inlay/mapspace/enumerate.h"
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

constexpr std::array kMapspaces = {Mapspace::kPerfect, Mapspace::kPadded, Mapspace::kRubyS,
                                   Mapspace::kRubyT,   Mapspace::kRuby,   Mapspace::kAny};

class MapperFrontTest : public ::testing::TestWithParam<Mapspace> {};
INSTANTIATE_TEST_SUITE_P(All, MapperFrontTest, ::testing::ValuesIn(kMapspaces),
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
    const Space space = RandomSpace(random, GetParam(), RandomLimits(random));
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

}  // namespace
}  // namespace inlay
