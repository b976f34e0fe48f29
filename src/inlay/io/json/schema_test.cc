#include "inlay/io/json/schema.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "inlay/core/map_result.h"
#include "inlay/io/json/document.h"
#include "inlay/io/json/study_result.h"

namespace inlay::io {
namespace {

using nlohmann::json;

bool HasType(const json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "null") return value.is_null();
  ADD_FAILURE() << "the checker does not know type " << type;
  return false;
}

// As much of JSON Schema as ResultSchema uses; an unknown keyword fails.
bool Matches(const json& value, const json& schema, const json& root) {
  if (schema.is_boolean()) return schema.get<bool>();
  for (const auto& [keyword, argument] : schema.items()) {
    bool good = true;
    if (keyword == "type") {
      good = HasType(value, argument);
    } else if (keyword == "enum") {
      good = std::find(argument.begin(), argument.end(), value) != argument.end();
    } else if (keyword == "const") {
      good = value == argument;
    } else if (keyword == "minimum") {
      good = value.is_number() && value.get<double>() >= argument.get<double>();
    } else if (keyword == "required") {
      for (const auto& key : argument) good = good && value.contains(key.get<std::string>());
    } else if (keyword == "properties") {
      for (const auto& [key, item] : value.items()) {
        good = good && argument.contains(key) && Matches(item, argument[key], root);
      }
    } else if (keyword == "additionalProperties" || keyword == "items") {
      for (const auto& item : value) good = good && Matches(item, argument, root);
    } else if (keyword == "$ref") {
      good = Matches(value, root[json::json_pointer(argument.get<std::string>().substr(1))], root);
    } else if (keyword == "anyOf") {
      good = std::any_of(argument.begin(), argument.end(),
                         [&](const json& option) { return Matches(value, option, root); });
    } else if (keyword != "$schema" && keyword != "title" && keyword != "definitions" &&
               keyword != "description") {
      ADD_FAILURE() << "the checker does not know " << keyword;
    }
    if (!good) return false;
  }
  return true;
}

EvalResult SmallResult() {
  EvalResult result;
  result.header = {"eval", "1.0.0", {{"case", "a.yaml", "00"}}, {{"accounting", std::string("x")}}};
  result.mapping = {"DRAM keeps all"};
  const TensorResult tensor{true, 4, 2, {3.5, 0, 0, 0}, {7, 0, 0, 0}, 1.5};
  result.levels = {{"DRAM", 0, CycleLimit::kNone, 1.5, {{"A", tensor}}}};
  return result;
}

TEST(ResultSchema, MatchesWhatIsWritten) {
  const json schema = json::parse(ResultSchema());
  const EvalResult result = SmallResult();
  EXPECT_TRUE(Matches(json::parse(WriteJson(result)), schema, schema));
  EXPECT_TRUE(Matches(json::parse(WriteJson(std::vector{result, result})), schema, schema));
}

TEST(ResultSchema, RefusesWhatIsNot) {
  const json schema = json::parse(ResultSchema());
  const json good = json::parse(WriteJson(SmallResult()));
  for (const char* path :
       {"/format", "/cycles", "/levels/0/tensors/A/total/reads", "/compute/lanes", "/measured"}) {
    json bad = good;
    bad[json::json_pointer(path)] = "surprise";
    EXPECT_FALSE(Matches(bad, schema, schema)) << path;
    bad = good;
    const json::json_pointer pointer(path);
    bad[pointer.parent_pointer()].erase(pointer.back());
    EXPECT_FALSE(Matches(bad, schema, schema)) << "without " << path;
  }
}

MapResult SmallMapResult() {
  MapResult result;
  result.header.command = "map";
  result.header.version = "1.2.3";
  LayerResult found;
  found.name = "conv";
  found.operations = 8;
  found.cost = LayerCost{1.5, 2, 3, 4, 0.5, 0.1, 9, "compute", "DRAM", 0.9};
  found.certificate = Certificate{CertificateStatus::kOptimal, 3, 3, 0};
  found.mapping = {"DRAM keeps all"};
  const TensorResult tensor{true, 2, 1, {1, 2, 3, 4}, {1, 2, 3, 4}, 0.5};
  found.counts = LayerCounts{
      {{{"K", 2}}, {"A[K] +="}}, {{"DRAM", 3, CycleLimit::kRead, 1, {{"A", tensor}}}}, {}};
  found.measured.progress = {{0.5, std::nullopt, 1}, {1, 2, std::nullopt}};
  found.timeloop_mapping = TimeloopDirectives{{"DRAM", "spatial", "K=2", "K", 0, {}, {}},
                                              {"DRAM", "bypass", "", "", {}, {"A"}, {}}};
  found.points_visited = found.points_in_space = 7;
  found.dnnopt = DnnoptResult{{{"K", 9, 4}}, {{"Weights", 3}}, 3, 8, 1};
  found.certificate->proven = {Metric::kEdp};
  LayerResult missing;
  missing.reasons = {"too small"};
  missing.same_as = "other";
  missing.interrupted = true;
  missing.searched = false;
  result.layers = {found, missing};
  result.total = MapTotals{1, 2, 3};
  result.interrupted = true;
  return result;
}

TEST(ResultSchema, MatchesMapResults) {
  const json schema = json::parse(ResultSchema());
  MapResult result = SmallMapResult();
  EXPECT_TRUE(Matches(json::parse(WriteJson(result)), schema, schema));
  result.total->certificate = Certificate{CertificateStatus::kOptimal, 3, 3, 0, {Metric::kEdp}};
  EXPECT_TRUE(Matches(json::parse(WriteJson(result)), schema, schema));
  result.total.reset();
  result.layers[0].timeloop_mapping.reset();
  result.layers[0].timeloop_note = "why";
  EXPECT_TRUE(Matches(json::parse(WriteJson(result)), schema, schema));
  for (LayerResult& layer : result.layers) layer.front.emplace();
  result.layers[0].front->push_back({1, 2, 3, {"DRAM keeps all"}});
  EXPECT_TRUE(Matches(json::parse(WriteJson(result)), schema, schema));
}

StudyResult SmallStudyResult() {
  StudyResult result;
  result.header.command = "study";
  result.header.version = "1.2.3";
  result.study = "s";
  const StudyCertificate proof{CertificateStatus::kBounded, 0.1, {Metric::kDelay}};
  StudyPoint done;
  done.settings = {{"arch", "a"}};
  done.status = PointStatus::kDone;
  done.figures.Set("edp", 1.5);
  done.figures.texts = {{"size", "123456789012345678901234567890"}};
  done.proof = proof;
  done.layers = {{"conv", 2, done.figures, proof}};
  StudyPoint none;
  none.status = PointStatus::kNoAnswer;
  none.reasons = {"too small"};
  none.settings = {{"arch", "b"}};
  Study outline;
  outline.grids = {{"map", {StudyAxis::OfTexts("arch", {"a", "b"})}, "", {}}};
  result.points = StudyPoints(outline);
  result.points.Put(0, done);
  result.points.Put(1, none);
  StudyFigureRow row{"a", {}, {1.5, std::nullopt}, {proof, std::nullopt}, {true, false}};
  result.drawing = StudyDrawing{{"arch", "edp", {}, true}, false, {"x", "y"}, {row}};
  StudyClaim claim;
  claim.note = "why";
  result.claims = {{claim, 1.5, 1, false, proof}, {claim, std::nullopt, 0, true, {}}};
  return result;
}

TEST(ResultSchema, MatchesStudyResults) {
  const json schema = json::parse(ResultSchema());
  StudyResult result = SmallStudyResult();
  EXPECT_TRUE(Matches(json::parse(WriteStudyResult(result).Whole()), schema, schema));
  result.drawing->rows[0].x_value = 4.5;
  EXPECT_TRUE(Matches(json::parse(WriteStudyResult(result).Whole()), schema, schema));
  result.drawing.reset();
  EXPECT_TRUE(Matches(json::parse(WriteStudyResult(result).Whole()), schema, schema));
  result = SmallStudyResult();
  const json good = json::parse(WriteStudyResult(result).Whole());
  for (const char* path : {"/study", "/points/0/status", "/points/0/certificate/gap",
                           "/points/0/layers/0/figures", "/claims/0/ours", "/figure/rows/0/y"}) {
    json bad = good;
    bad[json::json_pointer(path)] = json::array({json::object()});
    EXPECT_FALSE(Matches(bad, schema, schema)) << path;
  }
}

TEST(ResultSchema, RefusesWhatIsNoMapResult) {
  const json schema = json::parse(ResultSchema());
  const json good = json::parse(WriteJson(SmallMapResult()));
  for (const char* path : {"/command", "/layers/0/cost/cycles", "/layers/0/certificate/status",
                           "/layers/0/measured", "/layers/1/certificate", "/measured/threads"}) {
    json bad = good;
    bad[json::json_pointer(path)] = "surprise";
    EXPECT_FALSE(Matches(bad, schema, schema)) << path;
    bad = good;
    const json::json_pointer pointer(path);
    bad[pointer.parent_pointer()].erase(pointer.back());
    EXPECT_FALSE(Matches(bad, schema, schema)) << "without " << path;
  }
}

}  // namespace
}  // namespace inlay::io
