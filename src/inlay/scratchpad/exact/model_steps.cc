#include <algorithm>
#include <utility>

#include "inlay/scratchpad/exact/model_builder.h"
#include "inlay/scratchpad/step_cost.h"

namespace inlay::exact {
namespace {

std::vector<size_t> WorthTilings(const PlanNode& node) {
  std::vector<size_t> worth;
  for (size_t i = 0; i < node.tilings.size(); ++i) {
    bool beaten = false;
    for (size_t other = 0; other < node.tilings.size() && !beaten; ++other) {
      if (other == i || !IsAsGood(node.tilings[other], node.tilings[i])) continue;
      beaten = other < i || !IsAsGood(node.tilings[i], node.tilings[other]);
    }
    if (!beaten) worth.push_back(i);
  }
  return worth;
}

}  // namespace

bool IsAsGood(const Tiling& a, const Tiling& b) {
  if (a.compute_seconds > b.compute_seconds || a.inside.bytes > b.inside.bytes ||
      a.inside.workspace_bytes > b.inside.workspace_bytes) {
    return false;
  }
  for (size_t i = 0; i < a.operands.size(); ++i) {
    if (a.operands[i].bytes > b.operands[i].bytes ||
        a.operands[i].workspace_bytes > b.operands[i].workspace_bytes) {
      return false;
    }
  }
  return true;
}

bool ModelBuilder::PadBytesMatter() const { return model.objective != PlanObjective::kBytes; }

void ModelBuilder::AddSteps() {
  model.steps.resize(model.order.size());
  bytes_.resize(model.order.size());
  for (size_t t = 0; t < model.order.size(); ++t) {
    if (Stopped()) return;
    bytes_[t].pads.resize(problem_.machine.pads.size());
    AddTilings(t, &bytes_[t]);
    const PlanNode& node = problem_.nodes[model.order[t]];
    for (size_t i = 0; i < node.operands.size(); ++i) {
      if (node.operands[i].written) {
        AddWrite(t, i, &bytes_[t]);
      } else {
        AddRead(t, i, &bytes_[t]);
      }
    }
  }
  for (const ValueId tensor : Ids(problem_.tensors)) AddCopies(tensor);
  for (size_t t = 0; t < model.order.size() && !Stopped(); ++t) AddStepCost(t);
}

void ModelBuilder::AddTilings(size_t step, StepBytes* bytes) {
  const PlanNode& node = problem_.nodes[model.order[step]];
  StepColumns& columns = model.steps[step];
  columns.tilings = WorthTilings(node);
  columns.least_seconds = milp::kInfinity;
  for (const size_t i : columns.tilings) {
    columns.least_seconds = std::min(columns.least_seconds, node.tilings[i].compute_seconds);
  }
  if (columns.tilings.size() < 2) {
    AddInside(node, node.tilings[columns.tilings.front()].inside, Affine{1, {}}, bytes);
    return;
  }
  Affine one;
  for (const size_t i : columns.tilings) {
    columns.tiling.push_back(AddBinary());
    one.Add(columns.tiling.back(), 1);
    Affine chosen;
    chosen.Add(columns.tiling.back(), 1);
    AddInside(node, node.tilings[i].inside, chosen, bytes);
  }
  AddRow(one, 1, 1);
}

// What a tiling does in the pad wherever the operands lie; `chosen` is 1 where it is taken.
void ModelBuilder::AddInside(const PlanNode& node, const OperandTraffic& inside,
                             const Affine& chosen, StepBytes* bytes) const {
  if (inside.bytes > 0) {
    bytes->pads[problem_.workspace_pad[node.unit]].Add(chosen, static_cast<double>(inside.bytes));
  }
  if (inside.workspace_bytes > 0) {
    bytes->workspace.Add(chosen, static_cast<double>(inside.workspace_bytes));
  }
}

// `off` and each of `in` are 0 or 1 in every answer, and their sum is 1.
void ModelBuilder::AddTraffic(size_t step, size_t operand, const Affine& off,
                              const std::vector<std::pair<PadId, Affine>>& in, StepBytes* bytes) {
  const PlanNode& node = problem_.nodes[model.order[step]];
  const StepColumns& columns = model.steps[step];
  const auto traffic = [&](size_t i) -> const OperandTraffic& {
    return node.tilings[columns.tilings[i]].operands[operand];
  };
  bool same = true;
  for (size_t i = 1; i < columns.tilings.size(); ++i) same = same && traffic(i) == traffic(0);
  std::vector<TimeGroups::Alternative>& group = bytes->offchip.back();
  if (same) {
    group.push_back({static_cast<double>(traffic(0).bytes), off});
    bytes->workspace.Add(off, static_cast<double>(traffic(0).workspace_bytes));
    for (const auto& [pad, there] : in) {
      bytes->pads[pad].Add(there, static_cast<double>(traffic(0).bytes));
    }
    return;
  }
  // Each place, split by tiling.
  Affine off_rest = off;
  std::vector<Affine> in_rest;
  in_rest.reserve(in.size());
  for (const auto& [pad, there] : in) in_rest.push_back(there);
  for (size_t i = 0; i < columns.tilings.size(); ++i) {
    Affine places;
    const auto split = [&](Affine* rest) {
      const int column = AddColumn(0, 1, false);
      rest->Add(column, -1);
      places.Add(column, 1);
      return column;
    };
    Affine part;
    part.Add(split(&off_rest), 1);
    bytes->workspace.Add(part, static_cast<double>(traffic(i).workspace_bytes));
    group.push_back({static_cast<double>(traffic(i).bytes), std::move(part)});
    for (size_t p = 0; p < in.size() && PadBytesMatter(); ++p) {
      bytes->pads[in[p].first].Add(split(&in_rest[p]), static_cast<double>(traffic(i).bytes));
    }
    places.Add(columns.tiling[i], -1);
    AddRow(places, PadBytesMatter() ? 0 : -milp::kInfinity, 0);
  }
  AddRow(off_rest, 0, 0);
  for (Affine& rest : in_rest) {
    if (PadBytesMatter()) AddRow(rest, 0, 0);
  }
}

void ModelBuilder::AddRead(size_t step, size_t operand, StepBytes* bytes) {
  const ValueId tensor = problem_.nodes[model.order[step]].operands[operand].tensor;
  const TensorColumns& columns = model.tensors[tensor];
  const auto size = static_cast<double>(problem_.tensors[tensor].bytes);
  const auto now = std::find_if(
      columns.reads.begin(), columns.reads.end(),
      [&](const ReadColumns& read) { return read.step == static_cast<int64_t>(step); });
  bytes->offchip.emplace_back();
  for (const ReadColumns::Pad& in : now->pads) {
    if (in.fetched < 0) continue;
    Affine fetched;
    fetched.Add(in.fetched, 1);
    bytes->pads[in.pad].Add(fetched, size);
    bytes->offchip.back().push_back({size, std::move(fetched)});
  }
  Affine off;
  off.Add(now->streamed, 1);
  std::vector<std::pair<PadId, Affine>> in;
  for (const PadId pad : Ids(problem_.machine.pads)) {
    Affine there = PresenceOf(model, tensor, pad, static_cast<int64_t>(step));
    if (!there.terms.empty()) in.emplace_back(pad, std::move(there));
  }
  AddTraffic(step, operand, off, in, bytes);
}

void ModelBuilder::AddWrite(size_t step, size_t operand, StepBytes* bytes) {
  const ValueId tensor = problem_.nodes[model.order[step]].operands[operand].tensor;
  const TensorColumns& columns = model.tensors[tensor];
  const auto size = static_cast<double>(problem_.tensors[tensor].bytes);
  Affine off, also;  // written off chip only; beside a pad
  off.constant = 1;
  also.constant = -1;
  also.Add(columns.written_back, 1);
  std::vector<std::pair<PadId, Affine>> in;
  for (const PadColumn& into : columns.written_into) {
    off.Add(into.column, -1);
    also.Add(into.column, 1);
    Affine there;
    there.Add(into.column, 1);
    in.emplace_back(into.pad, std::move(there));
  }
  bytes->offchip.emplace_back();
  if (!in.empty()) bytes->offchip.back().push_back({size, also});
  if (in.size() == 1) {
    bytes->pads[in[0].first].Add(also, size);
  } else if (in.size() > 1 && PadBytesMatter()) {
    Affine rest = also;
    for (const PadColumn& into : columns.written_into) {
      const int from_here = AddColumn(0, 1, false);
      rest.Add(from_here, -1);
      bytes->pads[into.pad].Add(from_here, size);
      Affine only_there;
      only_there.Add(into.column, 1);
      only_there.Add(from_here, -1);
      AddRow(only_there, 0, 1);
    }
    AddRow(rest, 0, 0);
  }
  AddTraffic(step, operand, off, in, bytes);
}

// Prefetches, moves and late write-backs.
void ModelBuilder::AddCopies(ValueId tensor) {
  const int64_t size = problem_.tensors[tensor].bytes;
  const Machine& machine = problem_.machine;
  int64_t group_of = -1;
  for (const LateColumn& late : model.tensors[tensor].late) {
    StepBytes& step = bytes_[static_cast<size_t>(late.step)];
    step.pads[late.pad].Add(late.column, static_cast<double>(size));
    Affine here;
    here.Add(late.column, 1);
    if (late.step != group_of) step.offchip.emplace_back();
    group_of = late.step;
    step.offchip.back().push_back({static_cast<double>(size), std::move(here)});
  }
  for (const ReadColumns& read : model.tensors[tensor].reads) {
    for (const ReadColumns::Pad& in : read.pads) {
      const double dma = DmaSeconds(machine, TransferKind::kPrefetch, std::nullopt, in.pad, size);
      for (size_t k = 0; k < in.steps.size(); ++k) {
        Affine here;
        here.Add(in.present[k + 1], 1);
        if (in.present[k] >= 0) here.Add(in.present[k], -1);
        StepBytes& step = bytes_[static_cast<size_t>(in.steps[k])];
        step.pads[in.pad].Add(here, static_cast<double>(size));
        step.dma.Add(here, dma);
        step.offchip.push_back({{static_cast<double>(size), std::move(here)}});
      }
    }
    for (const ReadColumns::Move& move : read.moves) {
      StepBytes& step = bytes_[static_cast<size_t>(move.step)];
      step.pads[move.from].Add(move.column, static_cast<double>(size));
      step.pads[move.to].Add(move.column, static_cast<double>(size));
      step.dma.Add(move.column, DmaSeconds(machine, TransferKind::kMove, move.from, move.to, size));
    }
  }
}

void ModelBuilder::AddStepCost(size_t step) {
  const StepBytes& bytes = bytes_[step];
  const Machine& machine = problem_.machine;
  Affine offchip;
  for (const auto& group : bytes.offchip) {
    for (const TimeGroups::Alternative& way : group) offchip.Add(way.when, way.seconds);
  }
  if (model.objective == PlanObjective::kBytes) {
    AddCost(offchip, 1);
    return;
  }
  if (model.objective == PlanObjective::kEnergy) {
    AddCost(offchip, machine.offchip.pj_per_byte);
    for (const PadId pad : Ids(machine.pads))
      AddCost(bytes.pads[pad], machine.pads[pad].pj_per_byte);
    return;
  }
  const PlanNode& node = problem_.nodes[model.order[step]];
  const StepColumns& columns = model.steps[step];
  std::vector<Affine> waits;
  const auto wait = [&](const Affine& amount, double rate) {
    Affine seconds;
    seconds.Add(amount, 1 / rate);
    seconds.Merge();
    if (UpperOf(seconds) > columns.least_seconds) waits.push_back(std::move(seconds));
  };
  if (machine.offchip.bytes_per_second) wait(offchip, *machine.offchip.bytes_per_second);
  for (const PadId pad : Ids(machine.pads)) {
    if (machine.pads[pad].bytes_per_second)
      wait(bytes.pads[pad], *machine.pads[pad].bytes_per_second);
  }
  wait(bytes.dma, static_cast<double>(machine.dma.engines));
  Affine computing;
  for (size_t i = 0; i < columns.tiling.size(); ++i) {
    computing.Add(columns.tiling[i], node.tilings[columns.tilings[i]].compute_seconds);
  }
  if (UpperOf(computing) > columns.least_seconds) waits.push_back(std::move(computing));
  if (waits.empty()) {
    model.milp.constant += columns.least_seconds / model.unit;
    return;
  }
  for (const Affine& seconds : waits) AddTimeRow(step, seconds);
  if (!machine.offchip.bytes_per_second) return;
  TimeGroups groups;
  groups.step = static_cast<int64_t>(step);
  for (auto group : bytes.offchip) {
    for (TimeGroups::Alternative& way : group) {
      way.seconds /= *machine.offchip.bytes_per_second;
      way.when.Merge();
    }
    if (!group.empty()) groups.groups.push_back(std::move(group));
  }
  model.time_groups.push_back(std::move(groups));
}

double ModelBuilder::UpperOf(const Affine& sum) const {
  double upper = sum.constant;
  for (const milp::Term& term : sum.terms) {
    const milp::Column& column = model.milp.columns[static_cast<size_t>(term.column)];
    upper += term.coefficient * (term.coefficient > 0 ? column.upper : column.lower);
  }
  return upper;
}

void ModelBuilder::AddTimeRow(size_t step, const Affine& seconds) {
  StepColumns& columns = model.steps[step];
  if (columns.time < 0) {
    columns.time = AddColumn(columns.least_seconds / model.unit, 0, false);
    model.milp.columns[static_cast<size_t>(columns.time)].cost = 1;
  }
  milp::Column& time = model.milp.columns[static_cast<size_t>(columns.time)];
  time.upper = std::max(time.upper, 2 * UpperOf(seconds) / model.unit);
  Affine row;
  row.Add(columns.time, 1);
  row.Add(seconds, -1 / model.unit);
  AddRow(row, 0, milp::kInfinity);
}

}  // namespace inlay::exact
