#include "inlay/scratchpad/validator.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/scratchpad/fused_step.h"
#include "inlay/scratchpad/validator_index.h"
#include "inlay/scratchpad/validator_space.h"

namespace inlay {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

double SecondsFor(Int128 bytes, const std::optional<double>& bytes_per_second) {
  return bytes_per_second ? static_cast<double>(bytes) / *bytes_per_second : 0;
}

class Replayer {
 public:
  Replayer(const PlanProblem& problem, const Plan& plan, const PlanIndex& index)
      : problem_(problem), machine_(problem.machine), plan_(plan), index_(index) {
    for (const PlanTensor& tensor : problem.tensors) {
      off_chip_from_.push_back(tensor.produced ? kNever : 0);
    }
    has_begun_.assign(plan.residencies.size(), false);
  }

  tl::expected<Replayed, Faults> Run() {
    BeginStayingWeights();
    for (step_ = 0; step_ < index_.step_count; ++step_) RunStep();
    CheckEnd();
    for (Fault& fault : CheckSpaces(machine_, std::move(spaces_), pairs_)) {
      faults_.push_back(std::move(fault));
    }
    if (offchip_total_ > std::numeric_limits<int64_t>::max()) {
      Add("transfers", "the plan moves more bytes than 64 bits can count");
    }
    if (!faults_.empty()) return tl::unexpected(std::move(faults_));
    figures_.offchip_bytes = static_cast<int64_t>(offchip_total_);
    return Replayed{figures_, std::move(steps_)};
  }

 private:
  void Add(std::string where, std::string message, std::string hint = "") {
    faults_.push_back({std::move(where), std::move(message), std::move(hint)});
  }
  void AddAtStep(std::string message, std::string hint = "") {
    Add(fmt::format("steps[{}]", step_), std::move(message), std::move(hint));
  }
  std::string Quoted(ValueId v) const { return "'" + problem_.tensors[v].name + "'"; }
  std::string Quoted(PadId p) const { return "'" + machine_.pads[p].name + "'"; }
  bool IsOffChip(ValueId v) const { return off_chip_from_[v] <= step_; }

  // A weight that lies in a pad throughout, and is not fetched into it.
  void BeginStayingWeights() {
    for (size_t i = 0; i < plan_.residencies.size(); ++i) {
      const Residency& residency = plan_.residencies[i];
      const bool whole = residency.from == 0 && residency.to == index_.step_count;
      if (!whole || !problem_.weights_stay || !problem_.tensors[residency.tensor].weight) continue;
      has_begun_[i] = std::none_of(
          plan_.transfers.begin(), plan_.transfers.end(),
          [&](const Transfer& t) { return t.tensor == residency.tensor && t.step == 0; });
    }
  }

  void RunStep() {
    offchip_ = 0;
    dma_seconds_ = 0;
    pad_bytes_.assign(machine_.pads.size(), 0);
    written_back_.clear();
    const PlanNode& node = *index_.nodes[static_cast<size_t>(step_)];
    FindInPlace(node);
    // What the step writes is there for its write-backs; what it reads has to be fetched first.
    for (const Operand& operand : node.operands) {
      if (operand.written) BeginWritten(node, operand.tensor);
    }
    for (size_t i : index_.transfers[static_cast<size_t>(step_)]) RunTransfer(node, i);
    UseOperands(node);
    AddCosts(node);
    for (ValueId v : written_back_) off_chip_from_[v] = std::min(off_chip_from_[v], step_ + 1);
  }

  // The first tensor written, and one read here for the last time, at one address.
  void FindInPlace(const PlanNode& node) {
    overwritten_.reset();
    for (const Operand& operand : node.operands) {
      if (!operand.written) continue;
      for (ValueId read : node.in_place) {
        if (index_.IsUsedAfter(read, step_)) continue;
        pairs_.push_back({read, operand.tensor, step_});
        if (ShareAddress(read, operand.tensor)) overwritten_ = read;
      }
      return;
    }
  }
  bool ShareAddress(ValueId a, ValueId b) const {
    for (size_t i : index_.ResidenciesAt(plan_, a, step_)) {
      for (size_t j : index_.ResidenciesAt(plan_, b, step_)) {
        const Residency &x = plan_.residencies[i], &y = plan_.residencies[j];
        if (x.pad == y.pad && x.address == y.address) return true;
      }
    }
    return false;
  }

