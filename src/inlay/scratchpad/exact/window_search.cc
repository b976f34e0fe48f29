#include "inlay/scratchpad/exact/window_search.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "inlay/base/rng.h"
#include "inlay/scratchpad/exact/no_good.h"
#include "inlay/scratchpad/milp/extract.h"
#include "inlay/scratchpad/milp/solver.h"

namespace inlay::exact {
namespace {

constexpr size_t kFirstSize = 200, kLeastSize = 60, kMostSize = 3000;  // free columns of a part
constexpr int64_t kNodes = 60;                                         // for a part
constexpr int64_t kReach = 30;       // steps before a read in which its prefetch is free
constexpr double kLeastGain = 1e-6;  // of the program's value

// The integer columns that belong to a step: what it decides, and how its operands get there.
std::vector<std::vector<int>> ColumnsByStep(const Model& model) {
  std::vector<std::vector<int>> by_step(model.order.size());
  const auto at = [&](int64_t step) -> std::vector<int>& {
    return by_step[static_cast<size_t>(step)];
  };
  for (const ValueId tensor : Ids(model.tensors)) {
    const TensorColumns& columns = model.tensors[tensor];
    if (model.lives[tensor].written) {
      for (const PadColumn& into : columns.written_into) {
        at(model.lives[tensor].written->step).push_back(into.column);
      }
    }
    for (const LateColumn& late : columns.late) at(late.step).push_back(late.column);
    for (const HoldColumns& hold : columns.tail) {
      for (size_t k = 0; k < hold.steps.size(); ++k) at(hold.steps[k]).push_back(hold.until[k]);
    }
    for (const ReadColumns& read : columns.reads) {
      for (const HoldColumns& hold : read.holds) {
        for (size_t k = 0; k < hold.steps.size(); ++k) at(hold.steps[k]).push_back(hold.until[k]);
      }
      at(read.step).push_back(read.streamed);
      for (const PadColumn& stay : columns.stays_in) at(read.step).push_back(stay.column);
      for (const ReadColumns::Move& move : read.moves) at(read.step).push_back(move.column);
      for (const ReadColumns::Pad& in : read.pads) {
        if (in.fetched >= 0) at(read.step).push_back(in.fetched);
        if (in.present[0] >= 0) at(read.step).push_back(in.present[0]);
        for (size_t k = 0; k < in.steps.size(); ++k) {
          if (in.steps[k] >= read.step - kReach) at(read.step).push_back(in.present[k + 1]);
        }
      }
    }
  }
  for (size_t t = 0; t < model.steps.size(); ++t) {
    for (const int column : model.steps[t].tiling) by_step[t].push_back(column);
  }
  return by_step;
}

class Search {
 public:
  Search(const Model& model, const milp::Milp& with_cuts, const std::vector<double>& relaxed,
         const WindowSearchOptions& options, const Deadline& deadline, PlacedPlan* best,
         const PlacedSink& sink)
      : model_(model),
        relaxed_(relaxed),
        options_(options),
        deadline_(deadline),
        best_(best),
        sink_(sink),
        extractor_(with_cuts),
        by_step_(ColumnsByStep(model)),
        random_(options.seed) {}

  int64_t Run() {
    Take(best_->choices);
    int failures = 0;
    for (int64_t i = 0; failures < options_.patience && !deadline_.Passed() && !values_.empty() &&
                        best_value_ > options_.target;
         ++i) {
      const bool by_relaxation = !relaxed_.empty() && i % 3 == 0;
      failures = SolvePart(by_relaxation ? DifferingColumns() : WindowColumns()) ? 0 : failures + 1;
    }
    return solved_;
  }

 private:
  void Take(const Choices& choices) {
    best_value_ = ValueOf(FiguresOf(*model_.problem, choices), model_.objective);
    values_ = Completed(model_, ValuesOf(model_, choices), deadline_);
  }

