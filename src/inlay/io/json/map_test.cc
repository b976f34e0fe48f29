#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "inlay/core/map_result.h"
#include "inlay/io/json/document.h"

namespace inlay::io {
namespace {

using nlohmann::json;
using testing::HasSubstr;

LayerResult FoundLayer() {
  LayerResult layer;
  layer.name = "conv \"1\" µ";
  layer.repeat = 3;
  layer.operations = 9007199254740993;  // not a double
  layer.cost = LayerCost{0.1, 12, 1.2, 77, 0.5, 1.0 / 3, 81, "reads of GLB", "DRAM", 0.61};
  layer.certificate =
      Certificate{CertificateStatus::kBounded, 1.2, 1.1, 0.08, {Metric::kDelay, Metric::kEdp}};
  layer.dnnopt = DnnoptResult{{{"K", 9, 4}, {"P", 7, 7}}, {{"Weights", 3}, {"In", 4}}, 7, 8, 1};
  layer.mapping = {"DRAM keeps all", "for K in 4 step 1"};
  TimeloopDirective loops{"DRAM", "spatial", "K=4 C=2,1", "KC", 1, {}, {}};
  TimeloopDirective bypass{"DRAM", "bypass", "", "", std::nullopt, {"Weights"}, {"Inputs"}};
  layer.timeloop_mapping = TimeloopDirectives{loops, bypass};
  layer.measured = {0.25, 1, 2, {{0.1, std::nullopt, 1.0}, {0.2, 1.3, 1.1}}};
  return layer;
}

LayerCounts SomeCounts() {
  LayerCounts counts;
  counts.problem = {{{"P", 4}, {"K", 9007199254740993}}, {"In[P]", "Out[P, K] +="}};
  counts.compute = {81, 3, 4, 11, 0.25};
  for (int64_t l = 1; l <= 2; ++l) {
    const TensorResult in{true, 4 * l, l, {4, 0, 0, 0}, {4 * l, l - 1, 0, 0}, 0.5};
    const TensorResult out{l == 1, 36, 1, {1, 2, 3, 4}, {1, 2, 3, 4 * l}, 0.125};
    counts.levels.push_back(
        {l == 1 ? "DRAM" : "GLB", 10 * l, CycleLimit::kShared, 0.625, {{"In", in}, {"Out", out}}});
  }
  return counts;
}

MapResult SomeResult() {
  MapResult result;
  result.header.command = "map";
  result.header.version = "1.2.3";
  result.header.inputs = {{"workload", "net", "00ff"}, {"arch", "eyeriss", "0102"}};
  result.header.options = {{"objective", std::vector<std::string>{"edp"}}, {"seed", int64_t{1}}};
  result.workload = "net";
  result.architecture = "eyeriss";
  LayerResult copy = FoundLayer();
  copy.name = "conv2";
  copy.same_as = "conv1";
  copy.timeloop_mapping.reset();
  copy.timeloop_note = "two loops";
  copy.dnnopt.reset();
  copy.points_visited = 10;
  copy.points_in_space = 1e40;
  LayerResult missing;
  missing.name = "conv3";
  missing.reasons = {"does not fit"};
  missing.interrupted = true;
  missing.searched = false;
  copy.counts = SomeCounts();
  result.layers = {FoundLayer(), copy, missing};
  result.total = MapTotals{
      0.3, 36, 10.8, Certificate{CertificateStatus::kBounded, 10.8, 5.4, 0.5, {Metric::kEdp}}};
  result.total->vector = VectorTotals{1, 50, 0.1, 6, 20};
  result.vector_nodes = {{.name = "act",
                          .kind = "elementwise",
                          .function = "gelu",
                          .operations = 50,
                          .energy_pj = 0.1,
                          .cycles = 6,
                          .seconds = 6e-9,
                          .offchip_words = 20,
                          .limited_by = "compute",
                          .held_in = "GLB"}};
  result.interrupted = true;
  result.measured = {1.5, 2};
  return result;
}

TEST(MapJsonTest, RoundTrip) {
  const std::string text = WriteJson(SomeResult());
  const auto again = ReadJson<MapResult>({"result.json", text});
  ASSERT_TRUE(again.has_value()) << Format(again.error());
  EXPECT_EQ(WriteJson(*again), text);
  EXPECT_EQ(*again, SomeResult());
}

TEST(MapJsonTest, ANumberThatNoDoubleHoldsIsAnError) {
  const auto result = ReadJson<MapResult>({"result.json", R"({"layers": [1e999]})"});
  ASSERT_FALSE(result.has_value());
  EXPECT_THAT(Format(result.error()), HasSubstr("too large"));
}

TEST(MapJsonTest, TheFieldsThatScriptsRelyOn) {
  const json result = json::parse(WriteJson(SomeResult()));
  EXPECT_EQ(result["format"], "inlay/result/1");
  EXPECT_EQ(result["command"], "map");
  const json& layer = result["layers"][0];
  for (const char* key : {"name", "repeat", "operations", "cost", "certificate", "mapping",
                          "timeloop_mapping", "measured"}) {
    EXPECT_TRUE(layer.contains(key)) << key;
  }
  for (const char* key :
       {"energy_pj", "cycles", "edp", "offchip_words", "utilization", "pj_per_op"}) {
    EXPECT_TRUE(layer["cost"][key].is_number()) << key;
  }
  EXPECT_EQ(layer["cost"]["padded_operations"], 81);
  EXPECT_EQ(layer["certificate"]["status"], "bounded");
  EXPECT_EQ(layer["mapping"][1], "for K in 4 step 1");
  EXPECT_EQ(layer["timeloop_mapping"][0]["factors"], "K=4 C=2,1");
  EXPECT_TRUE(result["layers"][1]["timeloop_mapping"].is_null());
  EXPECT_TRUE(result["layers"][2]["cost"].is_null());
  EXPECT_TRUE(result["layers"][2]["certificate"].is_null());
  EXPECT_EQ(result["total"]["edp"], 10.8);
  EXPECT_EQ(result["total"]["certificate"]["status"], "bounded");
  EXPECT_EQ(result["interrupted"], true);
  EXPECT_EQ(result["measured"]["threads"], 2);
}

TEST(MapJsonTest, WithoutAnswersThereIsNoTotal) {
  MapResult result = SomeResult();
  result.total.reset();
  result.interrupted = false;
  const json written = json::parse(WriteJson(result));
  EXPECT_TRUE(written["total"].is_null());
  EXPECT_FALSE(written.contains("interrupted"));
}

TEST(MapJsonTest, AFrontStandsInPlaceOfTheCost) {
  MapResult result = SomeResult();
  result.total.reset();
  result.layers = {FoundLayer()};
  result.layers[0].cost.reset();
  result.layers[0].mapping.clear();
  result.layers[0].timeloop_mapping.reset();
  result.layers[0].front =
      std::vector<FrontPointResult>{{10, 20, 30, {"DRAM keeps all"}}, {11, 19, 30, {"x"}}};
  const std::string text = WriteJson(result);
  const json layer = json::parse(text)["layers"][0];
  EXPECT_FALSE(layer.contains("cost"));
  EXPECT_FALSE(layer.contains("mapping"));
  EXPECT_EQ(layer["front"][0]["footprint_words"], 10);
  EXPECT_EQ(layer["front"][0]["offchip_words"], 20);
  EXPECT_EQ(layer["front"][0]["cycles"], 30);
  EXPECT_EQ(layer["front"][0]["mapping"][0], "DRAM keeps all");
  const auto again = ReadJson<MapResult>({"result.json", text});
  ASSERT_TRUE(again.has_value()) << Format(again.error());
  EXPECT_TRUE(HasFronts(*again));
  EXPECT_EQ(again->layers[0].front, result.layers[0].front);
  EXPECT_EQ(WriteJson(*again), text);
}

TEST(MapJsonTest, AllFaultsAtOnce) {
  json broken = json::parse(WriteJson(SomeResult()));
  broken["layers"][0]["cost"].erase("cycles");
  broken["layers"][0]["certificate"]["status"] = "certain";
  broken["layers"][1]["mapping"] = {1};
  broken["total"]["edp"] = "much";
  const auto read = ReadJson<MapResult>({"result.json", broken.dump()});
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().size(), 4U) << Format(read.error());
  const std::string text = Format(read.error());
  EXPECT_THAT(text, HasSubstr("layers[0].cost.cycles: missing"));
  EXPECT_THAT(text, HasSubstr("layers[0].certificate.status: unknown value 'certain'"));
  EXPECT_THAT(text, HasSubstr("layers[1].mapping: expected a list of texts"));
  EXPECT_THAT(text, HasSubstr("total.edp: expected a number"));
}

TEST(MapJsonTest, NotEvenJson) {
  EXPECT_FALSE(ReadJson<MapResult>({"result.json", "{"}).has_value());
  EXPECT_FALSE(ReadJson<MapResult>({"result.json", "[]"}).has_value());
  EXPECT_FALSE(ReadJson<MapResult>({"result.json", "3"}).has_value());
}

}  // namespace
}  // namespace inlay::io
