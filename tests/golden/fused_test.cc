// Fronts of small fused problems, listed exhaustively by another program: a tree for every step has
// the room and the off-chip words that it says. See tests/golden/fused/fronts.txt.
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "inlay/cost/fused/count.h"
#include "inlay/cost/fused/finish.h"
#include "inlay/io/file.h"
#include "tests/support/native.h"
#include "tests/support/paths.h"

namespace inlay {
namespace {

constexpr const char* kArchitecture = R"(
---
format: inlay/1
architecture:
  name: one-multiplier
  levels:
  - {name: DRAM, kind: dram, energy: {read: 1 pJ, fill: 1 pJ, update: 1 pJ}}
  - {name: buffer, kind: sram, energy: {read: 1 pJ, fill: 1 pJ, update: 1 pJ}}
  - {compute: mac, energy: 1 pJ}
)";

void Check(const std::string& name, const std::string& problem, const std::string& step,
           const std::string& tree) {
  SCOPED_TRACE(name + ", room and words " + step);
  const auto inputs =
      testing::ReadText("format: inlay/1\nfused:\n" + problem + tree + kArchitecture);
  ASSERT_TRUE(inputs) << Format(inputs.error());
  const auto bound = inputs->fused->tree(*inputs->architecture);
  ASSERT_TRUE(bound) << Format(bound.error());
  const auto counts = CountFused(inputs->fused->problem, *inputs->architecture, *bound);
  ASSERT_TRUE(counts);
  const auto cost = FinishFused(inputs->fused->problem, *inputs->architecture, *counts);
  ASSERT_TRUE(cost);
  EXPECT_EQ(fmt::format("{} {}", cost->counts.room_words, cost->offchip_words), step);
  EXPECT_EQ(cost->recomputed_operations, 0);
}

TEST(FusedGoldenTest, TreesReachEveryStepOfTheFronts) {
  const auto text = io::ReadTextFile(INLAY_SOURCE_DIR "/tests/golden/fused/fronts.txt");
  ASSERT_TRUE(text);
  std::istringstream lines(text->text);
  std::string line, name, problem, step, tree;
  int steps = 0;
  const auto finish = [&] {
    if (!tree.empty()) Check(name, problem, step, tree);
    steps += tree.empty() ? 0 : 1;
    tree.clear();
  };
  while (std::getline(lines, line)) {
    if (line.starts_with("== ")) {
      finish();
      name = line.substr(3);
      problem.clear();
      step.clear();
    } else if (line.starts_with("-- ")) {
      finish();
      step = line.substr(3);
    } else if (!name.empty()) {
      (step.empty() ? problem : tree) += line + "\n";
    }
  }
  finish();
  EXPECT_GE(steps, 40);
}

}  // namespace
}  // namespace inlay
