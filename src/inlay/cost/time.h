#pragma once

#include <cstdint>

#include "inlay/core/architecture.h"
#include "inlay/core/cost.h"
#include "inlay/core/ids.h"

namespace inlay {

// What an architecture says of time, as numbers in cycles: docs/reference/time.md. The evaluation
// and the bounds of the mapper share it.
struct TimeTable {
  struct LevelTime {
    double latency = 0;
    double transfer = 0;
    double skew = 0;  // of the fan-out below
    Overlap overlap = Overlap::kStream;
    // Whether it has an engine, which moves all that it is fed, tile by tile.
    bool engine() const { return transfer > 0 || overlap != Overlap::kStream; }
  };

  explicit TimeTable(const Architecture& architecture);

  // From a request of a level, or of compute (one past the last), to its first word.
  double Wait(LevelId feeder, LevelId level) const;
  // Cycles that a dynamic energy takes at least; 0 without a limit.
  double PowerCycles(double energy_pj) const {
    return dynamic_pj_per_cycle > 0 ? energy_pj / dynamic_pj_per_cycle : 0;
  }

  bool active = false;  // any key but the clock
  IndexedVector<LevelId, LevelTime> levels;
  double launch = 0;
  double dynamic_pj_per_cycle = 0;  // at most; 0: no limit
  double idle_pj_per_cycle = 0;
  double clock_hz = 0;  // 0: none
};

// The cycles of all inside a level become those with the level: rule 6 of docs/reference/time.md.
// They grow with everything that they are computed from, so that lower bounds give a lower bound.
struct EngineTime {
  double busy = 0;   // X: the engine's work; 0 without an engine
  double first = 0;  // F: the first load; counts where the overlap is `double`
};
double AroundLevel(Overlap overlap, double ports, const EngineTime& engine, double inside);

// Seconds and watts of a cost whose cycles and energy are known; without a clock none.
void SetSeconds(double clock_hz, Cost* cost);

// The smallest whole number that is not below, but for a rounding error.
double WholeCycles(double cycles);

}  // namespace inlay
