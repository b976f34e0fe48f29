#include "inlay/batch/random_mix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace inlay::batch {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::Le;

TEST(RandomMix, EveryChoiceOfBatchesComesOnce) {
  std::set<std::array<int64_t, 4>> seen;
  constexpr uint64_t kStep = 37;  // some of the ten thousand
  for (uint64_t index = 0; index < 10'000; index += kStep) {
    const auto batches = RandomBatches(1, index);
    EXPECT_THAT(batches, Each(Ge(1)));
    EXPECT_THAT(batches, Each(Le(kLargestRandomBatch)));
    EXPECT_TRUE(seen.insert(batches).second) << index;
  }
  EXPECT_EQ(RandomBatches(1, 10'003), RandomBatches(1, 3));
}

TEST(RandomMix, TheSeedDecidesTheOrder) {
  EXPECT_EQ(RandomBatches(7, 12), RandomBatches(7, 12));
  EXPECT_NE(RandomBatches(7, 12), RandomBatches(8, 12));
}

TEST(RandomMix, NamesTheNetworksOfItsSet) {
  const MixSet* set = FindMixSet("C");
  ASSERT_NE(set, nullptr);
  EXPECT_EQ(FindMixSet("B"), nullptr);
  const auto graph = std::make_shared<const Graph>();
  const Mix mix = RandomMix(*set, {graph, graph, graph, graph}, Accelerator(), 1, 5);
  std::vector<std::string> names;
  for (const MixWorkload& workload : mix.workloads) {
    names.push_back(workload.network);
    EXPECT_EQ(workload.arrivals, Arrivals());
  }
  EXPECT_THAT(names, ElementsAre("resnet50", "vgg16", "mobilenetv2", "gnmt"));
  EXPECT_EQ(mix.workloads[1].batch, RandomBatches(1, 5)[1]);
}

}  // namespace
}  // namespace inlay::batch
