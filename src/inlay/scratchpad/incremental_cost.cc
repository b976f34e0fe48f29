#include "inlay/scratchpad/incremental_cost.h"

#include <algorithm>
#include <utility>

#include "inlay/base/check.h"
#include "inlay/scratchpad/choice_effects.h"

namespace inlay {
namespace {

constexpr double kTie = 1e-9;

// Such that the second figure is kTie of the first where nothing is kept.
double TieWeight(const PlanProblem& problem, PlanObjective objective) {
  PlanFigures sum;
  for (const PlanNode& node : problem.nodes) {
    const StepLoad load = LoadOf(problem, node, 0, EmptyStep(problem, node));
    const PlanFigures figures = FiguresOf(problem.machine, load);
    sum.latency_seconds += figures.latency_seconds;
    sum.offchip_bytes += figures.offchip_bytes;
    sum.energy_pj += figures.energy_pj;
  }
  const double second = objective == PlanObjective::kBytes ? sum.latency_seconds
                                                           : static_cast<double>(sum.offchip_bytes);
  return second > 0 ? kTie * ValueOf(sum, objective) / second : 0;
}

double SecondsAt(const std::optional<double>& bytes_per_second, int64_t bytes) {
  return bytes_per_second ? static_cast<double>(bytes) / *bytes_per_second : 0;
}

}  // namespace

// Visits the effects of a choice.
struct IncrementalCost::Applier {
  IncrementalCost* costs;
  ValueId tensor;
  int64_t bytes;
  int sign;

