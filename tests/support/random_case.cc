#include "tests/support/random_case.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/core/shapes.h"

namespace inlay::testing {
namespace {

Problem RandomEinsum(Random& random) {
  Problem problem;
  problem.name = "einsum";
  const auto dims = static_cast<size_t>(Pick(random, 2, 5));
  for (size_t d = 0; d < dims; ++d) {
    problem.dims.push_back({"d" + std::to_string(d), Pick(random, 1, 9)});
  }
  std::vector<bool> used(dims, false);
  const auto tensor = [&](const std::string& name, bool output) {
    Tensor result{name, {}, output};
    for (size_t d = 0; d < dims; ++d) {
      if (!Chance(random, 0.55)) continue;
      used[d] = true;
      const Term term{DimId(d), Chance(random, 0.75) ? 1 : Pick(random, 2, 3)};
      if (!output && !result.ranks.empty() && Chance(random, 0.4)) {
        result.ranks.back().terms.push_back(term);
      } else {
        result.ranks.push_back({{term}});
      }
    }
    return result;
  };
  const auto inputs = Pick(random, 1, 3);
  for (int64_t i = 0; i < inputs; ++i) {
    problem.tensors.push_back(tensor("in" + std::to_string(i), false));
  }
  problem.tensors.push_back(tensor("out", true));
  for (size_t d = 0; d < dims; ++d) {
    if (!used[d]) problem.tensors[TensorId(0)].ranks.push_back({{{DimId(d), 1}}});
  }
  return problem;
}

Problem RandomShape(Random& random) {
  ConvShape conv;
  GemmShape gemm;
  switch (Pick(random, 0, 5)) {
    case 0:
      gemm = {1, Pick(random, 1, 17), Pick(random, 1, 13), Pick(random, 1, 13)};
      return MakeGemm("gemm", gemm);
    case 1:
      gemm = {Pick(random, 2, 3), Pick(random, 1, 11), Pick(random, 1, 7), Pick(random, 1, 7)};
      return MakeGemm("matmul", gemm);
    case 2:
      conv.g = Pick(random, 2, 4);
      if (Chance(random, 0.3)) conv.k = conv.c = 2;
      break;
    case 3:
      return RandomEinsum(random);
    default:
      conv.k = Pick(random, 1, 4);
      conv.c = Pick(random, 1, 4);
  }
  if (Chance(random, 0.2)) conv.n = 2;
  conv.p = Pick(random, 1, 13);
  conv.q = Pick(random, 1, 7);
  conv.r = Pick(random, 1, 4);
  conv.s = Pick(random, 1, 3);
  conv.stride_h = Chance(random, 0.3) ? Pick(random, 2, 3) : 1;
  conv.stride_w = Chance(random, 0.3) ? 2 : 1;
  conv.dilation_h = Chance(random, 0.2) ? 2 : 1;
  conv.dilation_w = Chance(random, 0.2) ? Pick(random, 2, 3) : 1;
  return MakeConv("conv", conv);
}

int64_t RandomDivisor(Random& random, int64_t n) {
  std::vector<int64_t> divisors;
  for (int64_t d = 1; d <= n; ++d) {
    if (n % d == 0) divisors.push_back(d);
  }
  return divisors[static_cast<size_t>(Pick(random, 0, static_cast<int64_t>(divisors.size()) - 1))];
}

// A place for a loop of one dimension, in nest order.
struct Slot {
  LevelId level;
  Axis axis = Axis::kTime;
  int64_t step = 1;
};

std::vector<Slot> RandomSlots(Random& random, size_t levels) {
  std::vector<Slot> slots;
  for (size_t l = 0; l < levels; ++l) {
    const int64_t temporal = Chance(random, 0.15) ? 2 : Chance(random, 0.65) ? 1 : 0;
    for (int64_t i = 0; i < temporal; ++i) slots.push_back({LevelId(l), Axis::kTime, 1});
    if (Chance(random, 0.35)) {
      slots.push_back({LevelId(l), Chance(random, 0.5) ? Axis::kX : Axis::kY, 1});
      if (Chance(random, 0.1)) slots.push_back({LevelId(l), Axis::kY, 1});
    }
  }
  if (slots.empty() || slots.back().axis != Axis::kTime) {
    slots.push_back({LevelId(levels - 1), Axis::kTime, 1});
    if (slots.size() > 1 && slots[slots.size() - 2].level == slots.back().level) {
      std::swap(slots[slots.size() - 2], slots.back());  // temporal loops stand above spatial ones
    }
  }
  std::stable_sort(slots.begin(), slots.end(), [](const Slot& a, const Slot& b) {
    return std::pair(a.level.value(), a.axis != Axis::kTime) <
           std::pair(b.level.value(), b.axis != Axis::kTime);
  });
  return slots;
}

void DrawSteps(Random& random, Steps steps, int64_t bound, std::vector<Slot>* slots) {
  if (steps == Steps::kRuby) {
    int64_t step = 1;
    for (auto slot = slots->rbegin(); slot != slots->rend(); ++slot) {
      slot->step = std::min(step, bound);
      step *= Pick(random, 1, 4);
      // The step above must stay a multiple; at or past the bound, the loops above make one step.
      if (step >= bound) step = bound;
    }
    return;
  }
  int64_t range = bound;
  for (Slot& slot : *slots) {
    // For any tiling, steps around half of the range leave room for further ragged ones inside.
    slot.step = steps == Steps::kPerfect
                    ? RandomDivisor(random, range)
                    : Pick(random, (range + 2) / 3, std::max<int64_t>(1, range - 1));
    range = slot.step;
  }
  slots->back().step = 1;
}

// Gives every fan-out a size that holds what the mapping unrolls, and properties.
Architecture RandomArchitecture(Random& random, const Problem& problem, const Mapping& mapping) {
  Architecture architecture;
  architecture.name = "random";
  IndexedVector<DimId, int64_t> range;
  for (const Dimension& dim : problem.dims) range.push_back(dim.bound);
  for (LevelId l : Ids(mapping.levels)) {
    Level level;
    level.name = "L" + std::to_string(l.value());
    level.fanout.name = "F" + std::to_string(l.value());
    for (const Loop& loop : mapping.levels[l].temporal) range[loop.dim] = loop.step;
    for (const Loop& loop : mapping.levels[l].spatial) {
      (loop.axis == Axis::kX ? level.fanout.x : level.fanout.y) *=
          CeilDiv(range[loop.dim], loop.step);
      range[loop.dim] = loop.step;
    }
    if (Chance(random, 0.3)) level.fanout.x += Pick(random, 0, 2);
    level.fanout.multicast = Chance(random, 0.8) ? Multicast::kTile : Multicast::kNone;
    level.fanout.reduce = Chance(random, 0.8);
    level.block_words = Chance(random, 0.3) ? Pick(random, 2, 5) : 1;
    level.energy = AccessEnergy{1.0 + static_cast<double>(l.value()), 2.0, 3.0};
    level.keep = TensorNameSet{};  // the mapping decides
    if (Chance(random, 0.2)) {
      for (const Tensor& tensor : problem.tensors) {
        level.partitions.push_back({tensor.name, std::nullopt, 16, std::nullopt});
      }
    }
    if (Chance(random, 0.3)) level.read_bandwidth = static_cast<double>(Pick(random, 1, 4)) / 2;
    if (Chance(random, 0.3)) level.write_bandwidth = static_cast<double>(Pick(random, 1, 4)) / 2;
    if (Chance(random, 0.2)) level.shared_bandwidth = static_cast<double>(Pick(random, 1, 4));
    if (Chance(random, 0.2)) level.leakage_pj_per_cycle = 0.25;
    architecture.levels.push_back(level);
  }
  architecture.compute.energy_pj = 0.5;
  return architecture;
}

// Loops of a level in random order; those of one dimension keep theirs.
void ShuffleLoops(Random& random, std::vector<Loop>* loops) {
  std::vector<Loop> shuffled = *loops;
  std::shuffle(shuffled.begin(), shuffled.end(), random);
  std::vector<Loop> source = *loops;
  for (Loop& loop : shuffled) {
    const auto next = std::find_if(source.begin(), source.end(),
                                   [&](const Loop& other) { return other.dim == loop.dim; });
    loop = *next;
    source.erase(next);
  }
  *loops = shuffled;
}

}  // namespace

int64_t Pick(Random& random, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random);
}

