#include "inlay/mapper/thistle_exact.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "inlay/core/shapes.h"
#include "inlay/cost/evaluate.h"

namespace inlay {
namespace {

// DRAM – SRAM – 8 lanes – registers.
Architecture Template(int64_t sram_words = 500, int64_t register_words = 40) {
  Architecture architecture;
  architecture.name = "small";
  architecture.compute.energy_pj = 1;
  Level dram, sram, registers;
  dram.name = "DRAM";
  dram.energy = AccessEnergy{100, 100, 100};
  sram.name = "SRAM";
  sram.energy = AccessEnergy{5, 5, 5};
  sram.capacity_words = sram_words;
  sram.fanout.name = "PEs";
  sram.fanout.x = 8;
  registers.name = "registers";
  registers.energy = AccessEnergy{1, 1, 1};
  registers.capacity_words = register_words;
  architecture.levels = {dram, sram, registers};
  return architecture;
}

Problem Conv() { return MakeConv("conv", {.k = 96, .c = 50, .p = 17, .q = 17, .r = 3, .s = 3}); }

MapOptions Options(const Objective& objective) {
  MapOptions options;
  options.semantics = Semantics::kThistle;
  options.objective = objective;
  return options;
}

LayerAnswer Map(const Problem& problem, const Architecture& architecture, Mapspace mapspace,
                const MapOptions& options) {
  return MapLayer(MakeSpace(problem, architecture, mapspace).value(), options, StopFlag());
}

TEST(ThistleExact, LargerMapspacesAreNoWorse) {
  for (const Metric metric : {Metric::kEnergy, Metric::kDelay, Metric::kEdp, Metric::kOffchip}) {
    SCOPED_TRACE(Name(metric));
    const auto best = [&](Mapspace mapspace) {
      const LayerAnswer answer = Map(Conv(), Template(), mapspace, Options({metric}));
      EXPECT_EQ(answer.certificate.status, CertificateStatus::kOptimal);
      return answer.certificate.objective;
    };
    const double perfect = best(Mapspace::kPerfect), ruby_s = best(Mapspace::kRubyS),
                 ruby_t = best(Mapspace::kRubyT), ruby = best(Mapspace::kRuby);
    EXPECT_LE(ruby_s, perfect);
    EXPECT_LE(ruby_t, perfect);
    EXPECT_LE(ruby, std::min(ruby_s, ruby_t));
    EXPECT_LE(best(Mapspace::kAny), ruby);
  }
}

TEST(ThistleExact, ALaterMetricDecidesAmongEquals) {
  const auto cost = [](const Objective& objective) {
    return Map(Conv(), Template(), Mapspace::kAny, Options(objective)).best.value().cost;
  };
  const Cost delay = cost({Metric::kDelay}), both = cost({Metric::kDelay, Metric::kEnergy});
  EXPECT_EQ(both.cycles, delay.cycles);
  EXPECT_LE(both.energy_pj, delay.energy_pj);
  EXPECT_LE(cost({Metric::kEnergy}).energy_pj, both.energy_pj);
}

TEST(ThistleExact, ATimeLimitLeavesABound) {
  const LayerAnswer proven = Map(Conv(), Template(), Mapspace::kAny, Options({Metric::kEdp}));
  ASSERT_FALSE(proven.interrupted);
  bool was_bounded = false;
  for (double seconds = 1e-5; !was_bounded && seconds < 1; seconds *= 1.5) {
    MapOptions options = Options({Metric::kEdp});
    options.time_limit_seconds = seconds;
    const LayerAnswer answer = Map(Conv(), Template(), Mapspace::kAny, options);
    if (!answer.interrupted || !answer.best) continue;
    was_bounded = true;
    EXPECT_EQ(answer.certificate.status, CertificateStatus::kBounded);
    EXPECT_GT(answer.certificate.lower_bound, 0);
    EXPECT_LE(answer.certificate.lower_bound, proven.certificate.objective * (1 + 1e-12));
    EXPECT_GE(answer.certificate.objective, proven.certificate.objective * (1 - 1e-12));
    EXPECT_LT(answer.certificate.gap, 1);
  }
  EXPECT_TRUE(was_bounded);
}

TEST(ThistleExact, AStoppedSearchIsInterrupted) {
  StopFlag stop;
  stop.Request();
  const Space space = MakeSpace(Conv(), Template(), Mapspace::kAny).value();
  EXPECT_TRUE(MapLayer(space, Options({Metric::kEnergy}), stop).interrupted);
}

constexpr int64_t kPrime = 2147483647;  // 2^31 - 1

// Whatever is prepared or listed for a long dimension looks at the flag too; without that this
// would take minutes.
TEST(ThistleExact, AStopEndsTheSearchOfALongDimension) {
  StopFlag stop;
  stop.Request();
  for (const Mapspace mapspace :
       {Mapspace::kPerfect, Mapspace::kRubyS, Mapspace::kRubyT, Mapspace::kRuby, Mapspace::kAny}) {
    for (const int64_t p : {kPrime, int64_t{100'003}}) {
      const Problem problem = MakeGemm("long", {.p = p, .k = 64, .c = 6});
      const Space space = MakeSpace(problem, Template(), mapspace).value();
      for (const Metric metric :
           {Metric::kEnergy, Metric::kDelay, Metric::kEdp, Metric::kOffchip}) {
        SCOPED_TRACE(std::string(Name(mapspace)) + " " + Name(metric) + " " + std::to_string(p));
        const LayerAnswer answer = MapLayer(space, Options({metric}), stop);
        EXPECT_TRUE(answer.interrupted);
        EXPECT_TRUE(answer.infeasible.empty());
        EXPECT_TRUE(answer.unsupported.empty());
        EXPECT_LT(answer.effort.nodes, 1000);
        const auto least = LeastThistleCost(space, Options({metric}), Deadline(stop));
        EXPECT_GE(least.value().cycles, static_cast<double>(p));
      }
    }
  }
}

TEST(ThistleExact, AStopEndsASearchThatHasBegun) {
  const Problem problem = MakeGemm("long", {.p = kPrime, .k = 64, .c = 60});
  const Space space = MakeSpace(problem, Template(), Mapspace::kAny).value();
  StopFlag stop;
  int64_t reports_after_stop = 0;
  const LayerAnswer answer =
      MapLayer(space, Options({Metric::kEdp}), stop, [&](const MapProgress& progress) {
        if (progress.incumbent) stop.Request();
        reports_after_stop += stop.Requested() ? 1 : 0;
      });
  EXPECT_TRUE(answer.interrupted);
  EXPECT_TRUE(answer.best.has_value());
  EXPECT_GE(reports_after_stop, 1);
  EXPECT_LT(reports_after_stop, 100);  // the flag is looked at every 64 steps
  EXPECT_LT(answer.effort.nodes, 1000);
}

// The listed mapspaces of a long dimension are too large to be listed: then there is the best of a
// smaller one, and a bound that holds for all.
TEST(ThistleExact, TooManyTilingsLeaveABound) {
  const Problem problem = MakeGemm("long", {.p = kPrime, .k = 1, .c = 2});
  for (const Metric metric : {Metric::kEnergy, Metric::kDelay, Metric::kEdp}) {
    SCOPED_TRACE(Name(metric));
    const auto answer = [&](Mapspace mapspace) {
      return Map(problem, Template(), mapspace, Options({metric}));
    };
    const LayerAnswer any = answer(Mapspace::kAny), perfect = answer(Mapspace::kPerfect);
    ASSERT_EQ(any.certificate.status, CertificateStatus::kOptimal);
    for (const Mapspace mapspace : {Mapspace::kRubyT, Mapspace::kRuby}) {
      SCOPED_TRACE(Name(mapspace));
      const LayerAnswer bounded = answer(mapspace);
      ASSERT_TRUE(bounded.best.has_value());
      EXPECT_EQ(bounded.certificate.status, CertificateStatus::kBounded);
      EXPECT_LE(bounded.certificate.lower_bound, any.certificate.objective);
      EXPECT_GE(bounded.certificate.objective, any.certificate.objective);
      EXPECT_LE(bounded.certificate.objective, perfect.certificate.objective);
    }
    EXPECT_LT(answer(Mapspace::kRuby).certificate.gap, 0.01);
  }
}

TEST(ThistleExact, ProgressClosesIn) {
  const Space space = MakeSpace(Conv(), Template(), Mapspace::kAny).value();
  std::optional<double> incumbent;
  double bound = 0;
  const LayerAnswer answer =
      MapLayer(space, Options({Metric::kEdp}), StopFlag(), [&](const MapProgress& progress) {
        ASSERT_TRUE(progress.bound.has_value());
        if (incumbent) {
          EXPECT_LE(progress.incumbent.value(), *incumbent);
        }
        EXPECT_GE(*progress.bound, bound);
        bound = *progress.bound;
        incumbent = progress.incumbent;
      });
  ASSERT_TRUE(incumbent.has_value());
  EXPECT_LE(bound, answer.certificate.objective * (1 + 1e-12));
  EXPECT_GE(*incumbent, answer.certificate.objective * (1 - 1e-12));
}

TEST(ThistleExact, WhatDoesNotFitIsExplained) {
  const auto faults = [](const Architecture& architecture) {
    return Map(Conv(), architecture, Mapspace::kPerfect, Options({Metric::kEnergy})).infeasible;
  };
  const Faults registers = faults(Template(500, 2));
  ASSERT_EQ(registers.size(), 1U);
  EXPECT_EQ(registers[0].where, "levels.registers");
  EXPECT_EQ(registers[0].message,
            "even the smallest tiles do not fit: 'registers' overflows: Weights 1 + Inputs 1 + "
            "Outputs 1 = 3 words, room for 2, 1 too many");
  EXPECT_EQ(faults(Template(2, 2)).size(), 2U);

  Architecture fixed = Template();
  Constraint constraint;
  constraint.at = "DRAM";
  constraint.factors = {{"P", Relation::kEqual, 5}};
  fixed.constraints = {constraint};
  const Faults tiling = faults(fixed);
  ASSERT_EQ(tiling.size(), 1U);
  EXPECT_EQ(tiling[0].message,
            "no tiling of 'P' satisfies the constraints in the mapspace 'perfect'");
}

TEST(ThistleExact, WhatItCannotSearchIsRefused) {
  const auto unable = [](const Architecture& architecture, Mapspace mapspace = Mapspace::kAny,
                         const Objective& objective = {Metric::kEnergy}) {
    std::string text;
    const LayerAnswer answer = Map(Conv(), architecture, mapspace, Options(objective));
    for (const Fault& fault : answer.unsupported) text += fault.message + "\n";
    return text;
  };
  EXPECT_EQ(unable(Template()), "");
  EXPECT_NE(unable(Template(), Mapspace::kPadded).find("'padded'"), std::string::npos);
  EXPECT_NE(unable(Template(), Mapspace::kAny, {Metric::kEnergy, Metric::kOffchip}).find("offchip"),
            std::string::npos);
  Architecture changed = Template();
  changed.levels[LevelId(1)].fanout.y = 2;
  EXPECT_NE(unable(changed).find("two axes"), std::string::npos);
  changed = Template();
  changed.levels[LevelId(2)].fanout.x = 2;
  changed.levels[LevelId(2)].fanout.name = "MACs";
  EXPECT_NE(unable(changed).find("fan-out below 'registers'"), std::string::npos);
  changed = Template();
  changed.levels[LevelId(1)].keep = TensorNameSet{};
  EXPECT_NE(unable(changed).find("'SRAM' need not keep every tensor"), std::string::npos);
  changed = Template();
  changed.levels[LevelId(0)].block_words = 4;
  EXPECT_NE(unable(changed).find("blocks of 4 words"), std::string::npos);
  changed = Template();
  Constraint constraint;
  constraint.at = "PEs";
  constraint.min_utilization = 0.5;
  changed.constraints = {constraint};
  EXPECT_NE(unable(changed).find("least utilisation"), std::string::npos);
  changed = Template();
  changed.levels = {changed.levels[LevelId(0)], changed.levels[LevelId(2)]};
  EXPECT_NE(unable(changed).find("has 2 levels"), std::string::npos);
}

}  // namespace
}  // namespace inlay
