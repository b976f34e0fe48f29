#include "inlay/batch/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace inlay::batch {
namespace {

using ::testing::ElementsAre;
using Kind = BatchTrace::SubBatch::Kind;

Task TwoLayers(std::vector<int64_t> batches) {
  auto profile = std::make_shared<NetworkProfile>();
  profile->name = "net";
  for (const char* name : {"one", "two"}) {
    LayerProfile layer;
    layer.name = name;
    profile->layers.push_back(layer);
  }
  Task task;
  task.accelerator.memory_bytes = 1000;
  TaskWorkload workload{profile, {}, {}};
  for (const int64_t n : batches) workload.requests.push_back({0, n});
  task.workloads.push_back(workload);
  return task;
}

TEST(TraceRecorder, BlocksThatFollowEachOtherAreOneSpan) {
  TraceRecorder recorder(TwoLayers({2}), "t");
  recorder.Compute(0, 10, 0, 0, 2);
  recorder.Compute(10, 25, 0, 0, 2);
  recorder.Compute(30, 40, 0, 0, 2);
  recorder.Compute(40, 50, 0, 0, 1);
  recorder.Fetch(0, 5, 0, 0, 100);
  recorder.Fetch(5, 9, 0, 0, 50);
  recorder.Fetch(9, 12, 0, 1, 50);
  const BatchTrace trace = recorder.Finish(50);
  EXPECT_THAT(trace.computes,
              ElementsAre(BatchTrace::Span{0, 25, 0, 0, 2}, BatchTrace::Span{30, 40, 0, 0, 2},
                          BatchTrace::Span{40, 50, 0, 0, 1}));
  EXPECT_THAT(trace.fetches,
              ElementsAre(BatchTrace::Span{0, 9, 0, 0, 150}, BatchTrace::Span{9, 12, 0, 1, 50}));
}

TEST(TraceRecorder, SplitsNestAndEnd) {
  TraceRecorder recorder(TwoLayers({4}), "t");
  recorder.SubBatch(0, 0, "begin", 0, 4);
  recorder.SubBatch(5, 0, "split", 0, 2);
  recorder.SubBatch(7, 0, "split", 1, 1);
  recorder.SubBatch(9, 0, "end", 2, 1);
  recorder.SubBatch(9, 0, "resume", 1, 1);
  recorder.SubBatch(11, 0, "end", 2, 1);
  recorder.SubBatch(11, 0, "resume", 0, 2);
  recorder.SubBatch(20, 0, "end", 2, 2);
  const BatchTrace trace = recorder.Finish(30);
  std::vector<std::pair<int64_t, Kind>> events;
  for (const auto& part : trace.sub_batches) events.emplace_back(part.at, part.kind);
  EXPECT_THAT(events, ElementsAre(std::pair(0, Kind::kBatch), std::pair(5, Kind::kPaused),
                                  std::pair(7, Kind::kPaused), std::pair(9, Kind::kEnd),
                                  std::pair(11, Kind::kEnd), std::pair(20, Kind::kEnd)));
}

TEST(TraceRecorder, SlicesWaitAtAGateUntilTheyMerge) {
  TraceRecorder recorder(TwoLayers({3}), "t");
  recorder.SubBatch(0, 0, "begin", 0, 1);
  recorder.SubBatch(5, 0, "wait", 1, 1);
  recorder.SubBatch(8, 0, "wait", 1, 1);
  recorder.SubBatch(9, 0, "wait", 1, 1);
  recorder.SubBatch(9, 0, "merge", 1, 3);
  const BatchTrace trace = recorder.Finish(15);  // cut short
  ASSERT_EQ(trace.sub_batches.size(), 8U);
  EXPECT_EQ(trace.sub_batches.front().inferences, 3) << "the whole batch";
  EXPECT_EQ(trace.sub_batches[6].at, 9);
  EXPECT_EQ(trace.sub_batches[7].at, 15);
}

TEST(TraceRecorder, TheOccupancyStaysOfASizeThatViewersHold) {
  TraceRecorder recorder(TwoLayers({1}), "t");
  for (int64_t t = 0; t < 200'000; ++t) recorder.Occupancy(t, t % 7, 1);
  const BatchTrace trace = recorder.Finish(200'000);
  EXPECT_LE(trace.occupancy.size(), size_t{1} << 15);
  EXPECT_GE(trace.occupancy.size(), size_t{1} << 12);
  for (size_t i = 1; i < trace.occupancy.size(); ++i) {
    EXPECT_LT(trace.occupancy[i - 1].at, trace.occupancy[i].at);
  }
}

}  // namespace
}  // namespace inlay::batch
