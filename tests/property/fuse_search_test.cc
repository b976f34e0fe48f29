// The search for fused mappings against the listing of all of them: what it proves is true, its
// bounds are bounds, its trees are legal and cost what it says.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "inlay/core/fused_outline.h"
#include "inlay/cost/fused/count.h"
#include "inlay/cost/fused/finish.h"
#include "inlay/cost/fused/room.h"
#include "inlay/cost/fused_walker.h"
#include "inlay/fuse/fuse.h"
#include "inlay/io/native/native.h"
#include "tests/support/fused_case.h"
#include "tests/support/fused_listing.h"
#include "tests/support/random_fused.h"
#include "tests/support/tiny_fused.h"

namespace inlay {
namespace {

using testing::CaseCount;
using testing::Chance;
using testing::FusedListingOptions;
using testing::FusedListingStep;
using testing::ListFused;
using testing::Pick;
using testing::Random;

struct FuseCase {
  FusedProblem problem;
  Architecture machine;
  FuseOptions options;
  int64_t pad_words = 0;  // that a tree may take, before buffering
};

FuseCase RandomCase(uint64_t seed) {
  Random random(seed);
  FuseCase c;
  c.problem = testing::TinyFusedProblem(random);
  c.options.shared_loops = Chance(random, 0.6) ? 4 : static_cast<int>(Pick(random, 0, 3));
  c.options.tiles = Chance(random, 0.7) ? FusedTiles::kAny : FusedTiles::kPerfect;
  c.options.softmax = Chance(random, 0.7) ? SoftmaxForm::kOnline : SoftmaxForm::kRow;
  c.options.share_kernel_loops = Chance(random, 0.2);
  c.pad_words = Pick(random, 2, Chance(random, 0.5) ? 12 : 40);
  c.machine = testing::PadMachine();
  Level& pad = c.machine.levels[LevelId(1)];
  const bool twice = Chance(random, 0.2);
  pad.buffering = twice ? 2 : 1;
  pad.capacity_words = c.pad_words * (twice ? 2 : 1);
  if (Chance(random, 0.5)) c.options.front = PadRange{1, c.pad_words};
  return c;
}

std::string Describe(const FuseCase& c, uint64_t seed) {
  return fmt::format(
      "seed {}: pad {} words, {} shared loops, tiles {}, softmax {}{}\n{}", seed, c.pad_words,
      c.options.shared_loops, Name(c.options.tiles), Name(c.options.softmax),
      c.options.share_kernel_loops ? ", kernel loops shared" : "", testing::Describe(c.problem));
}

FusedListingOptions ListingOptions(const FuseCase& c, bool unfused) {
  FusedListingOptions options;
  options.tiles = c.options.tiles;
  options.shared_loops = c.options.shared_loops;
  options.softmax = c.options.softmax;
  options.share_kernel_loops = c.options.share_kernel_loops;
  options.unfused = unfused;
  return options;
}

// The fewest words in so much room.
std::optional<int64_t> Fewest(const std::vector<FusedListingStep>& front, int64_t room) {
  std::optional<int64_t> words;
  for (const FusedListingStep& step : front) {
    if (step.room_words <= room) words = step.offchip_words;
  }
  return words;
}

struct Seen {
  int64_t cases = 0, optimal = 0, unfused_optimal = 0, steps = 0, proven_steps = 0,
          listed_steps = 0, found_steps = 0, infeasible = 0, bounded = 0, unable = 0, runs = 0,
          optimal_runs = 0, fused_better = 0;
};

class FuseChecker {
 public:
  FuseChecker(const FuseCase& c, Seen* seen) : c_(c), seen_(*seen) {}

