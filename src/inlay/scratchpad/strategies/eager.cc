#include "inlay/scratchpad/strategies/eager.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "inlay/base/check.h"
#include "inlay/scratchpad/choices_to_plan.h"
#include "inlay/scratchpad/step_cost.h"

namespace inlay {
namespace {

class EagerRun {
 public:
  EagerRun(const PlanProblem& problem, const Choices& alone)
      : problem_(problem), alone_(alone), lives_(LivesOf(problem, alone.order)) {}

  Plan Run() {
    const auto steps = static_cast<int64_t>(alone_.order.size());
    for (step_ = 0; step_ < steps; ++step_) RunStep();
    while (!residents_.empty()) Leave(residents_.size() - 1, true);
    std::sort(plan_.residencies.begin(), plan_.residencies.end(),
              [](const Residency& a, const Residency& b) {
                return std::tuple{a.tensor, a.from} < std::tuple{b.tensor, b.from};
              });
    std::sort(plan_.transfers.begin(), plan_.transfers.end(),
              [](const Transfer& a, const Transfer& b) {
                return std::tuple{a.step, a.tensor, a.kind} < std::tuple{b.step, b.tensor, b.kind};
              });
    return std::move(plan_);
  }

 private:
  struct Resident {
    Residency residency;
    int64_t last_used = 0;
  };
  using Lies = std::vector<std::optional<PadId>>;

  std::optional<size_t> ResidentOf(ValueId tensor) const {
    for (size_t i = 0; i < residents_.size(); ++i) {
      if (residents_[i].residency.tensor == tensor) return i;
    }
    return std::nullopt;
  }
  bool IsOperand(ValueId tensor) const {
    return std::any_of(node_->operands.begin(), node_->operands.end(),
                       [&](const Operand& operand) { return operand.tensor == tensor; });
  }

  // Ends a residency with the step before this one.
  void Leave(size_t resident, bool write_back) {
    Residency residency = residents_[resident].residency;
    residency.to = step_;
    if (write_back && NeededAgain(residency.tensor)) {
      plan_.transfers.push_back({residency.tensor, TransferKind::kWriteBack, residency.pad,
                                 std::nullopt, problem_.tensors[residency.tensor].bytes,
                                 step_ - 1});
    }
    plan_.residencies.push_back(residency);
    residents_.erase(residents_.begin() + static_cast<std::ptrdiff_t>(resident));
  }

  // From this step on, or in the end.
  bool NeededAgain(ValueId tensor) const {
    const std::vector<TensorUse>& reads = lives_[tensor].reads;
    return problem_.tensors[tensor].needed_after || (!reads.empty() && reads.back().step >= step_);
  }

  // The lowest address of the pad with so many bytes free.
  std::optional<int64_t> FirstFit(PadId pad, int64_t bytes) const {
    std::vector<std::pair<int64_t, int64_t>> taken;  // begin, end
    for (const Resident& resident : residents_) {
      const Residency& residency = resident.residency;
      if (residency.pad == pad)
        taken.emplace_back(residency.address, residency.address + residency.bytes);
    }
    if (workspace_ && workspace_pad_ == pad) taken.push_back(*workspace_);
    std::sort(taken.begin(), taken.end());
    int64_t address = 0;
    for (const auto& [begin, end] : taken) {
      if (begin - address >= bytes) return address;
      address = std::max(address, end);
    }
    if (problem_.machine.pads[pad].bytes - address >= bytes) return address;
    return std::nullopt;
  }

  // Evicts what was used longest ago until it fits; operands of this step stay.
  std::optional<int64_t> MakeRoom(PadId pad, int64_t bytes) {
    if (bytes > problem_.machine.pads[pad].bytes) return std::nullopt;
    for (;;) {
      if (const std::optional<int64_t> address = FirstFit(pad, bytes)) return address;
      std::optional<size_t> victim;
      for (size_t i = 0; i < residents_.size(); ++i) {
        const Resident& resident = residents_[i];
        if (resident.residency.pad != pad || IsOperand(resident.residency.tensor)) continue;
        if (!victim || resident.last_used < residents_[*victim].last_used) victim = i;
      }
      if (!victim) return std::nullopt;
      Leave(*victim, true);
    }
  }

  Lies WhereOperandsLie() const {
    Lies lies;
    for (const Operand& operand : node_->operands) {
      const std::optional<size_t> resident = ResidentOf(operand.tensor);
      lies.push_back(resident ? std::optional(residents_[*resident].residency.pad) : std::nullopt);
    }
    return lies;
  }

