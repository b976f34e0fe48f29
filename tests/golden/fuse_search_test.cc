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
      EXPECT_EQ(answer.certificate.status, CertificateStatus::kOptimal);
      ++checked;
    }
  }
  EXPECT_EQ(checked, 8);
}

TEST(FuseSearchGoldenTest, ABottleneckMovesWhatItHasTo) {
  const FusedProblem problem = testing::FusedOf(
      {{"c0", 256},
       {"c1", 64},
       {"c2", 64},
       {"c3", 256},
       {"y0", 58},
       {"x0", 58},
       {"y", 56},
       {"x", 56},
       {"r", 3},
       {"s", 3}},
      {"E1: T0[c0,y0,x0] W0[c0,c1] -> T1[c1,y0,x0]",
       "E2: T1[c1,y+r,x+s] W1[c1,c2,r,s] -> T2[c2,y,x]", "E3: T2[c2,y,x] W2[c2,c3] -> T3[c3,y,x]"});
  const auto golden = testing::LoadGolden("fused/peers.json");
  for (const auto& c : golden["cases"]) {
    if (c["name"] != "bottleneck-56") continue;
    for (const int64_t room : {c["room_words"].get<int64_t>(), c["better"][1].get<int64_t>()}) {
      Architecture machine = testing::PadMachine();
      machine.levels[LevelId(1)].capacity_words = room;
      const FuseAnswer answer = Fuse(problem, machine, {}, StopFlag());
      ASSERT_TRUE(answer.best && answer.unfused);
      EXPECT_EQ(answer.best->cost.offchip_words, c["better"][0]);
      EXPECT_EQ(answer.best->cost.recomputed_operations, 0);
      EXPECT_EQ(answer.certificate.status, CertificateStatus::kOptimal);
      EXPECT_EQ(answer.unfused->cost.offchip_words, c["unfused_divisors"]);
    }
    return;
  }
  FAIL() << "no such case";
}

// Two inverted residuals: expanded, filtered by 3 × 3 windows and projected; without borders.
FusedProblem InvertedResiduals() {
  return testing::FusedOf(
      {{"a0", 24},
       {"a1", 192},
       {"a2", 24},
       {"b1", 192},
       {"b2", 24},
       {"y0", 32},
       {"x0", 32},
       {"y1", 30},
       {"x1", 30},
       {"r1", 3},
       {"s1", 3},
       {"y2", 28},
       {"x2", 28},
       {"r2", 3},
       {"s2", 3}},
      {"A1: T0[a0,y0,x0] WA[a0,a1] -> T1[a1,y0,x0]",
       "A2: T1[a1,y1+r1,x1+s1] WB[a1,r1,s1] -> T2[a1,y1,x1]",
       "A3: T2[a1,y1,x1] WC[a1,a2] -> T3[a2,y1,x1]", "B1: T3[a2,y1,x1] WD[a2,b1] -> T4[b1,y1,x1]",
       "B2: T4[b1,y2+r2,x2+s2] WE[b1,r2,s2] -> T5[b1,y2,x2]",
       "B3: T5[b1,y2,x2] WF[b1,b2] -> T6[b2,y2,x2]"});
}

TEST(FuseSearchGoldenTest, InvertedResidualsBeatAnotherMapper) {
  const auto golden = testing::LoadGolden("fused/peers.json");
  int checked = 0;
  for (const auto& c : golden["cases"]) {
    const std::string name = c["name"];
    if (!name.starts_with("mobilenet-28")) continue;
    const bool small = name == "mobilenet-28";
    Architecture machine = testing::PadMachine();
    machine.levels[LevelId(1)].capacity_words = c["room_bytes"];  // 8 bits
    const FuseAnswer answer = Fuse(InvertedResiduals(), machine, {}, StopFlag());
    ASSERT_TRUE(answer.best && answer.unfused);
    EXPECT_EQ(answer.certificate.status, CertificateStatus::kOptimal);
    EXPECT_LT(answer.best->cost.offchip_words, answer.unfused->cost.offchip_words);
    if (small) {
      EXPECT_EQ(answer.best->cost.offchip_words, c["better_bytes"][0]);
      EXPECT_LE(answer.best->cost.counts.room_words, c["better_bytes"][1]);
      EXPECT_EQ(answer.certificate.lower_bound, c["compulsory_bytes"]);
      // Halos of the expanded channels, which would not fit.
      EXPECT_GT(answer.best->cost.recomputed_operations, 0);
      EXPECT_LT(answer.best->cost.recomputed_operations, answer.best->cost.operations / 2);
    } else {
      EXPECT_EQ(answer.best->cost.recomputed_operations, 0);
    }
    ++checked;
  }
  EXPECT_EQ(checked, 2);
}

}  // namespace
}  // namespace inlay
