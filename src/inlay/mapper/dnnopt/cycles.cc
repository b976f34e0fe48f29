#include "inlay/mapper/dnnopt/cycles.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/cost/systolic.h"

namespace inlay::dnnopt {
namespace {

// Where a loop stands. The first and the last index differ: loops of one trip are left out.
enum class At : uint8_t { kFirst, kMiddle, kLast };

struct BlockLoop {
  size_t axis = 0;
  int64_t trips = 2;
  int64_t full = 1;  // iterations of every block but the last
  int64_t last = 1;
};

class Counter {
 public:
  Counter(const Machine& machine, const Layer& layer, Dataflow dataflow,
          const std::array<uint8_t, kMaxAxes>& order, const Sizes& blocks)
      : machine_(machine),
        layer_(layer),
        array_{machine.rows, machine.columns, dataflow},
        nest_(NestOf(layer, order, blocks)),
        now_(blocks) {
    for (size_t i = 0; i < layer.axes.size(); ++i) {
      const size_t axis = order[i];
      const int64_t trips = nest_.trips[axis], bound = layer.axes[axis].bound;
      if (trips > 1)
        loops_.push_back({axis, trips, blocks[axis], bound - (trips - 1) * blocks[axis]});
    }
    next_ = now_;
    at_.resize(loops_.size());
  }

  std::optional<ArrayCycles> Count() {
    AddBlocks(0, 1);
    for (size_t advancing = 0; advancing < loops_.size(); ++advancing) AddSteps(0, advancing, 1);
    constexpr Int128 kMost = std::numeric_limits<int64_t>::max();
    if (overflow_ || compute_ > kMost || stall_ > kMost) return std::nullopt;
    return ArrayCycles{static_cast<int64_t>(compute_) - 1, static_cast<int64_t>(stall_)};
  }

 private:
  // The cycles of all blocks: each loop at its full blocks, or at its last.
  void AddBlocks(size_t i, int64_t times) {
    if (i == loops_.size()) {
      compute_ += Int128{times} * BlockCycles(now_);
      return;
    }
    now_[loops_[i].axis] = loops_[i].full;
    AddBlocks(i + 1, times * (loops_[i].trips - 1));
    now_[loops_[i].axis] = loops_[i].last;
    AddBlocks(i + 1, times);
  }

  // The waits of all steps at which loop `advancing` goes on: loops outside it stand anywhere,
  // those inside go from their last block to their first.
  void AddSteps(size_t i, size_t advancing, int64_t times) {
    if (i == loops_.size()) {
      const int64_t wait = TransferCycles(advancing) - BlockCycles(now_);
      if (wait > 0) stall_ += Int128{times} * wait;
      return;
    }
    const BlockLoop& loop = loops_[i];
    const auto go_on = [&](At at, int64_t now, int64_t next, int64_t ways) {
      if (ways == 0) return;
      at_[i] = at;
      now_[loop.axis] = now;
      next_[loop.axis] = next;
      AddSteps(i + 1, advancing, times * ways);
    };
    if (i > advancing) {
      go_on(At::kFirst, loop.last, loop.full, 1);
      return;
    }
    if (i < advancing) go_on(At::kFirst, loop.full, loop.full, 1);
    go_on(At::kMiddle, loop.full, loop.full, loop.trips - 2);
    go_on(At::kLast, i == advancing ? loop.full : loop.last, loop.last, 1);
  }

  int64_t BlockCycles(const Sizes& blocks) {
    const auto cost = EvaluateSystolic(ShapeOf(layer_, blocks), array_);
    const auto cycles =
        cost ? CheckedMultiply(cost->folds, cost->cycles_per_fold) : std::optional<int64_t>();
    overflow_ |= !cycles;
    return cycles.value_or(0);
  }

  // What changes at the step, and the sums of an output block that is not the first of its place.
  int64_t TransferCycles(size_t advancing) {
    int64_t in = 0, out = 0;
    for (const BlockTensor& tensor : layer_.tensors) {
      if (!Moves(tensor, advancing)) continue;
      const int64_t words = BlockWords(tensor, next_) - Shared(tensor, advancing);
      if (!tensor.is_output) {
        in += words;
        continue;
      }
      out += BlockWords(tensor, now_);
      if (IsPartial(tensor)) in += words;
    }
    return std::max({CyclesFor(in, machine_.read_bandwidth),
                     CyclesFor(out, machine_.write_bandwidth),
                     CyclesFor(in + out, machine_.shared_bandwidth)});
  }

  bool Relevant(const BlockTensor& tensor, size_t loop) const {
    return (tensor.relevant >> loops_[loop].axis & 1) != 0;
  }

  bool Moves(const BlockTensor& tensor, size_t advancing) const {
    for (size_t i = advancing; i < loops_.size(); ++i) {
      if (Relevant(tensor, i)) return true;
    }
    return false;
  }

  // The words of the next block that the last one left: only where the innermost loop that moves
  // the tensor goes on.
  int64_t Shared(const BlockTensor& tensor, size_t advancing) const {
    for (size_t i = advancing + 1; i < loops_.size(); ++i) {
      if (Relevant(tensor, i)) return 0;
    }
    int64_t words = 1;
    for (const BlockRank& rank : tensor.ranks) {
      if (rank.step == 0) {
        words *= rank.base;
      } else if (rank.axis == loops_[advancing].axis) {
        words *= std::max<int64_t>(0, rank.base - rank.step);
      } else {
        words *= rank.step * (next_[rank.axis] - 1) + rank.base;
      }
    }
    return words;
  }

  // Some loop over what is summed up, outside a loop that moves the output, has been here before.
  bool IsPartial(const BlockTensor& output) const {
    bool before = false;
    for (size_t i = 0; i < loops_.size(); ++i) {
      if (Relevant(output, i)) {
        if (before) return true;
      } else {
        before |= at_[i] != At::kFirst;
      }
    }
    return false;
  }

  static int64_t CyclesFor(int64_t words, const std::optional<double>& bandwidth) {
    if (!bandwidth) return 0;
    const double cycles = std::ceil(static_cast<double>(words) / *bandwidth);
    constexpr double kMost = 9e18;  // more do not fit into 64 bits; so many are refused later
    return cycles < kMost ? static_cast<int64_t>(cycles) : std::numeric_limits<int64_t>::max();
  }

  const Machine& machine_;
  const Layer& layer_;
  SystolicArray array_;
  Nest nest_;
  std::vector<BlockLoop> loops_;
  std::vector<At> at_;  // of the next block
  Sizes now_, next_ = {};
  Int128 compute_ = 0, stall_ = 0;
  bool overflow_ = false;
};

}  // namespace

std::optional<ArrayCycles> CyclesOf(const Machine& machine, const Layer& layer, Dataflow dataflow,
                                    const std::array<uint8_t, kMaxAxes>& order,
                                    const Sizes& blocks) {
  return Counter(machine, layer, dataflow, order, blocks).Count();
}

}  // namespace inlay::dnnopt
