#include "inlay/fuse/fuse.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "inlay/fuse/product_trees.h"
#include "tests/support/fused_case.h"

namespace inlay {
namespace {

FusedProblem Attention(int64_t rows, int64_t width) {
  return testing::FusedOf(
      {{"m", rows}, {"p", rows}, {"e", width}, {"f", width}},
      {"QK: Q[m,e] K[p,e] -> A[m,p]", "SM: A[m,p] -> B[m,p]", "AV: B[m,p] V[p,f] -> O[m,f]"});
}

Architecture Machine(int64_t pad_words) {
  Architecture machine = testing::PadMachine();
  machine.levels[LevelId(1)].capacity_words = pad_words;
  return machine;
}

TEST(FuseTest, KeepsWhatDoesNotHaveToLeave) {
  const FuseAnswer answer = Fuse(Attention(64, 8), Machine(512), {}, StopFlag());
  ASSERT_TRUE(answer.best && answer.unfused && answer.any_fusion);
  EXPECT_EQ(answer.certificate.status, CertificateStatus::kOptimal);
  EXPECT_EQ(answer.certificate.lower_bound, static_cast<double>(answer.best->cost.offchip_words));
  EXPECT_LT(answer.best->cost.offchip_words, answer.unfused->cost.offchip_words);
  EXPECT_LE(*answer.any_fusion, answer.certificate.objective);
  EXPECT_GE(*answer.any_fusion, 4 * 64 * 8);
  ASSERT_EQ(answer.runs.size(), 1U);
  EXPECT_EQ(answer.runs.front().certificate.status, CertificateStatus::kOptimal);
}

TEST(FuseTest, ASoftmaxOfWholeRowsNeedsThemInThePad) {
  FusedProblem problem = Attention(64, 8);
  problem.nodes[NodeId(1)].softmax = FindDim(problem, "p");
  FuseOptions options;
  const FuseAnswer online = Fuse(problem, Machine(160), options, StopFlag());
  options.softmax = SoftmaxForm::kRow;
  const FuseAnswer row = Fuse(problem, Machine(160), options, StopFlag());
  ASSERT_TRUE(online.best && row.best);
  EXPECT_EQ(online.certificate.status, CertificateStatus::kOptimal);
  EXPECT_EQ(row.certificate.status, CertificateStatus::kOptimal);
  EXPECT_LT(online.best->cost.offchip_words, row.best->cost.offchip_words);
  EXPECT_GT(online.best->cost.scaling_operations, 0);
  EXPECT_EQ(row.best->cost.scaling_operations, 0);
}

// The rows do not fit, so that the softmax has no tree of its own; fused it has one.
TEST(FuseTest, TheBoundOfAnyFusionTakesASoftmaxStepByStep) {
  FusedProblem problem = Attention(4, 1);
  problem.nodes[NodeId(1)].softmax = FindDim(problem, "p");
  const FuseAnswer answer = Fuse(problem, Machine(7), {}, StopFlag());
  ASSERT_TRUE(answer.best && answer.any_fusion);
  EXPECT_FALSE(answer.unfused);
  EXPECT_LE(*answer.any_fusion, answer.certificate.objective);
  EXPECT_GE(*answer.any_fusion, 4 * 4);
}

TEST(FuseTest, SharesNoMoreLoopsThanItMay) {
  int64_t words = 0;
  for (const int loops : {3, 2, 1, 0}) {
    FuseOptions options;
    options.shared_loops = loops;
    options.tiles = FusedTiles::kPerfect;
    const FuseAnswer answer = Fuse(Attention(16, 4), Machine(32), options, StopFlag());
    ASSERT_TRUE(answer.best) << loops;
    EXPECT_LE(SharedLoops(answer.best->tree), loops);
    EXPECT_EQ(answer.certificate.status, CertificateStatus::kOptimal) << loops;
    EXPECT_GE(answer.best->cost.offchip_words, words) << loops;
    words = answer.best->cost.offchip_words;
  }
}

TEST(FuseTest, SaysThatNothingFits) {
  const FuseAnswer answer = Fuse(Attention(16, 4), Machine(2), {}, StopFlag());
  EXPECT_FALSE(answer.best);
  ASSERT_EQ(answer.infeasible.size(), 1U);
  EXPECT_EQ(answer.infeasible.front().where, "levels.pad");
}

TEST(FuseTest, AnswersWhenStopped) {
  StopFlag stop;
  stop.Request();
  const FuseAnswer answer = Fuse(Attention(64, 8), Machine(512), {}, stop);
  EXPECT_TRUE(answer.interrupted);
  ASSERT_TRUE(answer.best);
  EXPECT_NE(answer.certificate.status, CertificateStatus::kOptimal);
  FuseOptions options;
  options.time_limit_seconds = 0;
  EXPECT_TRUE(Fuse(Attention(64, 8), Machine(512), options, StopFlag()).interrupted);
}

TEST(FuseTest, FrontFallsAsThePadGrows) {
  FuseOptions options;
  options.front = PadRange{8, 200};
  const FuseAnswer answer = Fuse(Attention(32, 8), Machine(512), options, StopFlag());
  ASSERT_GE(answer.front.size(), 3U);
  for (size_t i = 1; i < answer.front.size(); ++i) {
    EXPECT_GT(answer.front[i].room_words, answer.front[i - 1].room_words);
    EXPECT_LT(answer.front[i].offchip_words, answer.front[i - 1].offchip_words);
  }
  EXPECT_LE(answer.front.front().room_words, 8);
  EXPECT_LE(answer.front.back().room_words, 200);
  EXPECT_GE(answer.unfused_front.back().offchip_words, answer.front.back().offchip_words);
}

TEST(FuseTest, ThreadsChangeNothing) {
  FuseOptions options;
  const FuseAnswer one = Fuse(Attention(60, 12), Machine(300), options, StopFlag());
  options.threads = 4;
  const FuseAnswer four = Fuse(Attention(60, 12), Machine(300), options, StopFlag());
  ASSERT_TRUE(one.best && four.best);
  EXPECT_EQ(one.best->tree, four.best->tree);
}

}  // namespace
}  // namespace inlay
