#include "inlay/cost/timeloop.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/cost/timeloop/counts.h"
#include "inlay/cost/timeloop/nest.h"
#include "inlay/cost/timeloop/tiling.h"

namespace inlay {
namespace {

using timeloop::Nest;

// Far above the rounding errors of a quotient, far below one cycle.
constexpr double kSlack = 1e-12;

// Rounds up; b > 0, a of either sign.
int64_t CeilDivSigned(int64_t a, int64_t b) { return a / b + (a % b > 0 ? 1 : 0); }

double PerInstance(int64_t total, int64_t instances) {
  return static_cast<double>(total) / static_cast<double>(instances);
}

double EnergyPj(const TensorCost& tensor, const AccessEnergy& energy, int64_t block) {
  // Blocks are counted per instance.
  const auto blocks = [&](int64_t total) {
    return static_cast<double>(CeilDivSigned(total / tensor.instances, block));
  };
  const Counts& total = tensor.total;
  const double one = blocks(total.reads + total.drains) * energy.read_pj +
                     blocks(total.fills) * energy.fill_pj +
                     blocks(total.updates) * energy.update_pj;
  return one * static_cast<double>(tensor.instances);
}

constexpr double kMostRoundedCycles = 9e18;
constexpr int64_t kTooManyCycles = std::numeric_limits<int64_t>::max();

// Words per cycle that an instance has to move to keep up with the compute lanes.
struct Demand {
  double read = 0, write = 0;
};

void AddDemand(const TensorCost& tensor, int64_t most_instances, int64_t cycles, Demand* demand) {
  const double ratio = static_cast<double>(most_instances) / static_cast<double>(tensor.instances);
  const auto rate = [&](int64_t total) {
    const double one = PerInstance(total, tensor.instances);  // whole under Timeloop's rules
    return (ratio == 1 ? one : std::ceil(one / ratio)) / static_cast<double>(cycles);
  };
  demand->read += rate(tensor.total.reads + tensor.total.drains);
  demand->write += rate(tensor.total.fills + tensor.total.updates);
}

// The part of full speed that the bandwidths allow, and which of them decides.
std::pair<double, CycleLimit> Slowdown(const Level& level, const Demand& demand) {
  std::pair<double, CycleLimit> slowdown{1, CycleLimit::kNone};
  const auto limit = [&slowdown](const std::optional<double>& bandwidth, double words,
                                 CycleLimit name) {
    if (!bandwidth || *bandwidth >= words || *bandwidth / words >= slowdown.first) return;
    slowdown = {*bandwidth / words, name};
  };
  limit(level.read_bandwidth, demand.read, CycleLimit::kRead);
  limit(level.write_bandwidth, demand.write, CycleLimit::kWrite);
  limit(level.shared_bandwidth, demand.read + demand.write, CycleLimit::kShared);
  return slowdown;
}

// Where a level is partitioned, each part has the bandwidths for itself.
void SetCycles(const Level& level, int64_t most_instances, int64_t compute_cycles,
               bool rounded_rates, LevelCost* cost) {
  std::pair<double, CycleLimit> slowdown{1, CycleLimit::kNone};
  Demand demand;
  for (const TensorCost& tensor : cost->tensors) {
    if (!tensor.kept) continue;
    if (!level.partitions.empty()) demand = {};
    AddDemand(tensor, most_instances, compute_cycles, &demand);
    const auto now = Slowdown(level, demand);
    if (now.first < slowdown.first) slowdown = now;
  }
  const double cycles = static_cast<double>(compute_cycles) / slowdown.first;
  const double rounded = std::ceil(rounded_rates ? cycles : cycles * (1 - kSlack));
  cost->cycles = rounded < kMostRoundedCycles ? static_cast<int64_t>(rounded) : kTooManyCycles;
  cost->limit = slowdown.second;
}

std::optional<int64_t> ComputeCycles(const Nest& nest, const timeloop::ComputeTraffic& compute) {
  if (nest.imperfect == 0) return CeilDiv(compute.operations, compute.average_lanes);
  std::optional<int64_t> cycles = 1;
  for (const timeloop::NestLoop& loop : nest.loops) {
    if (!loop.IsSpatial() && cycles) cycles = CheckedMultiply(*cycles, loop.end);
  }
  return cycles;
}

Fault Overflow() { return {"mapping", "a count does not fit into 64 bits", ""}; }

tl::expected<void, Fault> CountTensor(const Nest& nest, const Problem& problem,
                                      const Architecture& architecture, const Mapping& mapping,
                                      TensorId t, const TimeloopRules& rules,
                                      TimeloopResult* result) {
  const Tensor& tensor = problem.tensors[t];
  const auto traffic = timeloop::AnalyseTensor(nest, architecture, mapping, tensor, t, rules);
  if (!traffic) return tl::unexpected(traffic.error());
  const auto counts = timeloop::CountsOf(*traffic, tensor.is_output, nest.imperfect == 0, rules);
  if (!counts) return tl::unexpected(counts.error());
  for (LevelId l : Ids(*traffic)) {
    const timeloop::LevelTraffic& level = (*traffic)[l];
    if (!level.kept) continue;
    TensorCost& cost = result->cost.levels[l].tensors[t];
    cost.kept = true;
    cost.tile_words = level.tile_words;
    cost.instances = level.instances;
    cost.total = (*counts)[l];
    cost.energy_pj =
        EnergyPj(cost, EnergyOf(architecture, l, tensor.name), architecture.levels[l].block_words);
    TimeloopTensorDetail& detail = result->details[l][t];
    detail.partition_words = level.partition_words;
    if (tensor.is_output) detail.temporal_reductions = cost.total.reads / level.instances;
  }
  return {};
}

// Timeloop's networks always multicast and reduce.
std::optional<Fault> FindUnableFanout(const Architecture& architecture) {
  for (const Level& level : architecture.levels) {
    const Fanout& fanout = level.fanout;
    if (fanout.x * fanout.y == 1) continue;
    if (fanout.multicast == Multicast::kTile && fanout.reduce) continue;
    return Fault{"levels." + level.name,
                 "timeloop has no fan-out that cannot multicast or reduce, as the one below '" +
                     level.name + "'",
                 "use the exact semantics"};
  }
  return std::nullopt;
}

// Cycles, energy and what follows from them, once every count is known.
void Summarise(const Nest& nest, const Architecture& architecture, const TimeloopRules& rules,
               Cost* cost) {
  cost->compute_lanes = ComputeLanes(architecture);
  cost->compute_energy_pj = static_cast<double>(cost->operations) * ComputeEnergyPj(architecture);
  cost->cycles = cost->compute_cycles;
  int64_t most_instances = 1;
  for (LevelId l : Ids(cost->levels)) {
    LevelCost& level = cost->levels[l];
    SetCycles(architecture.levels[l], most_instances, cost->compute_cycles, rules.rounded_rates,
              &level);
    cost->cycles = std::max(cost->cycles, level.cycles);
    const timeloop::LevelRange& range = nest.levels[l];
    most_instances *= timeloop::LaneCount(nest, range.spatial, range.end, Axis::kX) *
                      timeloop::LaneCount(nest, range.spatial, range.end, Axis::kY);
  }
  cost->energy_pj = cost->compute_energy_pj;
  for (LevelId l : Ids(cost->levels)) {
    LevelCost& level = cost->levels[l];
    level.energy_pj = architecture.levels[l].leakage_pj_per_cycle *
                      static_cast<double>(Instances(architecture, l)) *
                      static_cast<double>(cost->cycles);
    for (const TensorCost& tensor : level.tensors) level.energy_pj += tensor.energy_pj;
    cost->energy_pj += level.energy_pj;
  }
  cost->utilization = static_cast<double>(cost->operations) /
                      static_cast<double>(cost->compute_lanes) / static_cast<double>(cost->cycles);
  std::optional<int64_t> offchip = 0;
  for (const TensorCost& tensor : cost->levels[LevelId(0)].tensors) {
    for (int64_t words : {tensor.total.reads, tensor.total.updates}) {
      if (offchip) offchip = CheckedAdd(*offchip, words);
    }
  }
  cost->offchip_words = offchip.value_or(-1);  // refused by the caller
}

}  // namespace

tl::expected<TimeloopResult, Fault> EvaluateTimeloopInDetail(const Problem& problem,
                                                             const Architecture& architecture,
                                                             const Mapping& mapping,
                                                             const TimeloopRules& rules) {
  if (auto fault = FindUnableFanout(architecture)) return tl::unexpected(*std::move(fault));
  const auto nest = timeloop::BuildNest(problem, mapping);
  if (!nest) return tl::unexpected(nest.error());
  if (!rules.bypass_scaling && nest->imperfect != 0) {
    return tl::unexpected(Fault{"mapping", "bypass scaling cannot be switched off here",
                                "without it only perfect mappings can be counted"});
  }
  const auto compute = timeloop::AnalyseCompute(*nest, architecture, rules);
  if (!compute) return tl::unexpected(compute.error());
  const auto cycles = ComputeCycles(*nest, *compute);
  if (!cycles) return tl::unexpected(Overflow());

  TimeloopResult result;
  result.cost.operations = compute->operations;
  result.cost.compute_lanes_used = compute->lanes;
  result.average_lanes = compute->average_lanes;
  result.cost.compute_cycles = *cycles;
  result.cost.levels.resize(architecture.levels.size());
  result.details.resize(architecture.levels.size());
  for (LevelId l : Ids(architecture.levels)) {
    result.cost.levels[l].tensors.resize(problem.tensors.size());
    result.details[l].resize(problem.tensors.size());
  }
  for (TensorId t : Ids(problem.tensors)) {
    const auto counted = CountTensor(*nest, problem, architecture, mapping, t, rules, &result);
    if (!counted) return tl::unexpected(counted.error());
  }
  Summarise(*nest, architecture, rules, &result.cost);
  if (result.cost.cycles == kTooManyCycles || result.cost.offchip_words < 0) {
    return tl::unexpected(Overflow());
  }
  return result;
}

tl::expected<Cost, Fault> EvaluateTimeloop(const Problem& problem, const Architecture& architecture,
                                           const Mapping& mapping, const TimeloopRules& rules) {
  auto result = EvaluateTimeloopInDetail(problem, architecture, mapping, rules);
  if (!result) return tl::unexpected(result.error());
  return std::move(result->cost);
}

}  // namespace inlay
