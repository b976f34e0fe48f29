#include "inlay/mapper/exact.h"

#include <gtest/gtest.h>

#include "inlay/core/shapes.h"
#include "inlay/mapper/mapper.h"
#include "tests/support/small_machine.h"

namespace inlay {
namespace {

// DRAM – buffer – 6 lanes – registers; the buffer keeps what pays, so there are several cases.
Architecture SmallArchitecture() {
  Architecture architecture = testing::SmallMachine(6);
  architecture.levels[LevelId(1)].capacity_words = 150;
  architecture.levels[LevelId(2)].capacity_words = 12;
  return architecture;
}

// Also what the thread sanitizer looks at.
TEST(ExactSearchTest, SameAnswerAtAnyNumberOfThreads) {
  const Problem problem = MakeConv("conv", {.k = 8, .c = 5, .p = 7, .q = 7, .r = 3, .s = 3});
  const StopFlag stop;
  for (const Mapspace mapspace : {Mapspace::kPerfect, Mapspace::kRubyS}) {
    const Space space = MakeSpace(problem, SmallArchitecture(), mapspace).value();
    for (const Metric metric : {Metric::kEnergy, Metric::kDelay, Metric::kEdp}) {
      SCOPED_TRACE(Name(metric));
      MapOptions options;
      options.objective = {metric};
      const LayerAnswer one = SearchExact(space, options, Deadline(stop));
      ASSERT_TRUE(one.best.has_value());
      EXPECT_EQ(one.certificate.status, CertificateStatus::kOptimal);
      options.threads = 4;
      const LayerAnswer four = SearchExact(space, options, Deadline(stop));
      ASSERT_TRUE(four.best.has_value());
      EXPECT_EQ(four.best->mapping, one.best->mapping);
      EXPECT_EQ(four.certificate, one.certificate);
    }
  }
}

// What is written down of a search: in the order of time, ever better, and never past the answer.
TEST(ExactSearchTest, TellsHowItWent) {
  const Problem problem = MakeConv("conv", {.k = 8, .c = 5, .p = 7, .q = 7, .r = 3, .s = 3});
  const Space space = MakeSpace(problem, SmallArchitecture(), Mapspace::kRubyS).value();
  for (const int threads : {1, 4}) {
    MapOptions options;
    options.threads = threads;
    size_t calls = 0;
    const LayerAnswer answer =
        MapLayer(space, options, StopFlag(), [&](const MapProgress&) { ++calls; });
    ASSERT_TRUE(answer.best.has_value());
    const std::vector<SearchMoment>& progress = answer.effort.progress;
    ASSERT_FALSE(progress.empty());
    EXPECT_LE(progress.size(), 64U);
    EXPECT_LE(progress.size(), calls);
    for (size_t i = 0; i < progress.size(); ++i) {
      ASSERT_TRUE(progress[i].incumbent && progress[i].bound);
      EXPECT_GE(*progress[i].incumbent, answer.certificate.objective);
      EXPECT_LE(*progress[i].bound, answer.certificate.objective);
      EXPECT_LE(progress[i].seconds, answer.effort.seconds);
      if (i == 0) continue;
      EXPECT_LE(*progress[i].incumbent, *progress[i - 1].incumbent);
      EXPECT_GE(*progress[i].bound, *progress[i - 1].bound);
      EXPECT_GE(progress[i].seconds, progress[i - 1].seconds);
    }
  }
}

}  // namespace
}  // namespace inlay
