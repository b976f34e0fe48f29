#include "tests/support/full_pad_problem.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "inlay/scratchpad/unit_assignment.h"

namespace inlay::testing {
namespace {

struct Block {
  int64_t size = 0;
  size_t from = 0, to = 0;  // steps, half-open
};
using Blocks = std::vector<Block>;

constexpr size_t kSteps = 5;

// Never more than 4 or 6 together, and yet not to be placed within: with fewer than 8 blocks or 5
// steps there are none such.
const Blocks kFragmented[] = {
    {{2, 0, 1}, {2, 0, 2}, {1, 1, 3}, {1, 1, 4}, {1, 2, 3}, {1, 2, 4}, {2, 3, 5}, {2, 4, 5}},
    {{1, 0, 3}, {3, 0, 1}, {1, 1, 4}, {2, 1, 2}, {1, 2, 3}, {1, 2, 5}, {2, 3, 4}, {3, 4, 5}},
    {{4, 0, 2},
     {2, 0, 1},
     {1, 1, 3},
     {1, 1, 4},
     {3, 2, 3},
     {1, 2, 4},
     {2, 3, 5},
     {2, 3, 4},
     {4, 4, 5}},
};

Blocks SomeBlocks(Random& random) {
  Blocks blocks = kFragmented[random() % std::size(kFragmented)];
  if (Chance(random, 0.5)) {  // backwards in time
    for (Block& block : blocks) block = {block.size, kSteps - block.to, kSteps - block.from};
  }
  if (Chance(random, 0.3)) {  // most changes let them be placed
    Block& block = blocks[random() % blocks.size()];
    block.size = std::max<int64_t>(1, block.size + Pick(random, -1, 1));
  }
  std::shuffle(blocks.begin(), blocks.end(), random);
  return blocks;
}

int64_t FullestStep(const Blocks& blocks) {
  int64_t most = 0;
  for (size_t s = 0; s < kSteps; ++s) {
    int64_t sum = 0;
    for (const Block& block : blocks) sum += block.from <= s && s < block.to ? block.size : 0;
    most = std::max(most, sum);
  }
  return most;
}

class FullPad {
 public:
  explicit FullPad(Random& random)
      : random_(random), blocks_(SomeBlocks(random)), unit_(8 * Pick(random, 1, 3)) {}

  PlanProblem Make() {
    MakeMachine();
    problem_.nodes.resize(kSteps);
    for (size_t s = 0; s < kSteps; ++s) {
      PlanNode& node = problem_.nodes[s];
      node.name = "n" + std::to_string(s);
      node.node = NodeId(s);
      node.unit = UnitId(0);
      node.tilings.resize(1);
      node.tilings[0].compute_seconds = 0.5 * static_cast<double>(Pick(random_, 0, 2));
    }
    for (const Block& block : blocks_) AddBlock(block);
    for (PlanNode& node : problem_.nodes) Complete(&node);
    return std::move(problem_);
  }

 private:
  void MakeMachine() {
    Machine& machine = problem_.machine;
    machine.name = "full";
    machine.clock_hz = 1;
    machine.units.push_back({"u", 1, std::nullopt});
    const int64_t alignment = Chance(random_, 0.5) ? unit_ : Chance(random_, 0.5) ? 8 : 1;
    machine.pads.push_back(
        {"p", FullestStep(blocks_) * unit_, alignment, std::nullopt, 0.5, {UnitId(0)}});
    if (Chance(random_, 0.5)) machine.pads[PadId(0)].bytes_per_second = 256;
    if (Chance(random_, 0.2)) {  // too small for most
      machine.pads.push_back({"q", unit_, alignment, std::nullopt, 1, {UnitId(0)}});
      machine.dma.moves.emplace_back(PadId(0), PadId(1));
    }
    machine.offchip.bytes_per_second = static_cast<double>(8 * Pick(random_, 1, 3));
    machine.offchip.pj_per_byte = static_cast<double>(Pick(random_, 4, 10));
    problem_.workspace_pad = WorkspacePads(machine);
  }

  ValueId AddTensor(int64_t units, bool produced) {
    // Rounded up to the alignment it has the block's size.
    const int64_t alignment = problem_.machine.pads[PadId(0)].alignment_bytes;
    const int64_t less = alignment > 1 && Chance(random_, 0.2) ? Pick(random_, 1, 7) : 0;
    PlanTensor tensor;
    tensor.name = (produced ? "t" : "i") + std::to_string(problem_.tensors.size());
    tensor.bytes = units * unit_ - less;
    tensor.produced = produced;
    problem_.tensors.push_back(tensor);
    return ValueId(problem_.tensors.size() - 1);
  }

  // Off chip, each byte is read or written `times` over.
  void Use(size_t step, ValueId tensor, bool written, int64_t times, int64_t workspace = 0) {
    PlanNode& node = problem_.nodes[step];
    const size_t at = written ? node.operands.size() : 0;
    node.operands.insert(node.operands.begin() + static_cast<std::ptrdiff_t>(at),
                         {tensor, written});
    auto& traffic = node.tilings[0].operands;
    traffic.insert(traffic.begin() + static_cast<std::ptrdiff_t>(at),
                   {times * problem_.tensors[tensor].bytes, workspace});
  }

  void AddBlock(const Block& block) {
    const size_t last = block.to - 1;
    if (block.from == last && Chance(random_, 0.15)) {  // the workspace of a tensor that cannot fit
      const int64_t size = FullestStep(blocks_) + Pick(random_, 1, 3);
      Use(last, AddTensor(size, false), false, 1, block.size * unit_);
      return;
    }
    // For one step it pays only where each byte is read or written more than once.
    const bool produced = Chance(random_, block.from == last ? 0.5 : 0.85);
    const ValueId tensor = AddTensor(block.size, produced);
    Use(block.from, tensor, produced, block.from == last ? 3 : Pick(random_, 1, 2));
    if (block.from < last) Use(last, tensor, false, Pick(random_, 1, 2));
  }

  // Reads and writes something. What is added gains nothing in a pad.
  void Complete(PlanNode* node) {
    const size_t step = node->node.value();
    if (node->operands.empty() || node->operands.front().written) {
      Use(step, AddTensor(1, false), false, 1);
    }
    if (node->operands.back().written) return;
    const ValueId output = AddTensor(Pick(random_, 1, 2), true);
    problem_.tensors[output].needed_after = true;
    Use(step, output, true, 1);
  }

  Random& random_;
  Blocks blocks_;
  int64_t unit_;  // bytes of size 1
  PlanProblem problem_;
};

}  // namespace

PlanProblem FullPadProblem(Random& random) { return FullPad(random).Make(); }

}  // namespace inlay::testing
