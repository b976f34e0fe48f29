#include "inlay/scratchpad/place_with_evictions.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "inlay/scratchpad/validator.h"

namespace inlay {
namespace {

// A tensor in steps from … to − 1, written in the first and read in the last.
struct Life {
  int64_t from, to, bytes;
};

PlanProblem LivesInAPad(const std::vector<Life>& lives, int64_t steps, int64_t capacity) {
  PlanProblem problem;
  problem.machine.units.push_back({"unit", 1, {}});
  problem.machine.pads.push_back({"pad", capacity, 1, {}, 0, {UnitId(0)}});
  problem.machine.offchip = {1.0, 1};
  problem.workspace_pad = {PadId(0)};
  for (const Life& life : lives) {
    problem.tensors.push_back({"t" + std::to_string(problem.tensors.size()), life.bytes, true});
  }
  for (int64_t t = 0; t < steps; ++t) {
    PlanNode node;
    node.name = "n" + std::to_string(t);
    node.node = NodeId(static_cast<size_t>(t));
    node.tilings.emplace_back();
    for (const bool written : {false, true}) {
      for (size_t i = 0; i < lives.size(); ++i) {
        if ((written ? lives[i].from : lives[i].to - 1) != t) continue;
        node.operands.push_back({ValueId(i), written});
        node.tilings[0].operands.push_back({lives[i].bytes, 0});
      }
    }
    problem.nodes.push_back(std::move(node));
  }
  return problem;
}

// Everything is kept.
Choices AllKept(const PlanProblem& problem) {
  Choices choices = NothingKept(problem, PlanObjective::kBytes);
  for (const ValueId tensor : Ids(problem.tensors)) {
    TensorChoice& choice = choices.tensors[tensor];
    choice.written_into = PadId(0);
    choice.written_back_at.reset();
    for (ReadChoice& read : choice.reads) read = {ReadChoice::Way::kKept, PadId(0), 0};
  }
  return choices;
}

const std::vector<Life> kFits = {{0, 2, 3}, {0, 3, 2}, {1, 4, 3}, {2, 5, 3}, {3, 5, 2}};

TEST(Place, GivesAddressesToChoicesThatHaveThem) {
  const PlanProblem problem = LivesInAPad(kFits, 5, 8);
  IncrementalCost costs(problem, PlanObjective::kBytes, AllKept(problem));
  const double cost = costs.Cost();
  const std::optional<PlacedPlan> placed = PlaceWithEvictions({}, &costs);
  ASSERT_TRUE(placed.has_value());
  EXPECT_EQ(costs.Cost(), cost);
  EXPECT_TRUE(Replay(problem, placed->plan).has_value());
}

TEST(Place, KeepsTheAddressesOfAPlanThatIsLikeIt) {
  std::vector<Life> lives;
  for (int64_t i = 0; i < 20; ++i) {
    for (const Life& life : kFits)
      lives.push_back({life.from + 5 * i, life.to + 5 * i, life.bytes});
  }
  const PlanProblem problem = LivesInAPad(lives, 100, 8);
  const Choices choices = AllKept(problem);
  const auto plan = PlanFrom(problem, choices);
  ASSERT_TRUE(plan.has_value());
  Choices changed = choices;
  changed.tensors[ValueId(50)].written_into.reset();
  changed.tensors[ValueId(50)].written_back_at = 50;
  changed.tensors[ValueId(50)].reads[0] = {};
  const auto patched = PlanFrom(problem, changed, kAddressNodes, nullptr, {&*plan});
  ASSERT_TRUE(patched.has_value());
  EXPECT_TRUE(Replay(problem, *patched).has_value());
  for (const Residency& residency : patched->residencies) {
    EXPECT_EQ(std::count(plan->residencies.begin(), plan->residencies.end(), residency), 1);
  }
}

TEST(Place, LetsATensorGiveWayWhereThereAreNoAddresses) {
  // Never more than 5 bytes at a time, but they do not fit into 5.
  const PlanProblem problem = LivesInAPad(
      {{0, 2, 2}, {1, 3, 3}, {3, 5, 1}, {6, 8, 2}, {4, 7, 3}, {2, 5, 1}, {2, 4, 1}}, 8, 5);
  const Choices choices = AllKept(problem);
  EXPECT_TRUE(Fits(problem, choices));
  const auto plan = PlanFrom(problem, choices);
  ASSERT_FALSE(plan.has_value());
  EXPECT_TRUE(plan.error().proven);
  EXPECT_FALSE(plan.error().tensors.empty());

  IncrementalCost costs(problem, PlanObjective::kBytes, choices);
  const double cost = costs.Cost();
  const std::optional<PlacedPlan> placed = PlaceWithEvictions({}, &costs);
  ASSERT_TRUE(placed.has_value());
  EXPECT_GT(costs.Cost(), cost);
  EXPECT_GE(placed->plan.residencies.size(), problem.tensors.size() - 2);
  EXPECT_TRUE(Replay(problem, placed->plan).has_value());

  IncrementalCost limited(problem, PlanObjective::kBytes, choices);
  EXPECT_FALSE(PlaceWithEvictions({.changes = 0}, &limited).has_value());
}

}  // namespace
}  // namespace inlay
