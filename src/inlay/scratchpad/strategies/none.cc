#include "inlay/scratchpad/strategies/none.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "inlay/scratchpad/step_cost.h"

namespace inlay {
namespace {

// Places for the operands of one step, for as long as the step.
class OneStep {
 public:
  OneStep(const PlanProblem& problem, PlanObjective objective, const PlanNode& node,
          std::vector<bool> last_read)
      : problem_(problem),
        objective_(objective),
        node_(node),
        last_read_(std::move(last_read)),
        state_(EmptyStep(problem, node)) {
    Place(0);
  }

  struct Found {
    double value = 0;
    size_t tiling = 0;
    std::vector<std::optional<PadId>> lies;
    std::optional<ValueId> in_place;
  };
  const std::optional<Found>& best() const { return best_; }

 private:
  // Tries every place of the operands from this one on.
  void Place(size_t operand) {
    if (operand == node_.operands.size()) {
      TryTilings({});
      TryInPlace();
      return;
    }
    Place(operand + 1);
    const Operand& about = node_.operands[operand];
    const int64_t bytes = problem_.tensors[about.tensor].bytes;
    for (const PadId pad : Ids(problem_.machine.pads)) {
      const Scratchpad& memory = problem_.machine.pads[pad];
      const int64_t aligned = AlignedBytes(memory, bytes);
      if (!Reaches(problem_.machine, node_.unit, pad) || aligned > memory.bytes) continue;
      const StepState before = state_;
      state_.lies[operand] = pad;
      state_.resident_bytes[pad] += aligned;
      if (about.written) {
        AddCopy(problem_.machine, TransferKind::kWriteBack, pad, {}, bytes, &state_);
      } else {
        AddCopy(problem_.machine, TransferKind::kFetch, {}, pad, bytes, &state_);
      }
      Place(operand + 1);
      state_ = before;
    }
  }

  void TryInPlace() {
    const size_t written = node_.in_place.empty() ? 0 : FirstWritten(node_);
    for (const ValueId under : node_.in_place) {
      const size_t read = OperandOf(node_, under);
      const std::optional<PadId> pad = state_.lies[written];
      if (!last_read_[read] || !pad || state_.lies[read] != pad) continue;
      const int64_t shared =
          AlignedBytes(problem_.machine.pads[*pad], problem_.tensors[under].bytes);
      state_.resident_bytes[*pad] -= shared;
      TryTilings(under);
      state_.resident_bytes[*pad] += shared;
    }
  }

  void TryTilings(std::optional<ValueId> in_place) {
    for (size_t i = 0; i < node_.tilings.size(); ++i) {
      const StepLoad load = LoadOf(problem_, node_, i, state_);
      if (Excess(problem_.machine, load) > 0) continue;
      const double value = ValueOf(FiguresOf(problem_.machine, load), objective_);
      if (best_ && best_->value <= value) continue;
      best_ = Found{value, i, state_.lies, in_place};
    }
  }

  const PlanProblem& problem_;
  PlanObjective objective_;
  const PlanNode& node_;
  std::vector<bool> last_read_;  // by operand: no later step reads it
  StepState state_;
  std::optional<Found> best_;
};

Fault DoesNotFit(const PlanProblem& problem, const PlanNode& node) {
  const Scratchpad& pad = problem.machine.pads[problem.workspace_pad[node.unit]];
  const std::vector<std::optional<PadId>> nowhere(node.operands.size());
  int64_t least = WorkspaceBytes(problem, node, 0, nowhere);
  for (size_t i = 1; i < node.tilings.size(); ++i) {
    least = std::min(least, WorkspaceBytes(problem, node, i, nowhere));
  }
  return {"nodes." + node.name,
          fmt::format("node '{}' needs a workspace of at least {} bytes in pad '{}', which has {}",
                      node.name, least, pad.name, pad.bytes),
          "take a machine with a larger pad, or an architecture with smaller tiles"};
}

}  // namespace

tl::expected<Choices, Faults> PlanNone(const PlanProblem& problem, PlanObjective objective,
                                       const std::vector<size_t>& order) {
  Choices choices = NothingKept(problem, objective, order);
  const auto lives = LivesOf(problem, order);
  Faults faults;
  for (size_t t = 0; t < order.size(); ++t) {
    const PlanNode& node = problem.nodes[order[t]];
    const StepLoad load = LoadOf(problem, node, choices.tilings[t], EmptyStep(problem, node));
    if (Excess(problem.machine, load) == 0) continue;
    std::vector<bool> last_read;
    for (const Operand& operand : node.operands) {
      const std::vector<TensorUse>& reads = lives[operand.tensor].reads;
      last_read.push_back(!reads.empty() && reads.back().step == static_cast<int64_t>(t));
    }
    const OneStep step(problem, objective, node, std::move(last_read));
    if (!step.best()) {
      faults.push_back(DoesNotFit(problem, node));
      continue;
    }
    choices.tilings[t] = step.best()->tiling;
    choices.in_place[t] = step.best()->in_place;
    for (size_t i = 0; i < node.operands.size(); ++i) {
      const std::optional<PadId> pad = step.best()->lies[i];
      if (!pad) continue;
      TensorChoice& choice = choices.tensors[node.operands[i].tensor];
      if (node.operands[i].written) {
        choice.written_into = pad;
        continue;
      }
      const std::vector<TensorUse>& reads = lives[node.operands[i].tensor].reads;
      const auto use = std::find_if(reads.begin(), reads.end(), [&](const TensorUse& read) {
        return read.step == static_cast<int64_t>(t);
      });
      choice.reads[static_cast<size_t>(use - reads.begin())] = {ReadChoice::Way::kFetched, *pad, 0};
    }
  }
  if (!faults.empty()) return tl::unexpected(std::move(faults));
  return choices;
}

}  // namespace inlay
