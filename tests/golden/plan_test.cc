// Plans of real networks: what they cost without management, by the specification's figures and by
// hand.
#include <gtest/gtest.h>

#include <filesystem>

#include "inlay/io/load.h"
#include "inlay/scratchpad/make_problem.h"
#include "inlay/scratchpad/validator.h"
#include "tests/support/paths.h"
#include "tests/support/plans.h"

namespace inlay::io {
namespace {

struct Unmanaged {
  std::string network;
  double microseconds;
};

class UnmanagedTest : public ::testing::TestWithParam<Unmanaged> {};

TEST_P(UnmanagedTest, TakesWhatTheSpecificationSays) {
  LoadRecord record;
  const auto graph = LoadGraph(GetParam().network, &record);
  ASSERT_TRUE(graph.has_value()) << Format(graph.error());
  const auto machine = LoadMachine("onsram", &record);
  ASSERT_TRUE(machine.has_value()) << Format(machine.error());
  const StopFlag stop;
  const auto problem = MakePlanProblem(*graph, *machine, {}, stop);
  ASSERT_TRUE(problem.has_value()) << problem.error().front().message;
  const auto figures = Replay(*problem, testing::StreamedPlan(*problem));
  ASSERT_TRUE(figures.has_value()) << figures.error().front().message;
  EXPECT_NEAR(figures->latency_seconds * 1e6, GetParam().microseconds, 0.5);
}

INSTANTIATE_TEST_SUITE_P(OnSram, UnmanagedTest,
                         ::testing::Values(Unmanaged{"resnet18", 2027},
                                           Unmanaged{"mobilenetv2", 1866}),
                         [](const auto& test) { return test.param.network; });

}  // namespace
}  // namespace inlay::io
