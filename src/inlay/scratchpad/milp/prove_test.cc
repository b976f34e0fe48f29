#include "inlay/scratchpad/milp/prove.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/random_case.h"

namespace inlay::milp {
namespace {

using ::inlay::testing::Chance;
using ::inlay::testing::Pick;
using ::inlay::testing::Random;

constexpr double kClose = 1e-6;
constexpr double kHighest = 1000;  // of the continuous column, if there is one

// Up to 9 columns that are 0 or 1, and often one that is at least as large as several sums of them,
// as the times of steps are. Whole coefficients.
Milp RandomMilp(Random& random) {
  Milp milp;
  milp.constant = static_cast<double>(Pick(random, -3, 3));
  const int64_t columns = Pick(random, 2, 9);
  for (int64_t j = 0; j < columns; ++j) {
    milp.columns.push_back({static_cast<double>(Pick(random, -5, 5)), 0, 1, true});
  }
  const auto sum = [&](int64_t least, int64_t most) {
    Row row;
    for (int64_t j = 0; j < columns; ++j) {
      const auto coefficient = static_cast<double>(Pick(random, least, most));
      if (coefficient != 0 && Chance(random, 0.7)) {
        row.terms.push_back({static_cast<int>(j), coefficient});
      }
    }
    return row;
  };
  for (int64_t i = Pick(random, 1, 5); i > 0; --i) {
    Row row = sum(-4, 6);
    if (Chance(random, 0.3)) {
      row.lower = static_cast<double>(Pick(random, -2, 6));
    } else {
      row.upper = static_cast<double>(Pick(random, 0, 9));
    }
    if (Chance(random, 0.1)) row.lower = row.upper = static_cast<double>(Pick(random, 0, 5));
    milp.rows.push_back(row);
  }
  if (Chance(random, 0.4)) return milp;
  const auto longest = static_cast<int>(milp.columns.size());
  milp.columns.push_back({static_cast<double>(Pick(random, 1, 3)), 0, kHighest, false});
  for (int64_t i = Pick(random, 1, 3); i > 0; --i) {
    Row row = sum(-9, 2);
    row.terms.push_back({longest, 1});
    row.lower = static_cast<double>(Pick(random, -3, 6));
    milp.rows.push_back(row);
  }
  return milp;
}

// Every answer; the continuous column as small as it can be.
std::vector<std::vector<double>> AnswersOf(const Milp& milp) {
  std::vector<std::vector<double>> answers;
  size_t binaries = 0;
  while (binaries < milp.columns.size() && milp.columns[binaries].integer) ++binaries;
  for (size_t bits = 0; bits < size_t{1} << binaries; ++bits) {
    std::vector<double> values(milp.columns.size(), 0);
    for (size_t j = 0; j < binaries; ++j) values[j] = static_cast<double>(bits >> j & 1);
    if (binaries < values.size()) {
      for (const Row& row : milp.rows) {
        if (row.terms.empty() || row.terms.back().column != static_cast<int>(binaries)) continue;
        double others = 0;
        for (const Term& term : row.terms) {
          others += term.coefficient * values[static_cast<size_t>(term.column)] *
                    (term.column == static_cast<int>(binaries) ? 0 : 1);
        }
        values[binaries] = std::max(values[binaries], row.lower - others);
      }
    }
    if (IsFeasible(milp, values)) answers.push_back(values);
  }
  return answers;
}

double LeastOf(const Milp& milp, const std::vector<std::vector<double>>& answers) {
  double least = kInfinity;
  for (const auto& values : answers) least = std::min(least, ObjectiveOf(milp, values));
  return least;
}

// Takes every answer that is offered, and checks it.
struct Taker {
  const Milp& milp;
  double cutoff = kInfinity;
  int64_t taken = 0;

