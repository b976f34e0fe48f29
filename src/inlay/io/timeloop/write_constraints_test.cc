#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "inlay/core/shapes.h"
#include "inlay/io/native/native.h"
#include "inlay/io/timeloop/write.h"

namespace inlay::io {
namespace {

using ::testing::HasSubstr;

Architecture ReadArchitecture(const std::string& text) {
  auto inputs = ReadNative({{"a.yaml", "format: inlay/1\n" + text}});
  EXPECT_TRUE(inputs.has_value()) << Format(inputs.error());
  return inputs ? *std::move(inputs->architecture) : Architecture();
}

// The mapspace `padded` rounds K up to 4, the number of lanes: a limit that is no smaller than K
// holds for it all the same.
TEST(TimeloopWriteConstraints, ALimitThatIsTheBoundStays) {
  Architecture architecture = ReadArchitecture(R"(
architecture:
  name: a
  levels:
  - {name: DRAM, kind: dram, energy: {read: 1 pJ, write: 1 pJ}}
  - {fanout: lanes, x: 4}
  - {compute: mac, energy: 1 pJ}
)");
  Constraint constraint;
  constraint.at = "lanes";
  constraint.factors = {{"K", Relation::kAtMost, 2}};
  architecture.constraints = {constraint};
  const Problem problem = MakeGemm("gemm", {.p = 3, .k = 2, .c = 5});
  const auto text = WriteTimeloop(&problem, &architecture, nullptr, TimeloopVersion::k04);
  ASSERT_TRUE(text.has_value()) << Format(text.error());
  EXPECT_THAT(*text, HasSubstr("factors: \"K<=2\""));
}

// The level of a partition becomes one that may hold `in` or not and names it no more; the level
// above keeps everything, `in` included.
TEST(TimeloopWriteConstraints, ATensorThatOnlyAPartitionNamesIsKeptAbove) {
  Architecture architecture = ReadArchitecture(R"(
architecture:
  name: a
  levels:
  - {name: DRAM, kind: dram, energy: {read: 1 pJ, write: 1 pJ}}
  - {name: pad, kind: sram, energy: {read: 1 pJ, write: 1 pJ}}
  - {name: rf, kind: register, partition: {in: 2 words}, keep: [], bypass: [out], energy: {read: 1 pJ, write: 1 pJ}}
  - {compute: mac, energy: 1 pJ}
)");
  const auto text = WriteTimeloop(nullptr, &architecture, nullptr, TimeloopVersion::k03);
  ASSERT_TRUE(text.has_value()) << Format(text.error());
  EXPECT_THAT(*text, HasSubstr("{target: pad, type: bypass, keep: [out, in], bypass: []}"));
}

}  // namespace
}  // namespace inlay::io
