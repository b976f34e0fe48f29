#include "inlay/mapper/exact/sharing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inlay/mapper/exact/chains.h"
#include "tests/support/small_machine.h"

namespace inlay::exact_search {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;
using Ways = std::vector<Sharing::Lanes>;

// Weights[k,c], Inputs[p,c], Outputs[p,k]: a word is shared along p, k and c.
constexpr uint64_t kP = 1, kK = 2, kC = 4;

struct Machine {
  explicit Machine(const Problem& problem, int64_t lanes = 4)
      : space(inlay::testing::SmallSpace(problem, lanes)),
        keep_case(space, inlay::testing::KeepAll(space)),
        deadline(stop),
        chains(
            BuildChains(space, StagesOf(keep_case.levels, LaneStage::kWithTile), deadline).value()),
        sharing(space, keep_case, chains.trees, deadline) {}

  StopFlag stop;
  Space space;
  KeepCase keep_case;
  Deadline deadline;
  Chains chains;
  Sharing sharing;
};

TEST(SharingTest, WhatOneTensorGainsAnotherLacks) {
  Machine machine(MakeGemm("gemm", {.p = 4, .k = 4, .c = 4}));
  ASSERT_TRUE(machine.sharing.applies());
  const Ways& ways = machine.sharing.Ways(kP | kK | kC, 4, {});
  EXPECT_THAT(ways, UnorderedElementsAre(ElementsAre(4, 1, 1, 1), ElementsAre(1, 4, 1, 1),
                                         ElementsAre(1, 1, 4, 1), ElementsAre(2, 2, 1, 1),
                                         ElementsAre(2, 1, 2, 1), ElementsAre(1, 2, 2, 1)));
}

TEST(SharingTest, OneDimensionTakesAsManyAsItCan) {
  Machine machine(MakeGemm("gemm", {.p = 4, .k = 4, .c = 4}));
  EXPECT_THAT(machine.sharing.Ways(kP, 4, {}), ElementsAre(ElementsAre(4, 1, 1, 1)));
  EXPECT_THAT(machine.sharing.Ways(kK, 3, {}), ElementsAre(ElementsAre(1, 2, 1, 1)));  // 2 | 4
}

TEST(SharingTest, ADimensionThatNeedsLanesGetsThem) {
  Machine machine(MakeGemm("gemm", {.p = 4, .k = 4, .c = 4}));
  EXPECT_THAT(machine.sharing.Ways(kP | kK | kC, 4, {.dim = 0, .lanes = 2}),
              UnorderedElementsAre(ElementsAre(4, 1, 1, 1), ElementsAre(2, 2, 1, 1),
                                   ElementsAre(2, 1, 2, 1)));
  EXPECT_THAT(machine.sharing.Ways(kP, 2, {.dim = 0, .lanes = 4}), ElementsAre());
}

// A window of 2 over 2 outputs: of the four lanes, two have the same input.
TEST(SharingTest, LanesThatMeetInARankShare) {
  Machine machine(MakeConv("conv", {.p = 2, .r = 2}));
  EXPECT_THAT(machine.sharing.Ways((uint64_t{1} << machine.keep_case.dims) - 1, 4, {}),
              ElementsAre(ElementsAre(2, 2, 2, 1)));
}

TEST(SharingTest, DecidedLanesShareAlongWhatDoesNotConcernTheTensor) {
  Machine machine(MakeGemm("gemm", {.p = 4, .k = 4, .c = 4}));
  const RowLayout& layout = machine.chains.layout;
  std::vector<double> p(layout.size(), 1), k(layout.size(), 1), c(layout.size(), 1);
  k[layout.At(2) + RowLayout::Between(2, 1)] = 2;
  p[layout.At(2) + RowLayout::Between(2, 1)] = 4;
  const std::vector<const double*> rows = {p.data(), k.data(), c.data()};
  for (const Edge& edge : machine.keep_case.edges[2]) {
    ASSERT_TRUE(machine.sharing.Concerns(edge));
    const double lanes = machine.sharing.OfDecided(rows, layout, edge, kP);  // p is open
    EXPECT_EQ(lanes, machine.space.problem.tensors[TensorId(edge.tensor)].name == "Inputs" ? 2 : 1);
  }
  EXPECT_FALSE(machine.sharing.Concerns(machine.keep_case.edges[1][0]));
}

TEST(SharingTest, WithoutLanesThereIsNothingToShare) {
  EXPECT_FALSE(Machine(MakeGemm("gemm", {.p = 4, .k = 4, .c = 4}), 1).sharing.applies());
}

}  // namespace
}  // namespace inlay::exact_search