  ProofHooks Hooks() {
    ProofHooks hooks;
    hooks.found = [this](const std::vector<double>& values) -> std::optional<double> {
      EXPECT_TRUE(IsFeasible(milp, values, 1e-5));
      ++taken;
      return cutoff = std::min(cutoff, ObjectiveOf(milp, values));
    };
    return hooks;
  }
};

Proof Prove(const Milp& milp, const ProofOptions& options, const ProofHooks& hooks) {
  const StopFlag never;
  return ProveBound(milp, options, hooks, Deadline(never));
}

TEST(MilpProve, TheBoundIsTheLeastValueOrTheCutoff) {
  int64_t with_answers = 0, without = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Milp milp = RandomMilp(random);
    const auto answers = AnswersOf(milp);
    const double least = LeastOf(milp, answers);
    Taker taker{milp};
    const Proof proof = Prove(milp, {}, taker.Hooks());
    if (answers.empty()) {
      ++without;
      EXPECT_EQ(taker.taken, 0);
      Taker none{milp, 5};
      EXPECT_EQ(Prove(milp, {5}, none.Hooks()).bound, 5) << "nothing is below any cutoff";
      EXPECT_EQ(none.taken, 0);
      continue;
    }
    ++with_answers;
    EXPECT_NEAR(proof.bound, least, kClose);
    EXPECT_NEAR(taker.cutoff, least, kClose);
    for (const double above : {-2.0, -0.5, 0.5, 2.0}) {
      Taker below{milp, least + above};
      const double bound = Prove(milp, {least + above}, below.Hooks()).bound;
      if (above < 0) {
        EXPECT_EQ(bound, least + above);
        EXPECT_EQ(below.taken, 0);
      } else {
        EXPECT_NEAR(bound, least, kClose);
      }
    }
  }
  EXPECT_GT(with_answers, 100);
  EXPECT_GT(without, 20);
}

TEST(MilpProve, StoppedEarlyTheBoundHolds) {
  StopFlag passed;
  passed.Request();
  int64_t divided = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Milp milp = RandomMilp(random);
    const double least = LeastOf(milp, AnswersOf(milp));
    Taker late{milp};
    const Proof nothing = ProveBound(milp, {}, late.Hooks(), Deadline(passed));
    EXPECT_EQ(nothing.nodes, 0);
    EXPECT_EQ(late.taken, 0);
    EXPECT_LE(nothing.bound, least);
    int64_t nodes = 0;
    for (const int64_t limit : {0, 1, 2, 3, 5, 100}) {
      Taker taker{milp};
      const Proof proof = Prove(milp, {kInfinity, limit}, taker.Hooks());
      EXPECT_LE(proof.nodes, limit);
      EXPECT_LE(proof.bound, least + kClose);
      nodes = proof.nodes;
    }
    if (nodes > 1) ++divided;
  }
  EXPECT_GT(divided, 50);
}

TEST(MilpProve, AnAnswerThatIsNotTakenEndsTheProof) {
  int64_t ended = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const Milp milp = RandomMilp(random);
    int64_t offered = 0;
    ProofHooks hooks;
    hooks.found = [&](const std::vector<double>&) -> std::optional<double> {
      ++offered;
      return std::nullopt;
    };
    const Proof proof = Prove(milp, {}, hooks);
    EXPECT_LE(offered, 1);
    EXPECT_LE(proof.bound, LeastOf(milp, AnswersOf(milp)) + kClose) << seed;
    ended += offered;
  }
  EXPECT_GT(ended, 100);
}

// The most that some columns can be together, in any answer.
TEST(MilpProve, RowsThatAllAnswersSatisfyChangeNothing) {
  int64_t added = 0, fewer = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Milp milp = RandomMilp(random);
    const auto answers = AnswersOf(milp);
    if (answers.empty()) continue;
    Taker plain{milp}, taker{milp};
    ProofHooks hooks = taker.Hooks();
    hooks.cuts = [&](const std::vector<double>& values) {
      std::vector<Row> rows;
      for (int tries = 0; tries < 8; ++tries) {
        Row row;
        for (size_t j = 0; j < values.size(); ++j) {
          if (milp.columns[j].integer && Chance(random, 0.5)) {
            row.terms.push_back({static_cast<int>(j), Chance(random, 0.7) ? 1.0 : -1.0});
          }
        }
        const auto at = [&](const std::vector<double>& some) {
          double sum = 0;
          for (const Term& term : row.terms) {
            sum += term.coefficient * some[static_cast<size_t>(term.column)];
          }
          return sum;
        };
        row.upper = -kInfinity;
        for (const auto& answer : answers) row.upper = std::max(row.upper, at(answer));
        if (at(values) > row.upper + 1e-4) rows.push_back(row);
      }
      added += static_cast<int64_t>(rows.size());
      return rows;
    };
    const double least = LeastOf(milp, answers);
    const Proof with = Prove(milp, {}, hooks), without = Prove(milp, {}, plain.Hooks());
    EXPECT_NEAR(with.bound, least, kClose);
    EXPECT_NEAR(taker.cutoff, least, kClose);
    if (with.nodes < without.nodes) ++fewer;
  }
  EXPECT_GT(added, 50);
  EXPECT_GT(fewer, 20);
}

}  // namespace
}  // namespace inlay::milp
