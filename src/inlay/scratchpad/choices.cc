#include "inlay/scratchpad/choices.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

#include "inlay/base/check.h"
#include "inlay/scratchpad/choice_effects.h"
#include "inlay/scratchpad/step_cost.h"

namespace inlay {
namespace {

// Adds up what tensors do to the steps.
class LoadAdder {
 public:
  LoadAdder(const PlanProblem& problem, const Choices& choices)
      : problem_(problem), choices_(choices), steps_(choices.order.size()) {
    for (size_t t = 0; t < steps_.size(); ++t) {
      steps_[t] = EmptyStep(problem, problem.nodes[choices.order[t]]);
    }
  }

  void Add(ValueId tensor, const TensorLife& life) {
    bytes_ = problem_.tensors[tensor].bytes;
    VisitEffects(life, choices_.tensors[tensor], static_cast<int64_t>(steps_.size()), *this);
  }

  void Use(const TensorUse& use, std::optional<PadId> pad) { At(use.step).lies[use.operand] = pad; }
  void Copy(TransferKind kind, std::optional<PadId> from, std::optional<PadId> to, int64_t step) {
    AddCopy(problem_.machine, kind, from, to, bytes_, &At(step));
  }
  void Lie(PadId pad, int64_t from, int64_t to) {
    const int64_t aligned = AlignedBytes(problem_.machine.pads[pad], bytes_);
    for (int64_t t = from; t < to; ++t) At(t).resident_bytes[pad] += aligned;
  }

  std::vector<StepLoad> Loads() {
    std::vector<StepLoad> loads;
    for (size_t t = 0; t < steps_.size(); ++t) {
      const PlanNode& node = problem_.nodes[choices_.order[t]];
      if (choices_.in_place[t]) ShareInPlace(node, *choices_.in_place[t], &steps_[t]);
      loads.push_back(LoadOf(problem_, node, choices_.tilings[t], steps_[t]));
    }
    return loads;
  }

 private:
  StepState& At(int64_t step) { return steps_[static_cast<size_t>(step)]; }

  void ShareInPlace(const PlanNode& node, ValueId under, StepState* state) const {
    const size_t read = OperandOf(node, under);
    const size_t written = FirstWritten(node);
    const std::optional<PadId> pad = state->lies[written];
    INLAY_CHECK(pad && state->lies[read] == pad);
    state->resident_bytes[*pad] -=
        AlignedBytes(problem_.machine.pads[*pad], problem_.tensors[under].bytes);
  }

  const PlanProblem& problem_;
  const Choices& choices_;
  std::vector<StepState> steps_;
  int64_t bytes_ = 0;  // of the tensor that is being added
};

// Of a node with every operand off chip.
size_t BestTiling(const PlanProblem& problem, const PlanNode& node, PlanObjective objective) {
  const StepState state = EmptyStep(problem, node);
  std::optional<std::tuple<int64_t, double, double, int64_t>> best;
  size_t best_tiling = 0;
  for (size_t i = 0; i < node.tilings.size(); ++i) {
    const StepLoad load = LoadOf(problem, node, i, state);
    const PlanFigures figures = FiguresOf(problem.machine, load);
    // Of those that do not fit, the one that needs least.
    const std::tuple key{Excess(problem.machine, load), ValueOf(figures, objective),
                         figures.latency_seconds, figures.offchip_bytes};
    if (best && *best <= key) continue;
    best = key;
    best_tiling = i;
  }
  return best_tiling;
}

}  // namespace

IndexedVector<ValueId, TensorLife> LivesOf(const PlanProblem& problem,
                                           const std::vector<size_t>& order) {
  IndexedVector<ValueId, TensorLife> lives(problem.tensors.size());
  for (size_t t = 0; t < order.size(); ++t) {
    const PlanNode& node = problem.nodes[order[t]];
    for (size_t i = 0; i < node.operands.size(); ++i) {
      const TensorUse use{static_cast<int64_t>(t), i};
      TensorLife& life = lives[node.operands[i].tensor];
      if (node.operands[i].written) {
        life.written = use;
      } else {
        life.reads.push_back(use);
      }
    }
  }
  return lives;
}

Choices NothingKept(const PlanProblem& problem, PlanObjective objective) {
  std::vector<size_t> order(problem.nodes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  return NothingKept(problem, objective, std::move(order));
}

Choices NothingKept(const PlanProblem& problem, PlanObjective objective,
                    std::vector<size_t> order) {
  Choices choices;
  choices.order = std::move(order);
  for (const size_t n : choices.order) {
    choices.tilings.push_back(BestTiling(problem, problem.nodes[n], objective));
  }
  choices.in_place.resize(choices.order.size());
  choices.tensors.resize(problem.tensors.size());
  const auto lives = LivesOf(problem, choices.order);
  for (const ValueId tensor : Ids(problem.tensors)) {
    if (lives[tensor].written)
      choices.tensors[tensor].written_back_at = lives[tensor].written->step;
    choices.tensors[tensor].reads.resize(lives[tensor].reads.size());
  }
  return choices;
}

std::vector<StepLoad> LoadsOf(const PlanProblem& problem, const Choices& choices) {
  LoadAdder adder(problem, choices);
  const auto lives = LivesOf(problem, choices.order);
  for (const ValueId tensor : Ids(problem.tensors)) {
    if (lives[tensor].written || !lives[tensor].reads.empty()) adder.Add(tensor, lives[tensor]);
  }
  return adder.Loads();
}

PlanFigures FiguresOf(const PlanProblem& problem, const Choices& choices) {
  PlanFigures sum;
  for (const StepLoad& load : LoadsOf(problem, choices)) {
    const PlanFigures figures = FiguresOf(problem.machine, load);
    sum.latency_seconds += figures.latency_seconds;
    sum.offchip_bytes += figures.offchip_bytes;
    sum.energy_pj += figures.energy_pj;
  }
  return sum;
}

bool Fits(const PlanProblem& problem, const Choices& choices) {
  const std::vector<StepLoad> loads = LoadsOf(problem, choices);
  return std::all_of(loads.begin(), loads.end(),
                     [&](const StepLoad& load) { return Excess(problem.machine, load) == 0; });
}

}  // namespace inlay
