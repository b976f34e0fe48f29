// What can be done in a step.
#include <algorithm>

#include "inlay/base/check.h"
#include "tests/support/contract_plans.h"

namespace inlay::testing {
namespace {

// Of two rates; none is unlimited.
double Slower(const std::optional<double>& a, const std::optional<double>& b) {
  const double unlimited = std::numeric_limits<double>::infinity();
  return std::min(a.value_or(unlimited), b.value_or(unlimited));
}

}  // namespace

// What a step has come to, as far as its tensors have been decided.
struct ContractPlans::Tally {
  size_t tiling = 0;
  std::optional<size_t> replaced;
  int64_t offchip = 0, workspace = 0;
  std::array<int64_t, kMostPads> moved{}, held{};  // bytes to and from a pad, bytes in it
  double dma_seconds = 0;                          // of one engine
  State next = 0;
  std::array<Deed, kMostTensors> deeds;
};

std::vector<ContractPlans::Move> ContractPlans::MovesOf(size_t step, State state) const {
  const PlanNode& node = problem_.nodes[step];
  std::vector<std::optional<size_t>> replaced = {std::nullopt};
  for (const ValueId v : node.in_place) {
    INLAY_CHECK(!problem_.tensors[v].weight);
    if (!NextUse(v.value(), step)) replaced.emplace_back(v.value());
  }
  std::vector<Move> moves;
  for (size_t tiling = 0; tiling < node.tilings.size(); ++tiling) {
    for (const std::optional<size_t>& tensor : replaced) {
      Tally tally;
      tally.tiling = tiling;
      const OperandTraffic& inside = node.tilings[tiling].inside;
      tally.workspace = inside.workspace_bytes;
      if (inside.bytes > 0) tally.moved[problem_.workspace_pad[node.unit].value()] = inside.bytes;
      tally.replaced = tensor;
      Try(step, state, 0, &tally, &moves);
    }
  }
  return moves;
}

// `at` counts the operands, what is read before what is written, then the tensors that are not
// used.
void ContractPlans::Try(size_t step, State state, size_t at, Tally* tally,
                        std::vector<Move>* moves) const {
  if (Overflows(*tally)) return;
  const std::vector<Operand>& operands = problem_.nodes[step].operands;
  if (at < operands.size()) {
    if (operands[at].written) return TryWritten(step, state, at, at, tally, moves);
    return TryRead(step, state, at, at, tally, moves);
  }
  if (at == operands.size() + tensors_) return Finish(step, *tally, moves);
  const size_t t = at - operands.size();
  const bool there = !written_in_[t] || *written_in_[t] < step;
  if (operand_[step][t] >= 0 || !there) return Try(step, state, at + 1, tally, moves);
  TryUnused(step, state, at, tally, moves);
}

void ContractPlans::TryRead(size_t step, State state, size_t at, size_t operand, Tally* tally,
                            std::vector<Move>* moves) const {
  const PlanNode& node = problem_.nodes[step];
  const size_t t = node.operands[operand].tensor.value();
  const int64_t size = problem_.tensors[ValueId(t)].bytes;
  const OperandTraffic& traffic = node.tilings[tally->tiling].operands[operand];
  const Lie lie = LieOf(state, t);
  const Tally before = *tally;
  const bool replaced = tally->replaced == t;
  const auto next = [&](const Deed& deed, const Lie& after) {
    tally->deeds[t] = deed;
    // What is overwritten lies nowhere on chip afterwards.
    const Lie rest = replaced ? Lie{0, after.offchip, false, false} : after;
    tally->next = With(tally->next, t, rest);
    Try(step, state, at + 1, tally, moves);
    *tally = before;
  };
  if (lie.pad > 0 && Reached(lie.pad - 1U, step)) {  // kept (C2, C9, C10)
    const size_t p = lie.pad - 1U;
    for (const bool back : {false, true}) {
      if (back && (lie.offchip || replaced || !Wanted(t, step, false))) continue;
      tally->held[p] += AlignedBytes(problem_.machine.pads[PadId(p)], size);
      tally->moved[p] += traffic.bytes + (back ? size : 0);
      tally->offchip += back ? size : 0;
      next({Act::kKeep, lie.pad, back}, {lie.pad, lie.offchip || back, false, lie.staying});
    }
  }
  if (lie.staying || lie.bound || !lie.offchip) return;
  if (!replaced) {  // streamed (C3)
    tally->offchip += traffic.bytes;
    tally->workspace += traffic.workspace_bytes;
    next({Act::kStream, 0, false}, {0, true, false, false});
  }
  for (size_t p = 0; p < pads_; ++p) {  // fetched (C4)
    if (!Reached(p, step)) continue;
    tally->held[p] += AlignedBytes(problem_.machine.pads[PadId(p)], size);
    tally->moved[p] += traffic.bytes + size;
    tally->offchip += size;
    const auto pad = static_cast<uint8_t>(p + 1);
    next({Act::kFetch, pad, false}, {pad, true, false, false});
  }
}

void ContractPlans::TryWritten(size_t step, State state, size_t at, size_t operand, Tally* tally,
                               std::vector<Move>* moves) const {
  const PlanNode& node = problem_.nodes[step];
  const size_t t = node.operands[operand].tensor.value();
  const int64_t size = problem_.tensors[ValueId(t)].bytes;
  const OperandTraffic& traffic = node.tilings[tally->tiling].operands[operand];
  const bool first = operand == 0 || !node.operands[operand - 1].written;
  const bool in_place = first && tally->replaced;  // C8
  const Tally before = *tally;
  const auto next = [&](const Deed& deed, const Lie& after) {
    tally->deeds[t] = deed;
    tally->next = With(tally->next, t, after);
    Try(step, state, at + 1, tally, moves);
    *tally = before;
  };
  if (!in_place) {  // off chip (C1)
    tally->offchip += traffic.bytes;
    tally->workspace += traffic.workspace_bytes;
    next({Act::kWriteOff, 0, false}, {0, true, false, false});
  }
  for (size_t p = 0; p < pads_; ++p) {  // into a pad, or both (C1, C7)
    if (!Reached(p, step)) continue;
    if (in_place && tally->deeds[*tally->replaced].pad != p + 1) continue;
    for (const bool back : {false, true}) {
      if (back && !Wanted(t, step, false)) continue;
      if (!in_place) tally->held[p] += AlignedBytes(problem_.machine.pads[PadId(p)], size);
      tally->moved[p] += traffic.bytes + (back ? size : 0);
      tally->offchip += back ? size : 0;
      const auto pad = static_cast<uint8_t>(p + 1);
      next({Act::kWritePad, pad, back}, {pad, back, false, false});
    }
  }
}

void ContractPlans::TryUnused(size_t step, State state, size_t at, Tally* tally,
                              std::vector<Move>* moves) const {
  const Machine& machine = problem_.machine;
  const size_t t = at - problem_.nodes[step].operands.size();
  const int64_t size = problem_.tensors[ValueId(t)].bytes;
  const auto aligned = [&](size_t p) { return AlignedBytes(machine.pads[PadId(p)], size); };
  const Lie lie = LieOf(state, t);
  const std::optional<size_t> use = NextUse(t, step);
  const Tally before = *tally;
  const auto next = [&](const Deed& deed, const Lie& after) {
    tally->deeds[t] = deed;
    tally->next = With(tally->next, t, after);
    Try(step, state, at + 1, tally, moves);
    *tally = before;
  };
  // Whether it is used before this step: what is written is, by the node that writes it.
  bool used = false;
  for (size_t s = 0; s < step; ++s) used = used || operand_[s][t] >= 0;
  for (const bool back : {false, true}) {
    if (lie.pad == 0) break;
    if (back && (lie.offchip || !Wanted(t, step, false))) continue;
    const size_t p = lie.pad - 1U;
    const int64_t copied = back ? size : 0;
    if (lie.staying || Wanted(t, step, lie.offchip)) {  // kept (C2, C9), written back (C7)
      tally->held[p] += aligned(p);
      tally->moved[p] += copied;
      tally->offchip += copied;
      next({Act::kKeep, lie.pad, back}, {lie.pad, lie.offchip || back, lie.bound, lie.staying});
    }
    if (lie.bound || lie.staying || !used || !use) continue;
    for (size_t q = 0; q < pads_; ++q) {  // moved (C6)
      if (!Connected(p, q) || !Reached(q, *use)) continue;
      tally->held[p] += aligned(p);
      tally->held[q] += aligned(q);
      tally->moved[p] += size + copied;
      tally->moved[q] += size;
      tally->offchip += copied;
      tally->dma_seconds +=
          static_cast<double>(size) /
          Slower(machine.pads[PadId(p)].bytes_per_second, machine.pads[PadId(q)].bytes_per_second);
      const auto pad = static_cast<uint8_t>(q + 1);
      next({Act::kMove, pad, back}, {pad, lie.offchip || back, true, false});
    }
  }
  if (lie.bound || lie.staying) return;
  next({}, {0, lie.offchip, false, false});  // not on chip, or not any more
  if (!lie.offchip || !use) return;
  for (size_t q = 0; q < pads_; ++q) {  // prefetched (C5)
    if (!Reached(q, *use)) continue;
    tally->held[q] += aligned(q);
    tally->moved[q] += size;
    tally->offchip += size;
    tally->dma_seconds +=
        static_cast<double>(size) /
        Slower(machine.pads[PadId(q)].bytes_per_second, machine.offchip.bytes_per_second);
    const auto pad = static_cast<uint8_t>(q + 1);
    next({Act::kPrefetch, pad, false}, {pad, true, true, false});
  }
}

bool ContractPlans::Overflows(const Tally& tally) const {
  for (size_t p = 0; p < pads_; ++p) {
    if (tally.held[p] > problem_.machine.pads[PadId(p)].bytes) return true;
  }
  return false;
}

void ContractPlans::Finish(size_t step, const Tally& tally, std::vector<Move>* moves) const {
  Move move{tally.next, 0, tally.tiling, 0, tally.replaced, tally.deeds};
  if (tally.workspace > 0) {
    const PadId p = problem_.workspace_pad[problem_.nodes[step].unit];
    const Scratchpad& pad = problem_.machine.pads[p];
    move.workspace = AlignedBytes(pad, tally.workspace);
    if (tally.held[p.value()] + move.workspace > pad.bytes) return;
  }
  for (size_t t = 0; t < tensors_; ++t) {
    const Lie lie = LieOf(move.next, t);
    const bool there = !written_in_[t] || *written_in_[t] <= step;
    if (!there || lie.staying) continue;
    const bool wanted = Wanted(t, step, lie.offchip);
    if (wanted && lie.pad == 0 && !lie.offchip) return;  // lost
    if (!wanted) move.next = With(move.next, t, {0, problem_.tensors[ValueId(t)].needed_after});
    if (wanted && step + 1 == operand_.size()) return;  // C11
  }
  move.cost = CostOf(step, tally);
  moves->push_back(move);
}

double ContractPlans::CostOf(size_t step, const Tally& tally) const {
  const Machine& machine = problem_.machine;
  if (objective_ == PlanObjective::kBytes) return static_cast<double>(tally.offchip);
  double energy = static_cast<double>(tally.offchip) * machine.offchip.pj_per_byte;
  double seconds = problem_.nodes[step].tilings[tally.tiling].compute_seconds;
  seconds = std::max(seconds, tally.dma_seconds / static_cast<double>(machine.dma.engines));
  const auto take = [&](int64_t bytes, const std::optional<double>& rate) {
    if (rate) seconds = std::max(seconds, static_cast<double>(bytes) / *rate);
  };
  take(tally.offchip, machine.offchip.bytes_per_second);
  for (size_t p = 0; p < pads_; ++p) {
    take(tally.moved[p], machine.pads[PadId(p)].bytes_per_second);
    energy += static_cast<double>(tally.moved[p]) * machine.pads[PadId(p)].pj_per_byte;
  }
  return objective_ == PlanObjective::kLatency ? seconds : energy;
}

}  // namespace inlay::testing
