#include "inlay/mapspace/unknown_dims.h"

#include <gtest/gtest.h>

#include "inlay/core/shapes.h"
#include "inlay/io/library/library.h"

namespace inlay {
namespace {

Network TwoGemms() {
  Network network;
  network.layers.push_back({"a", "gemm", MakeGemm("a", {.p = 4, .k = 4, .c = 4}), 1});
  network.layers.push_back({"b", "gemm", MakeGemm("b", {.p = 4, .k = 4, .c = 4}), 1});
  network.layers.back().problem.dims[DimId(0)].name = "Height";
  return network;
}

Constraint At(const char* at, int line) {
  Constraint constraint;
  constraint.at = at;
  constraint.place = {{"mine.yaml", line, 3}, "- {at: ...}"};
  return constraint;
}

TEST(UnknownDimsTest, NamesThatNoLayerHasAreToldAtTheirConstraint) {
  Architecture architecture;
  Constraint lanes = At("array", 3), loops = At("DRAM", 4), order = At("DRAM", 5);
  lanes.x = {{"k", "K"}};
  lanes.y = {{"Height"}};  // of the second layer only
  architecture.constraints = {lanes};
  loops.loops = {{"Z", "Z"}};
  loops.factors = {{"Heigth", Relation::kEqual, 2}};
  order.innermost = {"c"};
  order.outermost = {"P"};
  const Diagnostics found = WarnOfUnknownDims(TwoGemms(), architecture, {loops, order});
  ASSERT_EQ(found.size(), 4U);
  for (const Diagnostic& warning : found) {
    EXPECT_EQ(warning.severity, Severity::kWarning);
    EXPECT_EQ(warning.location.file, "mine.yaml");
    EXPECT_EQ(warning.source_line, "- {at: ...}");
  }
  EXPECT_EQ(found[0].message, "the constraint at 'array' names a dimension 'k' that no layer has");
  EXPECT_EQ(found[0].hint, "did you mean 'K'?");
  EXPECT_EQ(found[0].location.line, 3);
  EXPECT_NE(found[1].message.find("'Z'"), std::string::npos);
  EXPECT_NE(found[1].hint.find("expected one of"), std::string::npos);
  EXPECT_EQ(found[2].hint, "did you mean 'Height'?");
  EXPECT_EQ(found[3].hint, "did you mean 'C'?");
  EXPECT_EQ(found[3].location.line, 5);
}

// An architecture with rules for convolutions is used for products of matrices, and other tools
// say M for K.
TEST(UnknownDimsTest, BuiltinsFitEachOther) {
  Constraint lanes = At("array", 3);
  lanes.x = {{"M", "Q", "G"}};
  EXPECT_TRUE(WarnOfUnknownDims(TwoGemms(), {}, {lanes}).empty());
  for (const std::string& network : io::BuiltinNames(io::BuiltinKind::kNetwork)) {
    const auto layers = io::LoadBuiltin(io::BuiltinKind::kNetwork, network);
    if (!layers || !layers->network) continue;
    for (const std::string& name : io::BuiltinNames(io::BuiltinKind::kArchitecture)) {
      const auto inputs = io::LoadBuiltin(io::BuiltinKind::kArchitecture, name);
      ASSERT_TRUE(inputs && inputs->architecture) << name;
      EXPECT_TRUE(WarnOfUnknownDims(*layers->network, *inputs->architecture, {}).empty())
          << network << " on " << name;
    }
  }
}

}  // namespace
}  // namespace inlay