  void BeginWritten(const PlanNode& node, ValueId tensor) {
    for (size_t i : index_.ResidenciesAt(plan_, tensor, step_)) {
      const Residency& residency = plan_.residencies[i];
      if (residency.from == step_) has_begun_[i] = true;
      if (residency.from == step_ && !Reaches(machine_, node.unit, residency.pad)) {
        Add(fmt::format("residencies[{}]", i),
            "the unit that writes " + Quoted(tensor) + " does not reach " + Quoted(residency.pad));
      }
    }
  }

  // The residency of the tensor in `pad` that begins in this step.
  std::optional<size_t> BeginsIn(ValueId tensor, PadId pad) const {
    for (size_t i : index_.ResidenciesAt(plan_, tensor, step_)) {
      if (plan_.residencies[i].pad == pad && plan_.residencies[i].from == step_) return i;
    }
    return std::nullopt;
  }
  // Whether it lies in `pad` with all its bytes by the end of the step, not by a copy of this step.
  bool LiesIn(ValueId tensor, PadId pad) const {
    for (size_t i : index_.ResidenciesAt(plan_, tensor, step_)) {
      const Residency& residency = plan_.residencies[i];
      const bool written_here = residency.from == step_ && problem_.tensors[tensor].produced &&
                                index_.uses[tensor].front().step == step_;
      if (residency.pad == pad && has_begun_[i] && (residency.from < step_ || written_here))
        return true;
    }
    return false;
  }

  void RunTransfer(const PlanNode& node, size_t i) {
    const Transfer& transfer = plan_.transfers[i];
    const std::string where = fmt::format("transfers[{}]", i);
    switch (transfer.kind) {
      case TransferKind::kFetch:
        if (!transfer.to) return;  // streamed: checked with its operand
        return CopyIn(where, transfer, node);
      case TransferKind::kPrefetch:
        return CopyIn(where, transfer, node);
      case TransferKind::kMove:
        return Move(where, transfer);
      case TransferKind::kWriteBack:
        if (transfer.from) WriteBack(where, transfer);
        return;
    }
  }

  bool CheckWhole(const std::string& where, const Transfer& transfer) {
    const int64_t bytes = problem_.tensors[transfer.tensor].bytes;
    if (transfer.bytes == bytes) return true;
    Add(where,
        fmt::format("{} has {} bytes, not {}", Quoted(transfer.tensor), bytes, transfer.bytes));
    return false;
  }

  // A fetch or prefetch into a pad.
  void CopyIn(const std::string& where, const Transfer& transfer, const PlanNode& node) {
    const ValueId tensor = transfer.tensor;
    if (!CheckWhole(where, transfer)) return;
    const bool used = index_.IsUsedAt(tensor, step_);
    if (transfer.kind == TransferKind::kFetch) {
      if (!used) {
        return Add(where, fmt::format("step {} does not read {}", step_, Quoted(tensor)),
                   "a copy before the step that reads it is a prefetch");
      }
      if (!Reaches(machine_, node.unit, *transfer.to)) {
        return Add(where, "the unit does not reach " + Quoted(*transfer.to));
      }
    } else if (used || !index_.IsUsedAfter(tensor, step_)) {
      return Add(where, fmt::format("{} is prefetched in step {}, {}", Quoted(tensor), step_,
                                    used ? "which uses it" : "after which no step reads it"));
    }
    if (!IsOffChip(tensor)) {
      return Add(where, fmt::format("{} is not off chip in step {}", Quoted(tensor), step_),
                 "it has to be written back in a step before");
    }
    const auto residency = BeginsIn(tensor, *transfer.to);
    if (!residency || has_begun_[*residency]) {
      return Add(where, fmt::format("no residency of {} in {} begins in step {}", Quoted(tensor),
                                    Quoted(*transfer.to), step_));
    }
    if (transfer.kind == TransferKind::kPrefetch) CheckLastsUntilUse(where, *residency);
    has_begun_[*residency] = true;
    offchip_ += transfer.bytes;
    pad_bytes_[*transfer.to] += transfer.bytes;
    if (transfer.kind == TransferKind::kPrefetch) {
      AddDma(transfer.bytes, machine_.offchip.bytes_per_second, *transfer.to);
    }
  }