void AddTimeKeys(Random& random, Architecture* architecture) {
  const auto some = [&random](int64_t most) { return static_cast<double>(Pick(random, 1, most)); };
  for (Level& level : architecture->levels) {
    if (Chance(random, 0.5)) level.latency_cycles = some(9);
    if (Chance(random, 0.4)) level.transfer_cycles = some(6) / 2;
    if (Chance(random, 0.6))
      level.overlap = Chance(random, 0.5) ? Overlap::kNone : Overlap::kDouble;
    if (Chance(random, 0.3)) level.fanout.skew_cycles = some(5);
  }
  if (Chance(random, 0.4)) architecture->launch_cycles = some(20);
  if (!Chance(random, 0.5)) return;
  architecture->clock_hz = 1e9;
  if (Chance(random, 0.5)) architecture->idle_w = some(8) * 1e-3;  // 1 pJ per cycle and mW
  if (Chance(random, 0.6)) architecture->power_limit_w = architecture->idle_w + some(60) * 1e-3;
}

bool Chance(Random& random, double probability) {
  return std::uniform_real_distribution<double>(0, 1)(random) < probability;
}

Problem RandomProblem(Random& random, int64_t most_operations) {
  for (;;) {
    Problem problem = RandomShape(random);
    if (Validate(problem).empty() && Operations(problem) <= most_operations) return problem;
  }
}

