// EvaluateTimeloop against what Timeloop printed.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "inlay/cost/timeloop.h"
#include "inlay/io/load.h"
#include "tests/golden/timeloop_case.h"
#include "tests/support/paths.h"

namespace inlay::golden {
namespace {

using nlohmann::json;

void ExpectTensor(const json& expected, const TensorCost& cost, const TimeloopTensorDetail& detail,
                  double pj_tolerance) {
  ASSERT_TRUE(cost.kept);
  const int64_t instances = expected["utilized_instances"];
  EXPECT_EQ(cost.instances, instances);
  EXPECT_EQ(cost.tile_words, expected["utilized_capacity"].get<int64_t>());
  EXPECT_EQ(detail.partition_words, expected["partition_size"].get<int64_t>());
  EXPECT_EQ(cost.total.reads, expected["reads"].get<int64_t>() * instances);
  EXPECT_EQ(cost.total.fills, expected["fills"].get<int64_t>() * instances);
  EXPECT_EQ(cost.total.updates, expected["updates"].get<int64_t>() * instances);
  EXPECT_EQ(cost.total.drains, 0);
  EXPECT_EQ(detail.temporal_reductions, expected["temporal_reductions"].get<int64_t>());
  EXPECT_NEAR(cost.energy_pj, expected["energy_total_pJ"].get<double>(),
              pj_tolerance * expected["energy_total_pJ"].get<double>());
}

// Returns how many tensors at levels were compared.
int ExpectEqual(const TimeloopCase& golden, const json& expected, const TimeloopRules& rules) {
  const auto result =
      EvaluateTimeloopInDetail(golden.problem, golden.architecture, golden.mapping, rules);
  EXPECT_TRUE(result.has_value());
  if (!result) return 0;
  const Cost& cost = result->cost;
  EXPECT_EQ(cost.operations, expected["compute"]["computes"].get<int64_t>());
  EXPECT_EQ(cost.compute_cycles, expected["compute"]["cycles"].get<int64_t>());
  EXPECT_EQ(cost.compute_lanes_used, expected["compute"]["utilized_instances"].get<int64_t>());
  EXPECT_EQ(result->average_lanes, expected["compute"]["avg_utilized_instances"].get<int64_t>());
  EXPECT_EQ(cost.cycles, expected["cycles"].get<int64_t>());
  const double energy_pj = expected["energy_pJ"];
  EXPECT_NEAR(cost.energy_pj, energy_pj, 1e-6 * energy_pj);
  EXPECT_NEAR(cost.utilization, expected["utilization"].get<double>(), 1e-6);
  int compared = 0;
  for (LevelId l : Ids(golden.architecture.levels)) {
    const json& level = expected["levels"][l.value()];
    SCOPED_TRACE(level["name"].get<std::string>());
    EXPECT_EQ(golden.architecture.levels[l].name, level["name"].get<std::string>());
    EXPECT_EQ(cost.levels[l].cycles, level["cycles"].get<int64_t>());
    for (TensorId t : Ids(golden.problem.tensors)) {
      const std::string& name = golden.problem.tensors[t].name;
      SCOPED_TRACE(name);
      const bool kept = level["dataspaces"].contains(name);
      EXPECT_EQ(cost.levels[l].tensors[t].kept, kept);
      if (!kept) continue;
      ExpectTensor(level["dataspaces"][name], cost.levels[l].tensors[t], result->details[l][t],
                   1e-6);
      ++compared;
    }
  }
  return compared;
}

TEST(TimeloopCost, EveryCaseAsTimeloopPrintsIt) {
  ASSERT_EQ(TimeloopCases().size(), 258U);
  int compared = 0;
  for (const TimeloopCase& golden : TimeloopCases()) {
    SCOPED_TRACE(golden.id);
    compared += ExpectEqual(golden, golden.result, {});
  }
  EXPECT_EQ(compared, 2052);
}

// From the file, through the reader: every form of the architecture gives Timeloop's figures.
int ExpectFilesEqual(const std::string& folder) {
  int files = 0;
  for (const TimeloopCase& golden : TimeloopCases()) {
    const std::string path =
        std::string(INLAY_SOURCE_DIR) + "/tests/golden/" + folder + "/" + golden.id + ".yaml";
    if (!std::filesystem::exists(path)) continue;
    SCOPED_TRACE(path);
    io::CaseArguments arguments;
    arguments.files = {path};
    const auto loaded = io::LoadCase(arguments);
    EXPECT_TRUE(loaded.has_value());
    if (!loaded) continue;
    TimeloopCase read = golden;
    read.problem = loaded->problem;
    read.architecture = loaded->architecture;
    read.mapping = loaded->mapping;
    ExpectEqual(read, golden.result, {});
    ++files;
  }
  return files;
}

TEST(TimeloopCost, EveryFileAsTimeloopPrintsIt) {
  EXPECT_EQ(ExpectFilesEqual("timeloop"), 258);
  EXPECT_EQ(ExpectFilesEqual("timeloop-v03"), 24);
  EXPECT_GE(ExpectFilesEqual("timeloop-v02"), 20);
  EXPECT_GE(ExpectFilesEqual("timeloop-v04"), 20);
}

// The variants in which Timeloop itself ran with one rule off.
void ExpectVariant(const char* name, const TimeloopRules& rules, int differing, int same) {
  int seen_differing = 0, seen_same = 0;
  for (const TimeloopCase& golden : TimeloopCases()) {
    SCOPED_TRACE(golden.id);
    const json& variant = golden.variants[name];
    if (variant["status"] == "differs") {
      ExpectEqual(golden, variant["result"], rules);
      ++seen_differing;
    } else if (variant["status"] == "same") {
      ExpectEqual(golden, golden.result, rules);
      ++seen_same;
    }
  }
  EXPECT_EQ(seen_differing, differing);
  EXPECT_EQ(seen_same, same);
}

TEST(TimeloopCost, WithoutExtrapolation) {
  TimeloopRules rules;
  rules.extrapolation = false;
  ExpectVariant("no_extrapolation", rules, 69, 105);
}

TEST(TimeloopCost, WithoutLinkTransfers) {
  TimeloopRules rules;
  rules.link_transfers = false;
  ExpectVariant("no_link_transfers", rules, 10, 248);
}

}  // namespace
}  // namespace inlay::golden
