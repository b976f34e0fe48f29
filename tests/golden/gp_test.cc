// Permutation classes and geometric programs against an independent prototype.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "inlay/core/shapes.h"
#include "inlay/gp/orders.h"
#include "tests/support/paths.h"

namespace inlay::golden {
namespace {

using nlohmann::json;

json Load(const std::string& name) {
  std::ifstream file(std::string(INLAY_SOURCE_DIR) + "/tests/golden/thistle/" + name);
  return json::parse(file);
}

TEST(GpGolden, PermutationClassesAreThePrintedOnes) {
  const json printed = Load("perm_classes.json");
  struct Case {
    const char* name;
    int64_t batch, window;
    std::vector<const char*> dims;
  };
  const std::vector<Case> cases = {{"N=1 3x3 (dims kchw)", 1, 3, {"K", "C", "P", "Q"}},
                                   {"N=1 1x1 no halo (kchw)", 1, 1, {"K", "C", "P", "Q"}},
                                   {"batched 3x3 (nkchw)", 4, 3, {"N", "K", "C", "P", "Q"}},
                                   {"batched 1x1", 4, 1, {"N", "K", "C", "P", "Q"}}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const Problem problem = MakeConv(
        "conv", {.n = c.batch, .k = 4, .c = 4, .p = 8, .q = 8, .r = c.window, .s = c.window});
    std::vector<DimId> dims;
    for (const char* name : c.dims) dims.push_back(FindDim(problem, name).value());
    const auto count = [&](gp::Pruning pruning) {
      return gp::OrderClasses(problem, dims, pruning).size();
    };
    const json& entry = printed[c.name];
    EXPECT_EQ(count(gp::Pruning::kHoisting), entry["prefix_classes_per_level"]);
    EXPECT_EQ(count(gp::Pruning::kExpressions), entry["expr_classes_per_level"]);
    EXPECT_EQ(count(gp::Pruning::kDominance), entry["nondominated_per_level"]);
  }
}

}  // namespace
}  // namespace inlay::golden
