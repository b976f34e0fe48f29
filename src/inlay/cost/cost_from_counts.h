#pragma once

#include <vector>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/core/architecture.h"
#include "inlay/core/cost.h"
#include "inlay/core/problem.h"
#include "inlay/cost/time.h"

namespace inlay {

// Cycles for words at a rate of words per cycle, rounded up (but for the rounding error of a rate
// that binary cannot hold). May be more than 64 bits hold.
double CyclesFor(double words, double words_per_cycle);

// What to say when a count or the number of cycles does not fit.
Fault CountOverflow();

// The last step of an evaluation: from counts to energy, cycles and utilisation (cost-model rules 7
// and 8). Built once per problem and architecture, so that nothing is looked up by name afterwards.
class CostFromCounts {
 public:
  CostFromCounts(const Problem& problem, const Architecture& architecture);

  // An empty cost of the right shape; Finish reuses its storage.
  Cost Empty() const;

  // Needs operations, compute_cycles, compute_lanes_used and, for every level and tensor, kept,
  // tile_words, instances and total. Computes everything else. With fill_and_drain, the cycles of
  // the first tiles coming in and the last ones going out are added to the latency; ideal overlap
  // hides everything between.
  // Where the architecture has keys of time (`time().active`), it needs the moves of tiles, too.
  // False if a sum of counts, or the number of cycles, does not fit into 64 bits.
  bool Finish(bool fill_and_drain, Cost* cost) const;

  const TimeTable& time() const { return time_; }

 private:
  struct Port {
    double read = 0, write = 0, shared = 0;  // words per cycle per instance; 0 = no limit
  };
  struct LevelTable {
    int64_t block_words = 1;
    bool partitioned = false;  // bandwidth is per tensor, not per level
    bool joint = false;        // one memory with the level outside
    double leakage_pj_per_cycle = 0;
    int64_t machine_instances = 1;
    Port port;
    IndexedVector<TensorId, AccessEnergy> energy;
  };

  // What has gone through the ports of one memory.
  struct PortLoad {
    Int128 out = 0;  // reads and drains
    Int128 in = 0;   // fills and updates
    int64_t instances = 1;
  };

  template <typename Use>
  static void ForEachPort(const LevelTable& table, const LevelCost& level, PortLoad* all,
                          const Use& use);
  template <typename Use>
  static void ForEachLimit(const Port& port, const PortLoad& load, const Use& use);
  // `load`: of the level outside; in the end of this one.
  bool FinishLevel(const LevelTable& table, PortLoad* load, LevelCost* level) const;
  double FillAndDrainCycles(const Cost& cost) const;
  // CyclesFor, or the quotient that it rounds up.
  using CyclesOf = double (*)(double words, double words_per_cycle);
  double FirstLoad(const Cost& cost, LevelId level, CyclesOf cycles_of) const;
  LevelId FeederOf(const Cost& cost, LevelId level, TensorId tensor) const;
  double PortCycles(const LevelTable& table, const LevelCost& level) const;
  double LongestWait(const Cost& cost, LevelId level) const;
  EngineTime EngineOf(const Cost& cost, LevelId level, double wait) const;
  double PassingCycles(const Cost& cost, LevelId level, bool inward) const;
  bool FinishTime(Cost* cost) const;

  IndexedVector<LevelId, LevelTable> levels_;
  TensorId output_;
  size_t tensor_count_ = 0;
  int64_t compute_lanes_ = 1;
  double compute_energy_pj_ = 0;
  TimeTable time_;
};

}  // namespace inlay
