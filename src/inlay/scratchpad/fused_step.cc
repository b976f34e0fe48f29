#include "inlay/scratchpad/fused_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/core/fused_outline.h"
#include "inlay/core/graph.h"
#include "inlay/cost/fused/count.h"
#include "inlay/cost/fused/room.h"

namespace inlay {
namespace {

constexpr LevelId kOffChip{0U}, kPad{1U};

// Of tensors that the run makes and reads.
bool IsPassedOn(const FusedProblem& problem, TensorId tensor) {
  return WriterOf(problem, tensor) && !ReadersOf(problem, tensor).empty();
}

Architecture PadOf(const FusedProblem& problem, int word_bits,
                   const IndexedVector<TensorId, int>& bits) {
  Architecture architecture;
  architecture.name = "pad";
  architecture.compute.energy_pj = 0;
  for (const char* name : {"offchip", "pad"}) {
    Level level;
    level.name = name;
    level.energy = AccessEnergy{0, 0, 0};
    level.word_bits = word_bits;
    for (const TensorId t : Ids(problem.tensors)) {
      if (bits[t] != word_bits) level.tensor_bits.push_back({problem.tensors[t], bits[t]});
    }
    architecture.levels.push_back(std::move(level));
  }
  return architecture;
}

int WidestOf(const FusedStep& step) {
  return *std::max_element(step.bits.begin(), step.bits.end());
}

double OperationsOf(const FusedProblem& problem, NodeId node) {
  double operations = 1;
  for (const DimId d : DimsOf(problem, problem.nodes[node])) {
    operations *= static_cast<double>(problem.dims[d].bound);
  }
  return operations;
}

}  // namespace

Faults CheckTree(const FusedStep& step, const FusedTree& tree) {
  Faults faults = Validate(step.problem, tree);
  if (!faults.empty()) return faults;
  if (tree.IsSplit()) return {{"tree", "it is several runs", "a step is one"}};
  const FusedOutline outline(step.problem, tree);
  for (size_t p = 0; p < outline.places().size(); ++p) {
    const FusedHold* hold = outline[p].tree->hold();
    if (hold == nullptr || !IsPassedOn(step.problem, hold->tensor)) continue;
    if (outline.HoldAt(p).kind == FusedHoldKind::kFused) continue;
    faults.push_back({fmt::format("tree[{}]", p),
                      fmt::format("'{}' goes off chip between nodes of the step",
                                  step.problem.tensors[hold->tensor]),
                      "hold it above the parts of its writer and its readers"});
  }
  return faults;
}

Architecture PadArchitecture(const FusedProblem& problem,
                             const IndexedVector<TensorId, int>& bits) {
  return PadOf(problem, *std::max_element(bits.begin(), bits.end()), bits);
}

std::optional<FusedStepCost> FusedStepCost::Of(const FusedStep& step, const FusedTree& tree) {
  const FusedProblem& problem = step.problem;
  auto counts = CountFused(problem, PadArchitecture(problem, step.bits), tree);
  if (!counts) return std::nullopt;
  FusedStepCost cost(step, tree);
  for (const NodeId n : Ids(problem.nodes)) {
    const auto computed = static_cast<double>(counts->nodes[n].operations);
    cost.compute_seconds_ += step.seconds[n] * (computed / OperationsOf(problem, n));
  }
  cost.operand_bytes_ = step.whole_bytes;
  for (const TensorId t : Ids(problem.tensors)) {
    if (!step.operands[t]) continue;
    int64_t words = 0;
    for (const FusedRunCounts& run : counts->runs) {
      words = SaturatingAdd(words, run.words[kOffChip][t].reads + run.words[kOffChip][t].updates);
    }
    int64_t& bytes = cost.operand_bytes_[*step.operands[t]];
    bytes = SaturatingAdd(bytes, BytesOf(words, step.bits[t]));
  }
  cost.room_bits_ = step.bits;
  for (const FusedHoldCounts& hold : counts->holds) {
    const TensorId t = hold.tensor;
    if (IsPassedOn(problem, t)) {
      // Written whenever it is made, and read once by each reader.
      const auto uses = static_cast<int64_t>(1 + ReadersOf(problem, t).size());
      cost.inside_bytes_ = SaturatingAdd(
          cost.inside_bytes_, BytesOf(SaturatingMultiply(uses, hold.entered_words), step.bits[t]));
    } else if (hold.entered_words > hold.tile_words) {
      // While one tile is used the next one comes, or the one before leaves.
      cost.room_bits_[t] = 2 * step.bits[t];
    }
  }
  cost.counts_ = *std::move(counts);
  return cost;
}

int64_t FusedStepCost::RoomBytesBy(const IndexedVector<TensorId, int>& bits) const {
  const int word_bits = WidestOf(step_);
  const FusedOutline outline(step_.problem, tree_);
  const int64_t words =
      FusedRoomWords(step_.problem, PadOf(step_.problem, word_bits, bits), outline);
  return BytesOf(words, word_bits);
}

IndexedVector<TensorId, int> FusedStepCost::RoomBits(const std::vector<bool>& off_chip) const {
  IndexedVector<TensorId, int> bits = room_bits_;
  for (const TensorId t : Ids(bits)) {
    const bool on_chip = step_.operands[t] && !off_chip[*step_.operands[t]];
    if (on_chip && !IsPassedOn(step_.problem, t)) bits[t] = 0;
  }
  return bits;
}

int64_t FusedStepCost::RoomBytes(const std::vector<bool>& off_chip) const {
  int64_t bytes = RoomBytesBy(RoomBits(off_chip));
  for (size_t i = 0; i < off_chip.size(); ++i) {
    if (off_chip[i]) bytes = SaturatingAdd(bytes, step_.whole_bytes[i]);
  }
  return bytes;
}

std::vector<Tiling> FusedStepCost::Tilings(const std::vector<bool>& is_weight) const {
  std::vector<bool> is_other = is_weight;
  is_other.flip();
  std::vector<Tiling> tilings;
  for (const std::vector<bool>& on_chip : {std::vector<bool>(is_weight.size(), false), is_other,
                                           is_weight, std::vector<bool>(is_weight.size(), true)}) {
    Tiling tiling = TilingFor(on_chip);
    if (std::find(tilings.begin(), tilings.end(), tiling) == tilings.end()) {
      tilings.push_back(std::move(tiling));
    }
  }
  return tilings;
}

// The room of a set of operands is at most that of a part of it and, of each of the others, its
// largest tile: no path through the tree has two holds of a tensor.
Tiling FusedStepCost::TilingFor(const std::vector<bool>& on_chip) const {
  Tiling tiling;
  tiling.compute_seconds = compute_seconds_;
  std::vector<bool> off_chip = on_chip;
  off_chip.flip();
  tiling.inside = {inside_bytes_, RoomBytes(off_chip)};
  for (size_t i = 0; i < on_chip.size(); ++i) {
    int64_t workspace = on_chip[i] ? step_.whole_bytes[i] : 0;
    for (const TensorId t : Ids(step_.problem.tensors)) {
      if (!on_chip[i] || step_.operands[t] != i || IsPassedOn(step_.problem, t)) continue;
      IndexedVector<TensorId, int> alone(room_bits_.size(), 0);
      alone[t] = room_bits_[t];
      workspace = SaturatingAdd(workspace, RoomBytesBy(alone));
    }
    tiling.operands.push_back({operand_bytes_[i], workspace});
  }
  return tiling;
}

tl::expected<int64_t, Faults> CheckedRoomBytes(const PlanNode& node, size_t tiling,
                                               const std::vector<bool>& off_chip) {
  const FusedTree& tree = node.fused->trees[tiling];
  Faults faults = CheckTree(*node.fused, tree);
  if (!faults.empty()) return tl::unexpected(std::move(faults));
  const auto cost = FusedStepCost::Of(*node.fused, tree);
  if (!cost) return tl::unexpected(Faults{{"tree", "its counts do not fit into 64 bits", ""}});
  const Tiling& claimed = node.tilings[tiling];
  bool same = claimed.compute_seconds == cost->compute_seconds() &&
              claimed.inside.bytes == cost->inside_bytes();
  for (size_t i = 0; i < node.operands.size(); ++i) {
    same = same && claimed.operands[i].bytes == cost->operand_bytes()[i];
  }
  if (same) return cost->RoomBytes(off_chip);
  return tl::unexpected(Faults{{"tree", "its tiling has another time or other traffic", ""}});
}

}  // namespace inlay
