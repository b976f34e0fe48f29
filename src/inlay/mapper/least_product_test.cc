#include "inlay/mapper/least_product.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace inlay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Points = std::vector<EnergyDelay>;

double BoundOf(const Points& points) {
  double least = kInfinity;
  for (const EnergyDelay& point : points) least = std::min(least, point.product());
  return least;
}

EnergyDelay Cheapest(const Points& points, double price) {
  return *std::min_element(points.begin(), points.end(), [&](const auto& a, const auto& b) {
    return a.energy_pj + price * a.cycles < b.energy_pj + price * b.cycles;
  });
}

// Answers as a search does: with the point if it is below what is asked for.
int Ask(const Points& points, LeastProduct* least) {
  int questions = 0;
  while (const auto question = least->Next()) {
    const EnergyDelay point = Cheapest(points, question->price_pj);
    const double value = point.energy_pj + question->price_pj * point.cycles;
    if (value < question->below) least->Offer(point);
    least->Answer(std::min(value, question->below));
    EXPECT_LE(least->lower_bound(), BoundOf(points) * (1 + 1e-9));
    if (++questions > 1000) break;
  }
  return questions;
}

Points RandomPoints(std::mt19937_64& random) {
  Points points(std::uniform_int_distribution<size_t>(1, 40)(random));
  const auto draw = [&](double most) {
    return std::exp(std::uniform_real_distribution<double>(0, most)(random));
  };
  const double most = std::uniform_real_distribution<double>(0.01, 8)(random);
  for (EnergyDelay& point : points) point = {draw(most), std::ceil(1000 * draw(most))};
  return points;
}

TEST(LeastProduct, IsThatOfAllPoints) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    const Points points = RandomPoints(random);
    EnergyDelay floor = {kInfinity, kInfinity};
    for (const EnergyDelay& point : points) {
      floor.energy_pj = std::min(floor.energy_pj, point.energy_pj);
      floor.cycles = std::min(floor.cycles, point.cycles);
    }
    const double slack = i % 3 == 0 ? 1 : i % 3 == 1 ? 0.5 : 0;
    LeastProduct least({slack * floor.energy_pj, slack * floor.cycles});
    if (i % 2 == 0) least.Offer(points.front());
    Ask(points, &least);
    EXPECT_TRUE(least.proven());
    EXPECT_NEAR(least.best(), BoundOf(points), 1e-9 * BoundOf(points)) << i;
    ASSERT_FALSE(HasFailure()) << i;
  }
}

// Points on a circle bulge towards the axes: each is the answer at some price.
TEST(LeastProduct, AsksFewOfManyAnswers) {
  Points points;
  for (int i = 1; i < 10000; ++i) {
    const double angle = i * 1.5707 / 10000;
    points.push_back({2 - std::cos(angle), 2 - std::sin(angle)});
  }
  LeastProduct least({1, 1});
  EXPECT_LT(Ask(points, &least), 200);
  EXPECT_TRUE(least.proven());
  EXPECT_NEAR(least.best(), BoundOf(points), 1e-9);
}

TEST(LeastProduct, ASearchThatIsCutShortLeavesABound) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 1000; ++i) {
    const Points points = RandomPoints(random);
    LeastProduct least({0.1, 1});
    least.Offer(points.front());
    for (int left = i % 5;; --left) {
      const auto question = least.Next();
      if (!question) break;
      const EnergyDelay point = Cheapest(points, question->price_pj);
      const double value = point.energy_pj + question->price_pj * point.cycles;
      if (left == 0) {  // not searched to the end: something is known, and any point
        least.Offer(points.back());
        least.Answer(std::min(0.9 * value, question->below));
        break;
      }
      least.Offer(point);
      least.Answer(std::min(value, question->below));
    }
    EXPECT_LE(least.lower_bound(), BoundOf(points) * (1 + 1e-9));
    EXPECT_GE(least.best(), BoundOf(points));
    ASSERT_FALSE(HasFailure()) << i;
  }
}

TEST(LeastProduct, WithoutPointsThereIsNone) {
  LeastProduct least({1, 1});
  ASSERT_TRUE(least.Next().has_value());
  least.Answer(kInfinity);
  EXPECT_FALSE(least.Next().has_value());
  EXPECT_EQ(least.best(), kInfinity);
}

TEST(LeastProduct, NoEnergyIsNothing) {
  LeastProduct least({0, 1});
  EXPECT_EQ(Ask({{5, 2}, {0, 9}}, &least), 1);
  EXPECT_TRUE(least.proven());
  EXPECT_EQ(least.best(), 0);
}

}  // namespace
}  // namespace inlay