  // What is copied ahead stays until it is used: one copy into a pad between two uses.
  void CheckLastsUntilUse(const std::string& where, size_t residency) {
    const Residency& copied = plan_.residencies[residency];
    if (copied.to > index_.NextUse(copied.tensor, step_)) return;
    Add(where,
        fmt::format("{} is copied into {} in step {} and leaves before a step uses it",
                    Quoted(copied.tensor), Quoted(copied.pad), step_),
        "a tensor that is prefetched or moved stays until the next step that uses it");
  }

  void Move(const std::string& where, const Transfer& transfer) {
    const ValueId tensor = transfer.tensor;
    if (!CheckWhole(where, transfer)) return;
    const auto& moves = machine_.dma.moves;
    const bool linked = std::any_of(moves.begin(), moves.end(), [&](const auto& move) {
      return move == std::pair(*transfer.from, *transfer.to) ||
             move == std::pair(*transfer.to, *transfer.from);
    });
    if (!linked) {
      return Add(where, "the machine has no moves between " + Quoted(*transfer.from) + " and " +
                            Quoted(*transfer.to));
    }
    if (index_.IsUsedAt(tensor, step_) || !index_.IsUsedBefore(tensor, step_) ||
        !index_.IsUsedAfter(tensor, step_)) {
      return Add(where, fmt::format("{} is moved in step {}, which is not between two steps that "
                                    "use it",
                                    Quoted(tensor), step_));
    }
    const auto residency = BeginsIn(tensor, *transfer.to);
    if (!residency || has_begun_[*residency] || !LiesIn(tensor, *transfer.from)) {
      return Add(where,
                 fmt::format("no residencies of {} in {} and {} meet in step {}", Quoted(tensor),
                             Quoted(*transfer.from), Quoted(*transfer.to), step_));
    }
    CheckLastsUntilUse(where, *residency);
    has_begun_[*residency] = true;
    pad_bytes_[*transfer.from] += transfer.bytes;
    pad_bytes_[*transfer.to] += transfer.bytes;
    AddDma(transfer.bytes, machine_.pads[*transfer.from].bytes_per_second, *transfer.to);
  }

  // Of a tensor in a pad.
  void WriteBack(const std::string& where, const Transfer& transfer) {
    const ValueId tensor = transfer.tensor;
    if (!CheckWhole(where, transfer)) return;
    if (!problem_.tensors[tensor].produced) {
      return Add(where, Quoted(tensor) + " lies off chip from the start");
    }
    if (!LiesIn(tensor, *transfer.from)) {
      return Add(where, fmt::format("{} does not lie in {} in step {}", Quoted(tensor),
                                    Quoted(*transfer.from), step_));
    }
    if (overwritten_ == tensor) {
      return Add(where, fmt::format("{} is overwritten in place in step {}", Quoted(tensor), step_),
                 "write it back in a step before");
    }
    offchip_ += transfer.bytes;
    pad_bytes_[*transfer.from] += transfer.bytes;
    written_back_.push_back(tensor);
  }

  void AddDma(int64_t bytes, const std::optional<double>& far, PadId pad) {
    const std::optional<double>& near = machine_.pads[pad].bytes_per_second;
    dma_seconds_ += std::max(SecondsFor(bytes, far), SecondsFor(bytes, near));
  }

  // Every operand where it lies; those off chip are listed as transfers.
  void UseOperands(const PlanNode& node) {
    const PlanStep& step = plan_.steps[static_cast<size_t>(step_)];
    const Tiling& tiling = node.tilings[step.tiling];
    Int128 workspace = tiling.inside.workspace_bytes;
    if (tiling.inside.bytes > 0) {
      pad_bytes_[problem_.workspace_pad[node.unit]] += tiling.inside.bytes;
    }
    std::vector<ValueId> streamed;
    for (size_t i = 0; i < node.operands.size(); ++i) {
      const Operand& operand = node.operands[i];
      const OperandTraffic& traffic = tiling.operands[i];
      const std::vector<size_t> residencies = index_.ResidenciesAt(plan_, operand.tensor, step_);
      if (!residencies.empty()) {
        const PadId pad = plan_.residencies[residencies.front()].pad;
        pad_bytes_[pad] += traffic.bytes;
        CheckOnChip(node, operand, residencies.front());
        continue;
      }
      streamed.push_back(operand.tensor);
      offchip_ += traffic.bytes;
      workspace += traffic.workspace_bytes;
      CheckStreamed(operand, traffic.bytes);
      if (operand.written) written_back_.push_back(operand.tensor);
    }
    CheckNothingElseStreamed(streamed);
    TakeWorkspace(node, step, workspace);
  }