  void Check() {
    const auto listing = ListFused(c_.problem, ListingOptions(c_, false));
    const auto unfused = ListFused(c_.problem, ListingOptions(c_, true));
    const FuseAnswer answer = Fuse(c_.problem, c_.machine, c_.options, StopFlag());
    const auto least = Fewest(listing, c_.pad_words);
    const auto least_unfused = Fewest(unfused, c_.pad_words);
    ++seen_.cases;
    EXPECT_FALSE(answer.interrupted);
    seen_.unable += answer.unsupported.empty() ? 0 : 1;
    if (least && (!least_unfused || *least < *least_unfused)) ++seen_.fused_better;
    if (!answer.infeasible.empty()) {
      ++seen_.infeasible;
      EXPECT_FALSE(least) << "infeasible, it says, but the listing has a tree";
    }
    EXPECT_TRUE(!answer.best || answer.infeasible.empty());
    if (answer.best) CheckSolution(*answer.best, c_.pad_words, false);
    seen_.optimal += CheckCertificate(answer.certificate, answer.best, least);
    if (answer.any_fusion && least) {
      EXPECT_LE(*answer.any_fusion, static_cast<double>(*least));
    }
    if (answer.unfused) CheckSolution(*answer.unfused, c_.pad_words, true);
    seen_.unfused_optimal +=
        CheckCertificate(answer.unfused_certificate, answer.unfused, least_unfused);
    if (answer.best && answer.unfused) {
      EXPECT_LE(answer.best->cost.offchip_words, answer.unfused->cost.offchip_words);
    }
    CheckFront(answer.front, listing, false);
    CheckFront(answer.unfused_front, unfused, true);
    CheckRuns(answer);
  }

 private:
  static double Words(int64_t words) { return static_cast<double>(words); }

  int64_t CheckCertificate(const Certificate& certificate,
                           const std::optional<FusedSolution>& solution,
                           const std::optional<int64_t>& least) {
    if (solution) {
      EXPECT_EQ(certificate.objective, Words(solution->cost.offchip_words));
    }
    if (certificate.status == CertificateStatus::kHeuristic) return 0;
    ++seen_.bounded;
    if (least) {
      EXPECT_LE(certificate.lower_bound, Words(*least)) << "no bound";
    }
    if (certificate.status != CertificateStatus::kOptimal) return 0;
    EXPECT_TRUE(solution && least);
    if (!solution || !least) return 0;
    EXPECT_EQ(solution->cost.offchip_words, *least) << "not the optimum";
    EXPECT_EQ(certificate.lower_bound, certificate.objective);
    return 1;
  }

  void CheckSolution(const FusedSolution& solution, int64_t room, bool unfused) {
    CheckTree(solution.tree, solution.cost.counts.room_words, solution.cost.offchip_words, unfused);
    EXPECT_LE(solution.cost.counts.room_words, room);
    const auto walk = WalkFused(c_.problem, c_.machine, solution.tree);
    if (walk) {
      EXPECT_EQ(walk->counts, solution.cost.counts);
    }
  }

  // Legal, in F(k), and walker and closed form count what is said.
  void CheckTree(const FusedTree& tree, int64_t room, int64_t words, bool unfused) {
    const Faults faults = Validate(c_.problem, tree);
    ASSERT_TRUE(faults.empty()) << faults.front().message;
    SCOPED_TRACE("the tree\n" + io::WriteNative(c_.problem, c_.machine, tree));
    EXPECT_TRUE(testing::IsInFusedSpace(c_.problem, ListingOptions(c_, unfused), tree));
    const auto walk = WalkFused(c_.problem, c_.machine, tree);
    ASSERT_TRUE(walk) << walk.error().message;
    EXPECT_TRUE(walk->numeric_check);
    const auto counts = CountFused(c_.problem, c_.machine, tree);
    ASSERT_TRUE(counts);
    EXPECT_EQ(*counts, walk->counts);
    const auto cost = FinishFused(c_.problem, c_.machine, walk->counts);
    ASSERT_TRUE(cost);
    EXPECT_EQ(cost->offchip_words, words);
    EXPECT_EQ(cost->counts.room_words, room);
  }

