// The two ways through the closed form, and its two widths, give the same figures.
#include <gtest/gtest.h>

#include <vector>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/cost/exact/traffic.h"
#include "tests/support/random_case.h"

namespace inlay {
namespace {

using exact::FlatNest;
using exact::kNoLevel;
using exact::Tables;

struct Figures {
  std::vector<Int128> values;
  bool operator==(const Figures&) const = default;
};

template <typename Engine, typename Int>
Figures FiguresOf(const Tables& tables, const FlatNest& nest, const Mapping& mapping) {
  Engine engine;
  Figures figures;
  engine.Begin(tables, nest);
  std::vector<size_t> feeder(tables.tensors, kNoLevel);
  for (size_t l = 0; l < mapping.levels.size(); ++l) {
    std::vector<size_t> outer(tables.tensors, kNoLevel);
    for (size_t t = 0; t < tables.tensors; ++t) {
      if (!mapping.levels[LevelId(l)].keep.contains(TensorId(t))) continue;
      outer[t] = feeder[t];
      feeder[t] = l;
    }
    std::vector<exact::Traffic<Int>> traffic(tables.tensors);
    figures.values.push_back(engine.Compute(tables, nest, l, outer, &traffic));
    for (const auto& words : traffic) {
      for (const Int value : {words.lanes, words.groups, words.distinct}) {
        figures.values.push_back(value);
      }
    }
  }
  for (size_t t = 0; t < tables.tensors; ++t) {
    figures.values.push_back(engine.Operands(tables, nest, t, feeder[t]));
  }
  return figures;
}

TEST(ExactPathsTest, PerfectEqualsRagged) {
  const int64_t cases = testing::CaseCount(2000, 20000);
  int64_t perfect = 0;
  for (int64_t seed = 0; seed < cases; ++seed) {
    testing::Random random(static_cast<uint64_t>(seed));
    const testing::Case c = testing::RandomCase(random, testing::Steps::kPerfect);
    const Tables tables(c.problem);
    FlatNest nest;
    nest.Build(tables, c.mapping);
    ASSERT_TRUE(nest.perfect);
    ++perfect;
    const Figures a = FiguresOf<exact::PerfectTraffic<int64_t>, int64_t>(tables, nest, c.mapping);
    const Figures b = FiguresOf<exact::RaggedTraffic<int64_t>, int64_t>(tables, nest, c.mapping);
    const Figures wide = FiguresOf<exact::PerfectTraffic<Int128>, Int128>(tables, nest, c.mapping);
    ASSERT_TRUE(a == b && a == wide) << "seed " << seed << "\n" << testing::Describe(c);
  }
  EXPECT_EQ(perfect, cases);
}

TEST(ExactPathsTest, NarrowEqualsWide) {
  const int64_t cases = testing::CaseCount(1000, 10000);
  for (int64_t seed = 0; seed < cases; ++seed) {
    testing::Random random(static_cast<uint64_t>(seed));
    const testing::Case c = testing::RandomCase(random, testing::Steps::kAny);
    const Tables tables(c.problem);
    FlatNest nest;
    nest.Build(tables, c.mapping);
    const Figures a = FiguresOf<exact::RaggedTraffic<int64_t>, int64_t>(tables, nest, c.mapping);
    const Figures b = FiguresOf<exact::RaggedTraffic<Int128>, Int128>(tables, nest, c.mapping);
    ASSERT_TRUE(a == b) << "seed " << seed << "\n" << testing::Describe(c);
  }
}

// |{a·i + b·j}| by counting.
TEST(ExactPathsTest, DistinctSums) {
  for (int64_t a = 1; a <= 6; ++a) {
    for (int64_t b = 1; b <= 6; ++b) {
      for (int64_t n = 1; n <= 7; ++n) {
        for (int64_t m = 1; m <= 7; ++m) {
          std::vector<bool> seen(static_cast<size_t>(a * n + b * m), false);
          int64_t distinct = 0;
          for (int64_t i = 0; i < n; ++i) {
            for (int64_t j = 0; j < m; ++j) {
              const auto sum = static_cast<size_t>(a * i + b * j);
              distinct += seen[sum] ? 0 : 1;
              seen[sum] = true;
            }
          }
          EXPECT_EQ(exact::DistinctSums(a, n, b, m), distinct);
        }
      }
    }
  }
}

}  // namespace
}  // namespace inlay