  // Steps around a random one, as many as there is room for.
  std::vector<int> WindowColumns() {
    const auto steps = static_cast<int64_t>(by_step_.size());
    auto from = static_cast<int64_t>(UniformBelow(random_, by_step_.size()));
    int64_t to = from;
    std::vector<int> columns;
    while (columns.size() < size_ && (from > 0 || to < steps)) {
      const bool forward = to < steps && (from == 0 || UniformBelow(random_, 2) == 0);
      const std::vector<int>& more = by_step_[static_cast<size_t>(forward ? to++ : --from)];
      columns.insert(columns.end(), more.begin(), more.end());
    }
    return columns;
  }

  // Where the relaxation says something else, in a window that is so large that there is room.
  std::vector<int> DifferingColumns() {
    const size_t begin = UniformBelow(random_, by_step_.size());
    std::vector<int> columns;
    for (size_t k = 0; k < by_step_.size() && columns.size() < size_; ++k) {
      for (const int column : by_step_[(begin + k) % by_step_.size()]) {
        const auto j = static_cast<size_t>(column);
        if (std::abs(relaxed_[j] - values_[j]) > 0.01) columns.push_back(column);
      }
    }
    return columns;
  }

  // True: a better plan.
  bool SolvePart(std::vector<int> columns) {
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    if (columns.empty()) return false;
    if (const std::optional<bool> finished = WasInVain(columns)) {
      Resize(*finished);
      return false;
    }
    const milp::Extractor::Part part = extractor_.Extract(values_, columns);
    milp::MilpOptions options;
    options.cutoff = part.value - kLeastGain * milp::ObjectiveOf(model_.milp, values_);
    options.node_limit = kNodes;
    options.thorough = false;
    const milp::MilpAnswer answer = milp::SolveMilp(part.milp, options, deadline_);
    ++solved_;
    Resize(answer.finished);
    if (answer.values.empty()) {
      in_vain_.push_back({std::move(columns), answer.finished});
      return false;
    }
    std::vector<double> values = values_;
    for (size_t k = 0; k < part.columns.size(); ++k) {
      values[static_cast<size_t>(part.columns[k])] = answer.values[k];
    }
    return Offer(std::move(values));
  }

  void Resize(bool finished) {
    const double size = static_cast<double>(size_) * (finished ? 1.15 : 0.8);
    size_ = std::clamp(static_cast<size_t>(size), kLeastSize, kMostSize);
  }

  // A part that was solved before, or lies within one that was finished, gives no better answer to
  // the same plan: nullopt unless it is one; else whether it was finished. The parts of a small
  // program are all the same.
  std::optional<bool> WasInVain(const std::vector<int>& columns) const {
    for (const InVain& old : in_vain_) {
      if (old.columns == columns) return old.finished;
      if (old.finished &&
          std::includes(old.columns.begin(), old.columns.end(), columns.begin(), columns.end())) {
        return true;
      }
    }
    return std::nullopt;
  }

  bool Offer(std::vector<double> values) {
    const Choices choices = ChoicesOf(model_, values);
    IncrementalCost costs(*model_.problem, model_.objective, choices);
    std::optional<PlacedPlan> placed =
        PlaceWithEvictions({.cost = best_value_}, &costs, &deadline_);
    if (!placed) {
      Exclude(choices, values);
      return false;
    }
    const double value = ValueOf(FiguresOf(*model_.problem, placed->choices), model_.objective);
    if (value >= best_value_) return false;
    in_vain_.clear();
    *best_ = std::move(*placed);
    if (best_->choices.tensors == choices.tensors) {
      best_value_ = value;
      values_ = std::move(values);
    } else {
      Take(best_->choices);  // some were kept out of a pad to find addresses
    }
    if (sink_) sink_(*best_, value);
    return true;
  }

  // Does not look for these again.
  void Exclude(const Choices& choices, const std::vector<double>& values) {
    const Choices full = IncrementalCost(*model_.problem, model_.objective, choices).Snapshot();
    const auto plan = PlanFrom(*model_.problem, full, kAddressNodes, &deadline_);
    if (plan) return;
    if (auto no_good = MakeNoGood(model_, full, values, plan.error())) {
      extractor_.AddRow(std::move(no_good->row));
    }
  }

