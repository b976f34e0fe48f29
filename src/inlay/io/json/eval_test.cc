#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "inlay/core/result.h"
#include "inlay/io/json/document.h"

namespace inlay::io {
namespace {

using testing::HasSubstr;

TensorResult SomeTensor(int64_t seed, int64_t instances) {
  TensorResult tensor;
  tensor.kept = seed % 2 == 0;
  tensor.tile_words = seed + 1;
  tensor.instances = instances;
  tensor.total = {seed * 7, seed * 5, seed * 3, seed};
  const auto per = static_cast<double>(instances);
  const auto words = static_cast<double>(seed);
  tensor.per_instance = {words * 7 / per, words * 5 / per, words * 3 / per, words / per};
  tensor.energy_pj = words / 3;
  return tensor;
}

EvalResult SomeResult() {
  EvalResult result;
  result.header.command = "walk";
  result.header.version = "1.2.3";
  result.header.inputs = {{"arch", "a.yaml", "00ff"},
                          {"arch", "b.yaml", "00fe"},
                          {"problem", "resnet50/conv1", "0102"}};
  result.header.options = {{"semantics", std::vector<std::string>{"exact", "timeloop"}},
                           {"accounting", std::string("elide")},
                           {"fill_and_drain", true},
                           {"limit", int64_t{1} << 60}};
  result.semantics = Semantics::kTimeloop;
  result.problem = "conv \"quoted\" µ";
  result.architecture = "eyeriss";
  result.mapspace = Mapspace::kRubyT;
  result.mapping = {"DRAM keeps all", "for K in 4 step 1"};
  result.numeric_check = "ok";
  result.measured.seconds = 0.1;
  result.operations = 9007199254740993;  // not a double
  result.cycles = 12;
  result.compute = {81, 3, 4, 11, 0.1};
  result.energy_pj = 1e300;
  result.utilization = 1;
  result.offchip_words = 77;
  result.padded_operations = 81;
  for (int64_t l : {1, 2}) {
    result.levels.push_back(
        {l == 1 ? "DRAM" : "RF",
         l,
         CycleLimit::kWrite,
         2.5,
         {{"Weights", SomeTensor(l * 10, l)}, {"Outputs", SomeTensor(l * 11, l * 3)}}});
  }
  return result;
}

TEST(EvalJson, ReadsWhatItWrites) {
  const EvalResult result = SomeResult();
  const auto one = ReadJson<EvalResult>({"r.json", WriteOneOrSeveral(std::vector{result})});
  ASSERT_TRUE(one.has_value()) << Format(one.error());
  EXPECT_EQ(*one, result);

  EvalResult other = result;
  other.semantics = Semantics::kExact;
  other.numeric_check.clear();
  other.padded_operations.reset();
  const auto two =
      ReadJson<std::vector<EvalResult>>({"r.json", WriteOneOrSeveral(std::vector{result, other})});
  ASSERT_TRUE(two.has_value()) << Format(two.error());
  EXPECT_EQ(*two, (std::vector{result, other}));
}

// Fractions where instances differ, whole numbers where they do not.
TEST(EvalJson, AnInstanceMovesItsShare) {
  Cost cost;
  cost.levels.push_back({{TensorCost{true, 1, 4, {8, 6, 0, 0}, 0}}, 0, CycleLimit::kNone, 0});
  Problem problem;
  problem.tensors.push_back({});
  Architecture architecture;
  architecture.levels.push_back({});
  const TensorResult tensor = LevelResultsOf(problem, architecture, cost)[0].tensors[0].second;
  EXPECT_EQ(tensor.per_instance, (InstanceCounts{2, 1.5, 0, 0}));
}

TEST(EvalJson, HasTheKeysOfTheContract) {
  const auto json = nlohmann::json::parse(WriteJson(SomeResult()));
  EXPECT_EQ(json["format"], "inlay/result/1");
  EXPECT_EQ(json["command"], "walk");
  EXPECT_EQ(json["semantics"], "timeloop");
  EXPECT_EQ(json["numeric_check"], "ok");
  EXPECT_TRUE(json["operations"].is_number_integer());
  EXPECT_EQ(json["compute"]["instances"], 3);
  const auto& weights = json["levels"][1]["tensors"]["Weights"];
  EXPECT_EQ(weights["instances"], 2);
  EXPECT_EQ(weights["total"]["reads"], 140);
  EXPECT_TRUE(weights["per_instance"]["reads"].is_number_integer());
  EXPECT_EQ(weights["per_instance"]["reads"], 70);
  const auto& outputs = json["levels"][1]["tensors"]["Outputs"];
  EXPECT_DOUBLE_EQ(outputs["per_instance"]["reads"].get<double>(), 154.0 / 6);
  EXPECT_TRUE(json["measured"].contains("seconds"));
}

TEST(EvalJson, NamesEveryFault) {
  std::string text = WriteJson(SomeResult());
  const auto replace = [&](const std::string& from, const std::string& to) {
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
  };
  replace("\"cycles\": 12", "\"cycles\": 1.5");
  replace("\"semantics\": \"timeloop\"", "\"semantics\": \"tardis\"");
  replace("\"offchip_words\": 77", "\"offchip_words\": null");
  replace("\"tile_words\": 11,", "");
  const auto read = ReadJson<std::vector<EvalResult>>({"r.json", "[" + text + "]"});
  ASSERT_FALSE(read.has_value());
  const std::string errors = Format(read.error());
  EXPECT_THAT(errors, HasSubstr(":3: error: [0].cycles: expected a whole number"));
  EXPECT_THAT(errors, HasSubstr("[0].semantics: unknown value 'tardis'"));
  EXPECT_THAT(errors, HasSubstr("[0].offchip_words: expected a whole number"));
  EXPECT_THAT(errors, HasSubstr("[0].levels[0].tensors.Weights.tile_words: missing"));
  EXPECT_EQ(read.error().size(), 4U);
}

TEST(EvalJson, JunkIsAnErrorWithItsPlace) {
  const auto read = ReadJson<EvalResult>({"r.json", "{\n  \"format\": ,\n}"});
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error()[0].location.line, 2);
  EXPECT_EQ(read.error()[0].location.column, 13);
  EXPECT_FALSE(ReadJson<EvalResult>({"r.json", ""}).has_value());
  EXPECT_FALSE(ReadJson<EvalResult>({"r.json", "3"}).has_value());
  EXPECT_FALSE(ReadJson<EvalResult>({"r.json", "{\"format\": \"inlay/result/9\"}"}).has_value());
}

}  // namespace
}  // namespace inlay::io
