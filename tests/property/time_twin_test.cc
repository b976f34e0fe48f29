// Time in closed form (docs/reference/time.md) against its twin, a machine that executes the nest
// event by event: never more, and equal where nothing overlaps.
#include "tests/support/time_twin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "inlay/cost/evaluate.h"
#include "inlay/cost/time.h"
#include "tests/support/random_case.h"

namespace inlay {
namespace {

using testing::Case;
using testing::CaseCount;
using testing::CaseLimits;
using testing::Pick;
using testing::Random;
using testing::RandomCase;
using testing::Steps;
using testing::TwinCycles;

double DynamicPj(const Cost& cost, const Architecture& architecture) {
  double energy_pj = cost.energy_pj - cost.idle_pj;
  for (LevelId l : Ids(architecture.levels)) {
    energy_pj -= architecture.levels[l].leakage_pj_per_cycle *
                 static_cast<double>(Instances(architecture, l)) * static_cast<double>(cost.cycles);
  }
  return energy_pj;
}

Case TimedCase(Random& random, Steps steps) {
  CaseLimits limits;
  limits.most_operations = 400;
  limits.most_lanes = 8;
  limits.timed = 1;
  return RandomCase(random, steps, limits);
}

class TimeTwinTest : public ::testing::TestWithParam<Steps> {};
INSTANTIATE_TEST_SUITE_P(AllSteps, TimeTwinTest,
                         ::testing::Values(Steps::kPerfect, Steps::kRuby, Steps::kAny));

TEST_P(TimeTwinTest, ClosedFormIsABoundOfTheTwin) {
  const int64_t cases = CaseCount(400, 7000);
  int64_t equal = 0;
  std::vector<double> ratios;
  for (int64_t seed = 0; seed < cases; ++seed) {
    Random random(static_cast<uint64_t>(seed) * 3 + static_cast<uint64_t>(GetParam()));
    const Case c = TimedCase(random, GetParam());
    const auto cost = Evaluate(c.problem, c.architecture, c.mapping);
    ASSERT_TRUE(cost.has_value());
    const double twin = WholeCycles(
        TwinCycles(c.problem, c.architecture, c.mapping, DynamicPj(*cost, c.architecture)));
    const auto cycles = static_cast<double>(cost->cycles);
    ASSERT_LE(cycles, twin) << "seed " << seed << "\n" << testing::Describe(c);
    equal += cycles == twin ? 1 : 0;
    ratios.push_back(twin / cycles);
  }
  std::sort(ratios.begin(), ratios.end());
  const double median = ratios[ratios.size() / 2], last = ratios[ratios.size() * 95 / 100];
  RecordProperty("equal", std::to_string(equal));
  RecordProperty("median", std::to_string(median));
  RecordProperty("p95", std::to_string(last));
  EXPECT_GT(equal, cases / 10);
  EXPECT_LT(median, 1.25);
}

// One lane, nothing that overlaps, and all that bounds the array itself left out: then every event
// waits for the one before.
TEST_P(TimeTwinTest, WhereNothingOverlapsTheyAreEqual) {
  const int64_t cases = CaseCount(300, 3000);
  int64_t compared = 0;
  for (int64_t seed = 0; compared < cases; ++seed) {
    Random random(static_cast<uint64_t>(seed) * 3 + static_cast<uint64_t>(GetParam()));
    Case c = TimedCase(random, GetParam());
    if (ComputeLanes(c.architecture) > 1) continue;
    ++compared;
    c.architecture.power_limit_w.reset();
    for (LevelId l : Ids(c.architecture.levels)) {
      Level& level = c.architecture.levels[l];
      level.overlap = Overlap::kNone;
      level.partitions.clear();
      level.read_bandwidth.reset();
      level.write_bandwidth.reset();
      level.shared_bandwidth.reset();
      // Fast enough for two operands, an old and a new sum of the array at every step.
      if (l == LevelId(0)) level.shared_bandwidth = 16;
    }
    const auto cost = Evaluate(c.problem, c.architecture, c.mapping);
    ASSERT_TRUE(cost.has_value());
    const double twin = WholeCycles(TwinCycles(c.problem, c.architecture, c.mapping, 0));
    ASSERT_EQ(static_cast<double>(cost->cycles), twin) << "seed " << seed << "\n"
                                                       << testing::Describe(c);
  }
}

}  // namespace
}  // namespace inlay
