#include "inlay/mapspace/constraint_errors.h"

#include <gtest/gtest.h>

#include "inlay/core/shapes.h"
#include "inlay/mapspace/space.h"

namespace inlay {
namespace {

Architecture Toy() {
  Architecture architecture;
  architecture.levels.resize(2);
  architecture.levels[LevelId(0)].name = "DRAM";
  architecture.levels[LevelId(1)].name = "buffer";
  architecture.levels[LevelId(1)].fanout.name = "array";
  architecture.levels[LevelId(1)].fanout.x = 4;
  return architecture;
}

Constraint At(const char* at, int line) {
  Constraint constraint;
  constraint.at = at;
  constraint.place = {{"mine.yaml", line, 3}, "- {at: ...}"};
  return constraint;
}

Diagnostic Blame(const char* where, const std::vector<Constraint>& constraints) {
  return ErrorAtConstraint({where, "message", "do this"}, MakeGemm("g", {.p = 4, .k = 4, .c = 4}),
                           Toy(), constraints);
}

TEST(BlameTest, TheLastConstraintThatHasASay) {
  Constraint factors = At("DRAM", 3), loops = At("DRAM", 4), other = At("DRAM", 5);
  factors.factors = {{"M", Relation::kAtLeast, 2}};  // M is K here
  loops.loops = {{"P"}};
  other.factors = {{"C", Relation::kEqual, 2}};
  const Diagnostic error = Blame("constraints.DRAM.dims.K", {factors, loops, other});
  EXPECT_EQ(error.location.file, "mine.yaml");
  EXPECT_EQ(error.location.line, 4);
  EXPECT_EQ(error.source_line, "- {at: ...}");
  EXPECT_EQ(error.hint, "do this; see also mine.yaml:3:3");
  EXPECT_EQ(Blame("dims.C", {factors, other}).location.line, 5);
  EXPECT_EQ(Blame("constraints.buffer", {factors, loops}).location.line, 0);
}

TEST(BlameTest, UtilisationAndBypass) {
  Constraint lanes = At("array", 3), bypass = At("buffer", 4);
  lanes.min_utilization = 0.5;
  bypass.bypass = {"Inputs"};
  EXPECT_EQ(Blame("levels.buffer", {lanes, bypass}).location.line, 3);
  EXPECT_EQ(Blame("levels.DRAM", {lanes, bypass}).location.line, 0);
  EXPECT_EQ(Blame("tensors.Inputs", {lanes, bypass}).location.line, 4);
  EXPECT_EQ(Blame("levels.buffer", {}).hint, "do this");
  Constraint keep = At("buffer", 5), order = At("buffer", 6);
  keep.keep = {"Inputs"};
  order.outermost = {"P"};
  EXPECT_EQ(Blame("constraints.buffer.tensors.Inputs", {bypass, keep, order}).location.line, 5);
  EXPECT_EQ(Blame("constraints.buffer.order", {bypass, order, keep}).location.line, 6);
}

TEST(BlameTest, FaultsOfMakeSpaceLeadToTheirConstraints) {
  const Problem problem = MakeGemm("g", {.p = 4, .k = 4, .c = 4});
  Constraint least = At("DRAM", 3), most = At("DRAM", 4), order = At("buffer", 5);
  least.factors = {{"P", Relation::kAtLeast, 3}};
  most.factors = {{"P", Relation::kAtMost, 2}};
  order.innermost = {"P", "P"};
  const std::vector<Constraint> all = {least, most, order};
  const auto space = MakeSpace(problem, Toy(), Mapspace::kAny, all);
  ASSERT_FALSE(space.has_value());
  ASSERT_EQ(space.error().size(), 2U);
  for (const Fault& fault : space.error()) {
    const Diagnostic error = ErrorAtConstraint(fault, problem, Toy(), all);
    const bool of_order = error.message.find("listed twice") != std::string::npos;
    EXPECT_EQ(error.location.line, of_order ? 5 : 4) << error.message;
    EXPECT_EQ(error.hint.find("mine.yaml:3:3") == std::string::npos, of_order) << error.hint;
  }
}

}  // namespace
}  // namespace inlay
