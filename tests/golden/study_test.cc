// Built-in studies against figures that were computed independently.
#include "inlay/study/study.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "inlay/io/load.h"
#include "inlay/study/figure.h"
#include "tests/support/golden.h"

namespace inlay {
namespace {

using nlohmann::json;

StudyResult RunBuiltin(const std::string& name, std::optional<size_t> limit = {}) {
  io::LoadRecord record;
  const auto input = io::LoadStudy(name, &record);
  EXPECT_TRUE(input);
  const StopFlag stop;
  auto result = study::RunStudy(*input, {.threads = 2, .time_limit_seconds = {}, .limit = limit},
                                stop, &record);
  EXPECT_TRUE(result);
  return *std::move(result);
}

// All columns of Table I, those within 9 lanes and those without a limit.
TEST(StudyGoldenTest, RubyTable1) {
  const std::map<std::string, std::string> columns = {
      {"PFM_valid", "9 lanes perfect"},       {"RubyS", "9 lanes ruby-s"},
      {"RubyT_spatial<=9", "9 lanes ruby-t"}, {"Ruby_spatial<=9", "9 lanes ruby"},
      {"PFM_all", "uncapped perfect"},        {"RubyT_uncapped", "uncapped ruby-t"},
      {"Ruby_uncapped", "uncapped ruby"}};
  std::map<std::string, std::string> sizes;
  const StudyResult result = RunBuiltin("ruby-table1");
  for (const StudyPoint& point : result.points) {
    const std::string key = study::LabelAt(point, "workload") + " " +
                            study::LabelAt(point, "arch") + " " + study::LabelAt(point, "mapspace");
    sizes[key] = point.figures.texts.at(0).second;
  }
  const json rows = testing::LoadGolden("ruby/ruby_table1.json")["rows"];
  EXPECT_EQ(result.points.size(), rows.size() * 8);
  for (const json& row : rows) {
    for (const auto& [golden, ours] : columns) {
      EXPECT_EQ(sizes["D=" + row["D"].dump() + " " + ours], row[golden].dump())
          << golden << " " << row["D"];
    }
  }
}

// Cycles of 1 … 256 elements on 16 lanes.
TEST(StudyGoldenTest, RubyFig8) {
  const std::map<std::string, std::string> columns = {
      {"perfect", "pfm_cycles"}, {"padded", "pad_cycles"}, {"ruby-s", "rubyS_cycles"}};
  const json golden = testing::LoadGolden("ruby/ruby_fig8.json");
  const StudyResult result = RunBuiltin("ruby-fig8");
  ASSERT_EQ(result.points.size(), 3 * golden["sweep"].size());
  for (const StudyPoint& point : result.points) {
    const std::string workload = study::LabelAt(point, "workload");
    SCOPED_TRACE(workload + " " + study::LabelAt(point, "mapspace"));
    const json& row = golden["sweep"][std::stoul(workload.substr(2)) - 1];
    ASSERT_EQ("D=" + row["D"].dump(), workload);
    ASSERT_EQ(point.status, PointStatus::kDone);
    EXPECT_EQ(*point.figures.Find("cycles"),
              row[columns.at(study::LabelAt(point, "mapspace"))].get<double>());
    if (study::LabelAt(point, "mapspace") == "padded") {
      EXPECT_EQ(*point.figures.Find("padded_operations"), row["pad_size"].get<double>());
    }
  }
  const json& summary = golden["summary"];
  EXPECT_NEAR(*result.claims.at(4).ours, summary["geomean_pfm_over_rubyS_cycles"].get<double>(),
              1e-9);
  EXPECT_NEAR(*result.claims.at(5).ours, summary["max_pfm_over_rubyS"][0].get<double>(), 1e-9);
}

// AlexNet's second layer: the best utilisation of each mapspace.
TEST(StudyGoldenTest, RubyFig9) {
  const json golden = testing::LoadGolden("ruby/ruby_alexnet.json");
  const StudyResult result = RunBuiltin("ruby-fig9");
  const auto utilization = [&](const char* axis, const char* label) {
    for (const StudyPoint& point : result.points) {
      const std::string objective = study::LabelAt(point, "objective");
      if (study::LabelAt(point, axis) != label || objective == "edp") continue;
      if (study::LabelAt(point, "arch") == "eyeriss") continue;  // channels on the array too
      return point.figures.Find("utilization").value_or(0);
    }
    return 0.0;
  };
  constexpr double kPrinted = 5e-5;  // four digits
  EXPECT_NEAR(utilization("mapspace", "perfect"), golden["PFM"][0]["avg_util"], kPrinted);
  EXPECT_NEAR(utilization("mapspace", "ruby-s"), golden["RubyS"][0]["avg_util"], kPrinted);
  EXPECT_NEAR(utilization("case", "alexnet-conv2-strip-mined"),
              golden["handcrafted_strip_mining"]["avg_util"], kPrinted);
}

// Energy per operation of the 23 layers, the first two points: Thistle's accounting.
TEST(StudyGoldenTest, ThistleFig4) {
  const StudyResult result = RunBuiltin("thistle-fig4", 2);
  const json golden = testing::LoadGolden("thistle/eyeriss_energy.json");
  const std::map<std::string, std::string> columns = {{"perfect", "perfect"}, {"any", "imperfect"}};
  size_t compared = 0;
  for (const StudyPoint& point : result.points) {
    if (point.status != PointStatus::kDone) continue;
    const std::string mapspace = study::LabelAt(point, "mapspace");
    ASSERT_EQ(point.layers.size(), golden.size());
    for (size_t i = 0; i < golden.size(); ++i) {
      ASSERT_EQ(point.layers[i].name, golden[i]["layer"]);
      const double optimum = golden[i][columns.at(mapspace)];
      constexpr double kPrinted = 1e-4;
      EXPECT_LE(*point.layers[i].figures.Find("pj_per_op"), optimum + kPrinted)
          << golden[i]["layer"];
      ++compared;
    }
  }
  EXPECT_EQ(compared, 2 * golden.size());
}

// A slow study at a reduced grid: the first point has an answer in every layer, proven.
TEST(StudyGoldenTest, FirstPointOfRubyFig10) {
  const StudyResult result = RunBuiltin("ruby-fig10", 1);
  const StudyPoint point = result.points[0];
  ASSERT_EQ(point.status, PointStatus::kDone);
  EXPECT_EQ(point.layers.size(), 24U);
  EXPECT_EQ(*point.figures.Find("gap"), 0);
}

}  // namespace
}  // namespace inlay
