#include "inlay/cost/finish.h"

#include <algorithm>
#include <cmath>

#include "inlay/base/checked.h"

namespace inlay {
namespace {

// Absorbs the representation error of decimal bandwidths: 30 words at 10 × 0.3 words per cycle are
// 10 cycles.
constexpr double kRelativeSlack = 1e-12;

int64_t Cycles(double words, double words_per_cycle) {
  return static_cast<int64_t>(std::ceil(words / words_per_cycle * (1 - kRelativeSlack)));
}

double Blocks(int64_t words, int64_t block_words) {
  return static_cast<double>(block_words == 1 ? words : CeilDiv(words, block_words));
}

struct Traffic {
  int64_t out = 0;  // reads and drains
  int64_t in = 0;   // fills and updates
};

void Raise(int64_t cycles, CycleLimit limit, LevelCost* level) {
  if (cycles <= level->cycles) return;
  level->cycles = cycles;
  level->limit = limit;
}

}  // namespace

Finisher::Finisher(const Problem& problem, const Architecture& architecture)
    : output_(OutputTensor(problem)),
      tensor_count_(problem.tensors.size()),
      compute_lanes_(ComputeLanes(architecture)),
      compute_energy_pj_(ComputeEnergyPj(architecture)) {
  for (LevelId l : Ids(architecture.levels)) {
    const Level& level = architecture.levels[l];
    LevelTable table;
    table.block_words = level.block_words;
    table.partitioned = !level.partitions.empty();
    table.leakage_pj_per_cycle = level.leakage_pj_per_cycle;
    table.machine_instances = Instances(architecture, l);
    table.port = {level.read_bandwidth.value_or(0), level.write_bandwidth.value_or(0),
                  level.shared_bandwidth.value_or(0)};
    for (const Tensor& tensor : problem.tensors) {
      table.energy.push_back(EnergyOf(architecture, l, tensor.name));
    }
    levels_.push_back(table);
  }
}

Cost Finisher::Empty() const {
  Cost cost;
  cost.levels.resize(levels_.size());
  for (LevelCost& level : cost.levels) level.tensors.resize(tensor_count_);
  return cost;
}

void Finisher::FinishLevel(const LevelTable& table, LevelCost* level) const {
  level->cycles = 0;
  level->limit = CycleLimit::kNone;
  level->energy_pj = 0;
  const auto limit = [&](const Traffic& traffic, int64_t instances) {
    const Port& port = table.port;
    const auto lanes = static_cast<double>(instances);
    const auto out = static_cast<double>(traffic.out), in = static_cast<double>(traffic.in);
    if (port.read > 0) Raise(Cycles(out, lanes * port.read), CycleLimit::kRead, level);
    if (port.write > 0) Raise(Cycles(in, lanes * port.write), CycleLimit::kWrite, level);
    if (port.shared > 0) Raise(Cycles(out + in, lanes * port.shared), CycleLimit::kShared, level);
  };
  Traffic all;
  int64_t instances = 1;
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
    const Traffic own{n.reads + n.drains, n.fills + n.updates};
    if (table.partitioned) limit(own, tensor.instances);
    all.out += own.out;
    all.in += own.in;
    instances = tensor.instances;  // the same for every tensor of a level
  }
  if (!table.partitioned) limit(all, instances);
}

// A tensor's first tiles come in (the output's last ones go out) one level after the other, each
// hop at the slower of the two ports, one instance each. Inputs travel side by side; the output
// follows after everything.
int64_t Finisher::FillAndDrainCycles(const Cost& cost) const {
  int64_t fill = 0;
  int64_t drain = 0;
  for (TensorId t : IdRange<TensorId>(tensor_count_)) {
    const LevelTable* outer = nullptr;
    int64_t hops = 0;
    for (LevelId l : Ids(cost.levels)) {
      const TensorCost& tensor = cost.levels[l].tensors[t];
      if (!tensor.kept) continue;
      if (outer != nullptr) {
        const Port& from = t == output_ ? levels_[l].port : outer->port;
        const Port& to = t == output_ ? outer->port : levels_[l].port;
        int64_t hop = 0;
        for (double rate : {from.read, from.shared, to.write, to.shared}) {
          if (rate > 0) hop = std::max(hop, Cycles(static_cast<double>(tensor.tile_words), rate));
        }
        hops += hop;
      }
      outer = &levels_[l];
    }
    int64_t& phase = t == output_ ? drain : fill;
    phase = std::max(phase, hops);
  }
  return fill + drain;
}

void Finisher::Finish(bool fill_and_drain, Cost* cost) const {
  cost->cycles = cost->compute_cycles;
  cost->offchip_words = 0;
  for (LevelId l : Ids(cost->levels)) {
    FinishLevel(levels_[l], &cost->levels[l]);
    cost->cycles = std::max(cost->cycles, cost->levels[l].cycles);
  }
  if (fill_and_drain) cost->cycles += FillAndDrainCycles(*cost);
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
  for (const TensorCost& tensor : cost->levels[LevelId(0)].tensors) {
    cost->offchip_words += tensor.total.reads + tensor.total.updates;
  }
  cost->utilization = static_cast<double>(cost->operations) /
                      (static_cast<double>(compute_lanes_) * static_cast<double>(cost->cycles));
}

}  // namespace inlay
