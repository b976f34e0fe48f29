// The sizes of one-dimensional mapspaces in Table I of the Ruby paper, within the fan-out of 9.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "inlay/io/library/library.h"
#include "inlay/mapspace/count.h"
#include "inlay/mapspace/tilings.h"
#include "tests/support/golden.h"

namespace inlay {
namespace {

using nlohmann::json;

Problem OneDimension(int64_t bound) {
  Problem problem;
  problem.name = "line";
  problem.dims.push_back({"D", bound});
  problem.tensors.push_back({"Inputs", {{{{DimId(0), 1}}}}, false});
  problem.tensors.push_back({"Outputs", {{{{DimId(0), 1}}}}, true});
  return problem;
}

struct Column {
  const char* architecture;
  Mapspace mapspace;
  const char* name;
};

// The buffer of toy-glb-9 lies above the lanes, that of toy-9 below. There the file holds ruby
// without the limit of 9 only, so it is compared with an array that never runs out of lanes.
constexpr Column kColumns[] = {
    {"toy-glb-9", Mapspace::kPerfect, "PFM_valid"},
    {"toy-glb-9", Mapspace::kRubyS, "RubyS"},
    {"toy-glb-9", Mapspace::kRubyT, "RubyT_spatial<=9"},
    {"toy-glb-9", Mapspace::kRuby, "Ruby_spatial<=9"},
    {"toy-9", Mapspace::kPerfect, "B_PFM_valid"},
    {"toy-9", Mapspace::kRubyS, "B_RubyS"},
    {"toy-9", Mapspace::kRubyT, "B_RubyT"},
};
constexpr Column kUncapped[] = {
    {"toy-glb-9", Mapspace::kPerfect, "PFM_all"},
    {"toy-glb-9", Mapspace::kRubyT, "RubyT_uncapped"},
    {"toy-glb-9", Mapspace::kRuby, "Ruby_uncapped"},
    {"toy-9", Mapspace::kRuby, "B_Ruby_uncapped"},
};

void Compare(const json& row, const Column& column, bool capped) {
  SCOPED_TRACE(std::string(column.name) + ", D = " + row["D"].dump());
  auto inputs = io::LoadBuiltin(io::BuiltinKind::kArchitecture, column.architecture);
  ASSERT_TRUE(inputs);
  Architecture architecture = inputs->architecture.value();
  if (!capped) {
    for (Level& level : architecture.levels) {
      if (level.fanout.x > 1) level.fanout.x = row["D"];
    }
  }
  const auto space = MakeSpace(OneDimension(row["D"]), architecture, column.mapspace);
  ASSERT_TRUE(space);
  const auto size = CountMappings(*space);
  ASSERT_TRUE(size);
  EXPECT_EQ(size->size.ToString(), row[column.name].dump());
  EXPECT_EQ(std::to_string(ChainsOf(*space, DimId(0)).size()), row[column.name].dump());
}

TEST(RubyTest, TableI) {
  const json golden = testing::LoadGolden("ruby/ruby_table1.json");
  ASSERT_EQ(golden["rows"].size(), 19U);
  for (const json& row : golden["rows"]) {
    for (const Column& column : kColumns) Compare(row, column, true);
    for (const Column& column : kUncapped) Compare(row, column, false);
  }
}

}  // namespace
}  // namespace inlay
