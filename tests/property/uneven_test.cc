// Uneven mappings: what they cost is what the walk counts, and the best of them is the best of a
// listing that knows nothing of how they are searched.
#include "inlay/mapper/uneven.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "inlay/core/shapes.h"
#include "inlay/cost/evaluate.h"
#include "inlay/cost/exact.h"
#include "inlay/cost/walker.h"
#include "inlay/mapper/exact.h"
#include "inlay/mapper/exact/keep_case.h"
#include "inlay/mapper/exact/level_bounds.h"
#include "inlay/mapspace/enumerate.h"
#include "inlay/mapspace/sample.h"
#include "inlay/mapspace/uneven_space.h"
#include "tests/support/random_space.h"
#include "tests/support/same_cost.h"
#include "tests/support/small_machine.h"
#include "tests/support/uneven_listing.h"

namespace inlay {
namespace {

using testing::Case;
using testing::CaseCount;
using testing::Chance;
using testing::Describe;
using testing::ExpectSameCost;
using testing::ForEachUnevenMapping;
using testing::Pick;
using testing::Random;
using testing::RandomCase;
using testing::RandomSpace;
using testing::Steps;

const std::vector<Objective> kObjectives = {{Metric::kEnergy},
                                            {Metric::kDelay},
                                            {Metric::kEdp},
                                            {Metric::kOffchip},
                                            {Metric::kOffchip, Metric::kEdp}};

TEST(UnevenTest, ClosedFormEqualsWalker) {
  const int64_t cases = CaseCount(1000, 20000);
  int64_t uneven = 0;
  Cost cost;
  for (int64_t seed = 0; seed < cases; ++seed) {
    Random random(static_cast<uint64_t>(seed) + 4242);
    Case c = RandomCase(random, seed % 3 == 0 ? Steps::kPerfect : Steps::kAny);
    testing::MakeUneven(random, &c.mapping);
    ASSERT_TRUE(Validate(c.problem, c.architecture, c.mapping).empty());
    WalkOptions options;
    options.fill_and_drain = seed % 4 == 0;
    const auto walked = Walk(c.problem, c.architecture, c.mapping, options);
    ASSERT_TRUE(walked.has_value());
    EXPECT_TRUE(walked->numeric_check);
    ExactModel model(c.problem, c.architecture);
    ASSERT_TRUE(model.Evaluate(c.mapping, &cost, options.fill_and_drain));
    ExpectSameCost(cost, walked->cost);
    uneven += Classify(c.problem, c.mapping) == Mapspace::kUneven ? 1 : 0;
    // The same model counts even mappings as before.
    Mapping even = c.mapping;
    for (LevelMapping& level : even.levels) level.late.clear();
    const auto walked_even = Walk(c.problem, c.architecture, even, options);
    ASSERT_TRUE(walked_even.has_value());
    ASSERT_TRUE(model.Evaluate(even, &cost, options.fill_and_drain));
    ExpectSameCost(cost, walked_even->cost);
    if (HasFailure()) FAIL() << "seed " << seed << "\n" << Describe(c);
  }
  EXPECT_GT(uneven, cases / 3);
}

TEST(UnevenTest, TheEvenFormIsTheSameMapping) {
  Random random(7);
  for (int64_t i = 0; i < 500; ++i) {
    Case c = RandomCase(random, Steps::kAny);
    testing::MakeUneven(random, &c.mapping);
    const EvenForm form = EvenFormOf(c.mapping);
    EXPECT_FALSE(IsUneven(form.mapping));
    EXPECT_EQ(FromEvenForm(form.mapping, form.origin, c.mapping.levels.size()), c.mapping);
  }
}

testing::SpaceLimits SmallLimits(Random& random) {
  testing::SpaceLimits limits;
  limits.most_operations = Pick(random, 2, 16);
  limits.most_levels = static_cast<size_t>(Pick(random, 1, 3));
  limits.bounded = Chance(random, 0.3) ? 0.3 : 0.9;
  limits.constrained = Chance(random, 0.7) ? 0.0 : 0.6;
  return limits;
}

// The best values of every objective; nullopt if there are too many mappings.
struct Optima {
  std::vector<std::optional<std::vector<double>>> best;       // by objective; none: infeasible
  std::vector<std::optional<std::vector<double>>> even_best;  // of even mappings
  int64_t uneven = 0;
};
void Improve(const std::vector<double>& values, std::optional<std::vector<double>>* best) {
  if (!*best || values < **best) *best = values;
}
std::optional<Optima> List(const Space& space) {
  constexpr int64_t kMostSteps = 300'000;
  Optima optima;
  optima.best.resize(kObjectives.size());
  optima.even_best.resize(kObjectives.size());
  const bool complete = ForEachUnevenMapping(space, kMostSteps, [&](const Mapping& mapping) {
    const bool uneven = IsUneven(mapping);
    optima.uneven += uneven ? 1 : 0;
    if (!Fits(space, space.problem, mapping)) return true;
    const auto cost = Evaluate(space.problem, space.architecture, mapping);
    EXPECT_TRUE(cost.has_value());
    for (size_t i = 0; i < kObjectives.size(); ++i) {
      const std::vector<double> values = ValuesOf(*cost, kObjectives[i]);
      Improve(values, &optima.best[i]);
      if (!uneven) Improve(values, &optima.even_best[i]);
    }
    return true;
  });
  if (!complete) return std::nullopt;
  return optima;
}

void ExpectClose(double found, double expected, const std::string& what) {
  EXPECT_NEAR(found, expected, 1e-12 * std::abs(expected)) << what;
}

// A product in a memory too small for it.
Space SmallProduct(Random& random) {
  Architecture architecture = testing::SmallMachine(1);
  Level& buffer = architecture.levels[LevelId(1)];
  buffer.capacity_words = Pick(random, 3, 7);
  if (Chance(random, 0.5)) buffer.shared_bandwidth = 2.5;
  const Problem problem =
      MakeGemm("gemm", {.p = Pick(random, 2, 3), .k = Pick(random, 2, 3), .c = 2});
  return MakeSpace(problem, architecture, Mapspace::kUneven).value();
}

TEST(UnevenTest, OptimumIsThatOfTheListing) {
  const int64_t cases = CaseCount(40, 1000);
  Random random(99);
  StopFlag stop;
  int64_t compared = 0, feasible = 0, gained = 0, with_uneven = 0;
  for (int64_t i = 0; compared < cases; ++i) {
    const Space space = i % 2 == 0 ? SmallProduct(random)
                                   : RandomSpace(random, Mapspace::kUneven, SmallLimits(random));
    const auto optima = List(space);
    if (!optima) continue;
    if (optima->uneven == 0 && Chance(random, 0.8)) continue;
    ++compared;
    with_uneven += optima->uneven > 0 ? 1 : 0;
    const size_t o = static_cast<size_t>(i) % kObjectives.size();
    MapOptions options;
    options.objective = kObjectives[o];
    const LayerAnswer answer = SearchExact(space, options, Deadline(stop));
    const std::string what =
        "case " + std::to_string(i) + " " + ToString(kObjectives[o]) + "\n" + Describe(space);
    ASSERT_EQ(answer.best.has_value(), optima->best[o].has_value()) << what;
    EXPECT_EQ(answer.certificate.status, CertificateStatus::kOptimal) << what;
    if (!answer.best) continue;
    ++feasible;
    const std::vector<double> found = ValuesOf(answer.best->cost, kObjectives[o]);
    for (size_t m = 0; m < found.size(); ++m) ExpectClose(found[m], (*optima->best[o])[m], what);
    EXPECT_LE(answer.certificate.lower_bound, found[0]) << what;
    if (!optima->even_best[o] || found[0] < (*optima->even_best[o])[0] * (1 - 1e-9)) ++gained;
    EXPECT_TRUE(CheckMembership(space, answer.best->mapping).empty()) << what;
    EXPECT_TRUE(Fits(space, space.problem, answer.best->mapping)) << what;
    const auto walked = Walk(space.problem, space.architecture, answer.best->mapping);
    ASSERT_TRUE(walked.has_value()) << what;
    SCOPED_TRACE(what);
    ExpectSameCost(answer.best->cost, walked->cost);
    // Stopped early, the bound is still one.
    for (const int64_t looks : {1, 3, 10, 40}) {
      const Deadline soon(stop, Deadline::Looks{looks});
      const LayerAnswer early = SearchExact(space, options, soon);
      EXPECT_LE(early.certificate.lower_bound, (*optima->best[o])[0] * (1 + 1e-12)) << what;
      if (!early.best) continue;
      EXPECT_GE(ValueOf(early.best->cost, kObjectives[o][0]), (*optima->best[o])[0] * (1 - 1e-12))
          << what;
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(feasible, cases / 3);
  EXPECT_GT(with_uneven, cases / 2);
  // Rare: the first ten cases, which sanitizers try, have none.
  if (cases >= 40) {
    EXPECT_GT(gained, 0);
  }
}

// Of the even forms of one choice of tensors and orders: bounds and rooms of the case hold for
// every mapping, and bounds from families come to the same answer.
TEST(UnevenTest, BoundsHoldForEveryEvenForm) {
  const int64_t cases = CaseCount(60, 1000);
  Random random(31);
  StopFlag stop;
  int64_t checked = 0, fitting = 0;
  while (checked < cases) {
    const Space space = RandomSpace(random, Mapspace::kUneven, SmallLimits(random));
    ForEachEntryOrder(space, [&](const auto& keeps, const EntryOrders& orders) {
      const bool late = std::any_of(orders.begin(), orders.end(),
                                    [](const auto& order) { return !order.empty(); });
      if (!late || Chance(random, 0.7)) return true;
      const EvenSpace even = MakeEvenSpace(space, keeps, orders);
      const std::string what = Describe(even.space);
      IndexedVector<LevelId, TensorSet> kept;
      for (const auto& choices : even.space.keeps) kept.push_back(choices.front());
      const exact_search::KeepCase keep_case(even.space, kept);
      const exact_search::KeepCase real(space, keeps);
      const std::vector<exact_search::LowerBound> bounds = {
          exact_search::BoundOfAll(even.space, keep_case), exact_search::BoundOfHeld(space, real)};
      std::optional<double> best;
      int64_t mappings = 0;
      const bool complete = ForEachMapping(even.space, [&](const Problem&, const Mapping& form) {
        if (++mappings > 4000) return false;
        const Mapping mapping = FromEvenForm(form, even.origin, space.keeps.size());
        EXPECT_TRUE(Validate(space.problem, space.architecture, mapping).empty()) << what;
        EXPECT_TRUE(CheckMembership(space, mapping).empty()) << what;
        const bool fits = Fits(space, space.problem, mapping);
        EXPECT_EQ(Fits(even.space, space.problem, form), fits) << what;
        if (!fits) return true;
        ++fitting;
        const auto cost = Evaluate(space.problem, space.architecture, mapping);
        const auto in_form = Evaluate(space.problem, even.space.architecture, form);
        EXPECT_TRUE(cost && in_form) << what;
        ExpectClose(in_form->energy_pj, cost->energy_pj, what);
        EXPECT_EQ(in_form->cycles, cost->cycles) << what;
        EXPECT_EQ(in_form->offchip_words, cost->offchip_words) << what;
        for (const auto& least : bounds) {
          EXPECT_LE(least.energy_pj, cost->energy_pj * (1 + 1e-12)) << what;
          EXPECT_LE(least.cycles, static_cast<double>(cost->cycles)) << what;
          EXPECT_LE(least.offchip_words, static_cast<double>(cost->offchip_words)) << what;
        }
        for (LevelId l : Ids(form.levels)) {
          std::vector<double> tile;
          for (const int64_t size : TileSizes(space.problem, form, l)) {
            tile.push_back(static_cast<double>(size));
          }
          EXPECT_TRUE(keep_case.Fits(l.value(), tile.data())) << what;
        }
        const double edp = ValueOf(*cost, Metric::kEdp);
        best = std::min(best.value_or(edp), edp);
        return !HasFailure();
      });
      if (HasFailure()) return false;
      if (!complete) return true;
      ++checked;
      MapOptions options;
      ExactSwitches switches;
      switches.families = Chance(random, 0.7);
      switches.split_inner = Chance(random, 0.5);
      const LayerAnswer answer = SearchExact(even.space, options, Deadline(stop), {}, switches);
      EXPECT_EQ(answer.best.has_value(), best.has_value()) << what;
      EXPECT_EQ(answer.certificate.status, CertificateStatus::kOptimal) << what;
      if (answer.best && best) ExpectClose(ValueOf(answer.best->cost, Metric::kEdp), *best, what);
      return checked < cases && !HasFailure();
    });
    if (HasFailure()) return;
  }
  EXPECT_GT(fitting, cases);
}

// What is held together: products in memories that are too small for them, some with lanes.
TEST(UnevenTest, WhatIsHeldTogetherBoundsEveryMapping) {
  const int64_t cases = CaseCount(20, 400);
  Random random(5);
  Rng rng(5);
  int64_t raised = 0, fitting = 0;
  double nearest =
      2;  // the least off-chip words over their bound, where it is more than compulsory
  for (int64_t i = 0; i < cases; ++i) {
    const int64_t lanes = i % 3 == 0 ? Pick(random, 2, 3) : 1;
    const Problem problem = MakeGemm(
        "gemm", {.p = Pick(random, 2, 4), .k = Pick(random, 2, 4), .c = Pick(random, 2, 4)});
    Architecture architecture = testing::SmallMachine(lanes);
    for (LevelId l : Ids(architecture.levels)) {
      Level& level = architecture.levels[l];
      if (l.value() > 0) level.capacity_words = Pick(random, 3, 12);
      level.fanout.multicast = Chance(random, 0.7) ? Multicast::kTile : Multicast::kNone;
      level.fanout.reduce = Chance(random, 0.7);
      if (Chance(random, 0.5)) level.shared_bandwidth = 0.5;
    }
    const Space space = MakeSpace(problem, architecture, Mapspace::kUneven).value();
    const exact_search::KeepCase keep_case(space, testing::KeepAll(space));
    const auto held = exact_search::BoundOfHeld(space, keep_case);
    const bool more =
        held.offchip_words > exact_search::BoundOfAll(space, keep_case).offchip_words * (1 + 1e-9);
    raised += more ? 1 : 0;
    const std::string what = "case " + std::to_string(i) + "\n" + Describe(space);
    ForEachEntryOrder(space, [&](const auto& keeps, const EntryOrders& orders) {
      if (lanes > 1 && Chance(random, 0.8)) return true;
      const EvenSpace even = MakeEvenSpace(space, keeps, orders);
      const auto sampler = SpaceSampler::Make(even.space);
      EXPECT_TRUE(sampler.has_value());
      for (int s = 0; sampler && s < 1000; ++s) {
        const auto form = Sample(*sampler, rng);
        const Mapping mapping = FromEvenForm(*form, even.origin, space.keeps.size());
        if (!Fits(space, problem, mapping)) continue;
        ++fitting;
        const auto cost = Evaluate(problem, architecture, mapping);
        EXPECT_LE(held.energy_pj, cost->energy_pj * (1 + 1e-12)) << what;
        EXPECT_LE(held.cycles, static_cast<double>(cost->cycles)) << what;
        EXPECT_LE(held.offchip_words, static_cast<double>(cost->offchip_words)) << what;
        if (more) {
          const auto words = static_cast<double>(cost->offchip_words);
          nearest = std::min(nearest, words / held.offchip_words);
        }
      }
      return !HasFailure();
    });
    if (HasFailure()) return;
  }
  EXPECT_GT(raised, cases / 4);
  EXPECT_GT(fitting, cases);
  EXPECT_LT(nearest, 1.1);
}

// Products, and layers with windows and strides, on a few lanes that need not be all at work.
Space SmallLayer(Random& random) {
  const Problem problem =
      Chance(random, 0.5)
          ? MakeGemm("gemm",
                     {.p = Pick(random, 1, 5), .k = Pick(random, 1, 5), .c = Pick(random, 1, 4)})
          : MakeConv("conv", {.k = Pick(random, 1, 3),
                              .c = Pick(random, 1, 2),
                              .p = Pick(random, 1, 4),
                              .r = Pick(random, 1, 3),
                              .stride_h = Pick(random, 1, 3),
                              .dilation_h = Pick(random, 1, 2)});
  Architecture architecture = testing::SmallMachine(Chance(random, 0.7) ? Pick(random, 2, 3) : 1);
  for (LevelId l : Ids(architecture.levels)) {
    Level& level = architecture.levels[l];
    level.energy = AccessEnergy{static_cast<double>(Pick(random, 1, 9)),
                                static_cast<double>(Pick(random, 1, 9)),
                                static_cast<double>(Pick(random, 1, 9))};
    if (l.value() > 0) level.capacity_words = Pick(random, 3, 14);
    level.fanout.multicast = Chance(random, 0.8) ? Multicast::kTile : Multicast::kNone;
    level.fanout.reduce = Chance(random, 0.8);
    if (Chance(random, 0.3)) level.shared_bandwidth = 0.5;
  }
  return MakeSpace(problem, architecture, Mapspace::kUneven).value();
}

// The same of all mappings of small spaces, listed loop by loop, whatever slides and however short
// the last lanes are.
TEST(UnevenTest, WhatIsHeldTogetherBoundsEveryListedMapping) {
  const int64_t cases = CaseCount(150, 3000);
  Random random(17);
  int64_t raised = 0, looked_at = 0;
  for (int64_t done = 0; done < cases;) {
    const Space space = Chance(random, 0.3)
                            ? RandomSpace(random, Mapspace::kUneven, SmallLimits(random))
                            : SmallLayer(random);
    const std::string what = Describe(space);
    std::vector<exact_search::KeepCase> keep_cases;
    std::vector<exact_search::LowerBound> bounds;
    for (const auto& keeps : exact_search::KeepChoices(space)) {
      keep_cases.emplace_back(space, keeps);
      bounds.push_back(exact_search::BoundOfHeld(space, keep_cases.back()));
      const auto all = exact_search::BoundOfAll(space, keep_cases.back());
      if (bounds.back().energy_pj > all.energy_pj * (1 + 1e-9)) ++raised;
    }
    int64_t listed = 0;
    ForEachUnevenMapping(space, 30'000, [&](const Mapping& mapping) {
      ++listed;
      if (!Fits(space, space.problem, mapping)) return true;
      IndexedVector<LevelId, TensorSet> keeps;
      for (const LevelMapping& level : mapping.levels) keeps.push_back(level.keep);
      const auto cost = Evaluate(space.problem, space.architecture, mapping);
      for (size_t f = 0; f < keep_cases.size(); ++f) {
        if (keep_cases[f].keeps != keeps) continue;
        ++looked_at;
        EXPECT_LE(bounds[f].energy_pj, cost->energy_pj * (1 + 1e-12));
        EXPECT_LE(bounds[f].cycles, static_cast<double>(cost->cycles));
        EXPECT_LE(bounds[f].offchip_words, static_cast<double>(cost->offchip_words));
      }
      if (HasFailure()) {
        ADD_FAILURE() << "case " << done << "\n"
                      << Describe({space.problem, space.architecture, mapping}) << what;
      }
      return !HasFailure();
    });
    if (HasFailure()) return;
    if (listed > 0) ++done;
  }
  EXPECT_GT(raised, cases / 4);
  EXPECT_GT(looked_at, 10 * cases);
}

// A product of 4 × 4 × 4 with every word moved off chip once: room for 11 words is enough where
// tensors enter at different loops; where they do not, it takes 14.
TEST(UnevenTest, AProductNeedsLessRoom) {
  Architecture architecture = testing::SmallMachine(1);
  const Problem problem = MakeGemm("gemm", {.p = 4, .k = 4, .c = 4});
  MapOptions options;
  options.objective = {Metric::kOffchip};
  StopFlag stop;
  const auto words = [&](Mapspace mapspace, int64_t room) {
    architecture.levels[LevelId(1)].capacity_words = room;
    const Space space = MakeSpace(problem, architecture, mapspace).value();
    const LayerAnswer answer = SearchExact(space, options, Deadline(stop));
    EXPECT_EQ(answer.certificate.status, CertificateStatus::kOptimal);
    return answer.best->cost.offchip_words;
  };
  const int64_t at_14 = words(Mapspace::kAny, 14);
  EXPECT_GT(words(Mapspace::kAny, 13), at_14);
  EXPECT_EQ(words(Mapspace::kUneven, 11), at_14);
  EXPECT_GT(words(Mapspace::kUneven, 10), at_14);
}

}  // namespace
}  // namespace inlay
