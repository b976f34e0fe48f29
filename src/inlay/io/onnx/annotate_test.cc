#include "inlay/io/onnx/annotate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "inlay/io/json/plan.h"
#include "inlay/io/load.h"
#include "inlay/io/onnx/onnx.h"
#include "inlay/scratchpad/named_plan.h"
#include "inlay/scratchpad/planner.h"
#include "inlay/scratchpad/problem_from_graph.h"
#include "inlay/scratchpad/validator.h"
#include "tests/support/onnx_writer.h"

namespace inlay::io {
namespace {

using inlay::testing::OnnxWriter;
using nlohmann::json;

// Protobuf's wire format, read by hand: the bytes of every field of this number.
class Message {
 public:
  explicit Message(std::string bytes) : bytes_(std::move(bytes)) {}

  std::vector<std::string> Fields(uint64_t number) const {
    std::vector<std::string> found;
    for (size_t at = 0; at < bytes_.size();) {
      const uint64_t key = Varint(&at);
      const uint64_t type = key & 7;
      size_t size = type == 1 ? 8 : type == 5 ? 4 : 0;
      if (type == 0) Varint(&at);
      if (type == 2) size = Varint(&at);
      if (type == 2 && key >> 3 == number) found.push_back(bytes_.substr(at, size));
      at += size;
    }
    return found;
  }
  std::string Field(uint64_t number) const {
    const auto fields = Fields(number);
    return fields.empty() ? "" : fields.front();
  }
  // Entries of keys (1) and values (2).
  std::map<std::string, std::string> Entries(uint64_t number) const {
    std::map<std::string, std::string> entries;
    for (const std::string& field : Fields(number)) {
      const Message entry(field);
      EXPECT_TRUE(entries.emplace(entry.Field(1), entry.Field(2)).second) << entry.Field(1);
    }
    return entries;
  }

 private:
  uint64_t Varint(size_t* at) const {
    uint64_t value = 0;
    for (int shift = 0; *at < bytes_.size(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_[(*at)++]);
      value |= uint64_t{byte & 127U} << shift;
      if (byte < 128) break;
    }
    return value;
  }

  std::string bytes_;
};

std::string Model() {
  OnnxWriter writer;
  writer.Input("x", {1, 3, 16, 16}).Weight("w", {8, 3, 3, 3}).Weight("v", {8, 8, 3, 3});
  writer.Node("Conv", {"x", "w"}, {"a"}, {{"pads", OnnxWriter::Shape{1, 1, 1, 1}}}, "conv1");
  writer.Node("Relu", {"a"}, {"b"}, {}, "relu");
  writer.Node("Conv", {"b", "v"}, {"c"}, {{"pads", OnnxWriter::Shape{1, 1, 1, 1}}}, "conv2");
  writer.Node("Add", {"b", "c"}, {"d"}, {}, "add");
  writer.Node("Flatten", {"d"}, {"y"}, {}, "flatten").Output("y");
  return writer.Bytes();
}

PlanResult PlanFor(const Graph& graph) {
  LoadRecord record;
  const auto machine = LoadMachine("onsram", &record);
  const StopFlag stop;
  const auto problem = MakePlanProblem(graph, *machine, {}, stop);
  PlanOptions options;
  options.strategy = PlanStrategy::kGreedy;
  const PlanAnswer answer = MakePlan(*problem, options, Deadline(stop));
  const auto replayed = ReplaySteps(*problem, *answer.plan);
  PlanResult result;
  result.plan = NamedPlanOf(*problem, *answer.plan);
  SetReplay(replayed->figures, replayed->steps, &result);
  return result;
}

class Annotated : public ::testing::Test {
 protected:
  Annotated()
      : model_(Model()),
        graph_(ReadOnnx("m.onnx", model_, {})->value),
        result_(PlanFor(graph_)),
        bytes_(*AnnotateModel("m.onnx", model_, graph_, result_)),
        root_(bytes_),
        onnx_graph_(root_.Field(7)) {}

  json ResidenciesOf(const std::string& tensor) const {
    json list = json::array();
    for (const NamedPlan::Residency& r : result_.plan.residencies) {
      if (r.tensor != tensor) continue;
      list.push_back({{"memory", r.memory},
                      {"address", r.address},
                      {"bytes", r.bytes},
                      {"from", r.from},
                      {"to", r.to}});
    }
    return list;
  }

  std::string model_;
  Graph graph_;
  PlanResult result_;
  std::string bytes_;
  Message root_, onnx_graph_;
};

TEST_F(Annotated, ModelIsReadAsBefore) {
  const auto again = ReadOnnx("m.onnx", bytes_, {});
  ASSERT_TRUE(again.has_value()) << Format(again.error());
  EXPECT_EQ(again->value, graph_);
}

TEST_F(Annotated, ModelHoldsThePlan) {
  const auto entries = root_.Entries(14);
  ASSERT_TRUE(entries.contains("inlay.plan"));
  const auto plan = ReadPlan({"plan", entries.at("inlay.plan")});
  ASSERT_TRUE(plan.has_value()) << Format(plan.error());
  EXPECT_EQ(*plan, result_.plan);
}

TEST_F(Annotated, NodesHoldTheirStepsAndResidencies) {
  ASSERT_FALSE(result_.plan.residencies.empty());
  size_t steps = 0, residencies = 0;
  for (const std::string& bytes : onnx_graph_.Fields(1)) {
    const Message node(bytes);
    const auto entries = node.Entries(9);
    const std::string name = node.Field(3), output = node.Field(2);
    if (name == "flatten") {
      EXPECT_TRUE(entries.empty());
      continue;
    }
    ASSERT_TRUE(entries.contains("inlay.step")) << name;
    const NamedPlan::Step& step = result_.plan.steps.at(std::stoul(entries.at("inlay.step")));
    EXPECT_EQ(step.node, name);
    EXPECT_EQ(entries.at("inlay.unit"), step.unit);
    ++steps;
    const auto found = entries.find("inlay.residencies." + output);
    const json stays = found == entries.end() ? json::array() : json::parse(found->second);
    EXPECT_EQ(stays, ResidenciesOf(output)) << output;
    residencies += stays.size();
  }
  EXPECT_EQ(steps, result_.plan.steps.size());
  for (const auto& [list, name, metadata] : {std::tuple(11, 1, 4), std::tuple(5, 8, 16)}) {
    for (const std::string& bytes : onnx_graph_.Fields(static_cast<uint64_t>(list))) {
      const Message value(bytes);
      const auto entries = value.Entries(static_cast<uint64_t>(metadata));
      const auto found = entries.find("inlay.residencies");
      const json stays = found == entries.end() ? json::array() : json::parse(found->second);
      EXPECT_EQ(stays, ResidenciesOf(value.Field(static_cast<uint64_t>(name))));
      residencies += stays.size();
    }
  }
  EXPECT_EQ(residencies, result_.plan.residencies.size());
}

TEST_F(Annotated, AnotherAnnotationReplacesTheFirst) {
  EXPECT_EQ(*AnnotateModel("m.onnx", bytes_, graph_, result_), bytes_);
}

}  // namespace
}  // namespace inlay::io
