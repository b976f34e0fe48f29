#include "inlay/io/json/eval.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace inlay::io {
namespace {

using testing::HasSubstr;

TensorCost SomeTensor(int64_t seed, int64_t instances) {
  TensorCost tensor;
  tensor.kept = seed % 2 == 0;
  tensor.tile_words = seed + 1;
  tensor.instances = instances;
  tensor.total = {seed * 7, seed * 5, seed * 3, seed};
  tensor.energy_pj = static_cast<double>(seed) / 3;
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
  result.tensors = {"Weights", "Outputs"};
  result.levels = {"DRAM", "RF"};
  result.numeric_check = true;
  result.seconds = 0.1;
  result.cost.operations = 9007199254740993;  // not a double
  result.cost.cycles = 12;
  result.cost.compute_cycles = 11;
  result.cost.compute_lanes_used = 3;
  result.cost.compute_lanes = 4;
  result.cost.compute_energy_pj = 0.1;
  result.cost.energy_pj = 1e300;
  result.cost.utilization = 1;
  result.cost.offchip_words = 77;
  result.cost.padded_operations = 81;
  for (int64_t l : {1, 2}) {
    LevelCost level;
    level.tensors = {SomeTensor(l * 10, l), SomeTensor(l * 11, l * 3)};
    level.cycles = l;
    level.limit = CycleLimit::kWrite;
    level.energy_pj = 2.5;
    result.cost.levels.push_back(level);
  }
  return result;
}

void ExpectEqual(const EvalResult& a, const EvalResult& b) {
  EXPECT_EQ(a.header, b.header);
  EXPECT_EQ(a.semantics, b.semantics);
  EXPECT_EQ(a.problem, b.problem);
  EXPECT_EQ(a.architecture, b.architecture);
  EXPECT_EQ(a.mapspace, b.mapspace);
  EXPECT_EQ(a.mapping, b.mapping);
  EXPECT_EQ(a.tensors, b.tensors);
  EXPECT_EQ(a.levels, b.levels);
  EXPECT_EQ(a.numeric_check, b.numeric_check);
  EXPECT_EQ(a.seconds, b.seconds);
  EXPECT_EQ(a.cost.operations, b.cost.operations);
  EXPECT_EQ(a.cost.cycles, b.cost.cycles);
  EXPECT_EQ(a.cost.compute_cycles, b.cost.compute_cycles);
  EXPECT_EQ(a.cost.compute_lanes_used, b.cost.compute_lanes_used);
  EXPECT_EQ(a.cost.compute_lanes, b.cost.compute_lanes);
  EXPECT_EQ(a.cost.compute_energy_pj, b.cost.compute_energy_pj);
  EXPECT_EQ(a.cost.energy_pj, b.cost.energy_pj);
  EXPECT_EQ(a.cost.utilization, b.cost.utilization);
  EXPECT_EQ(a.cost.offchip_words, b.cost.offchip_words);
  EXPECT_EQ(a.cost.padded_operations, b.cost.padded_operations);
  ASSERT_EQ(a.cost.levels.size(), b.cost.levels.size());
  for (LevelId l : Ids(a.cost.levels)) {
    const LevelCost &x = a.cost.levels[l], &y = b.cost.levels[l];
    EXPECT_EQ(x.cycles, y.cycles);
    EXPECT_EQ(x.limit, y.limit);
    EXPECT_EQ(x.energy_pj, y.energy_pj);
    ASSERT_EQ(x.tensors.size(), y.tensors.size());
    for (TensorId t : Ids(x.tensors)) {
      EXPECT_EQ(x.tensors[t].kept, y.tensors[t].kept);
      EXPECT_EQ(x.tensors[t].tile_words, y.tensors[t].tile_words);
      EXPECT_EQ(x.tensors[t].instances, y.tensors[t].instances);
      EXPECT_EQ(x.tensors[t].total, y.tensors[t].total);
      EXPECT_EQ(x.tensors[t].energy_pj, y.tensors[t].energy_pj);
    }
  }
}

TEST(EvalJson, ReadsWhatItWrites) {
  const EvalResult result = SomeResult();
  const auto one = ReadEvalResults({"r.json", WriteEvalResults({result})});
  ASSERT_TRUE(one.has_value()) << Format(one.error());
  ASSERT_EQ(one->size(), 1U);
  ExpectEqual(one->front(), result);

  EvalResult other = result;
  other.semantics = Semantics::kExact;
  other.numeric_check = false;
  other.cost.padded_operations.reset();
  const auto two = ReadEvalResults({"r.json", WriteEvalResults({result, other})});
  ASSERT_TRUE(two.has_value()) << Format(two.error());
  ASSERT_EQ(two->size(), 2U);
  ExpectEqual((*two)[1], other);
}

TEST(EvalJson, HasTheKeysOfTheContract) {
  const auto json = nlohmann::json::parse(WriteEvalResults({SomeResult()}));
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
  std::string text = WriteEvalResults({SomeResult()});
  const auto replace = [&](const std::string& from, const std::string& to) {
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
  };
  replace("\"cycles\": 12", "\"cycles\": 1.5");
  replace("\"semantics\": \"timeloop\"", "\"semantics\": \"tardis\"");
  replace("\"offchip_words\": 77", "\"offchip_words\": null");
  replace("\"tile_words\": 11,", "");
  const auto read = ReadEvalResults({"r.json", "[" + text + "]"});
  ASSERT_FALSE(read.has_value());
  const std::string errors = Format(read.error());
  EXPECT_THAT(errors, HasSubstr(":3: error: [0].cycles: expected a whole number"));
  EXPECT_THAT(errors, HasSubstr("[0].semantics: unknown value 'tardis'"));
  EXPECT_THAT(errors, HasSubstr("[0].offchip_words: expected a whole number"));
  EXPECT_THAT(errors, HasSubstr("[0].levels[0].tensors.Weights.tile_words: missing"));
  EXPECT_EQ(read.error().size(), 4U);
}

TEST(EvalJson, JunkIsAnErrorWithItsPlace) {
  const auto read = ReadEvalResults({"r.json", "{\n  \"format\": ,\n}"});
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error()[0].location.line, 2);
  EXPECT_EQ(read.error()[0].location.column, 13);
  EXPECT_FALSE(ReadEvalResults({"r.json", ""}).has_value());
  EXPECT_FALSE(ReadEvalResults({"r.json", "3"}).has_value());
  EXPECT_FALSE(ReadEvalResults({"r.json", "{\"format\": \"inlay/result/9\"}"}).has_value());
}

}  // namespace
}  // namespace inlay::io