  void Use(const TensorUse& use, std::optional<PadId> pad) const {
    StepState& state = costs->states_[Index(use.step)];
    state.lies[use.operand] = sign > 0 ? pad : std::nullopt;
    state.still_needed[use.operand] =
        sign > 0 && costs->choices_[tensor].written_back_at >= use.step ? 1 : 0;
    costs->touched_.push_back(Index(use.step));
  }
  void Copy(TransferKind kind, std::optional<PadId> from, std::optional<PadId> to,
            int64_t step) const {
    StepState& state = costs->states_[Index(step)];
    AddCopy(costs->problem_->machine, kind, from, to, sign * bytes, &state);
    costs->touched_.push_back(Index(step));
    if (kind != TransferKind::kPrefetch && kind != TransferKind::kMove) return;
    int& copies = costs->dma_copies_[Index(step)];
    copies += sign;
    if (copies == 0) state.dma_seconds = 0;
  }
  void Lie(PadId pad, int64_t from, int64_t to) const {
    const Scratchpad& memory = costs->problem_->machine.pads[pad];
    const int64_t aligned = sign * AlignedBytes(memory, bytes);
    for (int64_t t = from; t < to; ++t) {
      const size_t step = Index(t);
      costs->states_[step].resident_bytes[pad] += aligned;
      // Where there is nothing to choose, all that can change is that the step fits no more.
      if (costs->nodes_[step]->tilings.size() == 1 && costs->costs_[step] < kInfinite &&
          costs->FreeBytes(step, pad) >= 0) {
        continue;
      }
      costs->touched_.push_back(step);
    }
  }
};

IncrementalCost::IncrementalCost(const PlanProblem& problem, PlanObjective objective,
                                 const Choices& choices)
    : problem_(&problem),
      objective_(objective),
      tie_weight_(TieWeight(problem, objective)),
      order_(choices.order),
      lives_(LivesOf(problem, choices.order)),
      choices_(choices.tensors),
      in_place_(choices.order.size()),
      dma_copies_(choices.order.size()),
      costs_(choices.order.size(), kInfinite),
      block_costs_(choices.order.size() / kBlock + 1, kStale),
      tilings_(choices.order.size()),
      pad_bytes_(problem.machine.pads.size()) {
  for (const Scratchpad& pad : problem.machine.pads) capacity_.push_back(pad.bytes);
  for (size_t t = 0; t < order_.size(); ++t) {
    const PlanNode& node = problem.nodes[order_[t]];
    nodes_.push_back(&node);
    states_.push_back(EmptyStep(problem, node));
    InPlace in_place;
    for (const ValueId under : node.in_place) {
      if (lives_[under].reads.back().step != static_cast<int64_t>(t)) continue;
      in_place.written = FirstWritten(node);
      in_place.under.push_back(OperandOf(node, under));
    }
    if (!in_place.under.empty()) in_place_[t] = std::move(in_place);
  }
  for (const ValueId tensor : Ids(problem.tensors)) {
    if (IsUsed(tensor)) Apply(tensor, 1);
  }
  for (size_t t = 0; t < order_.size(); ++t) Refresh(t);
}

int64_t IncrementalCost::AlignedIn(PadId pad, ValueId tensor) const {
  return AlignedBytes(problem_->machine.pads[pad], problem_->tensors[tensor].bytes);
}

void IncrementalCost::LeaveRoom(double share) {
  for (const PadId pad : Ids(capacity_)) {
    const auto bytes = static_cast<double>(problem_->machine.pads[pad].bytes);
    capacity_[pad] = static_cast<int64_t>(bytes * share);
  }
  for (size_t t = 0; t < order_.size(); ++t) Refresh(t);
}

double IncrementalCost::Cost() const {
  double sum = 0;
  for (size_t block = 0; block < block_costs_.size(); ++block) {
    double& cost = block_costs_[block];
    if (cost == kStale) {
      cost = 0;
      const size_t end = std::min(costs_.size(), (block + 1) * kBlock);
      for (size_t t = block * kBlock; t < end; ++t) cost += costs_[t];
    }
    sum += cost;
  }
  return sum;
}

void IncrementalCost::Apply(ValueId tensor, int sign) {
  touched_.clear();
  Applier applier{this, tensor, problem_->tensors[tensor].bytes, sign};
  VisitEffects(lives_[tensor], choices_[tensor], steps(), applier);
}

void IncrementalCost::Set(ValueId tensor, TensorChoice choice) {
  TakeOut(tensor);
  choices_[tensor] = std::move(choice);
  Apply(tensor, 1);
  taken_out_.reset();
  for (const size_t step : touched_) Refresh(step);
}

void IncrementalCost::TakeOut(ValueId tensor) {
  if (taken_out_ == tensor) return;
  INLAY_CHECK(!taken_out_);
  Apply(tensor, -1);
  taken_out_ = tensor;
  for (const size_t step : touched_) Refresh(step);
}

std::optional<size_t> IncrementalCost::TakenPlace(size_t step) const {
  if (!in_place_[step]) return std::nullopt;
  const StepState& state = states_[step];
  const std::optional<PadId> pad = state.lies[in_place_[step]->written];
  if (!pad) return std::nullopt;
  for (const size_t under : in_place_[step]->under) {
    if (state.lies[under] == pad && state.still_needed[under] == 0) return under;
  }
  return std::nullopt;
}

int64_t IncrementalCost::ResidentBytes(size_t step, PadId pad) const {
  int64_t bytes = states_[step].resident_bytes[pad];
  if (const std::optional<size_t> under = TakenPlace(step)) {
    if (states_[step].lies[*under] == pad) {
      bytes -= AlignedIn(pad, nodes_[step]->operands[*under].tensor);
    }
  }
  return bytes;
}

int64_t IncrementalCost::FreeBytes(size_t step, PadId pad) const {
  const PlanNode& node = *nodes_[step];
  int64_t free = capacity_[pad] - ResidentBytes(step, pad);
  if (problem_->workspace_pad[node.unit] == pad) {
    free -= WorkspaceBytes(*problem_, node, tilings_[step], states_[step].lies);
  }
  return free;
}

double IncrementalCost::CostOfTiling(size_t step, const Tiling& tiling) const {
  const Machine& machine = problem_->machine;
  const StepState& state = states_[step];
  int64_t offchip = state.copied_offchip_bytes;
  std::copy(state.copied_bytes.begin(), state.copied_bytes.end(), pad_bytes_.begin());
  for (size_t i = 0; i < tiling.operands.size(); ++i) {
    (state.lies[i] ? pad_bytes_[state.lies[i]->value()] : offchip) += tiling.operands[i].bytes;
  }
  if (tiling.inside.bytes > 0) {
    pad_bytes_[problem_->workspace_pad[nodes_[step]->unit].value()] += tiling.inside.bytes;
  }
  double seconds =
      std::max({tiling.compute_seconds, SecondsAt(machine.offchip.bytes_per_second, offchip),
                state.dma_seconds / static_cast<double>(machine.dma.engines)});
  double energy = static_cast<double>(offchip) * machine.offchip.pj_per_byte;
  for (const PadId pad : Ids(machine.pads)) {
    const int64_t bytes = pad_bytes_[pad.value()];
    seconds = std::max(seconds, SecondsAt(machine.pads[pad].bytes_per_second, bytes));
    energy += static_cast<double>(bytes) * machine.pads[pad].pj_per_byte;
  }
  switch (objective_) {
    case PlanObjective::kLatency:
      return seconds + tie_weight_ * static_cast<double>(offchip);
    case PlanObjective::kBytes:
      return static_cast<double>(offchip) + tie_weight_ * seconds;
    case PlanObjective::kEnergy:
      return energy + tie_weight_ * static_cast<double>(offchip);
  }
  INLAY_CHECK(false);
}

double IncrementalCost::Evaluate(size_t step, size_t* tiling) const {
  const PlanNode& node = *nodes_[step];
  const PadId workspace_pad = problem_->workspace_pad[node.unit];
  int64_t room = 0;  // for the workspace
  for (const PadId pad : Ids(problem_->machine.pads)) {
    const int64_t free = capacity_[pad] - ResidentBytes(step, pad);
    if (free < 0) return kInfinite;
    if (pad == workspace_pad) room = free;
  }
  double least = kInfinite;
  for (size_t i = 0; i < node.tilings.size(); ++i) {
    if (WorkspaceBytes(*problem_, node, i, states_[step].lies) > room) continue;
    const double cost = CostOfTiling(step, node.tilings[i]);
    if (cost >= least) continue;
    least = cost;
    *tiling = i;
  }
  return least;
}

double IncrementalCost::CostOfHolding(int64_t step, PadId pad, int64_t bytes) {
  const size_t t = Index(step);
  if (FreeBytes(t, pad) >= bytes) return 0;
  if (costs_[t] == kInfinite) return kInfinite;
  if (nodes_[t]->tilings.size() == 1) return kInfinite;
  states_[t].resident_bytes[pad] += bytes;
  size_t tiling = 0;
  const double cost = Evaluate(t, &tiling);
  states_[t].resident_bytes[pad] -= bytes;
  return cost - costs_[t];
}

double IncrementalCost::CostWith(int64_t step, const Trial& trial) {
  StepState& state = states_[Index(step)];
  const double dma_seconds = state.dma_seconds;
  const auto change = [&](int sign) {
    if (trial.operand) {
      state.lies[*trial.operand] = sign > 0 ? trial.lies : std::nullopt;
      state.still_needed[*trial.operand] = sign > 0 && trial.still_needed ? 1 : 0;
    }
    if (trial.copy) {
      AddCopy(problem_->machine, *trial.copy, trial.from, trial.to, sign * trial.bytes, &state);
    }
    if (trial.also_written_back) {
      AddCopy(problem_->machine, TransferKind::kWriteBack, trial.from, {}, sign * trial.bytes,
              &state);
    }
    if (trial.in) state.resident_bytes[*trial.in] += sign * trial.in_bytes;
    if (trial.also_in) state.resident_bytes[*trial.also_in] += sign * trial.also_bytes;
  };
  change(1);
  size_t tiling = 0;
  const double cost = Evaluate(Index(step), &tiling);
  change(-1);
  state.dma_seconds = dma_seconds;
  return cost;
}

double IncrementalCost::CostOfByte() const {
  const Machine& machine = problem_->machine;
  switch (objective_) {
    case PlanObjective::kLatency:
      return SecondsAt(machine.offchip.bytes_per_second, 1) + tie_weight_;
    case PlanObjective::kBytes:
      return 1;
    case PlanObjective::kEnergy:
      return machine.offchip.pj_per_byte + tie_weight_;
  }
  INLAY_CHECK(false);
}

double IncrementalCost::LeastCopyCost(PadId pad, int64_t bytes) const {
  const Machine& machine = problem_->machine;
  const auto amount = static_cast<double>(bytes);
  switch (objective_) {
    case PlanObjective::kLatency:
      return tie_weight_ * amount;
    case PlanObjective::kBytes:
      return amount;
    case PlanObjective::kEnergy:
      return amount * (machine.offchip.pj_per_byte + machine.pads[pad].pj_per_byte + tie_weight_);
  }
  INLAY_CHECK(false);
}

Choices IncrementalCost::Snapshot() const {
  INLAY_CHECK(!taken_out_);
  Choices choices;
  choices.order = order_;
  choices.tilings = tilings_;
  choices.tensors = choices_;
  for (size_t t = 0; t < order_.size(); ++t) {
    const std::optional<size_t> under = TakenPlace(t);
    choices.in_place.push_back(under ? std::optional(nodes_[t]->operands[*under].tensor)
                                     : std::nullopt);
  }
  return choices;
}

}  // namespace inlay
