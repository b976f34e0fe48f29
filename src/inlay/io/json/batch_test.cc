#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inlay/core/batch_result.h"
#include "inlay/io/json/batch_trace.h"
#include "inlay/io/json/document.h"
#include "inlay/io/json/json.h"

namespace inlay::io {
namespace {

using ::testing::HasSubstr;

BatchResult Small() {
  BatchResult result;
  result.header = {"batch", "1.0.0", {{"mix", "m", "00"}}, {{"deadlock", std::string("report")}}};
  result.mix = "m";
  result.accelerator = {"a",  5e8,  2, {64, 32, Dataflow::kInputStationary}, 16, 1 << 20, 12.5,
                        4096, 8192, 3};
  result.workloads = {{"resnet50", 4, 1}, {"gnmt", 2, 20}};
  BatchPolicyResult plain;
  plain.name = "static";
  plain.deadlocked = true;
  plain.holders = {"resnet50 holds everything"};
  plain.makespan_cycles = 100;
  plain.deadlocks = 1;
  BatchPolicyResult planned;
  planned.name = "stall-free";
  planned.makespan_cycles = 1234567890123;
  planned.throughput_per_s = 12.25;
  planned.pe_busy = 0.5;
  planned.utilization = 0.25;
  planned.idle_capacity = 1;
  planned.idle_bandwidth = 2;
  planned.idle_dependency = 3;
  planned.fetched_bytes = 4;
  planned.refetched_bytes = 5;
  planned.spilled_bytes = 6;
  planned.streamed_bytes = 7;
  planned.splits = 8;
  planned.merges = 9;
  planned.remaps = 10;
  planned.deepest_stack = 11;
  planned.peak_bytes = 12;
  planned.latency = LatencyFigures{21, 0.5, 1.5, 2, 3};
  planned.by_workload = {{1, 1, 1, 1, 1}, {20, 0.5, 1.5, 2, 3}};
  planned.plan = {"all 4 at once", "1 at a time up to x, then all 2"};
  planned.events = 13;
  planned.plan_seconds = 0.125;
  planned.seconds = 0.25;
  SetFigures({{plain, planned}, 90, 95, 97}, &result);
  result.traced = "stall-free";
  result.interrupted = true;
  result.seconds = 1.5;
  result.threads = 2;
  return result;
}

TEST(BatchJson, ReadsBack) {
  const std::string text = WriteJson(Small());
  const auto result = ReadJson<BatchResult>({"result.json", text});
  ASSERT_TRUE(result.has_value()) << Format(result.error());
  EXPECT_EQ(result->header, Small().header);
  EXPECT_EQ(result->accelerator, Small().accelerator);
  EXPECT_EQ(result->workloads, Small().workloads);
  BatchFigures figures = Small().figures;
  for (BatchPolicyResult& policy : figures.policies) {  // measured stands apart
    policy.events = 0;
    policy.plan_seconds = policy.seconds = 0;
  }
  EXPECT_EQ(result->figures, figures);
  EXPECT_EQ(result->efforts, Small().efforts);
  EXPECT_TRUE(result->interrupted);
  EXPECT_EQ(WriteJson(*result), text);
}

TEST(BatchJson, HasTheKeysThatScriptsRelyOn) {
  const Json json = Json::parse(WriteJson(Small()));
  const Json& policy = json["policies"][1];
  for (const char* key : {"name", "makespan_cycles", "throughput_per_s", "pe_busy", "utilization",
                          "deadlocks", "splits", "merges", "remaps"}) {
    EXPECT_TRUE(policy.contains(key)) << key;
  }
  EXPECT_EQ(policy["idle"]["dependency"], 3);
  EXPECT_EQ(json["control"]["LB"]["makespan_cycles"], 90);
  EXPECT_EQ(json["control"]["PU"]["makespan_cycles"], 95);
  EXPECT_EQ(json["control"]["PW"]["makespan_cycles"], 97);
  EXPECT_EQ(json["best"], "stall-free");
}

TEST(BatchJson, AllFaultsAtOnce) {
  Json json = Json::parse(WriteJson(Small()));
  json["policies"][0]["makespan_cycles"] = "many";
  json["policies"][1].erase("idle");
  json["accelerator"]["dataflow"] = "rs";
  const auto result = ReadJson<BatchResult>({"result.json", json.dump()});
  ASSERT_FALSE(result.has_value());
  const std::string text = Format(result.error());
  EXPECT_THAT(text, HasSubstr("policies[0].makespan_cycles: expected a whole number"));
  EXPECT_THAT(text, HasSubstr("policies[1].idle: missing"));
  EXPECT_THAT(text, HasSubstr("accelerator.dataflow: unknown value 'rs'"));
}

BatchTrace SmallTrace() {
  using Kind = BatchTrace::SubBatch::Kind;
  BatchTrace trace;
  trace.title = "m on a, lazy";
  trace.clock_hz = 1e9;
  trace.memory_bytes = 1000;
  trace.workloads = {"net"};
  trace.layers = {{"one", "two"}};
  trace.fetches = {{0, 50, 0, 0, 256}};
  trace.computes = {{50, 250, 0, 0, 3}, {250, 300, 0, 1, 2}};
  trace.occupancy = {{0, 0, 256}, {50, 600, 256}};
  trace.sub_batches = {{0, Kind::kBatch, 0, 0, 3},
                       {250, Kind::kPaused, 0, 1, 1},
                       {300, Kind::kEnd, 0, 1, 1},
                       {400, Kind::kEnd, 0, 0, 0}};
  return trace;
}

TEST(BatchTraceJson, IsWhatViewersRead) {
  const Json json = Json::parse(WriteBatchTrace(SmallTrace()));
  double depth = 0;
  int spans = 0;
  for (const Json& event : json["traceEvents"]) {
    const std::string phase = event["ph"];
    if (phase == "X") {
      ++spans;
      EXPECT_GT(event["dur"], 0);
    }
    if (phase == "C") {
      EXPECT_EQ(event["args"]["feature maps"].get<int64_t>() +
                    event["args"]["weights"].get<int64_t>() + event["args"]["free"].get<int64_t>(),
                1000);
    }
    if (phase == "b") ++depth;
    if (phase == "e") --depth;
    EXPECT_GE(depth, 0);
  }
  EXPECT_EQ(depth, 0);
  EXPECT_EQ(spans, 3);
  const std::string text = WriteBatchTrace(SmallTrace());
  EXPECT_THAT(text, HasSubstr(R"("ts":0.05,"dur":0.2)"));  // 50 and 200 cycles at 1 GHz, in µs
  EXPECT_THAT(text, HasSubstr("1 paused before two"));
  EXPECT_THAT(text, HasSubstr("net one"));
}

}  // namespace
}  // namespace inlay::io
