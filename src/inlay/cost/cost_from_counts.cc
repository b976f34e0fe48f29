#include "inlay/cost/cost_from_counts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "inlay/base/checked_arithmetic.h"

namespace inlay {
namespace {

constexpr double kMostCycles = 4e18;  // fits into 64 bits with room for a sum

double Blocks(int64_t words, int64_t block_words) {
  return static_cast<double>(block_words == 1 ? words : CeilDiv(words, block_words));
}

// Cycles as real numbers: a sum over tiles need not be whole.
double Quotient(double words, double words_per_cycle) { return words / words_per_cycle; }

}  // namespace

// The rate may be a decimal that binary cannot hold (30
// words at 10 × 0.3 per cycle are 10 cycles), so one cycle less is enough if it serves all words
// but for a rounding error of the rate. Above kMostCycles: some larger number.
double CyclesFor(double words, double words_per_cycle) {
  const long double rate = words_per_cycle;
  const long double cycles = std::ceil(static_cast<long double>(words) / rate);
  const long double nearly = static_cast<long double>(words) *
                             (1 - static_cast<long double>(std::numeric_limits<double>::epsilon()));
  return static_cast<double>((cycles - 1) * rate >= nearly ? cycles - 1 : cycles);
}

Fault CountOverflow() {
  return {"mapping", "an access count or the number of cycles does not fit into 64 bits",
          "look for a mistyped bound, stride or bandwidth"};
}

CostFromCounts::CostFromCounts(const Problem& problem, const Architecture& architecture)
    : output_(OutputTensor(problem)),
      tensor_count_(problem.tensors.size()),
      compute_lanes_(ComputeLanes(architecture)),
      compute_energy_pj_(ComputeEnergyPj(architecture)),
      time_(architecture) {
  for (LevelId l : Ids(architecture.levels)) {
    const Level& level = architecture.levels[l];
    LevelTable table;
    table.block_words = level.block_words;
    table.partitioned = !level.partitions.empty();
    table.joint = level.same_memory_as_outer;
    if (!table.joint) table.leakage_pj_per_cycle = level.leakage_pj_per_cycle;
    table.machine_instances = Instances(architecture, l);
    table.port = {level.read_bandwidth.value_or(0), level.write_bandwidth.value_or(0),
                  level.shared_bandwidth.value_or(0)};
    for (const Tensor& tensor : problem.tensors) {
      table.energy.push_back(EnergyOf(architecture, l, tensor.name));
    }
    levels_.push_back(table);
  }
}

Cost CostFromCounts::Empty() const {
  Cost cost;
  cost.levels.resize(levels_.size());
  for (LevelCost& level : cost.levels) level.tensors.resize(tensor_count_);
  return cost;
}

// Calls use(load) for every port of a level: with partitions each tensor has one of its own. `all`
// comes with what has gone through the level outside, and leaves with this level's.
template <typename Use>
void CostFromCounts::ForEachPort(const LevelTable& table, const LevelCost& level, PortLoad* all,
                                 const Use& use) {
  if (!table.joint) *all = PortLoad();
  for (const TensorCost& tensor : level.tensors) {
    if (!tensor.kept) continue;
    const Counts& n = tensor.total;
    const PortLoad own{Int128{n.reads} + n.drains, Int128{n.fills} + n.updates, tensor.instances};
    if (table.partitioned) use(own);
    all->out += own.out;
    all->in += own.in;
    all->instances = tensor.instances;  // the same for every tensor of a memory
  }
  if (!table.partitioned) use(*all);
}

// Calls use(words, words per cycle of all instances, limit) for every limit of a port.
template <typename Use>
void CostFromCounts::ForEachLimit(const Port& port, const PortLoad& load, const Use& use) {
  const auto lanes = static_cast<double>(load.instances);
  const auto out = static_cast<double>(load.out), in = static_cast<double>(load.in);
  if (port.read > 0) use(out, lanes * port.read, CycleLimit::kRead);
  if (port.write > 0) use(in, lanes * port.write, CycleLimit::kWrite);
  if (port.shared > 0) use(out + in, lanes * port.shared, CycleLimit::kShared);
}

bool CostFromCounts::FinishLevel(const LevelTable& table, PortLoad* load, LevelCost* level) const {
  level->energy_pj = 0;
  for (TensorId t : Ids(level->tensors)) {
    TensorCost& tensor = level->tensors[t];
    tensor.energy_pj = 0;
    if (!tensor.kept) continue;
    const Counts& n = tensor.total;
    const AccessEnergy& e = table.energy[t];
    const int64_t block = table.block_words;
    tensor.energy_pj = (Blocks(n.reads, block) + Blocks(n.drains, block)) * e.read_pj +
                       Blocks(n.fills, block) * e.fill_pj + Blocks(n.updates, block) * e.update_pj;
    level->energy_pj += tensor.energy_pj;
  }
  double most = 0;
  level->limit = CycleLimit::kNone;
  const auto raise = [&](double words, double rate, CycleLimit limit) {
    const double cycles = CyclesFor(words, rate);
    if (cycles <= most) return;
    most = cycles;
    level->limit = limit;
  };
  ForEachPort(table, *level, load,
              [&](const PortLoad& through) { ForEachLimit(table.port, through, raise); });
  if (most > kMostCycles) return false;
  level->cycles = static_cast<int64_t>(most);
  return true;
}

// The nearest outer level that keeps the tensor; the level itself if there is none.
LevelId CostFromCounts::FeederOf(const Cost& cost, LevelId level, TensorId tensor) const {
  for (size_t l = level.value(); l-- > 0;) {
    if (cost.levels[LevelId(l)].tensors[tensor].kept) return LevelId(l);
  }
  return level;
}

// Cycles until one instance of a level holds the first tile of every input: what comes from one
// outer level shares its port, what comes in shares the level's own (unless it has one per tensor).
double CostFromCounts::FirstLoad(const Cost& cost, LevelId l, CyclesOf cycles_of) const {
  double cycles = 0;
  const auto raise = [&](double words, double own, double shared) {
    for (double rate : {own, shared}) {
      if (rate > 0) cycles = std::max(cycles, cycles_of(words, rate));
    }
  };
  double in = 0;
  for (size_t f = 0; f < l.value(); ++f) {
    double from = 0;
    for (TensorId t : IdRange<TensorId>(tensor_count_)) {
      const TensorCost& tensor = cost.levels[l].tensors[t];
      if (t == output_ || !tensor.kept || FeederOf(cost, l, t) != LevelId(f)) continue;
      const auto words = static_cast<double>(tensor.tile_words);
      from = levels_[LevelId(f)].partitioned ? std::max(from, words) : from + words;
      in = levels_[l].partitioned ? std::max(in, words) : in + words;
    }
    const Port& port = levels_[LevelId(f)].port;
    raise(from, port.read, port.shared);
  }
  raise(in, levels_[l].port.write, levels_[l].port.shared);
  return cycles;
}

// The inputs' first tiles come in one level after the other; the output's last tile goes out one
// level after the other, each hop at the slower of the two ports.
double CostFromCounts::FillAndDrainCycles(const Cost& cost) const {
  double cycles = 0;
  for (LevelId l : Ids(cost.levels)) {
    cycles += FirstLoad(cost, l, CyclesFor);
    const TensorCost& output = cost.levels[l].tensors[output_];
    const LevelId outer = FeederOf(cost, l, output_);
    if (!output.kept || outer == l) continue;
    const Port& from = levels_[l].port;
    const Port& to = levels_[outer].port;
    double hop = 0;
    for (double rate : {from.read, from.shared, to.write, to.shared}) {
      if (rate > 0) hop = std::max(hop, CyclesFor(static_cast<double>(output.tile_words), rate));
    }
    cycles += hop;
  }
  return cycles;
}

// T of rule 6 of docs/reference/time.md: the cycles of FinishLevel before they are rounded up.
// Levels that are one memory with the level outside refuse keys of time.
double CostFromCounts::PortCycles(const LevelTable& table, const LevelCost& level) const {
  double most = 0;
  PortLoad load;
  ForEachPort(table, level, &load, [&](const PortLoad& through) {
    ForEachLimit(table.port, through, [&](double words, double rate, CycleLimit) {
      most = std::max(most, Quotient(words, rate));
    });
  });
  return most;
}

// Rule 4 of docs/reference/time.md: the longest way of an input that a level, or compute (one past
// the last level), is fed.
double CostFromCounts::LongestWait(const Cost& cost, LevelId l) const {
  const bool compute = l.value() == levels_.size();
  double longest = 0;
  for (TensorId t : IdRange<TensorId>(tensor_count_)) {
    if (t == output_ || !(compute || cost.levels[l].tensors[t].kept)) continue;
    const LevelId feeder = FeederOf(cost, l, t);
    if (feeder != l) longest = std::max(longest, time_.Wait(feeder, l));
  }
  return longest;
}

// Rule 5: the loads (inward) or the stores of an engine, by the slowest port. Not rounded up: a sum
// over tiles need not be whole.
double CostFromCounts::PassingCycles(const Cost& cost, LevelId l, bool inward) const {
  double slowest = 0;
  const auto pass = [&](double words, int64_t instances, double own, double shared) {
    for (double rate : {own, shared}) {
      if (rate > 0) slowest = std::max(slowest, words / (static_cast<double>(instances) * rate));
    }
  };
  const auto at_level = [&](const Counts& n) {
    return static_cast<double>(inward ? n.fills : n.drains);
  };
  const auto at_feeder = [&](const Counts& n) {
    return static_cast<double>(inward ? n.reads : n.updates);
  };
  const Port& port = levels_[l].port;
  const double own = inward ? port.write : port.read;
  double words = 0;
  int64_t instances = 1;
  for (size_t f = 0; f < l.value(); ++f) {
    const LevelTable& outer = levels_[LevelId(f)];
    const double its = inward ? outer.port.read : outer.port.write;
    double from = 0;
    int64_t feeders = 1;
    for (TensorId t : IdRange<TensorId>(tensor_count_)) {
      const TensorCost& tensor = cost.levels[l].tensors[t];
      if (!tensor.kept || FeederOf(cost, l, t) != LevelId(f)) continue;
      const TensorCost& there = cost.levels[LevelId(f)].tensors[t];
      if (outer.partitioned) {
        pass(at_feeder(there.total), there.instances, its, outer.port.shared);
      }
      if (levels_[l].partitioned) pass(at_level(tensor.total), tensor.instances, own, port.shared);
      from += at_feeder(there.total);
      words += at_level(tensor.total);
      feeders = there.instances;
      instances = tensor.instances;
    }
    if (!outer.partitioned) pass(from, feeders, its, outer.port.shared);
  }
  if (!levels_[l].partitioned) pass(words, instances, own, port.shared);
  return slowest;
}

EngineTime CostFromCounts::EngineOf(const Cost& cost, LevelId l, double wait) const {
  const TimeTable::LevelTime& time = time_.levels[l];
  if (!time.engine()) return {};
  double moves = 0, requests = 0, inputs = 0;
  for (TensorId t : IdRange<TensorId>(tensor_count_)) {
    const auto tiles = static_cast<double>(cost.levels[l].tensors[t].moves);
    if (tiles == 0) continue;
    moves += tiles;
    if (t == output_) continue;
    requests = std::max(requests, tiles);
    ++inputs;
  }
  EngineTime engine;
  engine.busy =
      PassingCycles(cost, l, true) + PassingCycles(cost, l, false) + time.transfer * moves;
  if (time.overlap != Overlap::kStream) engine.busy += requests * wait;
  if (time.overlap == Overlap::kDouble && inputs > 0) {
    engine.first = wait + time.transfer * inputs + FirstLoad(cost, l, Quotient);
  }
  return engine;
}

// Cycles where the architecture says more of time than rates: docs/reference/time.md.
bool CostFromCounts::FinishTime(Cost* cost) const {
  double start = LongestWait(*cost, LevelId(levels_.size()));
  auto cycles = static_cast<double>(cost->compute_cycles);
  double dynamic_pj = static_cast<double>(cost->operations) * compute_energy_pj_;
  for (size_t i = levels_.size(); i-- > 0;) {
    const LevelId l(i);
    LevelCost& level = cost->levels[l];
    const Overlap overlap = time_.levels[l].overlap;
    const double wait = LongestWait(*cost, l);
    const EngineTime engine = EngineOf(*cost, l, wait);
    level.engine_cycles = engine.busy;
    cycles = AroundLevel(overlap, PortCycles(levels_[l], level), engine, cycles);
    if (overlap == Overlap::kStream) start += wait;
    dynamic_pj += level.energy_pj;  // leakage comes later
  }
  cycles += start;
  const double by_power = time_.PowerCycles(dynamic_pj);
  cost->start_cycles = start + time_.launch;
  cost->limited_by_power = by_power > cycles;
  cycles = WholeCycles(time_.launch + std::max(cycles, by_power));
  if (!(cycles <= kMostCycles)) return false;
  cost->cycles = static_cast<int64_t>(cycles);
  return true;
}

bool CostFromCounts::Finish(bool fill_and_drain, Cost* cost) const {
  cost->cycles = cost->compute_cycles;
  cost->start_cycles = 0;
  cost->limited_by_power = false;
  PortLoad load;
  for (LevelId l : Ids(cost->levels)) {
    cost->levels[l].engine_cycles = 0;
    if (!FinishLevel(levels_[l], &load, &cost->levels[l])) return false;
    cost->cycles = std::max(cost->cycles, cost->levels[l].cycles);
  }
  if (fill_and_drain) {
    const double more = FillAndDrainCycles(*cost);
    if (more > kMostCycles || cost->cycles > static_cast<int64_t>(kMostCycles)) return false;
    cost->cycles += static_cast<int64_t>(more);
  }
  if (time_.active && !FinishTime(cost)) return false;
  cost->compute_lanes = compute_lanes_;
  cost->compute_energy_pj = static_cast<double>(cost->operations) * compute_energy_pj_;
  cost->energy_pj = cost->compute_energy_pj;
  for (LevelId l : Ids(cost->levels)) {
    LevelCost& level = cost->levels[l];
    const LevelTable& table = levels_[l];
    if (table.leakage_pj_per_cycle > 0) {
      level.energy_pj += table.leakage_pj_per_cycle * static_cast<double>(table.machine_instances) *
                         static_cast<double>(cost->cycles);
    }
    cost->energy_pj += level.energy_pj;
  }
  cost->idle_pj = time_.idle_pj_per_cycle * static_cast<double>(cost->cycles);
  cost->energy_pj += cost->idle_pj;
  SetSeconds(time_.clock_hz, cost);
  Int128 offchip = 0;
  for (const TensorCost& tensor : cost->levels[LevelId(0)].tensors) {
    offchip += Int128{tensor.total.reads} + tensor.total.updates;
  }
  if (offchip > std::numeric_limits<int64_t>::max()) return false;
  cost->offchip_words = static_cast<int64_t>(offchip);
  cost->utilization = static_cast<double>(cost->operations) /
                      (static_cast<double>(compute_lanes_) * static_cast<double>(cost->cycles));
  return true;
}

}  // namespace inlay