  void CheckOnChip(const PlanNode& node, const Operand& operand, size_t residency) {
    const PadId pad = plan_.residencies[residency].pad;
    if (!has_begun_[residency]) {
      AddAtStep(fmt::format("{} is not in {} when node '{}' {} it", Quoted(operand.tensor),
                            Quoted(pad), node.name, operand.written ? "writes" : "reads"),
                "a residency begins with a write, a fetch, a prefetch or a move");
    } else if (!operand.written && !Reaches(machine_, node.unit, pad)) {
      AddAtStep(fmt::format("node '{}' reads {} in {}, which its unit does not reach", node.name,
                            Quoted(operand.tensor), Quoted(pad)),
                "move it, or read it from off chip");
    }
  }

  // An operand off chip: its transfer is listed, with all that the tiling says.
  void CheckStreamed(const Operand& operand, int64_t bytes) {
    if (!operand.written && !IsOffChip(operand.tensor)) {
      AddAtStep(fmt::format("{} is read, but lies neither in a memory nor off chip",
                            Quoted(operand.tensor)),
                "it has to be kept, or written back in a step before");
    }
    const TransferKind kind = operand.written ? TransferKind::kWriteBack : TransferKind::kFetch;
    for (size_t i : index_.transfers[static_cast<size_t>(step_)]) {
      const Transfer& transfer = plan_.transfers[i];
      const bool is_it = transfer.tensor == operand.tensor && transfer.kind == kind &&
                         !transfer.from && !transfer.to;
      if (!is_it) continue;
      if (transfer.bytes != bytes) {
        Add(fmt::format("transfers[{}]", i),
            fmt::format("the step moves {} bytes of {}, not {}", bytes, Quoted(operand.tensor),
                        transfer.bytes));
      }
      return;
    }
    AddAtStep(fmt::format("{} is {}, but lies in no memory and is not listed as a transfer",
                          Quoted(operand.tensor), operand.written ? "written" : "read"));
  }

  void CheckNothingElseStreamed(const std::vector<ValueId>& streamed) {
    for (size_t i : index_.transfers[static_cast<size_t>(step_)]) {
      const Transfer& transfer = plan_.transfers[i];
      if (transfer.from || transfer.to) continue;
      if (std::find(streamed.begin(), streamed.end(), transfer.tensor) == streamed.end()) {
        Add(fmt::format("transfers[{}]", i),
            fmt::format("step {} does not use {} off chip", step_, Quoted(transfer.tensor)));
      } else if ((transfer.kind == TransferKind::kWriteBack) !=
                 (index_.uses[transfer.tensor].front().step == step_ &&
                  problem_.tensors[transfer.tensor].produced)) {
        Add(fmt::format("transfers[{}]", i),
            fmt::format("step {} has no {} of {}", step_, Name(transfer.kind),
                        Quoted(transfer.tensor)));
      }
    }
  }

  void TakeWorkspace(const PlanNode& node, const PlanStep& step, Int128 bytes) {
    if (bytes == 0 && step.workspace_bytes == 0 && !node.fused) return;
    const PadId pad = problem_.workspace_pad[node.unit];
    const bool small = bytes <= std::numeric_limits<int64_t>::max();
    int64_t needed = small ? AlignedBytes(machine_.pads[pad], static_cast<int64_t>(bytes)) : kNever;
    bool enough = step.workspace_bytes == needed;
    if (node.fused) {  // whose tiling may ask for more than its tree takes
      needed = AlignedBytes(machine_.pads[pad], TreeBytes(node, step.tiling));
      enough = step.workspace_bytes >= needed &&
               AlignedBytes(machine_.pads[pad], step.workspace_bytes) == step.workspace_bytes;
    }
    if (!enough) {
      return AddAtStep(fmt::format("its tiles take {} bytes in {}, not {}", needed, Quoted(pad),
                                   step.workspace_bytes));
    }
    if (step.workspace_bytes == 0) return;
    spaces_.push_back({fmt::format("steps[{}]", step_), "the workspace of node '" + node.name + "'",
                       pad, step.workspace_address, step.workspace_bytes, step_, step_ + 1,
                       ValueId(), true});
  }

