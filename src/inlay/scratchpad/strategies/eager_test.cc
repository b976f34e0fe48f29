#include "inlay/scratchpad/strategies/eager.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "inlay/scratchpad/validator.h"

namespace inlay {
namespace {

// in → a → b → c, each of 100 bytes; then d reads a and c. One pad.
PlanProblem ChainWithSkip(int64_t pad_bytes) {
  PlanProblem problem;
  problem.machine.units.push_back({"unit", 1, {}});
  problem.machine.pads.push_back({"pad", pad_bytes, 1, {}, 0, {UnitId(0)}});
  problem.machine.offchip = {1.0, 1};
  problem.workspace_pad = {PadId(0)};
  problem.tensors = {{"in", 100, false, false, false},
                     {"a", 100, true, false, false},
                     {"b", 100, true, false, false},
                     {"c", 100, true, false, false},
                     {"d", 100, true, false, true}};
  const auto add = [&](std::vector<size_t> reads, size_t writes) {
    PlanNode node;
    node.name = "n" + std::to_string(problem.nodes.size());
    node.node = NodeId(problem.nodes.size());
    node.tilings.emplace_back();
    for (const size_t read : reads) node.operands.push_back({ValueId(read), false});
    node.operands.push_back({ValueId(writes), true});
    node.tilings[0].operands.assign(node.operands.size(), {100, 0});
    problem.nodes.push_back(std::move(node));
  };
  add({0}, 1);
  add({1}, 2);
  add({2}, 3);
  add({1, 3}, 4);
  return problem;
}

int64_t OffChipBytes(const PlanProblem& problem) {
  const auto figures =
      Replay(problem, PlanEagerly(problem, NothingKept(problem, PlanObjective::kBytes)));
  EXPECT_TRUE(figures.has_value());
  return figures ? figures->offchip_bytes : 0;
}

TEST(Eager, KeepsWhatItWritesWhileThereIsRoom) {
  // Only the input is read and the output written: at the end of the run it is still in the pad.
  EXPECT_EQ(OffChipBytes(ChainWithSkip(400)), 200);
  EXPECT_EQ(OffChipBytes(ChainWithSkip(300)), 200);
}

TEST(Eager, EvictsWhatWasUsedLongestAgo) {
  // Room for two: c takes the place of a, which is written back, and read for d.
  const PlanProblem problem = ChainWithSkip(200);
  EXPECT_EQ(OffChipBytes(problem), 200 + 100 + 100);
  const Plan plan = PlanEagerly(problem, NothingKept(problem, PlanObjective::kBytes));
  const Transfer evicted{ValueId(1), TransferKind::kWriteBack, PadId(0), std::nullopt, 100,
                         1};  // before step 2
  EXPECT_EQ(std::count(plan.transfers.begin(), plan.transfers.end(), evicted), 1);
}

TEST(Eager, WritesOffChipWhatFitsNowhere) {
  EXPECT_EQ(OffChipBytes(ChainWithSkip(99)), 100 + 400 + 400);
}

}  // namespace
}  // namespace inlay
