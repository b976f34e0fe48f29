#include "inlay/mapspace/tilings.h"

#include <gtest/gtest.h>

#include "inlay/core/shapes.h"

namespace inlay {
namespace {

// Two memories with three lanes below the inner one.
Space MakeSpaceOf(int64_t p, Mapspace mapspace, std::vector<Constraint> constraints = {}) {
  Architecture architecture;
  architecture.name = "two";
  Level dram, buffer;
  dram.name = "DRAM";
  buffer.name = "buffer";
  buffer.fanout.name = "array";
  buffer.fanout.x = 3;
  architecture.levels = {dram, buffer};
  return MakeSpace(MakeGemm("gemm", {.p = p, .k = 1, .c = 1}), architecture, mapspace, constraints)
      .value();
}

constexpr Mapspace kMapspaces[] = {Mapspace::kPerfect, Mapspace::kPadded, Mapspace::kRubyS,
                                   Mapspace::kRubyT,   Mapspace::kRuby,   Mapspace::kAny};

TEST(Tilings, AStopEndsTheWalk) {
  StopFlag stop;
  stop.Request();
  const Deadline deadline(stop);
  for (const Mapspace mapspace : kMapspaces) {
    DeadlineWatch watch(deadline);
    int64_t visited = 0;
    const auto visit = [&](const Chain&) { return ++visited > 0; };
    EXPECT_FALSE(ForEachChain(MakeSpaceOf(2147483647, mapspace), DimId(0), visit, &watch));
    EXPECT_EQ(visited, 0) << Name(mapspace);
  }
}

TEST(Tilings, AStopEndsTheWalkWhileItGoesOn) {
  StopFlag stop;
  const Deadline deadline(stop);
  for (const Mapspace mapspace : {Mapspace::kRubyT, Mapspace::kRuby, Mapspace::kAny}) {
    DeadlineWatch watch(deadline, 4);
    int64_t visited = 0;
    const auto visit = [&](const Chain&) {
      if (++visited == 100) stop.Request();
      return true;
    };
    EXPECT_FALSE(ForEachChain(MakeSpaceOf(2147483647, mapspace), DimId(0), visit, &watch));
    EXPECT_LE(visited, 100 + 16) << Name(mapspace);
  }
}

TEST(Tilings, NoDimensionHasFewerChainsThanTheLeast) {
  Constraint limited;
  limited.at = "DRAM";
  limited.factors = {{"P", Relation::kAtMost, 4}};
  for (const Mapspace mapspace : kMapspaces) {
    for (int64_t p = 1; p < 70; ++p) {
      for (const auto& constraints : {std::vector<Constraint>(), {limited}}) {
        const Space space = MakeSpaceOf(p, mapspace, constraints);
        EXPECT_LE(LeastChainCount(space, DimId(0)),
                  static_cast<double>(ChainsOf(space, DimId(0)).size()))
            << Name(mapspace) << " " << p;
      }
    }
  }
  for (const Mapspace mapspace : {Mapspace::kRubyT, Mapspace::kRuby, Mapspace::kAny}) {
    EXPECT_EQ(LeastChainCount(MakeSpaceOf(2147483647, mapspace), DimId(0)), 2147483647.0);
    EXPECT_EQ(LeastChainCount(MakeSpaceOf(2147483647, mapspace, {limited}), DimId(0)), 0);
  }
  EXPECT_EQ(LeastChainCount(MakeSpaceOf(2147483647, Mapspace::kRubyS), DimId(0)), 0);
}

}  // namespace
}  // namespace inlay
