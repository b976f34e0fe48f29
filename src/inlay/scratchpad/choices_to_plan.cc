#include "inlay/scratchpad/choices_to_plan.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "inlay/scratchpad/addresses.h"
#include "inlay/scratchpad/choice_effects.h"
#include "inlay/scratchpad/step_cost.h"

namespace inlay {
namespace {

// Everything but addresses.
class PlanMaker {
 public:
  PlanMaker(const PlanProblem& problem, const Choices& choices)
      : problem_(problem), choices_(choices) {
    const auto lives = LivesOf(problem, choices.order);
    lies_.resize(choices.order.size());
    for (size_t t = 0; t < lies_.size(); ++t) lies_[t].resize(NodeAt(t).operands.size());
    for (const ValueId tensor : Ids(problem.tensors)) {
      if (!lives[tensor].written && lives[tensor].reads.empty()) continue;
      tensor_ = tensor;
      VisitEffects(lives[tensor], choices.tensors[tensor], static_cast<int64_t>(lies_.size()),
                   *this);
    }
    for (size_t t = 0; t < lies_.size(); ++t) AddStep(t);
    std::sort(plan_.transfers.begin(), plan_.transfers.end(),
              [](const Transfer& a, const Transfer& b) {
                return std::tuple{a.step, a.tensor, a.kind} < std::tuple{b.step, b.tensor, b.kind};
              });
  }
  Plan Take() { return std::move(plan_); }

  void Use(const TensorUse& use, std::optional<PadId> pad) {
    const auto t = static_cast<size_t>(use.step);
    lies_[t][use.operand] = pad;
    if (pad) return;
    const PlanNode& node = NodeAt(t);
    plan_.transfers.push_back(
        {tensor_,
         node.operands[use.operand].written ? TransferKind::kWriteBack : TransferKind::kFetch,
         {},
         {},
         node.tilings[choices_.tilings[t]].operands[use.operand].bytes,
         use.step});
  }
  void Copy(TransferKind kind, std::optional<PadId> from, std::optional<PadId> to, int64_t step) {
    plan_.transfers.push_back({tensor_, kind, from, to, problem_.tensors[tensor_].bytes, step});
  }
  void Lie(PadId pad, int64_t from, int64_t to) {
    const int64_t bytes = AlignedBytes(problem_.machine.pads[pad], problem_.tensors[tensor_].bytes);
    plan_.residencies.push_back({tensor_, pad, 0, bytes, from, to});
  }

 private:
  const PlanNode& NodeAt(size_t step) const { return problem_.nodes[choices_.order[step]]; }

  void AddStep(size_t step) {
    const PlanNode& node = NodeAt(step);
    PlanStep& added = plan_.steps.emplace_back();
    added.node = node.node;
    added.unit = node.unit;
    added.tiling = choices_.tilings[step];
    added.workspace_bytes = WorkspaceBytes(problem_, node, added.tiling, lies_[step]);
  }

  const PlanProblem& problem_;
  const Choices& choices_;
  Plan plan_;
  std::vector<std::vector<std::optional<PadId>>> lies_;  // by step and operand
  ValueId tensor_;                                       // that is being added
};

}  // namespace

tl::expected<Plan, Misfit> PlanFrom(const PlanProblem& problem, const Choices& choices,
                                    int64_t address_nodes, const Deadline* deadline,
                                    const AddressHint& hint) {
  Plan plan = PlanMaker(problem, choices).Take();
  dsa::Options options;
  options.deadline = deadline;
  options.node_limit = address_nodes;
  for (const PadId pad : Ids(problem.machine.pads)) {
    if (std::optional<Misfit> misfit = GiveAddresses(problem, choices, pad, options, hint, &plan)) {
      return tl::unexpected(std::move(*misfit));
    }
  }
  return plan;
}

}  // namespace inlay
