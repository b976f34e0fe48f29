#include "tests/support/random_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace inlay::testing {
namespace {

Level RandomLevel(Random& random, const Problem& problem, size_t index, const SpaceLimits& limits) {
  Level level;
  level.name = "L" + std::to_string(index);
  level.fanout.name = "F" + std::to_string(index);
  level.fanout.x = Chance(random, 0.5) ? Pick(random, 2, 4) : 1;
  level.fanout.y = Chance(random, 0.25) ? Pick(random, 2, 3) : 1;
  level.fanout.multicast = Chance(random, 0.8) ? Multicast::kTile : Multicast::kNone;
  level.fanout.reduce = Chance(random, 0.8);
  level.block_words = Chance(random, 0.2) ? Pick(random, 2, 4) : 1;
  level.energy =
      AccessEnergy{static_cast<double>(Pick(random, 1, 9)), static_cast<double>(Pick(random, 1, 9)),
                   static_cast<double>(Pick(random, 1, 9))};
  if (Chance(random, 0.3)) level.read_bandwidth = static_cast<double>(Pick(random, 1, 4)) / 2;
  if (Chance(random, 0.3)) level.write_bandwidth = static_cast<double>(Pick(random, 1, 4)) / 2;
  if (Chance(random, 0.2)) level.shared_bandwidth = static_cast<double>(Pick(random, 1, 4));
  if (Chance(random, 0.2)) level.leakage_pj_per_cycle = 0.25;
  if (index > 0 && Chance(random, limits.bounded)) level.capacity_words = Pick(random, 2, 30);
  if (Chance(random, 0.2)) level.buffering = 2;
  if (index > 0 && Chance(random, 0.2)) {
    level.capacity_words.reset();
    for (const Tensor& tensor : problem.tensors) {
      if (Chance(random, 0.2)) continue;
      level.partitions.push_back({tensor.name, Pick(random, 1, 12), 16, std::nullopt});
    }
  }
  if (index > 0 && Chance(random, 0.4)) {
    level.keep = TensorNameSet{};
    for (const Tensor& tensor : problem.tensors) {
      const int64_t fate = Pick(random, 0, 2);
      if (fate == 0) level.keep->names.push_back(tensor.name);
      if (fate == 1 && !level.bypass) level.bypass = TensorNameSet{};
      if (fate == 1) level.bypass->names.push_back(tensor.name);
    }
  }
  return level;
}

std::vector<std::string> SomeDims(Random& random, const Problem& problem, double share) {
  std::vector<std::string> names = DimNames(problem);
  std::shuffle(names.begin(), names.end(), random);
  std::vector<std::string> some;
  for (const std::string& name : names) {
    if (Chance(random, share)) some.push_back(name);
  }
  return some;
}

FactorBound RandomFactor(Random& random, const Problem& problem) {
  const auto dim = Pick(random, 0, static_cast<int64_t>(problem.dims.size()) - 1);
  const auto relation = static_cast<Relation>(Pick(random, 0, 2));
  return {problem.dims[DimId(static_cast<size_t>(dim))].name, relation, Pick(random, 1, 3)};
}

Constraint RandomConstraint(Random& random, const Problem& problem,
                            const Architecture& architecture) {
  const auto at = Pick(random, 0, static_cast<int64_t>(architecture.levels.size()) - 1);
  const Level& level = architecture.levels[LevelId(static_cast<size_t>(at))];
  Constraint constraint;
  if (Chance(random, 0.4)) {
    constraint.at = level.fanout.name;
    if (Chance(random, 0.5)) constraint.x = SomeDims(random, problem, 0.5);
    if (Chance(random, 0.5)) constraint.y = SomeDims(random, problem, 0.5);
    if (Chance(random, 0.2)) {
      constraint.min_utilization = static_cast<double>(Pick(random, 1, 10)) / 10;
    }
  } else {
    constraint.at = level.name;
    if (Chance(random, 0.4)) constraint.loops = SomeDims(random, problem, 0.7);
    std::vector<std::string> order = SomeDims(random, problem, 0.5);
    const auto cut = order.begin() + Pick(random, 0, static_cast<int64_t>(order.size()));
    if (Chance(random, 0.4)) constraint.innermost.assign(order.begin(), cut);
    if (Chance(random, 0.4)) constraint.outermost.assign(cut, order.end());
    if (at > 0 && Chance(random, 0.15)) {
      const TensorId tensor(
          static_cast<size_t>(Pick(random, 0, static_cast<int64_t>(problem.tensors.size()) - 1)));
      (Chance(random, 0.5) ? constraint.keep : constraint.bypass)
          .push_back(problem.tensors[tensor].name);
    }
    if (Chance(random, 0.15)) {
      constraint.min_utilization = static_cast<double>(Pick(random, 1, 6)) / 10;
    }
  }
  if (Chance(random, 0.2)) constraint.remainders = Pick(random, 1, 4);
  if (Chance(random, 0.05)) {
    constraint.default_factor = RandomFactor(random, problem);
    constraint.default_factor->dim.clear();
  }
  while (Chance(random, 0.4)) constraint.factors.push_back(RandomFactor(random, problem));
  return constraint;
}

std::string Range(const FactorRange& range) {
  if (range == FactorRange{}) return "";
  if (range.max == FactorRange::kUnlimited) return ">=" + std::to_string(range.min);
  return std::to_string(range.min) + ".." + std::to_string(range.max);
}

}  // namespace