  void CheckFront(const std::vector<FusedFrontPoint>& front,
                  const std::vector<FusedListingStep>& listing, bool unfused) {
    for (size_t i = 0; i < front.size(); ++i) {
      const FusedFrontPoint& point = front[i];
      ++seen_.steps;
      CheckTree(point.tree, point.room_words, point.offchip_words, unfused);
      EXPECT_LE(point.room_words, c_.options.front->most_words);
      if (i > 0) {
        EXPECT_GT(point.room_words, front[i - 1].room_words);
        EXPECT_LT(point.offchip_words, front[i - 1].offchip_words);
      }
      if (!point.proven) continue;
      ++seen_.proven_steps;
      EXPECT_EQ(Fewest(listing, point.room_words), point.offchip_words) << "a step that is none";
      const auto smaller = Fewest(listing, point.room_words - 1);
      if (smaller) {
        EXPECT_GT(*smaller, point.offchip_words) << "the step is in a smaller pad";
      }
    }
    // A step is missing where its pad is not settled.
    if (front.empty() || c_.options.front->least_words > 1) return;
    for (const FusedListingStep& step : listing) {
      if (step.room_words > front.back().room_words) break;
      ++seen_.listed_steps;
      if (std::any_of(front.begin(), front.end(), [&step](const FusedFrontPoint& point) {
            return point.room_words == step.room_words && point.offchip_words == step.offchip_words;
          })) {
        ++seen_.found_steps;
      }
    }
  }

  void CheckRuns(const FuseAnswer& answer) {
    if (!answer.best) return;
    NodeId next(0);
    int64_t words = 0;
    for (const FusedRun& run : answer.runs) {
      EXPECT_EQ(run.first, next);
      next = run.end;
      words += run.cost.offchip_words;
      ++seen_.runs;
      seen_.optimal_runs += run.certificate.status == CertificateStatus::kOptimal ? 1 : 0;
      EXPECT_LE(run.certificate.lower_bound, Words(run.cost.offchip_words));
    }
    EXPECT_EQ(next.value(), c_.problem.nodes.size());
    EXPECT_EQ(words, answer.best->cost.offchip_words);
  }

