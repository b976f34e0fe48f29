#include "inlay/scratchpad/exact/model.h"

#include <algorithm>
#include <utility>

#include "inlay/scratchpad/compulsory_figures.h"
#include "inlay/scratchpad/exact/model_builder.h"

namespace inlay::exact {

void Affine::Add(const Affine& other, double factor) {
  constant += factor * other.constant;
  for (const milp::Term& term : other.terms)
    terms.push_back({term.column, factor * term.coefficient});
}

void Affine::Merge() {
  std::stable_sort(terms.begin(), terms.end(),
                   [](const milp::Term& a, const milp::Term& b) { return a.column < b.column; });
  std::vector<milp::Term> merged;
  for (const milp::Term& term : terms) {
    if (!merged.empty() && merged.back().column == term.column) {
      merged.back().coefficient += term.coefficient;
    } else {
      merged.push_back(term);
    }
  }
  std::erase_if(merged, [](const milp::Term& term) { return term.coefficient == 0; });
  terms = std::move(merged);
}

double Affine::At(const std::vector<double>& values) const {
  double sum = constant;
  for (const milp::Term& term : terms) {
    sum += term.coefficient * values[static_cast<size_t>(term.column)];
  }
  return sum;
}

ModelBuilder::ModelBuilder(const PlanProblem& problem, std::vector<size_t> order,
                           const ModelOptions& options, const Deadline& deadline)
    : problem_(problem),
      most_columns_(options.most_columns),
      begins_inside_(options.begins_inside),
      ends_inside_(options.ends_inside),
      deadline_(deadline) {
  model.problem = &problem;
  model.objective = options.objective;
  model.order = std::move(order);
  model.lives = LivesOf(problem, model.order);
  const Choices none = NothingKept(problem, options.objective, model.order);
  const double figure = ValueOf(FiguresOf(problem, none), options.objective);
  // So that programs of all sizes are of one size, in thousands.
  model.unit = figure > 0 ? figure / 1e4 : 1;
  FindUsedOutside();
  copy_steps_ = NoCopySteps(model.lives);
  if (options.objective != PlanObjective::kLatency) return;  // the step of a copy costs nothing
  const double share =
      static_cast<double>(model.order.size()) / static_cast<double>(problem.nodes.size());
  copy_steps_ = FindCopySteps(
      problem, model.order, model.lives,
      options.tolerance * share * CompulsoryFigures(problem).latency_seconds, used_outside_);
  model.lost = copy_steps_.lost_seconds;
}

void ModelBuilder::FindUsedOutside() {
  used_outside_.resize(problem_.tensors.size());
  if (!begins_inside_) return;
  std::vector<uint8_t> inside(problem_.nodes.size());
  for (const size_t node : model.order) inside[node] = 1;
  for (size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] != 0) continue;
    for (const Operand& operand : problem_.nodes[i].operands) used_outside_[operand.tensor] = 1;
  }
}

int ModelBuilder::AddColumn(double lower, double upper, bool integer) {
  model.milp.columns.push_back({0, lower, upper, integer});
  return static_cast<int>(model.milp.columns.size()) - 1;
}

void ModelBuilder::AddRow(Affine sum, double lower, double upper) {
  sum.Merge();
  model.milp.rows.push_back({lower - sum.constant, upper - sum.constant, std::move(sum.terms)});
}

void ModelBuilder::AddCost(const Affine& figure, double factor) {
  model.milp.constant += figure.constant * factor / model.unit;
  for (const milp::Term& term : figure.terms) {
    model.milp.columns[static_cast<size_t>(term.column)].cost +=
        term.coefficient * factor / model.unit;
  }
}

std::optional<Model> MakeModel(const PlanProblem& problem, std::vector<size_t> order,
                               const ModelOptions& options, const Deadline& deadline) {
  ModelBuilder builder(problem, std::move(order), options, deadline);
  for (void (ModelBuilder::*add)() :
       {&ModelBuilder::AddTensors, &ModelBuilder::AddSteps, &ModelBuilder::AddCapacities}) {
    (builder.*add)();
    if (builder.Stopped()) return std::nullopt;
  }
  return std::move(builder.model);
}

int64_t LastUse(const TensorLife& life) {
  if (!life.reads.empty()) return life.reads.back().step;
  return life.written ? life.written->step : -1;
}

namespace {

void AddHeld(const std::vector<HoldColumns>& holds, PadId pad, int64_t step, Affine* presence) {
  for (const HoldColumns& hold : holds) {
    if (hold.pad != pad) continue;
    const auto last = std::lower_bound(hold.steps.begin(), hold.steps.end(), step);
    if (last != hold.steps.end()) {
      presence->Add(hold.until[static_cast<size_t>(last - hold.steps.begin())], 1);
    }
  }
}

}  // namespace

Affine PresenceOf(const Model& model, ValueId tensor, PadId pad, int64_t step) {
  Affine presence;
  const TensorColumns& columns = model.tensors[tensor];
  for (const PadColumn& stay : columns.stays_in) {
    if (stay.pad == pad) presence.Add(stay.column, 1);
  }
  const TensorLife& life = model.lives[tensor];
  if (life.written && life.written->step == step) {
    for (const PadColumn& into : columns.written_into) {
      if (into.pad == pad) presence.Add(into.column, 1);
    }
    return presence;
  }
  for (const ReadColumns& read : columns.reads) {
    if (step <= read.before || step > read.step) continue;
    for (const ReadColumns::Pad& in : read.pads) {
      if (in.pad != pad) continue;
      const auto came = static_cast<size_t>(
          std::upper_bound(in.steps.begin(), in.steps.end(), step) - in.steps.begin());
      if (in.present[came] >= 0) presence.Add(in.present[came], 1);
      if (step == read.step && in.fetched >= 0) presence.Add(in.fetched, 1);
    }
    for (const ReadColumns::Move& move : read.moves) {
      if ((move.to == pad && move.step <= step) ||
          (move.from == pad && move.step >= step && step < read.step)) {
        presence.Add(move.column, 1);
      }
    }
    if (step < read.step) AddHeld(read.holds, pad, step, &presence);
  }
  if (step > LastUse(life)) AddHeld(columns.tail, pad, step, &presence);
  return presence;
}

Affine PresenceBefore(const Model& model, ValueId tensor, PadId pad, int64_t step) {
  Affine presence = PresenceOf(model, tensor, pad, step);
  for (const ReadColumns& read : model.tensors[tensor].reads) {
    for (const ReadColumns::Move& move : read.moves) {
      if (move.to == pad && move.step == step) presence.Add(move.column, -1);
    }
  }
  presence.Merge();
  return presence;
}

}  // namespace inlay::exact
