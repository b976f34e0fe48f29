// The search for fused mappings against fronts that another program listed exhaustively
// (tests/golden/fused/small.json) and against what other mappers find, and a prototype proved, for
// larger problems (tests/golden/fused/peers.json).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "inlay/fuse/fuse.h"
#include "tests/support/fused_golden.h"
#include "tests/support/golden.h"

namespace inlay {
namespace {

bool Slides(const FusedProblem& problem) {
  for (const FusedNode& node : problem.nodes) {
    for (const FusedOperand& operand : node.operands) {
      for (const Rank& rank : operand.ranks) {
        if (rank.terms.size() > 1) return true;
      }
    }
  }
  return false;
}

TEST(FuseSearchGoldenTest, FrontsOfProductsAreThoseOfAnotherProgram) {
  int checked = 0;
  const auto golden = testing::LoadGolden("fused/small.json");
  for (const auto& c : golden["cases"]) {
    const FusedProblem problem = testing::FusedOfGolden(c);
    if (Slides(problem)) continue;
    ++checked;
    SCOPED_TRACE(c["name"].get<std::string>());
    const std::string tiles = c["tiles"];
    FuseOptions options;
    options.tiles = tiles.starts_with("any") ? FusedTiles::kAny : FusedTiles::kPerfect;
    options.front = PadRange{1, c["complete_to"]};
    const FuseAnswer answer = Fuse(problem, testing::PadMachine(), options, StopFlag());
    const bool unfused = tiles.find("no fusion") != std::string::npos;
    std::string expected, found;
    for (const auto& step : c["front"]) {
      expected += fmt::format("{} {}\n", step[0].get<int64_t>(), step[1].get<int64_t>());
    }
    for (const FusedFrontPoint& point : unfused ? answer.unfused_front : answer.front) {
      found += fmt::format("{} {}\n", point.room_words, point.offchip_words);
      EXPECT_TRUE(point.proven) << point.room_words;
    }
    EXPECT_EQ(found, expected);
  }
  EXPECT_EQ(checked, 6);
}

// The block of a GPT-3 with 6.7 billion weights, which the file describes in words.
FusedProblem GptBlock() {
  return testing::FusedOf(
      {{"m", 2048},
       {"p", 2048},
       {"w", 4096},
       {"h", 32},
       {"e", 128},
       {"w2", 4096},
       {"f", 16384},
       {"w3", 4096}},
      {"Q: X[m,w] WQ[w,h,e] -> QT[m,h,e]", "K: X[m,w] WK[w,h,e] -> KT[m,h,e]",
       "V: X[m,w] WV[w,h,e] -> VT[m,h,e]", "QK: QT[m,h,e] KT[p,h,e] -> A[m,h,p]",
       "SM: A[m,h,p] -> B[m,h,p]", "AV: B[m,h,p] VT[p,h,e] -> Z[m,h,e]",
       "O: Z[m,h,e] WO[h,e,w2] -> Y[m,w2]", "FFN1: Y[m,w2] W1[w2,f] -> F[m,f]",
       "GELU: F[m,f] -> G[m,f]", "FFN2: G[m,f] W2[f,w3] -> R[m,w3]"});
}

TEST(FuseSearchGoldenTest, LargeProductsAreAsGoodAsWasProven) {
  int checked = 0;
  const auto golden = testing::LoadGolden("fused/peers.json");
  for (const auto& c : golden["cases"]) {
    const std::string name = c["name"];
    if (!c.contains("proven_divisors")) continue;
    SCOPED_TRACE(name);
    const FusedProblem problem = name == "gpt3-6.7b-block" ? GptBlock() : testing::FusedOfGolden(c);
    Architecture machine = testing::PadMachine();
    machine.levels[LevelId(1)].capacity_words = c["room_words"];
    for (const FusedTiles tiles : {FusedTiles::kPerfect, FusedTiles::kAny}) {
      const bool divisors = tiles == FusedTiles::kPerfect;
      SCOPED_TRACE(Name(tiles));
      FuseOptions options;
      options.tiles = tiles;
      const FuseAnswer answer = Fuse(problem, machine, options, StopFlag());
      ASSERT_TRUE(answer.best);
      const int64_t proven = c[divisors ? "proven_divisors" : "proven_short"][0];
      EXPECT_EQ(answer.best->cost.offchip_words, proven);
      EXPECT_LE(answer.certificate.lower_bound, static_cast<double>(proven));
      // One bound for tiles of any size is not tight: docs/reference/fusion.md.
      if (divisors || name != "swiglu") {
        EXPECT_EQ(answer.certificate.status, CertificateStatus::kOptimal);
      } else {
        EXPECT_LT(answer.certificate.gap, 0.08);
      }
      ++checked;
    }
  }
  EXPECT_EQ(checked, 8);
}

}  // namespace
}  // namespace inlay
