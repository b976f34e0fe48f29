// The validator refuses what the contract of plans does not allow (docs/reference/scratchpad.md): a
// random plan that is allowed, broken in one way that one clause forbids.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "inlay/scratchpad/validator.h"
#include "tests/property/plan_breaches.h"
#include "tests/support/contract_plans.h"
#include "tests/support/plan_text.h"
#include "tests/support/tiny_plan_problem.h"

namespace inlay {
namespace {

using testing::Breach;
using testing::CaseCount;
using testing::ContractPlans;
using testing::Describe;
using testing::PlanCase;
using testing::Random;

TEST(ReplayContract, WhatIsNotAllowedIsRefused) {
  std::vector<Breach> breaches;
  for (const auto& some :
       {testing::BreachesOfCopies(), testing::BreachesOfEnds(), testing::BreachesOfSpace()}) {
    breaches.insert(breaches.end(), some.begin(), some.end());
  }
  std::vector<int64_t> tried(breaches.size(), 0);
  const int64_t cases = CaseCount(400, 4000);
  for (int64_t seed = 1; seed <= cases; ++seed) {
    Random random(static_cast<uint64_t>(seed));
    const PlanProblem problem = testing::TinyPlanProblem(random);
    ContractPlans all(problem, PlanObjective::kBytes);
    for (int draw = 0; draw < 8; ++draw) {
      const ContractPlans::Found found = all.Draw(random);
      if (!found.plan) continue;
      for (size_t i = 0; i < breaches.size(); ++i) {
        PlanCase c{problem, *found.plan};
        if (!breaches[i].make(c, random)) continue;
        ++tried[i];
        EXPECT_FALSE(Replay(c.problem, c.plan)) << fmt::format(
            "seed {} {} {}\n{}{}became\n{}", seed, breaches[i].clause, breaches[i].what,
            Describe(c.problem), Describe(problem, *found.plan), Describe(c.problem, c.plan));
      }
    }
  }
  for (size_t i = 0; i < breaches.size(); ++i) {
    EXPECT_GT(tried[i], 0) << breaches[i].clause << ' ' << breaches[i].what;
  }
}

// Steps 0 to 5. Node 0 writes t, node 4 reads it; the others have tensors of their own, off chip.
PlanCase Chain() {
  PlanCase c;
  Machine& machine = c.problem.machine;
  machine.units.push_back({"u", 1, std::nullopt});
  for (const char* name : {"a", "b", "c"}) {
    machine.pads.push_back({name, 64, 1, std::nullopt, 1, {UnitId(0)}});
  }
  machine.dma.moves = {{PadId(0), PadId(1)}, {PadId(0), PadId(2)}, {PadId(1), PadId(2)}};
  c.problem.workspace_pad.push_back(PadId(0));
  for (size_t s = 0; s < 6; ++s) {
    c.problem.tensors.push_back({fmt::format("t{}", s), 8, true, false, false});
    PlanNode node{fmt::format("n{}", s), NodeId(s), UnitId(0), {{ValueId(s), true}}, {}, {}};
    if (s == 4) node.operands.insert(node.operands.begin(), {ValueId(0), false});
    node.tilings.push_back({1, std::vector<OperandTraffic>(node.operands.size(), {8, 0})});
    c.problem.nodes.push_back(node);
    c.plan.steps.push_back({NodeId(s), UnitId(0), 0, 0, 0});
    if (s > 0) {
      c.plan.transfers.push_back(
          {ValueId(s), TransferKind::kWriteBack, {}, {}, 8, static_cast<int64_t>(s)});
    }
  }
  return c;
}

void Lie(PlanCase* c, size_t pad, int64_t from, int64_t to) {
  c->plan.residencies.push_back({ValueId(0), PadId(pad), 0, 8, from, to});
}

void Copy(PlanCase* c, TransferKind kind, std::optional<size_t> from, std::optional<size_t> to,
          int64_t step) {
  Transfer transfer{ValueId(0), kind, {}, {}, 8, step};
  if (from) transfer.from = PadId(*from);
  if (to) transfer.to = PadId(*to);
  Add(c, transfer);
}

TEST(ReplayContract, BetweenTwoUsesOneCopyIntoAPad) {
  PlanCase once = Chain();
  Lie(&once, 0, 0, 2);
  Lie(&once, 1, 1, 5);
  Copy(&once, TransferKind::kMove, 0, 1, 1);
  EXPECT_TRUE(Replay(once.problem, once.plan));

  PlanCase twice = Chain();
  Lie(&twice, 0, 0, 2);
  Lie(&twice, 1, 1, 3);
  Lie(&twice, 2, 2, 5);
  Copy(&twice, TransferKind::kMove, 0, 1, 1);
  Copy(&twice, TransferKind::kMove, 1, 2, 2);
  EXPECT_FALSE(Replay(twice.problem, twice.plan)) << "moved twice";

  PlanCase prefetched = Chain();
  Lie(&prefetched, 0, 1, 3);
  Lie(&prefetched, 1, 2, 5);
  Copy(&prefetched, TransferKind::kWriteBack, {}, {}, 0);
  Copy(&prefetched, TransferKind::kPrefetch, {}, 0, 1);
  Copy(&prefetched, TransferKind::kMove, 0, 1, 2);
  EXPECT_FALSE(Replay(prefetched.problem, prefetched.plan)) << "prefetched, then moved";

  PlanCase again = Chain();
  Lie(&again, 0, 1, 2);
  Lie(&again, 1, 2, 5);
  Copy(&again, TransferKind::kWriteBack, {}, {}, 0);
  Copy(&again, TransferKind::kPrefetch, {}, 0, 1);
  Copy(&again, TransferKind::kPrefetch, {}, 1, 2);
  EXPECT_FALSE(Replay(again.problem, again.plan)) << "prefetched twice";
}

TEST(ReplayContract, AMoveIsStrictlyBetweenTwoUses) {
  for (const int64_t step : {int64_t{0}, int64_t{4}, int64_t{5}}) {
    PlanCase c = Chain();
    Lie(&c, 0, 0, step + 1);
    Lie(&c, 1, step, std::max<int64_t>(5, step + 1));
    Copy(&c, TransferKind::kMove, 0, 1, step);
    EXPECT_FALSE(Replay(c.problem, c.plan)) << "moved in step " << step;
  }
}

TEST(ReplayContract, NothingIsPrefetchedAfterItsLastUse) {
  PlanCase c = Chain();
  Lie(&c, 0, 5, 6);
  Copy(&c, TransferKind::kWriteBack, {}, {}, 0);
  Copy(&c, TransferKind::kFetch, {}, {}, 4);
  Copy(&c, TransferKind::kPrefetch, {}, 0, 5);
  EXPECT_FALSE(Replay(c.problem, c.plan));
}

// What a move and a late write-back could save together if residencies might end before the use.
TEST(ReplayContract, WrittenBackFromWhereItWasMovedAndDropped) {
  PlanCase c = Chain();
  Lie(&c, 0, 0, 2);
  Lie(&c, 1, 1, 4);
  Copy(&c, TransferKind::kMove, 0, 1, 1);
  Copy(&c, TransferKind::kWriteBack, 1, {}, 3);
  Copy(&c, TransferKind::kFetch, {}, {}, 4);
  EXPECT_FALSE(Replay(c.problem, c.plan));
}

}  // namespace
}  // namespace inlay
