#include "inlay/cost/fused/finish.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/cost/cost_from_counts.h"

namespace inlay {
namespace {

constexpr double kMostEventCycles = 4e18;  // fits into 64 bits with room for a sum

int64_t AsCycles(double cycles) {
  return cycles > kMostEventCycles ? std::numeric_limits<int64_t>::max()
                                   : static_cast<int64_t>(cycles);
}

double Along(double words, double rate) { return rate > 0 ? CyclesFor(words, rate) : 0; }

// Adds what fits; notes what does not.
class Sum {
 public:
  void Add(int64_t value, int64_t* to) {
    const auto sum = CheckedAdd(*to, value);
    fits_ = fits_ && sum;
    *to = sum.value_or(std::numeric_limits<int64_t>::max());
  }
  bool fits() const { return fits_; }

 private:
  bool fits_ = true;
};

// The cycles of an outermost level or the pad for the counts of one run: as of one instance.
int64_t PortCycles(const Level& level, const IndexedVector<TensorId, Counts>& words) {
  double out = 0, in = 0;
  for (const Counts& n : words) {
    out += static_cast<double>(n.reads) + static_cast<double>(n.drains);
    in += static_cast<double>(n.fills) + static_cast<double>(n.updates);
  }
  return AsCycles(std::max({Along(out, level.read_bandwidth.value_or(0)),
                            Along(in, level.write_bandwidth.value_or(0)),
                            Along(out + in, level.shared_bandwidth.value_or(0))}));
}

int64_t OverlappedCycles(const Architecture& architecture, const FusedRunCounts& run) {
  int64_t cycles = run.compute_cycles;
  for (LevelId l : Ids(architecture.levels)) {
    const bool by_port = l <= LevelId(1);
    cycles = std::max(
        cycles, by_port ? PortCycles(architecture.levels[l], run.words[l]) : run.level_cycles[l]);
  }
  return cycles;
}

double EnergyOfWords(const Counts& n, int64_t block, const AccessEnergy& energy) {
  const auto blocks = [block](int64_t words) {
    return static_cast<double>(block == 1 ? words : CeilDiv(words, block));
  };
  return (blocks(n.reads) + blocks(n.drains)) * energy.read_pj + blocks(n.fills) * energy.fill_pj +
         blocks(n.updates) * energy.update_pj;
}

void AddRuns(const Architecture& architecture, Sum* sum, FusedCost* cost) {
  for (const FusedRunCounts& run : cost->counts.runs) {
    for (LevelId l : Ids(cost->levels)) {
      for (TensorId t : Ids(run.words[l])) {
        const Counts& n = run.words[l][t];
        Counts& total = cost->levels[l].words[t];
        sum->Add(n.reads, &total.reads);
        sum->Add(n.fills, &total.fills);
        sum->Add(n.updates, &total.updates);
        sum->Add(n.drains, &total.drains);
      }
    }
    sum->Add(run.sequential_cycles, &cost->sequential_cycles);
    sum->Add(OverlappedCycles(architecture, run), &cost->overlapped_cycles);
  }
}

void AddEnergy(const FusedProblem& problem, const Architecture& architecture, FusedCost* cost) {
  cost->compute_energy_pj = static_cast<double>(cost->operations) * ComputeEnergyPj(architecture);
  cost->energy_pj = cost->compute_energy_pj;
  for (LevelId l : Ids(cost->levels)) {
    const Level& level = architecture.levels[l];
    FusedLevelCost& of_level = cost->levels[l];
    for (TensorId t : Ids(problem.tensors)) {
      const double energy = EnergyOfWords(of_level.words[t], level.block_words,
                                          EnergyOf(architecture, l, problem.tensors[t]));
      of_level.tensor_energy_pj.push_back(energy);
      of_level.energy_pj += energy;
    }
    of_level.energy_pj += level.leakage_pj_per_cycle *
                          static_cast<double>(Instances(architecture, l)) *
                          static_cast<double>(cost->cycles);
    cost->energy_pj += of_level.energy_pj;
  }
}

}  // namespace

FusedEventCycles::FusedEventCycles(const Architecture& architecture)
    : lanes_(ComputeLanes(architecture)) {
  const auto port = [&architecture](size_t level) {
    const Level& of = architecture.levels[LevelId(level)];
    return Port{of.read_bandwidth.value_or(0), of.write_bandwidth.value_or(0),
                of.shared_bandwidth.value_or(0)};
  };
  offchip_ = port(0);
  pad_ = port(1);
}

int64_t FusedEventCycles::Load(int64_t words) const {
  const auto n = static_cast<double>(words);
  return AsCycles(std::max({Along(n, offchip_.read), Along(n, offchip_.shared),
                            Along(n, pad_.write), Along(n, pad_.shared)}));
}

int64_t FusedEventCycles::Store(int64_t words) const {
  const auto n = static_cast<double>(words);
  return AsCycles(std::max({Along(n, offchip_.write), Along(n, offchip_.shared),
                            Along(n, pad_.read), Along(n, pad_.shared)}));
}

int64_t FusedEventCycles::Scale(int64_t words) const {
  const auto n = static_cast<double>(words);
  return std::max(
      ScaleCompute(words),
      AsCycles(std::max({Along(n, pad_.read), Along(n, pad_.write), Along(2 * n, pad_.shared)})));
}

int64_t FusedEventCycles::ScaleCompute(int64_t words) const { return CeilDiv(words, lanes_); }

tl::expected<FusedCost, Fault> FinishFused(const FusedProblem& problem,
                                           const Architecture& architecture,
                                           const FusedCounts& counts) {
  FusedCost cost;
  cost.counts = counts;
  cost.levels.resize(architecture.levels.size());
  for (FusedLevelCost& level : cost.levels) level.words.resize(problem.tensors.size());
  Sum sum;
  AddRuns(architecture, &sum, &cost);
  for (const FusedNodeCounts& node : counts.nodes) {
    sum.Add(node.operations, &cost.operations);
    sum.Add(node.scalings, &cost.operations);
    sum.Add(node.scalings, &cost.scaling_operations);
  }
  cost.recomputed_operations =
      std::max<int64_t>(0, cost.operations - cost.scaling_operations - Operations(problem));
  for (const Counts& n : cost.levels[LevelId(0)].words) {
    sum.Add(n.reads, &cost.offchip_words);
    sum.Add(n.updates, &cost.offchip_words);
  }
  if (!sum.fits()) return tl::unexpected(CountOverflow());
  cost.cycles = architecture.levels[LevelId(1)].buffering >= 2 ? cost.overlapped_cycles
                                                               : cost.sequential_cycles;
  AddEnergy(problem, architecture, &cost);
  if (!std::isfinite(cost.energy_pj)) return tl::unexpected(CountOverflow());
  return cost;
}

}  // namespace inlay
