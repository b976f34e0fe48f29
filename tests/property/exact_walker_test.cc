// The closed form of `exact` equals the walker, count by count, on random cases.
#include <gtest/gtest.h>

#include <map>

#include "inlay/cost/exact.h"
#include "inlay/cost/walker.h"
#include "tests/support/random_case.h"
#include "tests/support/same_cost.h"

namespace inlay {
namespace {

using testing::Case;
using testing::ExpectSameCost;
using testing::Random;
using testing::RandomCase;
using testing::Steps;

class ExactWalkerTest : public ::testing::TestWithParam<Steps> {};

TEST_P(ExactWalkerTest, ClosedFormEqualsWalker) {
  const int64_t cases = testing::CaseCount(1000, 8000);
  std::map<Mapspace, int64_t> seen;
  Cost cost;
  for (int64_t seed = 0; seed < cases; ++seed) {
    Random random(static_cast<uint64_t>(seed) * 3 + static_cast<uint64_t>(GetParam()));
    testing::CaseLimits limits;
    limits.timed = 0.5;
    Case c = RandomCase(random, GetParam(), limits);
    for (Tensor& tensor : c.problem.tensors) {
      if (seed % 5 == 0)
        tensor.ranks.insert(tensor.ranks.begin(), Rank());  // one without dimensions
    }
    const bool fill_and_drain = seed % 4 == 0 && !HasTimeKeys(c.architecture);
    WalkOptions options;
    options.fill_and_drain = fill_and_drain;
    const auto walked = Walk(c.problem, c.architecture, c.mapping, options);
    ASSERT_TRUE(walked.has_value());
    EXPECT_TRUE(walked->numeric_check);
    EXPECT_EQ(walked->cost.operations, Operations(c.problem));
    ExactModel model(c.problem, c.architecture);
    ASSERT_TRUE(model.Evaluate(c.mapping, &cost, fill_and_drain));
    ExpectSameCost(cost, walked->cost);
    ++seen[Classify(c.problem, c.mapping)];
    if (HasFailure()) FAIL() << "seed " << seed << "\n" << testing::Describe(c);
  }
  // The generator really reaches the mapspaces it is meant to.
  if (GetParam() == Steps::kRuby) {
    EXPECT_GT(seen[Mapspace::kRubyS], cases / 20);
    EXPECT_GT(seen[Mapspace::kRubyT], cases / 20);
    EXPECT_GT(seen[Mapspace::kRuby], cases / 20);
  } else {
    EXPECT_GT(seen[GetParam() == Steps::kAny ? Mapspace::kAny : Mapspace::kPerfect], cases / 4);
  }
}

INSTANTIATE_TEST_SUITE_P(AllSteps, ExactWalkerTest,
                         ::testing::Values(Steps::kPerfect, Steps::kRuby, Steps::kAny));

}  // namespace
}  // namespace inlay