  const FuseCase& c_;
  Seen& seen_;
};

TEST(FuseSearchTest, SaysWhatTheListingOfAllTreesSays) {
  Seen seen;
  const int64_t cases = CaseCount(400, 3000);
  for (int64_t i = 0; i < cases; ++i) {
    const auto seed = static_cast<uint64_t>(i);
    const FuseCase c = RandomCase(seed);
    FuseChecker(c, &seen).Check();
    if (HasFailure()) FAIL() << Describe(c, seed);
  }
  fmt::print("{} cases, {} of which fusing helps: {} proven, {} unfused ones, {} of {} runs\n",
             seen.cases, seen.fused_better, seen.optimal, seen.unfused_optimal, seen.optimal_runs,
             seen.runs);
  fmt::print(
      "{} of {} steps proven, {} of {} listed ones found, {} bounds, {} infeasible, {} unable\n",
      seen.proven_steps, seen.steps, seen.found_steps, seen.listed_steps, seen.bounded,
      seen.infeasible, seen.unable);
  // The cases are what they are meant to be, and so little is left open that a search that proves
  // less is seen.
  EXPECT_GT(seen.fused_better, cases / 4);
  EXPECT_GT(seen.optimal, cases * 3 / 4);
  EXPECT_GT(seen.unfused_optimal, cases * 3 / 4);
  EXPECT_GT(seen.infeasible, 0);
  EXPECT_LT(seen.unable, cases / 20);
  EXPECT_GT(seen.proven_steps, seen.steps / 2);
  EXPECT_GT(seen.found_steps, seen.listed_steps / 2);
}

double ValueOf(const FusedCost& cost, Metric metric) {
  switch (metric) {
    case Metric::kEnergy:
      return cost.energy_pj;
    case Metric::kDelay:
      return static_cast<double>(cost.cycles);
    case Metric::kEdp:
      return cost.energy_pj * static_cast<double>(cost.cycles);
    case Metric::kOffchip:
      return static_cast<double>(cost.offchip_words);
  }
  return 0;
}

// No tree that fits is better than what is said to be a bound, on any machine and for any
// objective; `known` trees are tried beside random ones.
void CheckBounds(const FusedProblem& problem, const Architecture& machine,
                 const FuseOptions& options, std::vector<FusedTree> known, Random& random,
                 Seen* seen) {
  const Metric metric = options.objective.front();
  const FuseAnswer answer = Fuse(problem, machine, options, StopFlag());
  ++seen->cases;
  const bool bounded = answer.certificate.status != CertificateStatus::kHeuristic;
  seen->bounded += bounded || answer.any_fusion ? 1 : 0;
  seen->optimal += answer.certificate.status == CertificateStatus::kOptimal ? 1 : 0;
  if (answer.best) known.push_back(answer.best->tree);
  for (int i = 0; i < 12; ++i) {
    if (auto tree = testing::RandomFusedTree(random, problem)) known.push_back(*std::move(tree));
  }
  FusedListingOptions space;
  space.tiles = options.tiles;
  space.shared_loops = options.shared_loops;
  space.softmax = options.softmax;
  space.share_kernel_loops = options.share_kernel_loops;
  for (const FusedTree& tree : known) {
    if (!CheckFusedCapacity(problem, machine, FusedOutline(problem, tree)).empty()) continue;
    const auto counts = CountFused(problem, machine, tree);
    ASSERT_TRUE(counts);
    const auto cost = FinishFused(problem, machine, *counts);
    ASSERT_TRUE(cost);
    const double value = ValueOf(*cost, metric) * (1 + 1e-9);
    SCOPED_TRACE(fmt::format("objective {}\n", Name(metric)) +
                 io::WriteNative(problem, machine, tree));
    EXPECT_TRUE(answer.infeasible.empty()) << "this tree fits";
    if (answer.any_fusion) {
      EXPECT_LE(*answer.any_fusion, value);
    }
    if (bounded && testing::IsInFusedSpace(problem, space, tree)) {
      EXPECT_LE(answer.certificate.lower_bound, value);
    }
  }
}

constexpr Metric kMetrics[] = {Metric::kEnergy, Metric::kDelay, Metric::kEdp, Metric::kOffchip};

TEST(FuseSearchTest, BoundsAreBelowEveryTree) {
  Seen tiny, other;
  const int64_t cases = CaseCount(80, 1000);
  for (int64_t i = 0; i < cases && !HasFailure(); ++i) {
    const auto seed = static_cast<uint64_t>(i) + 500'000;
    FuseCase c = RandomCase(seed);
    Random random(seed);
    c.options.objective = {kMetrics[Pick(random, 0, 3)]};
    c.options.front.reset();
    c.options.time_limit_seconds = 2;
    std::vector<FusedTree> trees;
    for (const auto& step : ListFused(c.problem, ListingOptions(c, false))) {
      trees.push_back(step.tree);
    }
    CheckBounds(c.problem, c.machine, c.options, std::move(trees), random, &tiny);

    const testing::FusedTestCase larger = testing::RandomFusedCase(random);
    Architecture machine = larger.architecture;
    machine.levels[LevelId(1)].capacity_words = Pick(random, 3, 60);
    CheckBounds(larger.problem, machine, c.options, {larger.tree}, random, &other);
    if (HasFailure()) FAIL() << "seed " << seed;
  }
  fmt::print("{} tiny cases: {} with bounds, {} proven; {} others: {} with bounds, {} proven\n",
             tiny.cases, tiny.bounded, tiny.optimal, other.cases, other.bounded, other.optimal);
  EXPECT_GT(tiny.bounded, cases / 8);
  EXPECT_GT(other.bounded, cases / 8);
}

}  // namespace
}  // namespace inlay
