#include "inlay/io/json/any_result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "inlay/base/version.h"
#include "inlay/core/explanation.h"
#include "inlay/core/fused_result.h"
#include "inlay/core/map_result.h"
#include "inlay/io/json/document.h"

namespace inlay::io {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

std::string MapText() {
  MapResult result;
  result.header = {"map", "0.1.0", {{"workload", "</script><b>", "00"}}, {}};
  result.workload = "net";
  result.architecture = "eyeriss";
  return WriteJson(result);
}

std::string ErrorsOf(const std::string& text) {
  const auto result = ReadAnyResult({"r.json", text});
  return result ? "" : Format(result.error());
}

TEST(AnyResultTest, TakesAResultAsItIs) {
  const auto result = ReadAnyResult({"r.json", MapText()});
  ASSERT_TRUE(result.has_value()) << Format(result.error());
  EXPECT_EQ(result->name, "r.json");
  EXPECT_EQ(result->command, "map");
  EXPECT_EQ(result->version, "0.1.0");
  EXPECT_EQ(json::parse(result->json), json::parse(MapText()));
  EXPECT_THAT(result->json, Not(HasSubstr("\n")));
}

TEST(AnyResultTest, ResultsOfOneCommandAreToldApartByTheirKeys) {
  FusedEvalResult fused;
  fused.header = {"eval", "0.1.0", {{"case", "f.yaml", "00"}}, {}};
  fused.problem = "f";
  EXPECT_EQ(ErrorsOf(WriteJson(fused)), "");
  ExplainResult explained;
  explained.header = {"codesign", "0.1.0", {{"workload", "net.yaml", "00"}}, {}};
  EXPECT_THAT(ErrorsOf(WriteJson(explained)),
              HasSubstr("results of 'codesign --explain' cannot be shown"));
}

TEST(AnyResultTest, AbsolutePathsAreThoseFromThePage) {
  EXPECT_EQ(PathOnPage("net.yaml", "/home/me"), "net.yaml");
  EXPECT_EQ(PathOnPage("/home/me/net.yaml", "/home/me"), "net.yaml");
  EXPECT_EQ(PathOnPage("/home/me/in/net.yaml", "/home/me/out/"), "../in/net.yaml");
  EXPECT_EQ(PathOnPage("/data/nets/net.yaml", "/home/me"), "…/nets/net.yaml");
  EXPECT_EQ(PathOnPage("/net.yaml", "/home/me"), "…/net.yaml");
  EXPECT_EQ(PathOnPage("/data/net.yaml", "/"), "data/net.yaml");
}

TEST(AnyResultTest, NoFolderOfThisMachineIsOnThePage) {
  MapResult map;
  map.header = {"map", "0.1.0", {{"workload", "/home/me/net.yaml", "00"}}, {}};
  map.workload = "/home/me/net.yaml";
  const auto result = ReadAnyResult({"/home/me/r.json", WriteJson(map)}, "/home/me/pages");
  ASSERT_TRUE(result.has_value()) << Format(result.error());
  EXPECT_THAT(result->json, Not(HasSubstr("/home/me")));
  EXPECT_EQ(json::parse(result->json)["workload"], "../net.yaml");
}

TEST(AnyResultTest, AListIsOfEval) {
  EvalResult one;
  one.header = {"eval", "0.1.0", {}, {}};
  const auto result = ReadAnyResult({"r.json", WriteJson(std::vector{one, one})});
  ASSERT_TRUE(result.has_value()) << Format(result.error());
  EXPECT_EQ(result->command, "eval");
  EXPECT_EQ(json::parse(result->json).size(), 2U);
}

TEST(AnyResultTest, RefusesWhatIsNone) {
  EXPECT_THAT(ErrorsOf("{\n  \"a\": }"), HasSubstr("r.json:2:8: error: this is not valid JSON"));
  EXPECT_THAT(ErrorsOf("[]"), HasSubstr("it has no 'format'"));
  EXPECT_THAT(ErrorsOf("{\"format\": 3}"), HasSubstr("it has no 'format'"));
  EXPECT_THAT(ErrorsOf("{\n \"format\": \"inlay/result/7\"}"),
              testing::AllOf(HasSubstr("r.json:2:2: error: this result has the format "
                                       "'inlay/result/7'"),
                             HasSubstr("reads 'inlay/result/1'")));
  EXPECT_THAT(ErrorsOf(R"({"format": "inlay/plan/1"})"), HasSubstr("'inlay/plan/1' is not"));
  EXPECT_THAT(ErrorsOf(R"({"format": "inlay/result/1"})"), HasSubstr("which command"));
  EXPECT_THAT(ErrorsOf(R"({"format": "inlay/result/1", "command": "stdy"})"), HasSubstr("study"));
}

// Every command that can be shown is checked for what the page needs.
TEST(AnyResultTest, TellsWhatIsMissing) {
  for (const char* command : {"map", "eval", "walk", "codesign", "plan", "alloc", "batch", "study",
                              "systolic", "mapspace"}) {
    const json text = {{"format", "inlay/result/1"}, {"command", command}, {"version", "0.1.0"}};
    EXPECT_THAT(ErrorsOf(text.dump()), HasSubstr("missing")) << command;
  }
}

TEST(AnyResultTest, LevelsKeepTheSameTensors) {
  EvalResult one;
  one.header = {"eval", "0.1.0", {}, {}};
  one.levels = {{"DRAM", 0, CycleLimit::kNone, 0, {{"A", {}}}},
                {"GLB", 0, CycleLimit::kNone, 0, {{"B", {}}}}};
  const std::string fault = "levels[1].tensors: not the tensors of the first level";
  EXPECT_THAT(ErrorsOf(WriteJson(one)), HasSubstr(fault));
  EXPECT_THAT(ErrorsOf(WriteJson(std::vector{one, one})), HasSubstr("[1]." + fault));
}

TEST(AnyResultTest, NothingEndsTheScript) {
  auto result = ReadAnyResult({"<!--.json", MapText()});
  ASSERT_TRUE(result.has_value());
  result->trace = R"({"traceEvents": ["</SCRIPT>"]})";
  const std::string data = WriteReportData({*result, *result});
  EXPECT_EQ(data.find('<'), std::string::npos);
  const json read = json::parse(data);
  EXPECT_EQ(read["version"], std::string(kVersion));
  ASSERT_EQ(read["results"].size(), 2U);
  EXPECT_EQ(read["results"][0]["name"], "<!--.json");
  EXPECT_EQ(read["results"][1]["result"], json::parse(MapText()));
  EXPECT_EQ(read["results"][1]["trace"]["traceEvents"][0], "</SCRIPT>");
}

TEST(AnyResultTest, TracesHaveEvents) {
  EXPECT_TRUE(ReadTrace({"t", R"({"traceEvents": []})"}).has_value());
  EXPECT_FALSE(ReadTrace({"t", "[]"}).has_value());
  EXPECT_FALSE(ReadTrace({"t", "{"}).has_value());
}

}  // namespace
}  // namespace inlay::io
