#include "inlay/mapper/exact/incumbent.h"

#include <gtest/gtest.h>

namespace inlay::exact_search {
namespace {

Solution Costing(double energy_pj, int64_t cycles) {
  Solution solution;
  solution.cost.energy_pj = energy_pj;
  solution.cost.cycles = cycles;
  return solution;
}

class IncumbentTest : public ::testing::Test {
 protected:
  Incumbent::View View() const {
    Incumbent::View view;
    incumbent_.Refresh(&view);
    return view;
  }

  Incumbent incumbent_{{Metric::kEnergy, Metric::kDelay}};
};

TEST_F(IncumbentTest, TheFirstMetricDecidesAndThenTheNext) {
  incumbent_.Offer(Costing(10, 5), 3);
  incumbent_.Offer(Costing(11, 1), 3);
  EXPECT_EQ(incumbent_.best()->cost.cycles, 5);
  incumbent_.Offer(Costing(10, 4), 3);
  EXPECT_EQ(incumbent_.best()->cost.cycles, 4);
}

// So the answer is the same whichever thread comes first.
TEST_F(IncumbentTest, OfEqualAnswersTheOneOfTheSmallestJobStays) {
  incumbent_.Offer(Costing(10, 5), 3);
  incumbent_.Offer(Costing(10, 5), 4);
  EXPECT_EQ(View().job, 3);
  incumbent_.Offer(Costing(10, 5), 2);
  EXPECT_EQ(View().job, 2);
  incumbent_.ForgetJob();
  incumbent_.Offer(Costing(10, 5), 0);
  EXPECT_EQ(View().job, -1);
}

TEST_F(IncumbentTest, OfEqualAnswersOfAJobTheFirstStays) {
  int taken = 0;
  incumbent_.Watch([&](double) { ++taken; });
  incumbent_.Offer(Costing(10, 5), 3);
  incumbent_.Offer(Costing(10, 5), 3);
  EXPECT_EQ(taken, 1);
}

TEST_F(IncumbentTest, ExcludesWhatCannotBeTaken) {
  incumbent_.Offer(Costing(10, 5), 3);
  EXPECT_TRUE(incumbent_.Excludes(View(), {11, 1, 0}, 0));
  EXPECT_FALSE(incumbent_.Excludes(View(), {9, 9, 0}, 9));
  EXPECT_TRUE(incumbent_.Excludes(View(), {10.001, 6, 0}, 0));
  // Energies are rounded down, so an equal bound is below the best.
  EXPECT_FALSE(incumbent_.Excludes(View(), {10, 6, 0}, 0));
}

TEST_F(IncumbentTest, OnceClosedTakesSeedsOnly) {
  StopFlag stop;
  const Deadline closing(stop);
  incumbent_.CloseAt(&closing);
  incumbent_.Offer(Costing(10, 5), 3);
  stop.Request();
  incumbent_.Offer(Costing(9, 5), 3);
  EXPECT_EQ(incumbent_.first(), 10);
  EXPECT_TRUE(incumbent_.late());
  incumbent_.Offer(Costing(8, 5), Incumbent::kSeed);
  EXPECT_EQ(incumbent_.first(), 8);
}

}  // namespace
}  // namespace inlay::exact_search
