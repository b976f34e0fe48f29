#include "inlay/report/eval.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inlay/core/shapes.h"
#include "inlay/report/headline.h"

namespace inlay::report {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr TextStyle kAscii{.unicode = false, .colour = false};
constexpr TextStyle kUnicode{.unicode = true, .colour = false};

// P=4, K=6, C=8 on DRAM – buffer ×3; every count is distinct, so that a test sees where it went.
struct Fixture {
  Fixture() {
    problem = MakeGemm("tiny", {.p = 4, .k = 6, .c = 8});
    architecture.name = "toy";
    architecture.levels.resize(2);
    architecture.levels[LevelId(0)].name = "DRAM";
    architecture.levels[LevelId(0)].fanout.x = 3;
    architecture.levels[LevelId(1)].name = "buffer";
    architecture.levels[LevelId(1)].capacity_words = 1024;
    mapping.levels.resize(2);
    cost.operations = 192;
    cost.cycles = cost.compute_cycles = 64;
    cost.compute_lanes = cost.compute_lanes_used = 3;
    cost.compute_energy_pj = 100;
    cost.energy_pj = 400;
    cost.utilization = 1;
    cost.offchip_words = 500;
    cost.levels.resize(2);
    for (LevelId l : Ids(cost.levels)) {
      cost.levels[l].tensors.resize(3);
      for (TensorId t : Ids(cost.levels[l].tensors)) {
        const auto n = static_cast<int64_t>(1000 * (l.value() + 1) + 100 * (t.value() + 1));
        cost.levels[l].tensors[t] = {
            true, n + 5, l.value() == 0 ? 1 : 3, {n + 1, n + 2, n + 3, n + 4}, 50};
      }
      cost.levels[l].energy_pj = 150;
      cost.levels[l].cycles = 32;
    }
  }
  Problem problem;
  Architecture architecture;
  Mapping mapping;
  Cost cost;

  std::string Summary(const TextStyle& style = kAscii) const {
    return EvalSummary(problem, architecture, mapping, {Semantics::kExact, cost}, style);
  }
};

size_t LongestLine(const std::string& text) {
  size_t longest = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    longest = std::max(longest, DisplayWidth(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return longest;
}

TEST(EvalSummary, ShowsEveryCountInItsPlace) {
  const std::string text = Fixture().Summary();
  EXPECT_THAT(text, HasSubstr("tiny on toy"));
  EXPECT_THAT(text, HasSubstr("Outputs[P, K] += Weights[K, C] * Inputs[P, C]"));
  EXPECT_THAT(text, HasSubstr("P 4, K 6, C 8, 192 operations"));
  EXPECT_THAT(text, HasSubstr("DRAM > 3 > buffer 1,024 words > mac"));
  EXPECT_THAT(text, HasSubstr("DRAM       Weights  1,105  1,101  1,102    1,103   1,104"));
  EXPECT_THAT(text, HasSubstr("buffer x3  Weights  2,105  2,101  2,102    2,103   2,104"));
  EXPECT_THAT(text, HasSubstr("limited by compute"));
  EXPECT_THAT(text, HasSubstr("3 of 3 lanes used"));
  EXPECT_LE(LongestLine(text), kScreenColumns);
}

TEST(EvalSummary, AsciiMeansAscii) {
  for (char c : Fixture().Summary()) EXPECT_GE(c, '\0');
  EXPECT_THAT(Fixture().Summary(kUnicode), HasSubstr("█"));
}

TEST(EvalSummary, SharesAndBarsFollowTheEnergy) {
  Fixture f;
  f.cost.levels[LevelId(1)].tensors[TensorId(2)].energy_pj = 100;
  f.cost.levels[LevelId(1)].energy_pj = 200;
  f.cost.energy_pj = 500;
  const std::string text = f.Summary();
  EXPECT_THAT(text, HasSubstr("100.00  20.0 %  ######\n"));
  EXPECT_THAT(text, HasSubstr("50.00  10.0 %  ###\n"));
}

TEST(EvalSummary, NamesWhatLimitsTheCycles) {
  Fixture f;
  f.cost.levels[LevelId(1)].cycles = f.cost.cycles = 100;
  f.cost.levels[LevelId(1)].limit = CycleLimit::kRead;
  EXPECT_THAT(f.Summary(), HasSubstr("limited by reads of buffer; compute alone takes 64"));
  f.cost.levels[LevelId(1)].limit = CycleLimit::kWrite;
  EXPECT_THAT(f.Summary(), HasSubstr("limited by writes to buffer"));
  f.cost.levels[LevelId(1)].limit = CycleLimit::kShared;
  EXPECT_THAT(f.Summary(), HasSubstr("limited by the bandwidth of buffer"));
  f.cost.cycles = 107;
  EXPECT_THAT(f.Summary(), HasSubstr("; 7 for first fill and last drain"));
}

TEST(EvalSummary, LeakageIsARowOfItsOwn) {
  Fixture f;
  EXPECT_THAT(f.Summary(), Not(HasSubstr("leakage")));
  f.cost.levels[LevelId(1)].energy_pj += 7;
  EXPECT_THAT(f.Summary(), HasSubstr("leakage"));
}

TEST(EvalSummary, HugeCountsAreRoundedToFitTheScreen) {
  Fixture f;
  for (LevelCost& level : f.cost.levels) {
    for (TensorCost& tensor : level.tensors) {
      for (int64_t Counts::*field :
           {&Counts::reads, &Counts::fills, &Counts::updates, &Counts::drains}) {
        tensor.total.*field += 1'000'000'000'000'000;
      }
    }
  }
  const std::string text = f.Summary(kUnicode);
  EXPECT_THAT(text, HasSubstr("1.000 P"));
  EXPECT_THAT(text, HasSubstr("rounded; --json has every digit"));
  EXPECT_LE(LongestLine(text), kScreenColumns);
}

TEST(EvalSummary, WrongOperationsArePointedOut) {
  Fixture f;
  f.cost.operations = 190;
  EXPECT_THAT(f.Summary(), HasSubstr("exact reports 190 operations; the problem has 192"));
}

TEST(EvalComparison, MarksWhatDiffers) {
  Fixture f;
  Cost other = f.cost;
  other.levels[LevelId(1)].tensors[TensorId(0)].total.reads *= 2;
  other.energy_pj *= 1 + 1e-12;  // the same sum in another order
  const std::string text =
      EvalComparison(f.problem, f.architecture, f.mapping,
                     {{Semantics::kExact, f.cost}, {Semantics::kTimeloop, other}}, kAscii);
  EXPECT_THAT(text, HasSubstr("exact against timeloop semantics"));
  EXPECT_THAT(text, HasSubstr("2,101     4,202  ! +100.0 %\n"));
  EXPECT_THAT(text, HasSubstr("1 of 31 rows differ"));
  const std::string same =
      EvalComparison(f.problem, f.architecture, f.mapping,
                     {{Semantics::kExact, f.cost}, {Semantics::kTimeloop, f.cost}}, kAscii);
  EXPECT_THAT(same, HasSubstr("no difference"));
  EXPECT_THAT(same, Not(HasSubstr("!")));
}

TEST(Wrap, BreaksBetweenPieces) {
  const std::string piece(40, 'a');
  EXPECT_EQ(Wrap({piece, piece, piece}, " x ", 2), piece + " x " + piece + " x\n  " + piece);
  EXPECT_EQ(Wrap({}, " x ", 2), "");
  const std::string long_piece(150, 'b');
  EXPECT_EQ(Wrap({long_piece, piece}, ", ", 2), long_piece + ",\n  " + piece);
}

}  // namespace
}  // namespace inlay::report
