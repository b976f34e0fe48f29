#include "inlay/scratchpad/exact/copy_steps.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace inlay::exact {
namespace {

// Bytes that can be moved between pads in each step: of tensors that are between two uses.
std::vector<double> MovableBytes(const PlanProblem& problem, size_t steps,
                                 const IndexedVector<ValueId, TensorLife>& lives,
                                 const IndexedVector<ValueId, uint8_t>& used_outside) {
  std::vector<double> change(steps + 1, 0);
  if (problem.machine.dma.moves.empty()) return change;
  for (const ValueId tensor : Ids(problem.tensors)) {
    const TensorLife& life = lives[tensor];
    const auto bytes = static_cast<double>(problem.tensors[tensor].bytes);
    bool held = false;
    for (const PadId pad : Ids(problem.machine.pads)) held |= CanHold(problem, tensor, pad);
    if (!held) continue;
    for (size_t j = 0; j < life.reads.size(); ++j) {
      if (j == 0 && !life.written && used_outside[tensor] == 0) continue;
      const int64_t before = j > 0          ? life.reads[j - 1].step
                             : life.written ? life.written->step
                                            : -1;
      if (before + 1 >= life.reads[j].step) continue;
      change[static_cast<size_t>(before + 1)] += bytes;
      change[static_cast<size_t>(life.reads[j].step)] -= bytes;
    }
  }
  std::partial_sum(change.begin(), change.end(), change.begin());
  return change;
}

// The most that a step can take without prefetches and without waiting for off chip.
double LongestOnChip(const PlanProblem& problem, const PlanNode& node, double movable) {
  double longest = 0;
  double bytes = 0;
  for (const Tiling& tiling : node.tilings) {
    longest = std::max(longest, tiling.compute_seconds);
    auto sum = static_cast<double>(tiling.inside.bytes);
    for (size_t i = 0; i < node.operands.size(); ++i) {
      sum += static_cast<double>(tiling.operands[i].bytes) +
             static_cast<double>(problem.tensors[node.operands[i].tensor].bytes);
    }
    bytes = std::max(bytes, sum);
  }
  double slowest_moves = 0;
  for (const Scratchpad& pad : problem.machine.pads) {
    if (!pad.bytes_per_second) continue;
    const double moved = std::min(movable, static_cast<double>(pad.bytes));
    longest = std::max(longest, (bytes + 2 * moved) / *pad.bytes_per_second);
    slowest_moves += 2 * moved / *pad.bytes_per_second;
  }
  return std::max(longest, slowest_moves / static_cast<double>(problem.machine.dma.engines));
}

// Bytes per second of a copy on chip, at least.
double SlowestCopy(const Machine& machine) {
  double rate = machine.offchip.bytes_per_second.value_or(std::numeric_limits<double>::infinity());
  for (const Scratchpad& pad : machine.pads)
    rate = std::min(rate, pad.bytes_per_second.value_or(rate));
  return rate;
}

// Whether a copy from off chip can take longer at the pad.
bool CanWaitForPads(const Machine& machine) {
  return !machine.offchip.bytes_per_second
             ? SlowestCopy(machine) < std::numeric_limits<double>::infinity()
             : SlowestCopy(machine) < *machine.offchip.bytes_per_second;
}

}  // namespace

int64_t RoomOf(const Scratchpad& pad) {
  return pad.bytes / pad.alignment_bytes * pad.alignment_bytes;
}

bool CanHold(const PlanProblem& problem, ValueId tensor, PadId pad) {
  const Scratchpad& memory = problem.machine.pads[pad];
  return AlignedBytes(memory, problem.tensors[tensor].bytes) <= RoomOf(memory);
}

CopySteps NoCopySteps(const IndexedVector<ValueId, TensorLife>& lives) {
  CopySteps copies;
  copies.prefetched.resize(lives.size());
  copies.late.resize(lives.size());
  for (const ValueId tensor : Ids(lives)) {
    copies.prefetched[tensor].assign(lives[tensor].reads.size(), false);
  }
  return copies;
}

CopySteps FindCopySteps(const PlanProblem& problem, const std::vector<size_t>& order,
                        const IndexedVector<ValueId, TensorLife>& lives, double budget_seconds,
                        const IndexedVector<ValueId, uint8_t>& used_outside) {
  CopySteps copies = NoCopySteps(lives);
  const bool waits = CanWaitForPads(problem.machine);
  if (!waits && !problem.machine.offchip.bytes_per_second) return copies;  // nothing to wait for
  enum class What : uint8_t { kSlot, kPrefetch, kLate };
  struct Option {
    double loss = 0;
    What what = What::kSlot;
    size_t index = 0;  // step or tensor
    size_t read = 0;
  };
  std::vector<Option> options;
  const std::vector<double> movable = MovableBytes(problem, order.size(), lives, used_outside);
  for (size_t t = 0; t < order.size(); ++t) {
    const double loss = waits ? std::numeric_limits<double>::infinity()
                              : LongestOnChip(problem, problem.nodes[order[t]], movable[t]);
    options.push_back({loss, What::kSlot, t, 0});
  }
  for (const ValueId tensor : Ids(problem.tensors)) {
    const double seconds =
        static_cast<double>(problem.tensors[tensor].bytes) / SlowestCopy(problem.machine);
    for (size_t j = 0; j < lives[tensor].reads.size(); ++j) {
      options.push_back({seconds, What::kPrefetch, tensor.value(), j});
    }
    if (lives[tensor].written) options.push_back({seconds, What::kLate, tensor.value(), 0});
  }
  std::stable_sort(options.begin(), options.end(),
                   [](const Option& a, const Option& b) { return a.loss < b.loss; });
  for (const Option& option : options) {
    if (copies.lost_seconds + option.loss <= budget_seconds) {
      copies.lost_seconds += option.loss;
      continue;
    }
    switch (option.what) {
      case What::kSlot:
        copies.steps.push_back(static_cast<int64_t>(option.index));
        break;
      case What::kPrefetch:
        copies.prefetched[ValueId(option.index)][option.read] = true;
        break;
      case What::kLate:
        copies.late[ValueId(option.index)] = 1;
        break;
    }
  }
  std::sort(copies.steps.begin(), copies.steps.end());
  return copies;
}

}  // namespace inlay::exact
