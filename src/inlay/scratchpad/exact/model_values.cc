#include <algorithm>

#include "inlay/base/check.h"
#include "inlay/scratchpad/exact/model.h"
#include "inlay/scratchpad/step_cost.h"

namespace inlay::exact {
namespace {

using Way = ReadChoice::Way;

ReadChoice ReadChoiceOf(const ReadColumns& read, const std::vector<double>& values) {
  const auto is = [&](int column) {
    return column >= 0 && values[static_cast<size_t>(column)] > 0.5;
  };
  for (const ReadColumns::Move& move : read.moves) {
    if (is(move.column)) return {Way::kMoved, move.to, move.step};
  }
  for (const ReadColumns::Pad& in : read.pads) {
    if (is(in.present[0])) return {Way::kKept, in.pad, 0};
    for (size_t k = 1; k < in.present.size(); ++k) {
      if (is(in.present[k])) return {Way::kPrefetched, in.pad, in.steps[k - 1]};
    }
    if (is(in.fetched)) return {Way::kFetched, in.pad, 0};
  }
  return {};
}

TensorChoice TensorChoiceOf(const Model& model, ValueId tensor, const std::vector<double>& values) {
  const TensorColumns& columns = model.tensors[tensor];
  TensorChoice choice;
  for (const PadColumn& stay : columns.stays_in) {
    if (values[static_cast<size_t>(stay.column)] < 0.5) continue;
    choice.stays_in = stay.pad;
    choice.reads.assign(columns.reads.size(), {Way::kKept, stay.pad, 0});
    return choice;
  }
  for (const PadColumn& into : columns.written_into) {
    if (values[static_cast<size_t>(into.column)] > 0.5) choice.written_into = into.pad;
  }
  bool offchip = model.problem->tensors[tensor].needed_after || !choice.written_into;
  for (const ReadColumns& read : columns.reads) {
    choice.reads.push_back(ReadChoiceOf(read, values));
    const Way way = choice.reads.back().way;
    offchip = offchip || (way != Way::kKept && way != Way::kMoved);
  }
  if (!model.lives[tensor].written || !offchip) return choice;
  choice.written_back_at = model.lives[tensor].written->step;
  if (!choice.written_into || values[static_cast<size_t>(columns.written_back)] > 0.5)
    return choice;
  // The first write-back is in time for all that needs it.
  for (const LateColumn& late : columns.late) {
    if (values[static_cast<size_t>(late.column)] < 0.5) continue;
    choice.written_back_at = late.step;
    break;
  }
  return choice;
}

// Where each operand of a step lies.
std::vector<std::optional<PadId>> PlacesAt(const Model& model, const Choices& choices,
                                           size_t step) {
  const PlanNode& node = model.problem->nodes[model.order[step]];
  std::vector<std::optional<PadId>> places;
  for (const Operand& operand : node.operands) {
    const TensorChoice& choice = choices.tensors[operand.tensor];
    if (operand.written) {
      places.push_back(choice.written_into);
      continue;
    }
    const std::vector<TensorUse>& reads = model.lives[operand.tensor].reads;
    const auto use = std::find_if(reads.begin(), reads.end(), [&](const TensorUse& read) {
      return read.step == static_cast<int64_t>(step);
    });
    const ReadChoice& read = choice.reads[static_cast<size_t>(use - reads.begin())];
    places.push_back(read.way == Way::kStreamed ? std::nullopt : std::optional(read.pad));
  }
  return places;
}

// Where one tensor can take the place of another, it does: it costs nothing.
std::optional<ValueId> InPlaceAt(const Model& model, const Choices& choices, size_t step) {
  const PlanNode& node = model.problem->nodes[model.order[step]];
  if (node.in_place.empty()) return std::nullopt;
  const auto places = PlacesAt(model, choices, step);
  const std::optional<PadId> pad = places[FirstWritten(node)];
  if (!pad) return std::nullopt;
  for (const ValueId under : node.in_place) {
    const auto now = static_cast<int64_t>(step);
    if (model.lives[under].reads.back().step == now && places[OperandOf(node, under)] == pad &&
        !(choices.tensors[under].written_back_at >= now)) {
      return under;
    }
  }
  return std::nullopt;
}

}  // namespace

Choices ChoicesOf(const Model& model, const std::vector<double>& values) {
  Choices choices;
  choices.order = model.order;
  choices.tensors.resize(model.tensors.size());
  for (const ValueId tensor : Ids(model.tensors)) {
    const TensorLife& life = model.lives[tensor];
    if (life.written || !life.reads.empty()) {
      choices.tensors[tensor] = TensorChoiceOf(model, tensor, values);
    }
  }
  for (size_t t = 0; t < model.order.size(); ++t) {
    const StepColumns& columns = model.steps[t];
    size_t chosen = columns.tilings[0];
    for (size_t i = 0; i < columns.tiling.size(); ++i) {
      if (values[static_cast<size_t>(columns.tiling[i])] > 0.5) chosen = columns.tilings[i];
    }
    choices.tilings.push_back(chosen);
    choices.in_place.push_back(InPlaceAt(model, choices, t));
  }
  return choices;
}

namespace {

// Sets the columns of one tensor; what has none is replaced by what costs no more.
class ValueSetter {
 public:
  ValueSetter(const Model& model, std::vector<double>* values) : model_(model), values_(*values) {}