  const Model& model_;
  const std::vector<double>& relaxed_;
  const WindowSearchOptions& options_;
  const Deadline& deadline_;
  PlacedPlan* best_;
  const PlacedSink& sink_;
  milp::Extractor extractor_;
  std::vector<std::vector<int>> by_step_;
  Rng random_;
  struct InVain {
    std::vector<int> columns;  // ascending
    bool finished = false;
  };
  std::vector<InVain> in_vain_;  // parts without a better answer than the best plan
  int64_t solved_ = 0;
  std::vector<double> values_;  // of the best plan; empty if the model has none for it
  double best_value_ = 0;
  size_t size_ = kFirstSize;
};

// Whether what would be overwritten is written back in this step or later.
bool IsStillNeeded(const Model& model, const InPlaceColumn& pair, int64_t step,
                   const std::vector<double>& values) {
  const TensorColumns& under = model.tensors[pair.under];
  const auto is = [&](int column) { return values[static_cast<size_t>(column)] > 0.5; };
  return std::any_of(under.late.begin(), under.late.end(),
                     [&](const LateColumn& late) {
                       return late.step == step && late.pad == pair.pad && is(late.column);
                     }) ||
         std::any_of(under.tail.begin(), under.tail.end(), [&](const HoldColumns& hold) {
           return hold.pad == pair.pad && is(hold.until.front());
         });
}

// The first pair that can share a place does: that costs nothing.
void FixInPlace(const Model& model, size_t step, const std::vector<double>& values,
                milp::Milp* milp) {
  const std::vector<Operand>& operands = model.problem->nodes[model.order[step]].operands;
  const auto written = std::find_if(operands.begin(), operands.end(),
                                    [](const Operand& operand) { return operand.written; });
  bool taken = false;
  for (const InPlaceColumn& pair : model.steps[step].in_place) {
    const auto at = static_cast<int64_t>(step);
    const bool both = PresenceOf(model, pair.under, pair.pad, at).At(values) > 0.5 &&
                      PresenceOf(model, written->tensor, pair.pad, at).At(values) > 0.5 &&
                      !IsStillNeeded(model, pair, at, values);
    milp::Column& column = milp->columns[static_cast<size_t>(pair.column)];
    column.lower = column.upper = both && !taken ? 1 : 0;
    taken = taken || both;
  }
}

}  // namespace

std::vector<double> Completed(const Model& model, const std::vector<double>& integers,
                              const Deadline& deadline) {
  milp::Milp fixed = model.milp;
  for (size_t j = 0; j < fixed.columns.size(); ++j) {
    if (fixed.columns[j].integer) fixed.columns[j].lower = fixed.columns[j].upper = integers[j];
  }
  for (size_t s = 0; s < model.steps.size(); ++s) FixInPlace(model, s, integers, &fixed);
  milp::Relaxation relaxation(fixed);
  if (relaxation.Solve(deadline) != milp::Relaxation::Status::kOptimal) return {};
  std::vector<double> values = relaxation.values();
  for (size_t j = 0; j < values.size(); ++j) {
    if (fixed.columns[j].integer) values[j] = integers[j];
  }
  // Cuts hold where these are 0 or 1. What is needed is; more than that was free, and so is less.
  for (const TensorColumns& tensor : model.tensors) {
    if (tensor.written_back < 0) continue;
    double& value = values[static_cast<size_t>(tensor.written_back)];
    value = std::floor(value + 1e-6);
  }
  return values;
}

int64_t ImproveByParts(const Model& model, const milp::Milp& with_cuts,
                       const std::vector<double>& relaxed, const WindowSearchOptions& options,
                       const Deadline& deadline, PlacedPlan* best, const PlacedSink& sink) {
  return Search(model, with_cuts, relaxed, options, deadline, best, sink).Run();
}

}  // namespace inlay::exact
