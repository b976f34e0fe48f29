// Architectures with constraints written for Timeloop and read back: the same mapspace, or an error
// that names what cannot be written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "inlay/io/timeloop/read.h"
#include "inlay/io/timeloop/timeloop_form.h"
#include "inlay/io/timeloop/write.h"
#include "inlay/mapspace/count.h"
#include "tests/support/random_space.h"

namespace inlay {
namespace {

using testing::CaseCount;
using testing::Chance;
using testing::Describe;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Pick;
using testing::Random;
using testing::RandomSpace;

constexpr Mapspace kMapspaces[] = {Mapspace::kPerfect, Mapspace::kPadded, Mapspace::kRubyS,
                                   Mapspace::kRuby, Mapspace::kAny};

// What no Timeloop file can say of random constraints.
constexpr const char* kReasons[] = {
    "asks for a share of all its partitions together",
    "asks for a share of the lanes of both axes together",
    "asks for a share of its lanes, and Timeloop knows a share of the lanes of all fan-outs",
    "on both axes together, which Timeloop cannot say",
    // Without a problem only:
    "and Timeloop's have names of one letter", "unrolls on x all dimensions but some",
    "fixes the factor of",
    "the constraints contradict each other",  // "every other dimension", of which there is none
};

// A random space whose fan-outs are Timeloop's, and some of the newer forms of constraints.
Space SpaceFor(Random& random, Mapspace mapspace) {
  for (;;) {
    Space space = RandomSpace(random, mapspace, {.constrained = 0.9});
    for (Level& level : space.architecture.levels) {
      level.fanout.multicast = Multicast::kTile;
      level.fanout.reduce = true;
    }
    for (Constraint& constraint : space.architecture.constraints) {
      const bool level = FindLevel(space.architecture, constraint.at).has_value();
      const std::string dim =
          space.problem
              .dims[DimId(static_cast<size_t>(
                  Pick(random, 0, static_cast<int64_t>(space.problem.dims.size()) - 1)))]
              .name;
      if (!level && Chance(random, 0.2)) constraint.not_x.push_back(dim);
      if (!level && Chance(random, 0.2)) constraint.not_y.push_back(dim);
      if (Chance(random, 0.1)) constraint.factors.push_back({dim, Relation::kEqual, 3, true});
      if (Chance(random, 0.05)) constraint.factors.push_back({dim, Relation::kEqual, 0});
    }
    auto again = MakeSpace(space.problem, space.architecture, mapspace);
    if (again) return *std::move(again);
  }
}

std::string CountOf(const Space& space) {
  const auto count = CountMappings(space);
  return count ? count->size.ToString() : "too many";
}

// Why it could not be written; "" where the reason is none that is known.
std::string ReasonFor(const Diagnostics& errors) {
  for (const char* reason : kReasons) {
    if (errors.front().message.find(reason) != std::string::npos) return reason;
  }
  return "";
}

struct Tally {
  int64_t same = 0;
  std::map<std::string, int64_t> refused;
};

// Writes, reads back and counts. `problem` is null where the file is written without it.
void RoundTrip(const Space& space, const Problem* problem, io::TimeloopVersion version,
               Tally* tally) {
  const auto text = io::WriteTimeloop(problem, &space.architecture, nullptr, version);
  if (!text) {
    const std::string reason = ReasonFor(text.error());
    EXPECT_NE(reason, "") << Format(text.error()) << Describe(space);
    ++tally->refused[reason];
    return;
  }
  const auto read = io::ReadTimeloop({{"written.yaml", *text}});
  ASSERT_TRUE(read.has_value()) << Format(read.error()) << *text;
  EXPECT_THAT(Format(read->warnings), Not(HasSubstr("larger mapspace"))) << *text;
  EXPECT_THAT(Format(read->warnings), Not(HasSubstr("not translated"))) << *text;
  const auto again = MakeSpace(problem == nullptr ? space.problem : *read->problem,
                               *read->architecture, space.mapspace);
  ASSERT_TRUE(again.has_value()) << again.error().front().message << "\n" << *text;
  EXPECT_EQ(CountOf(*again), CountOf(space)) << Describe(space) << *text;
  ++tally->same;
}

TEST(TimeloopConvertTest, WhatIsWrittenIsTheSameMapspace) {
  Random random(20261);
  Tally tally;
  const int64_t cases = CaseCount(600, 6000);
  for (int64_t i = 0; i < cases && !HasFailure(); ++i) {
    const Space space =
        SpaceFor(random, kMapspaces[static_cast<size_t>(i) % std::size(kMapspaces)]);
    RoundTrip(space, &space.problem,
              i % 2 == 0 ? io::TimeloopVersion::k03 : io::TimeloopVersion::k04, &tally);
  }
  EXPECT_GT(tally.same, cases * 3 / 4);
  EXPECT_GE(tally.refused.size(), 3U);
}

TEST(TimeloopConvertTest, WithoutAProblemToo) {
  Random random(20262);
  Tally tally;
  const int64_t cases = CaseCount(600, 6000);
  for (int64_t i = 0; i < cases && !HasFailure(); ++i) {
    const Space space =
        SpaceFor(random, kMapspaces[static_cast<size_t>(i) % std::size(kMapspaces)]);
    // The file is for problems with the tensors that the architecture names.
    std::vector<std::string> named = io::timeloop::TensorsOf(space.architecture, nullptr);
    std::vector<std::string> tensors = TensorNames(space.problem);
    std::sort(named.begin(), named.end());
    std::sort(tensors.begin(), tensors.end());
    if (named != tensors) continue;
    RoundTrip(space, nullptr, i % 2 == 0 ? io::TimeloopVersion::k03 : io::TimeloopVersion::k04,
              &tally);
  }
  EXPECT_GT(tally.same, cases / 6);
}

}  // namespace
}  // namespace inlay
