#include "inlay/io/json/plan_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>

#include "inlay/base/rng.h"
#include "inlay/io/json/json.h"

namespace inlay::io {
namespace {

using ::testing::ElementsAre;

NamedPlan::Step StepOn(std::string node, std::string unit) {
  NamedPlan::Step step;
  step.node = std::move(node);
  step.unit = std::move(unit);
  return step;
}

PlanResult TwoSteps() {
  PlanResult result;
  result.plan.network = "n";
  result.plan.machine = "m";
  result.plan.steps = {StepOn("a", "core"), StepOn("b", "vector")};
  result.plan.steps[0].tiling = 2;
  result.plan.steps[0].workspace = NamedPlan::Workspace{"pad", 64, 128};
  result.plan.residencies = {{"x", "pad", 0, 64, 0, 2}};
  result.plan.transfers = {{"x", "offchip", "pad", 60, 0, 1, TransferKind::kFetch},
                           {"y", "core", "offchip", 8, 1, 2, TransferKind::kWriteBack}};
  SetReplay({}, {{1e-6, 60, "offchip"}, {2e-6, 8, "compute"}}, &result);
  result.memories = {{.name = "pad", .bytes = 1024}};
  result.graph = GraphResult{{{"a", "conv", 7, {"x"}, {"y"}}, {"b", "norm", 0, {"y"}, {"z"}}},
                             {{"x", TensorRole::kWeight, 30, 60}}};
  return result;
}

std::vector<Json> EventsOf(const PlanResult& result, const std::string& phase) {
  const Json trace = Json::parse(WritePlanTrace(result));
  std::vector<Json> events;
  for (const Json& event : trace.at("traceEvents")) {
    if (event.at("ph") == phase) events.push_back(event);
  }
  return events;
}

TEST(PlanTrace, StepsAndTransfersAreSpansOfTheirRows) {
  std::vector<std::string> lines;
  for (const Json& event : EventsOf(TwoSteps(), "X")) {
    lines.push_back(event.at("name").get<std::string>() + " " + event.at("cat").get<std::string>() +
                    " " + event.at("ts").dump() + "+" + event.at("dur").dump());
  }
  EXPECT_THAT(lines, ElementsAre("a conv 0+1", "b norm 1+2", "x weight 0+1", "y tensor 1+2"));
  std::vector<std::string> names;
  for (const Json& event : EventsOf(TwoSteps(), "M")) names.push_back(event["args"]["name"]);
  EXPECT_THAT(names, ElementsAre("n on m", "core", "vector", "transfers", "fetch", "prefetch",
                                 "write-back", "move", "pad"));
}

// What runs beside the first node of a step has a row and takes the whole step; the bytes of the
// step count once.
TEST(PlanTrace, NodesSideBySideAreSpansOfTheirUnits) {
  PlanResult result = TwoSteps();
  result.plan.steps[1].beside = {{"c", "vector2"}, {"d", "core"}};
  result.graph->nodes.push_back({"c", "softmax", 0, {"y"}, {"v"}});
  std::map<int, std::string> rows;
  for (const Json& event : EventsOf(result, "M")) {
    if (event.at("pid") == 1 && event.contains("tid")) rows[event["tid"]] = event["args"]["name"];
  }
  std::vector<std::string> lines;
  int64_t bytes = 0;
  for (const Json& event : EventsOf(result, "X")) {
    if (event.at("pid") != 1) continue;
    lines.push_back(rows.at(event["tid"]) + ": " + event["name"].get<std::string>() + " " +
                    event["cat"].get<std::string>() + " " + event["ts"].dump() + "+" +
                    event["dur"].dump() + ", step " + event["args"]["step"].dump());
    bytes += event["args"].value("off-chip bytes", int64_t{0});
  }
  EXPECT_THAT(lines, ElementsAre("core: a conv 0+1, step 0", "vector: b norm 1+2, step 1",
                                 "vector2: c softmax 1+2, step 1", "core: d step 1+2, step 1"));
  EXPECT_EQ(bytes, 60 + 8);
}

TEST(PlanTrace, MemoriesSayWhatLiesInThemAndHowMuch) {
  const std::vector<Json> samples = EventsOf(TwoSteps(), "C");
  ASSERT_EQ(samples.size(), 3U);
  EXPECT_EQ(samples[0]["args"], Json::parse(R"({"weight": 64, "workspace": 128})"));
  EXPECT_EQ(samples[1]["args"], Json::parse(R"({"weight": 64, "workspace": 0})"));
  EXPECT_EQ(samples[2]["args"], Json::parse(R"({"weight": 0, "workspace": 0})"));
  EXPECT_EQ(samples[2]["ts"], 3);
}

// Tensors at random places, some at the place of another; the bytes in use against a list of all
// places that a step holds.
TEST(PlanTrace, TheBytesInUseAreThoseOfThePlacesHeld) {
  Rng rng(3);
  for (int round = 0; round < 40; ++round) {
    constexpr int64_t kSteps = 12;
    PlanResult result;
    result.memories = {{.name = "pad", .bytes = 4096}};
    std::vector<StepFigures> figures;
    for (int64_t s = 0; s < kSteps; ++s) {
      result.plan.steps.push_back(StepOn("n" + std::to_string(s), "core"));
      figures.push_back({1e-6, 0, "compute"});
    }
    for (int i = 0; i < 20; ++i) {
      const auto from = static_cast<int64_t>(UniformBelow(rng, uint64_t{kSteps}));
      const auto to =
          from + 1 + static_cast<int64_t>(UniformBelow(rng, static_cast<uint64_t>(kSteps - from)));
      const auto place = static_cast<int64_t>(UniformBelow(rng, 6));
      result.plan.residencies.push_back({"t" + std::to_string(i), "pad", 64 * place, 32, from, to});
    }
    SetReplay({}, figures, &result);
    std::map<int64_t, int64_t> told;  // by time
    for (const Json& sample : EventsOf(result, "C")) {
      for (const auto& [kind, bytes] : sample["args"].items()) {
        told[sample["ts"].get<int64_t>()] = bytes.get<int64_t>();
      }
    }
    for (int64_t s = 0; s < kSteps; ++s) {
      std::set<int64_t> places;
      for (const NamedPlan::Residency& lies : result.plan.residencies) {
        if (lies.from <= s && s < lies.to) places.insert(lies.address);
      }
      const auto holds = told.upper_bound(s);
      const int64_t bytes = holds == told.begin() ? 0 : std::prev(holds)->second;
      EXPECT_EQ(bytes, 32 * static_cast<int64_t>(places.size())) << "round " << round << " " << s;
    }
  }
}

TEST(PlanTrace, EveryStayBeginsAndEnds) {
  const std::vector<Json> begins = EventsOf(TwoSteps(), "b"), ends = EventsOf(TwoSteps(), "e");
  ASSERT_EQ(begins.size(), 1U);
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(begins[0]["args"], Json::parse(R"({"address": 0, "bytes": 64})"));
  EXPECT_EQ(begins[0]["id"], ends[0]["id"]);
  EXPECT_EQ(ends[0]["ts"], 3);
}

}  // namespace
}  // namespace inlay::io
