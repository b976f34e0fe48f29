#include "inlay/batch/slice_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "inlay/batch/planned_runs.h"
#include "tests/support/random_case.h"
#include "tests/support/random_profile.h"

namespace inlay::batch {
namespace {

// By going through every run and layer.
SlicePlanCost WalkedCost(const NetworkProfile& profile, const Accelerator& accelerator,
                         int64_t batch, const SlicePlan& plan) {
  SlicePlanCost cost;
  cost.bytes = batch * profile.layers.front().live_bytes;
  int64_t second_held = 0, first_held = 0;  // at the gates
  const size_t layers = profile.layers.size();
  const auto run = [&](int64_t n, size_t from, size_t to, int64_t others) {
    for (size_t l = from; l < to; ++l) {
      const LayerProfile& layer = profile.layers[l];
      cost.cycles += CyclesOf(layer, accelerator, n);
      cost.bytes += layer.weight_bytes + n * layer.stream_bytes;
      cost.peak_bytes = std::max(cost.peak_bytes, others + layer.workspace_bytes +
                                                      n * (layer.live_bytes + layer.output_bytes));
    }
  };
  const int64_t second = plan.second == 0 ? batch : plan.second;
  const int64_t first = plan.first == 0 ? second : plan.first;
  for (int64_t done = 0; done < batch; done += second) {
    const int64_t group = std::min(second, batch - done);
    first_held = 0;
    for (int64_t part = 0; part < group; part += first) {
      const int64_t n = std::min(first, group - part);
      run(n, 0, plan.first_end, second_held + first_held);
      first_held += HeldBefore(profile, plan.first_end, n);
    }
    run(group, plan.first_end, plan.second_end, second_held);
    second_held += HeldBefore(profile, plan.second_end, group);
  }
  run(batch, plan.second_end, layers, 0);
  return cost;
}

std::vector<SlicePlan> AllPlans(int64_t batch, size_t layers) {
  std::vector<SlicePlan> plans = {{}};
  for (int64_t first = 1; first <= batch; ++first) {
    for (int64_t second = first; second <= batch; ++second) {
      for (size_t g = 0; g <= layers; ++g) {
        for (size_t h = g; h <= layers; ++h) plans.push_back({first, second, g, h});
      }
    }
  }
  return plans;
}

bool Beats(const SlicePlanCost& a, const SlicePlanCost& b) {
  return a.peak_bytes <= b.peak_bytes && a.cycles <= b.cycles && a.bytes <= b.bytes && a != b;
}

TEST(PlanTest, CostsAreThoseOfAWalk) {
  testing::Random random(1);
  for (int64_t i = 0; i < testing::CaseCount(60, 2000); ++i) {
    const NetworkProfile profile = testing::RandomProfile(random, {});
    const Accelerator accelerator = testing::SmallAccelerator(random);
    const int64_t batch = testing::Pick(random, 1, 6);
    for (const SlicePlan& plan : AllPlans(batch, profile.layers.size())) {
      ASSERT_EQ(CostOf(profile, accelerator, batch, plan),
                WalkedCost(profile, accelerator, batch, plan))
          << i << ": " << plan.first << " " << plan.second << " " << plan.first_end << " "
          << plan.second_end << " of " << batch;
    }
  }
}

TEST(PlanTest, FrontIsThatOfAllPlans) {
  testing::Random random(2);
  for (int64_t i = 0; i < testing::CaseCount(60, 2000); ++i) {
    const NetworkProfile profile = testing::RandomProfile(random, {});
    const Accelerator accelerator = testing::SmallAccelerator(random);
    const int64_t batch = testing::Pick(random, 1, 6);
    std::vector<SlicePlanCost> all, front;
    for (const SlicePlan& plan : AllPlans(batch, profile.layers.size())) {
      all.push_back(WalkedCost(profile, accelerator, batch, plan));
    }
    for (const CostedSlicePlan& plan : SlicePlanFront(profile, accelerator, batch)) {
      EXPECT_EQ(plan.cost, WalkedCost(profile, accelerator, batch, plan.plan));
      if (!front.empty()) {
        EXPECT_LE(front.back().peak_bytes, plan.cost.peak_bytes);
      }
      front.push_back(plan.cost);
    }
    for (const SlicePlanCost& cost : all) {
      const bool beaten = std::any_of(
          all.begin(), all.end(), [&](const SlicePlanCost& other) { return Beats(other, cost); });
      const bool listed = std::find(front.begin(), front.end(), cost) != front.end();
      ASSERT_EQ(listed, !beaten) << i << ": peak " << cost.peak_bytes << " cycles " << cost.cycles
                                 << " bytes " << cost.bytes;
    }
  }
}

TEST(PlanTest, LargeBatchesHaveFronts) {
  testing::Random random(3);
  const NetworkProfile profile = testing::RandomProfile(random, {});
  const Accelerator accelerator = testing::SmallAccelerator(random);
  const auto front = SlicePlanFront(profile, accelerator, 1'000'000);
  ASSERT_FALSE(front.empty());
  int64_t most = 0;
  for (const LayerProfile& layer : profile.layers) {
    most = std::max(most, layer.live_bytes + layer.output_bytes + layer.workspace_bytes);
  }
  EXPECT_EQ(front.front().cost.peak_bytes, most);  // one inference at a time
}

}  // namespace
}  // namespace inlay::batch
