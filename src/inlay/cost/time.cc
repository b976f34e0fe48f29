#include "inlay/cost/time.h"

#include <algorithm>
#include <cmath>

namespace inlay {
namespace {

constexpr double kPjPerJoule = 1e12;
constexpr double kRounding = 1e-12;  // of sums of a few numbers

}  // namespace

TimeTable::TimeTable(const Architecture& architecture)
    : active(HasTimeKeys(architecture)), launch(architecture.launch_cycles) {
  for (const Level& level : architecture.levels) {
    levels.push_back(
        {level.latency_cycles, level.transfer_cycles, level.fanout.skew_cycles, level.overlap});
  }
  if (!architecture.clock_hz) return;
  clock_hz = *architecture.clock_hz;
  idle_pj_per_cycle = architecture.idle_w * kPjPerJoule / clock_hz;
  if (architecture.power_limit_w) {
    dynamic_pj_per_cycle =
        (*architecture.power_limit_w - architecture.idle_w) * kPjPerJoule / clock_hz;
  }
}

double TimeTable::Wait(LevelId feeder, LevelId level) const {
  double cycles = levels[feeder].latency;
  for (size_t l = feeder.value(); l < level.value(); ++l) cycles += levels[LevelId(l)].skew;
  return cycles;
}

double AroundLevel(Overlap overlap, double ports, const EngineTime& engine, double inside) {
  switch (overlap) {
    case Overlap::kNone:
      return std::max(ports, engine.busy + inside);
    case Overlap::kDouble:
      return std::max({ports, engine.busy, engine.first + inside});
    case Overlap::kStream:
      break;
  }
  return std::max({ports, engine.busy, inside});
}

void SetSeconds(double clock_hz, Cost* cost) {
  cost->seconds.reset();
  cost->watts.reset();
  if (clock_hz <= 0 || cost->cycles <= 0) return;
  cost->seconds = static_cast<double>(cost->cycles) / clock_hz;
  cost->watts = cost->energy_pj / kPjPerJoule / *cost->seconds;
}

double WholeCycles(double cycles) { return std::ceil(cycles - std::max(1.0, cycles) * kRounding); }

}  // namespace inlay
