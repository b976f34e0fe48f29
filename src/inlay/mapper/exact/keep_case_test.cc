#include "inlay/mapper/exact/keep_case.h"

#include <gtest/gtest.h>

#include "tests/support/small_machine.h"

namespace inlay::exact_search {
namespace {

constexpr size_t kWeights = 0, kInputs = 1;

// Dimensions N K C P Q R S; the window of 2 moves by 2 along P.
Space WindowSpace(int64_t buffer_words) {
  Space space = testing::SmallSpace(MakeConv("conv", {.k = 4, .p = 3, .r = 2, .stride_h = 2}), 2);
  space.architecture.levels[LevelId(1)].capacity_words = buffer_words;
  return space;
}

TEST(KeepCaseTest, WordsOfATile) {
  const Space space = WindowSpace(100);
  const KeepCase keep_case(space, testing::KeepAll(space));
  const std::vector<double> tile = {1, 2, 1, 3, 1, 2, 1};
  EXPECT_EQ(keep_case.TileWords(kInputs, tile.data()), 6);   // (3 − 1) · 2 + (2 − 1) + 1
  EXPECT_EQ(keep_case.TileWords(kWeights, tile.data()), 4);  // 2 · 2
}

// Weights 4, inputs 6 and outputs 6 words.
TEST(KeepCaseTest, WhatALevelHolds) {
  const std::vector<double> tile = {1, 2, 1, 3, 1, 2, 1};
  for (const int64_t words : {15, 16}) {
    const Space space = WindowSpace(words);
    EXPECT_EQ(KeepCase(space, testing::KeepAll(space)).Fits(1, tile.data()), words == 16);
  }
}

// A level that does not keep the weights is bypassed: they go from DRAM to the registers.
TEST(KeepCaseTest, EdgesBypassWhatDoesNotKeepTheTensor) {
  const Space space = WindowSpace(100);
  auto keeps = testing::KeepAll(space);
  keeps[LevelId(1)].erase(TensorId(kWeights));
  const KeepCase keep_case(space, keeps);
  EXPECT_EQ(keep_case.edges[1].size(), 2U);
  ASSERT_EQ(keep_case.edges[2].size(), 3U);
  for (const Edge& edge : keep_case.edges[2]) {
    EXPECT_EQ(edge.parent, edge.tensor == kWeights ? 0U : 1U);
    EXPECT_EQ(edge.offchip, edge.tensor == kWeights);
  }
  EXPECT_EQ(keep_case.instances, std::vector<double>({1, 1, 2, 2}));
}

TEST(KeepCaseTest, EveryTensorIsKeptSomewhere) {
  Space space = WindowSpace(100);
  const TensorSet all = TensorSet::FirstN(3);
  TensorSet inputs;
  inputs.insert(TensorId(kInputs));
  for (LevelId l : Ids(space.keeps)) space.keeps[l] = {inputs};
  EXPECT_TRUE(KeepChoices(space).empty());
  space.keeps[LevelId(0)] = {inputs, all};
  space.keeps[LevelId(1)] = {inputs, all};
  EXPECT_EQ(KeepChoices(space).size(), 3U);  // all but inputs alone at both
}

}  // namespace
}  // namespace inlay::exact_search
