// What the exact mapper has before its tables are built: a first answer, and the best of smaller
// mapspaces.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "inlay/core/shapes.h"
#include "inlay/cost/evaluate.h"
#include "inlay/io/library/library.h"
#include "inlay/mapper/exact.h"
#include "inlay/mapper/exact/first_mapping.h"
#include "tests/property/mapper_case.h"
#include "tests/support/mapspace_name.h"

namespace inlay {
namespace {

using testing::CaseCount;
using testing::Describe;
using testing::Random;

class MapperFirstTest : public ::testing::TestWithParam<Mapspace> {};
INSTANTIATE_TEST_SUITE_P(All, MapperFirstTest, ::testing::ValuesIn(testing::kMapspaces),
                         testing::MapspaceName);

// It belongs to the space, fits and costs what it says; without constraints there is one whenever
// there is any.
TEST_P(MapperFirstTest, IsAMappingOfTheSpace) {
  const int64_t cases = CaseCount(300, 10'000);
  Random random(static_cast<uint64_t>(GetParam()) + 71);
  const StopFlag stop;
  ExactSwitches without;
  without.dives = false;
  int64_t found = 0;
  for (int64_t i = 0; i < cases; ++i) {
    testing::SpaceLimits limits = testing::RandomMapperLimits(random);
    const Space space = RandomSpace(random, GetParam(), limits);
    const auto first = exact_search::FirstMapping(space, {Metric::kEnergy});
    if (!first) {
      if (limits.constrained > 0) continue;
      const LayerAnswer answer = SearchExact(space, {}, Deadline(stop), {}, without);
      EXPECT_FALSE(answer.best.has_value()) << Describe(space);
      continue;
    }
    ++found;
    ASSERT_TRUE(CheckMembership(space, first->problem, first->mapping).empty()) << Describe(space);
    ASSERT_TRUE(Fits(space, first->problem, first->mapping)) << Describe(space);
    const auto cost = Evaluate(first->problem, space.architecture, first->mapping);
    ASSERT_TRUE(cost.has_value());
    ASSERT_EQ(cost->energy_pj, first->cost.energy_pj);
    ASSERT_EQ(cost->cycles, first->cost.cycles);
  }
  EXPECT_GT(found, cases / 10);
}

Architecture BuiltinArchitecture(const std::string& name) {
  return io::LoadBuiltin(io::BuiltinKind::kArchitecture, name).value().architecture.value();
}

// Stopped at once there is an answer, with a bound, in the largest space of any machine.
TEST(MapperFirstAnswerTest, IsThereWhenASearchIsStoppedAtOnce) {
  StopFlag stop;
  stop.Request();
  Architecture wide = BuiltinArchitecture("eyeriss-free");
  wide.levels[LevelId(1)].fanout.x = 1000;
  const std::vector<Architecture> architectures = {BuiltinArchitecture("eyeriss"), wide,
                                                   BuiltinArchitecture("simba")};
  const Problem problem = MakeConv("conv", {.k = 64, .c = 64, .p = 56, .q = 56, .r = 3, .s = 3});
  for (const Architecture& architecture : architectures) {
    for (const Mapspace mapspace : testing::kMapspaces) {
      SCOPED_TRACE(architecture.name + " " + Name(mapspace));
      const auto space = MakeSpace(problem, architecture, mapspace);
      if (!space) {
        EXPECT_EQ(mapspace, Mapspace::kPadded) << "padded to all lanes it can be too large";
        continue;
      }
      const LayerAnswer answer = MapLayer(*space, {}, stop);
      ASSERT_TRUE(answer.best.has_value());
      EXPECT_TRUE(answer.interrupted);
      EXPECT_GT(answer.certificate.lower_bound, 0);
      EXPECT_LE(answer.certificate.lower_bound, answer.certificate.objective);
    }
  }
}

// A search that is stopped as soon as it has heard of the next smaller space answers no worse than
// that space. Stopped by what it tells, not by the clock.
TEST(MapperFirstAnswerTest, ALargerSpaceStartsFromTheBestOfSmallerOnes) {
  const Architecture architecture = BuiltinArchitecture("eyeriss");
  const std::vector<Problem> problems = {
      MakeConv("1x1", {.k = 24, .c = 16, .p = 14, .q = 14}),
      MakeConv("3x3", {.k = 20, .c = 12, .p = 13, .q = 13, .r = 3, .s = 3})};
  for (const Problem& problem : problems) {
    for (const Metric metric : {Metric::kEdp, Metric::kDelay}) {
      SCOPED_TRACE(problem.name + " " + Name(metric));
      MapOptions options;
      options.objective = {metric};
      double best = std::numeric_limits<double>::infinity();
      for (const Mapspace mapspace : {Mapspace::kPerfect, Mapspace::kRubyS}) {
        const Space space = MakeSpace(problem, architecture, mapspace).value();
        const LayerAnswer answer = MapLayer(space, options, StopFlag());
        ASSERT_EQ(answer.certificate.status, CertificateStatus::kOptimal);
        EXPECT_LE(answer.certificate.objective, best);
        best = answer.certificate.objective;
      }
      for (const Mapspace mapspace : {Mapspace::kRuby, Mapspace::kAny}) {
        const Space space = MakeSpace(problem, architecture, mapspace).value();
        StopFlag stop;
        std::vector<double> told;  // first of the first mapping, then of ruby-s
        const LayerAnswer answer = MapLayer(space, options, stop, [&](const MapProgress& state) {
          if (!state.incumbent || (!told.empty() && *state.incumbent == told.back())) return;
          told.push_back(*state.incumbent);
          if (told.size() == 2) stop.Request();
        });
        ASSERT_GE(told.size(), 2);
        EXPECT_LE(told[1], best);
        ASSERT_TRUE(answer.best.has_value());
        EXPECT_LE(answer.certificate.objective, best);
      }
    }
  }
}

// With a time limit a small space is searched before it hears of `perfect`; the end is the same.
TEST(MapperFirstAnswerTest, ATimeLimitThatIsNotReachedChangesNothing) {
  const Problem problem = MakeConv("conv", {.k = 8, .c = 5, .p = 7, .q = 7, .r = 3, .s = 3});
  for (const Mapspace mapspace : testing::kMapspaces) {
    if (mapspace == Mapspace::kAny) continue;
    const Space space = MakeSpace(problem, BuiltinArchitecture("toy-9"), mapspace).value();
    MapOptions options;
    const LayerAnswer without = MapLayer(space, options, StopFlag());
    options.time_limit_seconds = 1e6;
    const LayerAnswer with = MapLayer(space, options, StopFlag());
    ASSERT_TRUE(without.best && with.best) << Name(mapspace);
    EXPECT_EQ(with.best->mapping, without.best->mapping) << Name(mapspace);
    EXPECT_EQ(with.certificate, without.certificate) << Name(mapspace);
  }
}

}  // namespace
}  // namespace inlay