Mapping RandomMapping(Random& random, const Problem& problem, size_t levels, Steps steps) {
  Mapping mapping;
  mapping.levels.resize(levels);
  for (DimId d : Ids(problem.dims)) {
    std::vector<Slot> slots = RandomSlots(random, levels);
    DrawSteps(random, steps, problem.dims[d].bound, &slots);
    int64_t range = problem.dims[d].bound;
    for (const Slot& slot : slots) {
      if (range == slot.step && Chance(random, 0.8)) continue;  // a loop of one step, now and then
      LevelMapping& level = mapping.levels[slot.level];
      (slot.axis == Axis::kTime ? level.temporal : level.spatial)
          .push_back({d, slot.step, slot.axis});
      range = slot.step;
    }
  }
  for (LevelMapping& level : mapping.levels) {
    ShuffleLoops(random, &level.temporal);
    ShuffleLoops(random, &level.spatial);
  }
  for (TensorId t : Ids(problem.tensors)) {
    bool kept = false;
    for (LevelId l : Ids(mapping.levels)) {
      if (!Chance(random, l.value() == 0 ? 0.95 : 0.7)) continue;
      mapping.levels[l].keep.insert(t);
      kept = true;
    }
    if (!kept) mapping.levels[LevelId(0)].keep.insert(t);
  }
  return mapping;
}

Case RandomCase(Random& random, Steps steps, const CaseLimits& limits) {
  for (;;) {
    Case c;
    c.problem = RandomProblem(random, limits.most_operations);
    const auto levels =
        static_cast<size_t>(Pick(random, 1, static_cast<int64_t>(limits.most_levels)));
    c.mapping = RandomMapping(random, c.problem, levels, steps);
    c.architecture = RandomArchitecture(random, c.problem, c.mapping);
    if (limits.timed > 0 && Chance(random, limits.timed)) AddTimeKeys(random, &c.architecture);
    if (ComputeLanes(c.architecture) > limits.most_lanes) continue;
    if (Validate(c.problem, c.architecture, c.mapping).empty()) return c;
  }
}

std::string Describe(const Case& c) {
  std::string text;
  for (const Dimension& dim : c.problem.dims) {
    text += dim.name + "=" + std::to_string(dim.bound) + " ";
  }
  for (const Tensor& tensor : c.problem.tensors) text += ToString(c.problem, tensor) + " ";
  text += "\n";
  for (LevelId l : Ids(c.mapping.levels)) {
    const LevelMapping& level = c.mapping.levels[l];
    const Fanout& fanout = c.architecture.levels[l].fanout;
    text += c.architecture.levels[l].name + " keeps";
    for (TensorId t : Ids(c.problem.tensors)) {
      if (level.keep.contains(t)) text += " " + c.problem.tensors[t].name;
    }
    for (const auto* loops : {&level.temporal, &level.spatial}) {
      for (const Loop& loop : *loops) {
        text += loop.axis == Axis::kTime ? "; for " : loop.axis == Axis::kX ? "; x " : "; y ";
        text += c.problem.dims[loop.dim].name + " step " + std::to_string(loop.step);
      }
    }
    text += "; fan-out " + std::to_string(fanout.x) + "x" + std::to_string(fanout.y);
    text += fanout.multicast == Multicast::kTile ? " multicast" : " no multicast";
    text += fanout.reduce ? " reduce" : " no reduce";
    const Level& figures = c.architecture.levels[l];
    for (const auto* rate :
         {&figures.read_bandwidth, &figures.write_bandwidth, &figures.shared_bandwidth}) {
      text += *rate ? " " + std::to_string(**rate) : " -";
    }
    text += figures.partitions.empty() ? "" : " parts";
    text += " latency " + std::to_string(figures.latency_cycles) + " transfer " +
            std::to_string(figures.transfer_cycles) + " skew " +
            std::to_string(fanout.skew_cycles) + " overlap " + Name(figures.overlap) + "\n";
  }
  return text;
}

int64_t CaseCount(int64_t plain, int64_t all) {
  const char* value = std::getenv("INLAY_LONG");
  if (value != nullptr && std::string_view(value) == "1") return all;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return plain < 8 ? plain : (plain + 3) / 4;
#else
  return plain;
#endif
}

}  // namespace inlay::testing
