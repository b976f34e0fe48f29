#include <algorithm>

#include "inlay/scratchpad/exact/model_builder.h"

namespace inlay::exact {

bool ModelBuilder::MayLie(ValueId tensor, PadId pad, int64_t step) const {
  return Reaches(problem_.machine, NodeAt(step).unit, pad) && CanHold(problem_, tensor, pad);
}

bool ModelBuilder::GainsAlone(ValueId tensor, const TensorUse& use) const {
  for (const Tiling& tiling : NodeAt(use.step).tilings) {
    const OperandTraffic& traffic = tiling.operands[use.operand];
    if (traffic.bytes > problem_.tensors[tensor].bytes || traffic.workspace_bytes > 0) return true;
  }
  return false;
}

void ModelBuilder::AddTensors() {
  model.tensors.resize(problem_.tensors.size());
  for (const ValueId tensor : Ids(problem_.tensors)) {
    if (Stopped()) return;
    AddTensor(tensor);
  }
}

void ModelBuilder::AddTensor(ValueId tensor) {
  const TensorLife& life = model.lives[tensor];
  if (!life.written && life.reads.empty()) return;
  if (life.written) AddWritten(tensor);
  if (problem_.weights_stay && problem_.tensors[tensor].weight) AddStays(tensor);
  for (size_t j = 0; j < life.reads.size(); ++j) AddRead(tensor, j);
  AddLate(tensor);
  for (size_t j = 0; j < life.reads.size(); ++j) AddFlow(tensor, j);
  AddLastFlow(tensor);
}

void ModelBuilder::AddWritten(ValueId tensor) {
  TensorColumns& columns = model.tensors[tensor];
  const TensorLife& life = model.lives[tensor];
  const bool needed = IsNeededAtEnd(tensor);
  // Written into a pad it has to be read from there, or to be written back later; a tensor that no
  // step reads can be there for nothing.
  const bool alone = GainsAlone(tensor, *life.written) || (life.reads.empty() && !needed) ||
                     !LateSteps(tensor).empty();
  columns.written_back = AddColumn(0, 1, false);
  Affine somewhere;
  somewhere.Add(columns.written_back, 1);
  for (const PadId pad : Ids(problem_.machine.pads)) {
    if ((!alone && life.reads.empty()) || !MayLie(tensor, pad, life.written->step)) continue;
    columns.written_into.push_back({pad, AddBinary()});
    somewhere.Add(columns.written_into.back().column, 1);
  }
  AddRow(somewhere, 1, milp::kInfinity);
  if (columns.written_into.size() < 2) return;
  Affine once;
  for (const PadColumn& in : columns.written_into) once.Add(in.column, 1);
  AddRow(once, 0, 1);
}

void ModelBuilder::AddStays(ValueId tensor) {
  for (const PadId pad : Ids(problem_.machine.pads)) {
    const std::vector<TensorUse>& reads = model.lives[tensor].reads;
    const bool reached = std::all_of(reads.begin(), reads.end(), [&](const TensorUse& use) {
      return MayLie(tensor, pad, use.step);
    });
    if (reached) model.tensors[tensor].stays_in.push_back({pad, AddBinary()});
  }
}

void ModelBuilder::AddRead(ValueId tensor, size_t read) {
  const TensorLife& life = model.lives[tensor];
  const TensorUse& use = life.reads[read];
  ReadColumns columns;
  columns.step = use.step;
  columns.operand = use.operand;
  if (read > 0) {
    columns.before = life.reads[read - 1].step;
  } else if (life.written) {
    columns.before = life.written->step;
  }
  columns.streamed = AddBinary();
  const bool last = read + 1 == life.reads.size();
  for (const PadId pad : Ids(problem_.machine.pads)) {
    if (!MayLie(tensor, pad, use.step)) continue;
    ReadColumns::Pad columns_in;
    columns_in.pad = pad;
    const bool can_keep =
        columns.before >= 0 ? MayLie(tensor, pad, columns.before) : begins_inside_;
    columns_in.present.push_back(can_keep ? AddBinary() : -1);
    if (copy_steps_.prefetched[tensor][read]) {
      columns_in.steps = CopyStepsBetween(columns.before, columns.step);
      for (size_t k = 0; k < columns_in.steps.size(); ++k) {
        columns_in.present.push_back(AddBinary());
      }
    }
    if (!last || GainsAlone(tensor, use)) columns_in.fetched = AddBinary();
    columns.pads.push_back(std::move(columns_in));
  }
  AddMoves(tensor, &columns);
  if (life.written) columns.holds = AddHolds(tensor, columns.before, columns.step);
  model.tensors[tensor].reads.push_back(std::move(columns));
}

// What an interval finds in a pad can be moved as well; no unit of its own need reach that pad.
void ModelBuilder::AddMoves(ValueId tensor, ReadColumns* columns) {
  if (columns->before < 0 && used_outside_[tensor] == 0) return;
  const auto add = [&](PadId from, PadId to) {
    const bool was_there = columns->before < 0 ? CanHold(problem_, tensor, from)
                                               : MayLie(tensor, from, columns->before);
    if (!was_there || !MayLie(tensor, to, columns->step)) return;
    for (int64_t t = columns->before + 1; t < columns->step; ++t) {
      columns->moves.push_back({from, to, t, AddBinary()});
    }
  };
  for (const auto& [a, b] : problem_.machine.dma.moves) {
    add(a, b);
    add(b, a);
  }
}

std::vector<int64_t> ModelBuilder::CopyStepsBetween(int64_t after, int64_t before) const {
  const auto begin = std::upper_bound(copy_steps_.steps.begin(), copy_steps_.steps.end(), after);
  const auto end = std::lower_bound(begin, copy_steps_.steps.end(), before);
  return {begin, end};
}

// The steps in which the tensor can be written back to some use, after the one that writes it.
std::vector<int64_t> ModelBuilder::LateSteps(ValueId tensor) const {
  const TensorLife& life = model.lives[tensor];
  const auto end = IsNeededAtEnd(tensor) ? static_cast<int64_t>(model.order.size())
                   : life.reads.empty()  ? int64_t{0}
                                         : life.reads.back().step;
  std::vector<int64_t> steps;
  if (!life.written) return steps;
  if (model.objective == PlanObjective::kLatency && copy_steps_.late[tensor] != 0) {
    return CopyStepsBetween(life.written->step, end);
  }
  // Energy depends on the pad that it is written back from, so on moves alone; of the steps after a
  // move any will do.
  if (model.objective == PlanObjective::kEnergy && !problem_.machine.dma.moves.empty()) {
    for (const TensorUse& read : life.reads) {
      for (const int64_t step : {read.step - 1, read.step}) {
        const int64_t last = steps.empty() ? life.written->step : steps.back();
        if (last < step && step < end) steps.push_back(step);
      }
    }
  }
  return steps;
}

// It stays in a pad after the use in step `after`, and leaves before the one in step `before`.
std::vector<HoldColumns> ModelBuilder::AddHolds(ValueId tensor, int64_t after, int64_t before) {
  std::vector<HoldColumns> holds;
  if (model.objective != PlanObjective::kLatency) return holds;  // it could be written back before
  HoldColumns hold;
  for (const int64_t step : LateSteps(tensor)) {
    if (after < step && step < before) hold.steps.push_back(step);
  }
  if (hold.steps.empty()) return holds;
  for (const PadId pad : Ids(problem_.machine.pads)) {
    if (!MayLie(tensor, pad, after)) continue;
    hold.pad = pad;
    hold.until.clear();
    for (size_t k = 0; k < hold.steps.size(); ++k) {
      hold.until.push_back(AddBinary());
      if (k == 0) continue;
      Affine fall;
      fall.Add(hold.until[k - 1], 1);
      fall.Add(hold.until[k], -1);
      AddRow(fall, 0, 1);
    }
    holds.push_back(hold);
  }
  return holds;
}

void ModelBuilder::AddLate(ValueId tensor) {
  TensorColumns& columns = model.tensors[tensor];
  const int64_t last = LastUse(model.lives[tensor]);
  if (IsNeededAtEnd(tensor) && columns.written_back >= 0) {
    columns.tail = AddHolds(tensor, last, static_cast<int64_t>(model.order.size()));
  }
  for (const int64_t step : LateSteps(tensor)) {
    for (const PadId pad : Ids(problem_.machine.pads)) {
      Affine there = PresenceBefore(model, tensor, pad, step);
      if (there.terms.empty()) continue;
      columns.late.push_back({pad, step, AddBinary()});
      there.Add(columns.late.back().column, -1);
      AddRow(there, 0, milp::kInfinity);
    }
  }
}

Affine ModelBuilder::OffChipBefore(ValueId tensor, int64_t step) const {
  const TensorColumns& columns = model.tensors[tensor];
  Affine off_chip;
  off_chip.Add(columns.written_back, 1);
  for (const LateColumn& late : columns.late) {
    if (late.step < step) off_chip.Add(late.column, 1);
  }
  return off_chip;
}

// What is prefetched was off chip before that step.
void ModelBuilder::AddPrefetchTimes(ValueId tensor, const ReadColumns& read) {
  const std::vector<LateColumn>& late = model.tensors[tensor].late;
  if (read.pads.empty()) return;
  const std::vector<int64_t>& steps = read.pads.front().steps;
  for (size_t k = 0; k < steps.size(); ++k) {
    const bool later = std::any_of(late.begin(), late.end(), [&](const LateColumn& column) {
      return steps[k] <= column.step && column.step < read.step;
    });
    if (!later) continue;
    Affine prefetched;
    for (const ReadColumns::Pad& in : read.pads) {
      prefetched.Add(in.present[k + 1], 1);
      if (in.present[0] >= 0) prefetched.Add(in.present[0], -1);
    }
    prefetched.Add(OffChipBefore(tensor, steps[k]), -1);
    AddRow(prefetched, -milp::kInfinity, 0);
  }
}

// Held after the last use only where it lay then; off chip in the end.
void ModelBuilder::AddLastFlow(ValueId tensor) {
  const TensorColumns& columns = model.tensors[tensor];
  if (columns.written_back < 0) return;
  for (const HoldColumns& hold : columns.tail) {
    Affine held = PresenceOf(model, tensor, hold.pad, LastUse(model.lives[tensor]));
    held.Add(hold.until[0], -1);
    AddRow(held, 0, milp::kInfinity);
  }
  if (IsNeededAtEnd(tensor)) {
    AddRow(OffChipBefore(tensor, static_cast<int64_t>(model.order.size())), 1, milp::kInfinity);
  }
}

// One way to each read; kept or moved only from where it lay; from off chip only what was written
// there.
void ModelBuilder::AddFlow(ValueId tensor, size_t read) {
  const TensorColumns& columns = model.tensors[tensor];
  const ReadColumns& now = columns.reads[read];
  Affine ways, from_offchip;
  ways.Add(now.streamed, 1);
  from_offchip.Add(now.streamed, 1);
  for (const PadColumn& stay : columns.stays_in) ways.Add(stay.column, 1);
  for (const ReadColumns::Move& move : now.moves) ways.Add(move.column, 1);
  for (const ReadColumns::Pad& in : now.pads) {
    if (in.fetched >= 0) {
      ways.Add(in.fetched, 1);
      from_offchip.Add(in.fetched, 1);
    }
    for (size_t k = 1; k < in.present.size(); ++k) {
      if (in.present[k - 1] < 0) continue;
      Affine rise;
      rise.Add(in.present[k], 1);
      rise.Add(in.present[k - 1], -1);
      AddRow(rise, 0, 1);
    }
    if (in.present.back() >= 0) {
      ways.Add(in.present.back(), 1);
      from_offchip.Add(in.present.back(), 1);
    }
    if (in.present[0] >= 0) from_offchip.Add(in.present[0], -1);
  }
  AddRow(ways, 1, 1);
  if (columns.written_back >= 0) {
    from_offchip.Add(OffChipBefore(tensor, now.step), -1);
    AddRow(from_offchip, -milp::kInfinity, 0);
    AddPrefetchTimes(tensor, now);
  }
  if (now.before < 0) return;
  for (const PadId pad : Ids(problem_.machine.pads)) {
    Affine kept;
    for (const ReadColumns::Pad& in : now.pads) {
      if (in.pad == pad && in.present[0] >= 0) kept.Add(in.present[0], 1);
    }
    for (const ReadColumns::Move& move : now.moves) {
      if (move.from == pad) kept.Add(move.column, 1);
    }
    for (const HoldColumns& hold : now.holds) {
      if (hold.pad == pad) kept.Add(hold.until[0], 1);
    }
    if (kept.terms.empty()) continue;
    Affine there = PresenceOf(model, tensor, pad, now.before);
    for (const PadColumn& stay : columns.stays_in) {
      if (stay.pad == pad) there.Add(stay.column, -1);  // what stays is not kept
    }
    kept.Add(there, -1);
    AddRow(kept, -milp::kInfinity, 0);
  }
}

}  // namespace inlay::exact