Space RandomSpace(Random& random, Mapspace mapspace, const SpaceLimits& limits) {
  for (;;) {
    const Problem problem = RandomProblem(random, limits.most_operations);
    Architecture architecture;
    architecture.name = "random";
    architecture.compute.energy_pj = 0.5;
    const auto levels =
        static_cast<size_t>(Pick(random, 1, static_cast<int64_t>(limits.most_levels)));
    for (size_t l = 0; l < levels; ++l) {
      architecture.levels.push_back(RandomLevel(random, problem, l, limits));
    }
    if (limits.timed > 0 && Chance(random, limits.timed)) AddTimeKeys(random, &architecture);
    if (!Validate(architecture).empty()) continue;
    if (Chance(random, limits.constrained)) {
      do {
        architecture.constraints.push_back(RandomConstraint(random, problem, architecture));
      } while (Chance(random, 0.5));
    }
    if (auto space = MakeSpace(problem, architecture, mapspace)) return std::move(*space);
  }
}

std::string Describe(const Space& space) {
  std::string text = std::string(Name(space.mapspace)) + "\n";
  for (const Dimension& dim : space.problem.dims) {
    text += dim.name + "=" + std::to_string(dim.bound) + " ";
  }
  text += "\n";
  for (const Tensor& tensor : space.problem.tensors) text += ToString(space.problem, tensor) + "\n";
  for (LevelId l : Ids(space.architecture.levels)) {
    const Level& level = space.architecture.levels[l];
    text += level.name;
    if (level.latency_cycles > 0) text += fmt::format(" latency {}", level.latency_cycles);
    if (level.transfer_cycles > 0) text += fmt::format(" transfer {}", level.transfer_cycles);
    if (level.overlap != Overlap::kStream) text += std::string(" overlap ") + Name(level.overlap);
    if (level.fanout.skew_cycles > 0) text += fmt::format(" skew {}", level.fanout.skew_cycles);
    if (level.capacity_words) text += " capacity " + std::to_string(*level.capacity_words);
    for (const Partition& part : level.partitions) {
      text += " " + part.tensor + ":" + std::to_string(part.capacity_words.value_or(-1));
    }
    text += " buffering " + std::to_string(level.buffering) + " fanout " +
            std::to_string(level.fanout.x) + "x" + std::to_string(level.fanout.y) +
            " lanes>=" + std::to_string(space.min_lanes[l]) +
            " utilization>=" + std::to_string(space.min_utilization[l]) + " keeps";
    for (const TensorSet keep : space.keeps[l]) text += " " + std::to_string(keep.bits());
    text += "\n";
    for (DimId d : Ids(space.problem.dims)) {
      text += "  " + space.problem.dims[d].name + ":";
      for (size_t axis = 0; axis < 3; ++axis) {
        text += " " + Range(space.factors[SlotId(3 * l.value() + axis)][d]) + ",";
      }
      text += " xy " + Range(space.unrolling[l][d]) + "\n";
    }
    for (DimId d : space.orders[l].outermost) text += "  outermost " + space.problem.dims[d].name;
    for (DimId d : space.orders[l].innermost) text += "  innermost " + space.problem.dims[d].name;
  }
  return text;
}

}  // namespace inlay::testing