  // Where the unit does not reach an operand, or where operands leave no room for the workspace,
  // they go too.
  void TakeWorkspace(size_t tiling) {
    for (const Operand& operand : node_->operands) {
      const std::optional<size_t> resident = ResidentOf(operand.tensor);
      if (resident &&
          !Reaches(problem_.machine, node_->unit, residents_[*resident].residency.pad)) {
        Leave(*resident, true);
      }
    }
    workspace_.reset();
    workspace_pad_ = problem_.workspace_pad[node_->unit];
    for (;;) {
      const int64_t bytes = WorkspaceBytes(problem_, *node_, tiling, WhereOperandsLie());
      if (bytes == 0) return;
      if (const std::optional<int64_t> address = MakeRoom(workspace_pad_, bytes)) {
        workspace_ = {*address, *address + bytes};
        return;
      }
      std::optional<size_t> resident;
      for (const Operand& operand : node_->operands) {
        if (!resident) resident = ResidentOf(operand.tensor);
      }
      INLAY_CHECK(resident.has_value());  // alone the workspace fits
      Leave(*resident, true);
    }
  }

  void PlaceOutput(ValueId tensor) {
    std::optional<PadId> largest;
    const int64_t bytes = problem_.tensors[tensor].bytes;
    const auto begin = [&](PadId pad, int64_t address) {
      const int64_t aligned = AlignedBytes(problem_.machine.pads[pad], bytes);
      residents_.push_back({{tensor, pad, address, aligned, step_, 0}, step_});
    };
    for (const PadId pad : Ids(problem_.machine.pads)) {
      const Scratchpad& memory = problem_.machine.pads[pad];
      if (!Reaches(problem_.machine, node_->unit, pad)) continue;
      if (!largest || memory.bytes > problem_.machine.pads[*largest].bytes) largest = pad;
      if (const auto address = FirstFit(pad, AlignedBytes(memory, bytes))) {
        return begin(pad, *address);
      }
    }
    if (!largest) return;
    const int64_t aligned = AlignedBytes(problem_.machine.pads[*largest], bytes);
    if (const auto address = MakeRoom(*largest, aligned)) begin(*largest, *address);
  }

  void RunStep() {
    node_ = &problem_.nodes[alone_.order[static_cast<size_t>(step_)]];
    const size_t tiling = alone_.tilings[static_cast<size_t>(step_)];
    TakeWorkspace(tiling);
    for (const Operand& operand : node_->operands) {
      if (operand.written) PlaceOutput(operand.tensor);
    }
    const Lies lies = WhereOperandsLie();
    for (size_t i = 0; i < lies.size(); ++i) {
      const Operand& operand = node_->operands[i];
      if (lies[i]) {
        residents_[*ResidentOf(operand.tensor)].last_used = step_;
        continue;
      }
      const TransferKind kind = operand.written ? TransferKind::kWriteBack : TransferKind::kFetch;
      plan_.transfers.push_back({operand.tensor, kind, std::nullopt, std::nullopt,
                                 node_->tilings[tiling].operands[i].bytes, step_});
    }
    PlanStep step{node_->node, node_->unit, tiling, 0, 0};
    step.workspace_bytes = WorkspaceBytes(problem_, *node_, tiling, lies);
    if (step.workspace_bytes > 0) step.workspace_address = workspace_->first;
    plan_.steps.push_back(step);
    FreeDead();
  }

  void FreeDead() {
    ++step_;
    for (size_t i = residents_.size(); i-- > 0;) {
      if (!NeededAgain(residents_[i].residency.tensor)) Leave(i, false);
    }
    --step_;
  }

  const PlanProblem& problem_;
  const Choices& alone_;
  IndexedVector<ValueId, TensorLife> lives_;
  Plan plan_;
  std::vector<Resident> residents_;

  // Of the step that runs.
  int64_t step_ = 0;
  const PlanNode* node_ = nullptr;
  std::optional<std::pair<int64_t, int64_t>> workspace_;  // begin, end
  PadId workspace_pad_;
};

// Whether nothing lies in any pad but workspaces.
bool UsesNoPad(const Choices& alone) {
  return std::all_of(alone.tensors.begin(), alone.tensors.end(), [](const TensorChoice& choice) {
    return !choice.written_into &&
           std::all_of(choice.reads.begin(), choice.reads.end(), [](const ReadChoice& read) {
             return read.way == ReadChoice::Way::kStreamed;
           });
  });
}

}  // namespace

Plan PlanEagerly(const PlanProblem& problem, const Choices& alone) {
  if (UsesNoPad(alone)) return EagerRun(problem, alone).Run();
  tl::expected<Plan, Misfit> plan = PlanFrom(problem, alone);
  INLAY_CHECK(plan.has_value());  // nothing stays for more than a step
  return std::move(*plan);
}

}  // namespace inlay
