#include "inlay/codesign/column_subset.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/random_case.h"

namespace inlay {
namespace {

using testing::Chance;
using testing::Pick;
using testing::Random;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
using Costs = std::vector<std::vector<double>>;

// Small numbers, so that there are ties and columns that others beat.
Costs RandomCosts(Random& random) {
  const double blocked = Chance(random, 0.5) ? 0 : 0.4;
  Costs costs(static_cast<size_t>(Pick(random, 1, 9)));
  const int64_t rows = Pick(random, 1, 6), largest = Chance(random, 0.5) ? 5 : 1000;
  for (auto& column : costs) {
    for (int64_t r = 0; r < rows; ++r) {
      column.push_back(Chance(random, blocked) ? kInfinity
                                               : static_cast<double>(Pick(random, 1, largest)));
    }
  }
  return costs;
}

double SumOf(const Costs& costs, const std::vector<size_t>& columns) {
  double sum = 0;
  for (size_t r = 0; r < costs.front().size(); ++r) {
    double least = kInfinity;
    for (const size_t c : columns) least = std::min(least, costs[c][r]);
    sum += least;
  }
  return sum;
}

double LeastListed(const Costs& costs, size_t most) {
  double least = kInfinity;
  for (size_t set = 1; set < (size_t{1} << costs.size()); ++set) {
    std::vector<size_t> columns;
    for (size_t c = 0; c < costs.size(); ++c) {
      if ((set >> c & 1) != 0) columns.push_back(c);
    }
    if (columns.size() <= most) least = std::min(least, SumOf(costs, columns));
  }
  return least;
}

void ExpectConsistent(const Costs& costs, size_t most, const ColumnSubset& subset) {
  EXPECT_LE(subset.columns.size(), most);
  EXPECT_TRUE(std::is_sorted(subset.columns.begin(), subset.columns.end()));
  EXPECT_EQ(subset.sum, SumOf(costs, subset.columns));
  EXPECT_LE(subset.lower_bound, subset.sum);
}

TEST(ColumnSubset, IsTheBestOfAllSets) {
  for (uint64_t seed = 1; seed <= 3000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Costs costs = RandomCosts(random);
    const auto most = static_cast<size_t>(Pick(random, 1, 5));
    const double least = LeastListed(costs, most);
    const StopFlag never;
    const ColumnSubset subset = BestColumnSubset(costs, most, Deadline(never));
    EXPECT_TRUE(subset.proven);
    EXPECT_EQ(subset.columns.empty(), std::isinf(least));
    EXPECT_EQ(subset.sum, least);
    EXPECT_EQ(subset.lower_bound, least);
    ExpectConsistent(costs, most, subset);
    if (HasFailure()) return;
  }
}

TEST(ColumnSubset, HasAnAnswerAndABoundWhenTheTimeIsUp) {
  int64_t better = 0;
  for (uint64_t seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Costs costs = RandomCosts(random);
    const auto most = static_cast<size_t>(Pick(random, 1, 5));
    const StopFlag never;
    const ColumnSubset subset = BestColumnSubset(costs, most, Deadline(never, 0));
    const double least = LeastListed(costs, most);
    EXPECT_GE(subset.sum, least);
    EXPECT_LE(subset.lower_bound, least);
    ExpectConsistent(costs, most, subset);
    const bool one_serves_all = std::isfinite(LeastListed(costs, 1));
    EXPECT_TRUE(!one_serves_all || !subset.columns.empty());
    EXPECT_LE(subset.sum, LeastListed(costs, 1));
    better += subset.sum < LeastListed(costs, 1) ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(better, 300);
}

// Sets of eight of a hundred: far too many to list, and yet the end is in time.
TEST(ColumnSubset, EndsAtTheDeadline) {
  Random random(1);
  Costs costs(200);
  for (auto& column : costs) {
    for (int r = 0; r < 40; ++r) column.push_back(static_cast<double>(Pick(random, 1000, 2000)));
  }
  const StopFlag never;
  const Deadline deadline(never, 0.2);
  const ColumnSubset subset = BestColumnSubset(costs, 8, deadline);
  EXPECT_FALSE(subset.proven);
  EXPECT_LT(deadline.SecondsSinceStart(), 20);
  ExpectConsistent(costs, 8, subset);
  EXPECT_GT(subset.lower_bound, 40 * 1000);
  EXPECT_LT(subset.lower_bound, subset.sum);
}

}  // namespace
}  // namespace inlay
