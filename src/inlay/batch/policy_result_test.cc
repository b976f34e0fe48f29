#include "inlay/batch/policy_result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inlay/batch/policy.h"

namespace inlay::batch {
namespace {

using ::testing::ElementsAre;

NetworkProfile FourLayers() {
  NetworkProfile profile;
  profile.name = "net";
  for (const char* name : {"one", "two", "three", "four"}) {
    LayerProfile layer;
    layer.name = name;
    profile.layers.push_back(layer);
  }
  return profile;
}

TEST(BatchFigures, PlansAsTexts) {
  const NetworkProfile profile = FourLayers();
  EXPECT_EQ(PlanText(profile, 8, {}), "all 8 at once");
  EXPECT_EQ(PlanText(profile, 8, {2, 4, 1, 3}), "2 at a time up to two, 4 up to four, then all 8");
  EXPECT_EQ(PlanText(profile, 8, {2, 8, 2, 2}), "2 at a time up to three, then all 8");
  EXPECT_EQ(PlanText(profile, 8, {2, 4, 4, 4}), "2 at a time up to the end");
}

TEST(BatchFigures, TheNamesInCoreAreThoseOfTheTable) {
  std::vector<std::string_view> names;
  for (const PolicyRecord& policy : Policies()) names.push_back(policy.name);
  EXPECT_THAT(names, ::testing::ElementsAreArray(kBatchPolicies));
  EXPECT_THAT(ChosenPolicies({"all"}), ::testing::ElementsAreArray(kBatchPolicies));
  EXPECT_THAT(ChosenPolicies({"lazy", "static"}), ElementsAre("static", "lazy"));
}

}  // namespace
}  // namespace inlay::batch
