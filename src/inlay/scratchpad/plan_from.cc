#include "inlay/scratchpad/plan_from.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "inlay/base/check.h"
#include "inlay/scratchpad/effects.h"
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
    plan_.stays.push_back({tensor_, pad, 0, bytes, from, to});
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

// What lies in one pad, as buffers in units of its alignment.
struct PadBuffers {
  std::vector<size_t> stays;  // of the plan; the first buffers
  std::vector<size_t> steps;  // whose workspaces lie here; the other buffers
  std::vector<Buffer> buffers;
};

PadBuffers BuffersIn(const PlanProblem& problem, const Plan& plan, PadId pad) {
  PadBuffers in;
  const int64_t unit = problem.machine.pads[pad].alignment_bytes;
  for (size_t i = 0; i < plan.stays.size(); ++i) {
    const Stay& stay = plan.stays[i];
    if (stay.pad != pad) continue;
    in.stays.push_back(i);
    in.buffers.push_back({{}, stay.from, stay.to, stay.bytes / unit});
  }
  for (size_t t = 0; t < plan.steps.size(); ++t) {
    const PlanStep& step = plan.steps[t];
    if (step.workspace_bytes == 0 || problem.workspace_pad[step.unit] != pad) continue;
    in.steps.push_back(t);
    const auto from = static_cast<int64_t>(t);
    in.buffers.push_back({{}, from, from + 1, step.workspace_bytes / unit});
  }
  return in;
}

// The buffers that take each other's place.
std::vector<std::pair<size_t, size_t>> InPlacePairs(const PlanProblem& problem,
                                                    const Choices& choices, const Plan& plan,
                                                    const PadBuffers& in) {
  std::vector<std::pair<size_t, size_t>> pairs;
  for (size_t i = 0; i < in.stays.size(); ++i) {
    const Stay& above = plan.stays[in.stays[i]];
    const auto t = static_cast<size_t>(above.from);
    const std::optional<ValueId> under = choices.in_place[t];
    const PlanNode& node = problem.nodes[choices.order[t]];
    if (!under || node.operands[FirstWritten(node)].tensor != above.tensor) continue;
    for (size_t j = 0; j < in.stays.size(); ++j) {
      const Stay& below = plan.stays[in.stays[j]];
      if (below.tensor == *under && below.to == above.from + 1) pairs.emplace_back(j, i);
    }
  }
  return pairs;
}

// The life of a buffer that first-fit puts outside of the capacity, the first in time.
std::pair<int64_t, int64_t> OutsideOf(const dsa::Problem& problem) {
  const dsa::Solution anywhere = dsa::FirstFit({problem.buffers, int64_t{1} << 61});
  INLAY_CHECK(anywhere.status == dsa::Status::kPlaced);
  const Buffer* first = nullptr;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const Buffer& buffer = problem.buffers[i];
    if (anywhere.offsets[i] + buffer.size <= problem.capacity) continue;
    if (first == nullptr || buffer.lower < first->lower) first = &buffer;
  }
  INLAY_CHECK(first != nullptr);  // else it was a placement
  return {first->lower, first->upper};
}

Misfit MisfitOf(const dsa::Problem& problem, const dsa::Merged& merged, const PadBuffers& in,
                const Plan& plan, PadId pad, bool infeasible, const dsa::Options& options) {
  Misfit misfit;
  misfit.pad = pad;
  std::vector<bool> member(problem.buffers.size());
  std::optional<dsa::InfeasibleWindow> window;
  if (infeasible) window = dsa::SmallestInfeasibleWindow(problem, options);
  if (window) {
    misfit.proven = true;
    misfit.from = window->lower;
    misfit.to = window->upper;
    for (const size_t i : window->members) member[i] = true;
  } else {
    std::tie(misfit.from, misfit.to) = OutsideOf(problem);
    member.assign(member.size(), true);
  }
  for (size_t i = 0; i < in.stays.size(); ++i) {
    const Stay& stay = plan.stays[in.stays[i]];
    if (!member[merged.group_of[i]] || stay.to <= misfit.from || stay.from >= misfit.to) continue;
    misfit.tensors.push_back(stay.tensor);
  }
  misfit.tensors.erase(std::unique(misfit.tensors.begin(), misfit.tensors.end()),
                       misfit.tensors.end());
  return misfit;
}

// Gives addresses to what lies in one pad.
std::optional<Misfit> Place(const PlanProblem& problem, const Choices& choices, PadId pad,
                            const dsa::Options& options, Plan* plan) {
  const PadBuffers in = BuffersIn(problem, *plan, pad);
  const std::optional<dsa::Merged> merged =
      dsa::MergeInPlace(in.buffers, InPlacePairs(problem, choices, *plan, in));
  INLAY_CHECK(merged.has_value());  // only fixed addresses could contradict each other
  const int64_t unit = problem.machine.pads[pad].alignment_bytes;
  const dsa::Problem addresses{merged->buffers, problem.machine.pads[pad].bytes / unit};
  const dsa::Solution solution = dsa::Solve(addresses, options);
  if (solution.status != dsa::Status::kPlaced) {
    return MisfitOf(addresses, *merged, in, *plan, pad, solution.status == dsa::Status::kInfeasible,
                    options);
  }
  const std::vector<int64_t> offsets = merged->OffsetsOfAll(solution.offsets);
  for (size_t i = 0; i < in.stays.size(); ++i) plan->stays[in.stays[i]].address = offsets[i] * unit;
  for (size_t i = 0; i < in.steps.size(); ++i) {
    plan->steps[in.steps[i]].workspace_address = offsets[in.stays.size() + i] * unit;
  }
  return std::nullopt;
}

}  // namespace

tl::expected<Plan, Misfit> PlanFrom(const PlanProblem& problem, const Choices& choices,
                                    int64_t address_nodes, const Deadline* deadline) {
  Plan plan = PlanMaker(problem, choices).Take();
  dsa::Options options;
  options.deadline = deadline;
  options.node_limit = address_nodes;
  for (const PadId pad : Ids(problem.machine.pads)) {
    if (std::optional<Misfit> misfit = Place(problem, choices, pad, options, &plan)) {
      return tl::unexpected(std::move(*misfit));
    }
  }
  return plan;
}

}  // namespace inlay