  // What the tree of a fused step takes, with the operands where they lie; 0 if it is unsound.
  int64_t TreeBytes(const PlanNode& node, size_t tiling) {
    std::vector<bool> off_chip;
    for (const Operand& operand : node.operands) {
      off_chip.push_back(index_.ResidenciesAt(plan_, operand.tensor, step_).empty());
    }
    auto room = CheckedRoomBytes(node, tiling, off_chip);
    if (room) return *room;
    for (Fault& fault : room.error()) {
      Add(fmt::format("steps[{}].{}", step_, fault.where), std::move(fault.message),
          std::move(fault.hint));
    }
    return 0;
  }

  void AddCosts(const PlanNode& node) {
    const PlanStep& step = plan_.steps[static_cast<size_t>(step_)];
    StepFigures figures{node.tilings[step.tiling].compute_seconds, 0, "compute"};
    const auto limit = [&](double seconds, const std::string& by) {
      if (seconds <= figures.seconds) return;
      figures.seconds = seconds;
      figures.limited_by = by;
    };
    limit(SecondsFor(offchip_, machine_.offchip.bytes_per_second), kOffChipName);
    limit(dma_seconds_ / static_cast<double>(machine_.dma.engines), "dma");
    figures_.energy_pj += static_cast<double>(offchip_) * machine_.offchip.pj_per_byte;
    for (PadId p : Ids(machine_.pads)) {
      const Scratchpad& pad = machine_.pads[p];
      limit(SecondsFor(pad_bytes_[p], pad.bytes_per_second), pad.name);
      figures_.energy_pj += static_cast<double>(pad_bytes_[p]) * pad.pj_per_byte;
    }
    figures_.latency_seconds += figures.seconds;
    offchip_total_ += offchip_;
    constexpr Int128 kMost = std::numeric_limits<int64_t>::max();
    figures.offchip_bytes = static_cast<int64_t>(std::min(offchip_, kMost));
    steps_.push_back(std::move(figures));
  }

  void CheckEnd() {
    for (size_t i = 0; i < plan_.residencies.size(); ++i) {
      const Residency& residency = plan_.residencies[i];
      const std::string where = fmt::format("residencies[{}]", i);
      if (!has_begun_[i]) {
        Add(where,
            fmt::format("nothing brings {} into {} in step {}", Quoted(residency.tensor),
                        Quoted(residency.pad), residency.from),
            "a residency begins with a write, a fetch, a prefetch or a move");
      }
      spaces_.push_back({where, "tensor " + Quoted(residency.tensor), residency.pad,
                         residency.address, residency.bytes, residency.from, residency.to,
                         residency.tensor, false});
    }
    for (ValueId v : Ids(problem_.tensors)) {
      if (problem_.tensors[v].needed_after && off_chip_from_[v] > index_.step_count) {
        Add("transfers", "the output " + Quoted(v) + " is not off chip in the end",
            "write it back");
      }
    }
  }

  const PlanProblem& problem_;
  const Machine& machine_;
  const Plan& plan_;
  const PlanIndex& index_;
  IndexedVector<ValueId, int64_t> off_chip_from_;  // the first step that can read it there
  std::vector<bool> has_begun_;  // by residency: something brought the tensor there
  std::vector<TakenSpace> spaces_;
  std::vector<InPlacePair> pairs_;
  PlanFigures figures_;
  std::vector<StepFigures> steps_;
  Int128 offchip_total_ = 0;
  Faults faults_;

  // Of the step that runs.
  int64_t step_ = 0;
  Int128 offchip_ = 0;
  IndexedVector<PadId, Int128> pad_bytes_;
  double dma_seconds_ = 0;              // of all engines together
  std::optional<ValueId> overwritten_;  // by the first tensor written
  std::vector<ValueId> written_back_;
};

}  // namespace

tl::expected<Replayed, Faults> ReplaySteps(const PlanProblem& problem, const Plan& plan) {
  const auto index = IndexPlan(problem, plan);
  if (!index) return tl::unexpected(index.error());
  return Replayer(problem, plan, *index).Run();
}

tl::expected<PlanFigures, Faults> Replay(const PlanProblem& problem, const Plan& plan) {
  const auto replayed = ReplaySteps(problem, plan);
  if (!replayed) return tl::unexpected(replayed.error());
  return replayed->figures;
}

}  // namespace inlay