  void SetTensor(ValueId tensor, const TensorChoice& choice) {
    const TensorColumns& columns = model_.tensors[tensor];
    if (choice.stays_in) {
      for (const PadColumn& stay : columns.stays_in) Set(stay.column, stay.pad == *choice.stays_in);
      return;
    }
    bool offchip = model_.problem->tensors[tensor].needed_after || columns.written_into.empty();
    int at = kNowhere;
    for (const PadColumn& into : columns.written_into) {
      if (choice.written_into != into.pad) continue;
      Set(into.column, true);
      at = Number(into.pad);
    }
    offchip = offchip || at == kNowhere;
    const int64_t late = LateStep(tensor, choice, at);
    for (size_t j = 0; j < columns.reads.size(); ++j) {
      const ReadColumns& read = columns.reads[j];
      const int before = at;
      const bool fetched = SetRead(read, choice.reads[j], &at);
      offchip |= fetched;
      if (read.before < late && late <= read.step) {
        SetLate(columns, late, fetched ? before : PadAt(choice.reads[j], before, late));
        if (fetched) SetHeld(read.holds, before, late);
      }
    }
    if (late > LastUse(model_.lives[tensor])) {
      SetLate(columns, late, at);
      SetHeld(columns.tail, at, late);
    }
    if (columns.written_back >= 0) Set(columns.written_back, offchip && late < 0);
  }

 private:
  // The pad it lies in, by its number.
  static constexpr int kNowhere = -1;
  static int Number(PadId pad) { return static_cast<int>(pad.value()); }

  // The step of its late write-back; −1 if it has none, or none that the model knows.
  int64_t LateStep(ValueId tensor, const TensorChoice& choice, int at) const {
    if (at == kNowhere || !choice.written_back_at) return -1;
    const bool at_uses = model_.objective != PlanObjective::kLatency;
    const int64_t step =
        at_uses ? StepByUse(model_.lives[tensor], choice) : *choice.written_back_at;
    for (const LateColumn& late : model_.tensors[tensor].late) {
      if (late.step == step) return late.step;
    }
    return -1;
  }
  // What does not depend on time is written back in the use before, unless it has moved since.
  static int64_t StepByUse(const TensorLife& life, const TensorChoice& choice) {
    const int64_t step = *choice.written_back_at;
    int64_t before = life.written->step;
    for (size_t j = 0; j < life.reads.size(); ++j) {
      const int64_t now = life.reads[j].step;
      const ReadChoice& read = choice.reads[j];
      if (step < now) return read.way == Way::kMoved && step > read.step ? now - 1 : before;
      before = now;
    }
    return before;
  }
  // Where a tensor that is kept or moved lies in a step of the gap before a read, or at it.
  static int PadAt(const ReadChoice& choice, int before, int64_t step) {
    return choice.way == Way::kMoved && step > choice.step ? Number(choice.pad) : before;
  }
  void SetLate(const TensorColumns& columns, int64_t step, int at) {
    for (const LateColumn& late : columns.late) {
      if (late.step == step && Number(late.pad) == at) Set(late.column, true);
    }
  }
  void SetHeld(const std::vector<HoldColumns>& holds, int at, int64_t step) {
    for (const HoldColumns& hold : holds) {
      for (size_t k = 0; k < hold.steps.size() && Number(hold.pad) == at; ++k) {
        if (hold.steps[k] <= step) Set(hold.until[k], true);
      }
    }
  }

  void Set(int column, bool value) { values_[static_cast<size_t>(column)] = value ? 1 : 0; }

  // Whether it comes from off chip. `at`: the pad it lies in.
  bool SetRead(const ReadColumns& read, const ReadChoice& choice, int* at) {
    if (choice.way == Way::kMoved) {
      for (const ReadColumns::Move& move : read.moves) {
        if (*at != Number(move.from) || move.to != choice.pad || move.step != choice.step) continue;
        Set(move.column, true);
        *at = Number(move.to);
        return false;
      }
    }
    for (const ReadColumns::Pad& in : read.pads) {
      if (choice.way == Way::kStreamed || in.pad != choice.pad) continue;
      size_t first = in.present.size();  // present from here on
      if (choice.way == Way::kKept) first = 0;
      if (choice.way == Way::kPrefetched) {
        first = 1 + static_cast<size_t>(
                        std::lower_bound(in.steps.begin(), in.steps.end(), choice.step) -
                        in.steps.begin());
      }
      if (first < in.present.size()) {
        for (size_t k = first; k < in.present.size(); ++k) Set(in.present[k], true);
      } else if (in.fetched >= 0) {
        Set(in.fetched, true);
      } else {
        break;
      }
      *at = Number(in.pad);
      return first > 0;
    }
    Set(read.streamed, true);
    *at = kNowhere;
    return true;
  }

  const Model& model_;
  std::vector<double>& values_;
};

}  // namespace

std::vector<double> ValuesOf(const Model& model, const Choices& choices) {
  std::vector<double> values(model.milp.columns.size(), 0);
  ValueSetter setter(model, &values);
  for (const ValueId tensor : Ids(model.tensors)) {
    const TensorLife& life = model.lives[tensor];
    if (life.written || !life.reads.empty()) setter.SetTensor(tensor, choices.tensors[tensor]);
  }
  for (size_t t = 0; t < model.order.size(); ++t) {
    const StepColumns& columns = model.steps[t];
    if (columns.tiling.empty()) continue;
    const std::vector<Tiling>& tilings = model.problem->nodes[model.order[t]].tilings;
    size_t chosen = 0;
    while (!IsAsGood(tilings[columns.tilings[chosen]], tilings[choices.tilings[t]])) ++chosen;
    values[static_cast<size_t>(columns.tiling[chosen])] = 1;
  }
  return values;
}

}  // namespace inlay::exact
