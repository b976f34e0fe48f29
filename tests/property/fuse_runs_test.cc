// The best runs of a graph against all ways to cut it into runs, with every range searched.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "inlay/core/fused_outline.h"
#include "inlay/cost/fused_walker.h"
#include "inlay/fuse/line_buffers.h"
#include "inlay/fuse/range_fuse.h"
#include "inlay/fuse/range_search.h"
#include "tests/support/fused_case.h"
#include "tests/support/random_fused.h"
#include "tests/support/random_fused_graph.h"

namespace inlay {
namespace {

using testing::CaseCount;
using testing::Chance;
using testing::Pick;
using testing::Random;

constexpr int64_t kNone = std::numeric_limits<int64_t>::max();

// The fewest words of all sequences of runs from a node on.
int64_t FewestWords(const FusedProblem& problem, const FuseOptions& options, int64_t room,
                    size_t first, RangeSearch* search) {
  const size_t count = problem.nodes.size();
  if (first == count) return 0;
  int64_t fewest = kNone;
  for (size_t end = first + 1; end <= count; ++end) {
    if (end - first > static_cast<size_t>(options.run_nodes)) break;
    bool may = true;
    for (size_t n = first; n < end && !options.earliest.empty(); ++n) {
      may = may && options.earliest[NodeId(n)] <= NodeId(first);
    }
    if (!may) continue;
    const auto run = search->Best(PartOf(problem, NodeId(first), NodeId(end)), room);
    if (!run) continue;
    const int64_t rest = FewestWords(problem, options, room, end, search);
    if (rest != kNone) fewest = std::min(fewest, run->cost.offchip_words + rest);
  }
  return fewest;
}

FusedProblem RandomChain(Random& random) {
  switch (Pick(random, 0, 2)) {
    case 0:
      return testing::RandomBorders(random);
    case 1:
      return testing::RandomFusedGraph(random);
    default:
      return testing::RandomFusedProblem(random);
  }
}

TEST(FuseRunsTest, RunsAreTheBestOfAllWaysToCut) {
  const int64_t cases = CaseCount(150, 2000);
  const StopFlag never;
  int64_t compared = 0, gained = 0, cut = 0;
  for (int64_t seed = 0; seed < cases; ++seed) {
    Random random(static_cast<uint64_t>(seed) + 77'000);
    const FusedProblem problem = RandomChain(random);
    Architecture machine = testing::PadMachine();
    const int64_t room = Pick(random, 4, Chance(random, 0.5) ? 16 : 60);
    machine.levels[LevelId(1)].capacity_words = room;
    FuseOptions options;
    options.run_nodes = static_cast<int>(Pick(random, 1, 4));
    if (Chance(random, 0.3)) {
      for (NodeId n : Ids(problem.nodes)) {
        const auto most = static_cast<int64_t>(n.value());
        options.earliest.push_back(
            NodeId(Chance(random, 0.3) ? static_cast<size_t>(Pick(random, 0, most)) : 0));
      }
    }
    const Deadline deadline(never);
    const FuseAnswer answer = FuseRanges(problem, machine, options, deadline, {});
    RangeSearch every(machine, options, deadline);
    const int64_t fewest = FewestWords(problem, options, room, 0, &every);
    if (fewest == kNone || !answer.best) continue;
    ++compared;
    SCOPED_TRACE(testing::Describe({problem, machine, answer.best->tree}));
    EXPECT_EQ(answer.best->cost.offchip_words, fewest) << "seed " << seed;
    EXPECT_TRUE(Validate(problem, answer.best->tree).empty());
    EXPECT_LE(answer.best->cost.counts.room_words, room);
    EXPECT_GE(static_cast<double>(fewest), answer.certificate.lower_bound);
    EXPECT_GE(static_cast<double>(fewest), *answer.any_fusion);
    if (answer.unfused) {
      EXPECT_LE(fewest, answer.unfused->cost.offchip_words);
      gained += fewest < answer.unfused->cost.offchip_words ? 1 : 0;
    }
    int64_t sum = 0;
    for (const FusedRun& run : answer.runs) {
      sum += run.cost.offchip_words;
      EXPECT_LE(run.certificate.lower_bound, static_cast<double>(run.cost.offchip_words));
      EXPECT_LE(run.end.value() - run.first.value(), static_cast<size_t>(options.run_nodes));
    }
    EXPECT_EQ(sum, fewest);
    cut += answer.runs.size() > 1 ? 1 : 0;
    const auto walked = WalkFused(problem, machine, answer.best->tree);
    ASSERT_TRUE(walked) << walked.error().message;
    EXPECT_TRUE(walked->numeric_check);
    if (HasFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GT(compared, cases / 2);
  EXPECT_GT(gained, cases / 10);
  EXPECT_GT(cut, cases / 10);
}

// Stopped at any time, the answer is a legal sequence of runs, and no worse with more time.
TEST(FuseRunsTest, StoppedAnywhereItAnswers) {
  const StopFlag never;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    Random random(seed + 5'000);
    const FusedProblem problem = testing::RandomBorders(random);
    Architecture machine = testing::PadMachine();
    machine.levels[LevelId(1)].capacity_words = 40;
    std::optional<int64_t> before;
    for (const int64_t looks : {1, 5, 20, 100, 1'000'000}) {
      const Deadline deadline(never, Deadline::Looks{looks});
      const FuseAnswer answer = FuseRanges(problem, machine, {}, deadline, {});
      if (!answer.best) {
        EXPECT_FALSE(before) << "seed " << seed;
        continue;
      }
      EXPECT_TRUE(Validate(problem, answer.best->tree).empty());
      const int64_t words = answer.best->cost.offchip_words;
      EXPECT_GE(static_cast<double>(words), answer.certificate.lower_bound);
      EXPECT_LE(words, before.value_or(words)) << "seed " << seed;
      before = words;
    }
  }
}

}  // namespace
}  // namespace inlay
