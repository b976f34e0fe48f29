#include <algorithm>
#include <utility>

#include "inlay/scratchpad/exact/model_builder.h"
#include "inlay/scratchpad/step_cost.h"

namespace inlay::exact {
namespace {

// The read before which the step is, or at which; none for the step that writes the tensor.
const ReadColumns* ReadAround(const TensorColumns& columns, int64_t step) {
  for (const ReadColumns& read : columns.reads) {
    if (read.before < step && step <= read.step) return &read;
  }
  return nullptr;
}

// Whether a tensor at step `a` takes no more of the pad than at step `b`, whatever the answer.
bool TakesNoMore(const Model& model, const Knapsack::Item& item, int64_t a,
                 const Knapsack::Item& other, int64_t b, PadId pad) {
  if (item.presence.terms == other.presence.terms) return true;
  const TensorColumns& columns = model.tensors[item.tensor];
  const ReadColumns* at_a = ReadAround(columns, a);
  const ReadColumns* at_b = ReadAround(columns, b);
  if (other.presence.terms != [&] {
        Affine plain = PresenceOf(model, item.tensor, pad, b);
        plain.Merge();
        return plain.terms;
      }()) {
    return false;  // shares its bytes in place there
  }
  if (at_a == nullptr) return false;
  const auto into = [&](const ReadColumns::Move& move) { return move.to == pad; };
  const auto out_of = [&](const ReadColumns::Move& move) { return move.from == pad; };
  if (at_a == at_b && a < b) {
    // Comes and does not go, unless it moves away or is held until it is written back.
    const bool held = std::any_of(at_a->holds.begin(), at_a->holds.end(),
                                  [&](const HoldColumns& hold) { return hold.pad == pad; });
    return !held && std::none_of(at_a->moves.begin(), at_a->moves.end(), out_of);
  }
  if (at_a->before == b && a < at_a->step) {
    // What is kept was there in the use before; nothing has come yet.
    const auto in = std::find_if(at_a->pads.begin(), at_a->pads.end(),
                                 [&](const ReadColumns::Pad& p) { return p.pad == pad; });
    const bool nothing_came = in == at_a->pads.end() || in->steps.empty() || in->steps.front() > a;
    return nothing_came && std::none_of(at_a->moves.begin(), at_a->moves.end(), into);
  }
  return false;
}

bool IsWithin(const Model& model, const Knapsack& a, const Knapsack& b) {
  if (a.pad != b.pad || !a.workspace.terms.empty() || a.workspace.constant != 0) return false;
  for (const Knapsack::Item& item : a.items) {
    const auto other =
        std::lower_bound(b.items.begin(), b.items.end(), item.tensor,
                         [](const Knapsack::Item& i, ValueId tensor) { return i.tensor < tensor; });
    if (other == b.items.end() || other->tensor != item.tensor ||
        !TakesNoMore(model, item, a.step, *other, b.step, a.pad)) {
      return false;
    }
  }
  return true;
}

}  // namespace

void ModelBuilder::AddInPlace(size_t step) {
  const PlanNode& node = problem_.nodes[model.order[step]];
  if (node.in_place.empty()) return;
  const ValueId over = node.operands[FirstWritten(node)].tensor;
  for (const PadColumn& into : model.tensors[over].written_into) {
    Affine once;
    once.Add(into.column, -1);
    for (const ValueId under : node.in_place) {
      if (model.lives[under].reads.back().step != static_cast<int64_t>(step)) continue;
      Affine there = PresenceOf(model, under, into.pad, static_cast<int64_t>(step));
      if (there.terms.empty()) continue;
      const int column = AddColumn(0, 1, false);
      model.steps[step].in_place.push_back({under, into.pad, column});
      once.Add(column, 1);
      there.Add(column, -1);
      // What is written back in this step or later is not overwritten.
      for (const LateColumn& late : model.tensors[under].late) {
        if (late.step == static_cast<int64_t>(step) && late.pad == into.pad) {
          there.Add(late.column, -1);
        }
      }
      for (const HoldColumns& hold : model.tensors[under].tail) {
        if (hold.pad == into.pad) there.Add(hold.until[0], -1);
      }
      AddRow(there, 0, milp::kInfinity);
    }
    if (once.terms.size() > 1) AddRow(once, -milp::kInfinity, 0);
  }
}

// By step: the tensors that may lie in a pad then, ascending.
std::vector<std::vector<ValueId>> ModelBuilder::MayBePresent() const {
  std::vector<std::vector<ValueId>> present(model.order.size());
  for (const ValueId tensor : Ids(model.tensors)) {
    const TensorColumns& columns = model.tensors[tensor];
    const TensorLife& life = model.lives[tensor];
    int64_t from = LastUse(life), to = from;
    if (from < 0) continue;
    if (life.written) from = life.written->step;
    for (const ReadColumns& read : columns.reads) {
      from = std::min(from, read.step);
      for (const ReadColumns::Pad& in : read.pads) {
        if (!in.steps.empty()) from = std::min(from, in.steps.front());
        if (in.present[0] >= 0) from = std::min(from, read.before + 1);
      }
    }
    for (const HoldColumns& hold : columns.tail) to = std::max(to, hold.steps.back());
    if (!columns.stays_in.empty()) {
      from = 0;
      to = static_cast<int64_t>(model.order.size()) - 1;
    }
    for (int64_t t = from; t <= to; ++t) present[static_cast<size_t>(t)].push_back(tensor);
  }
  return present;
}

std::vector<Knapsack::Item> ModelBuilder::ItemsOf(PadId pad, int64_t step,
                                                  const std::vector<ValueId>& tensors) const {
  std::vector<Knapsack::Item> items;
  for (const ValueId tensor : tensors) {
    Affine presence = PresenceOf(model, tensor, pad, step);
    if (presence.terms.empty()) continue;
    for (const InPlaceColumn& shared : model.steps[static_cast<size_t>(step)].in_place) {
      if (shared.under == tensor && shared.pad == pad) presence.Add(shared.column, -1);
    }
    presence.Merge();
    const int64_t bytes = AlignedBytes(problem_.machine.pads[pad], problem_.tensors[tensor].bytes);
    items.push_back({tensor, static_cast<double>(bytes), std::move(presence)});
  }
  return items;
}

void ModelBuilder::AddCapacities() {
  for (size_t t = 0; t < model.order.size(); ++t) AddInPlace(t);
  const std::vector<std::vector<ValueId>> present = MayBePresent();
  for (const PadId pad : Ids(problem_.machine.pads)) {
    const auto room = static_cast<double>(RoomOf(problem_.machine.pads[pad]));
    std::vector<Knapsack> kept;
    for (size_t t = 0; t < model.order.size(); ++t) {
      if (Stopped()) return;
      Knapsack knapsack{pad,
                        static_cast<int64_t>(t),
                        room,
                        ItemsOf(pad, static_cast<int64_t>(t), present[t]),
                        {}};
      if (problem_.workspace_pad[problem_.nodes[model.order[t]].unit] == pad) {
        knapsack.workspace = bytes_[t].workspace;
        knapsack.workspace.Merge();
      }
      double most = UpperOf(knapsack.workspace);
      for (const Knapsack::Item& item : knapsack.items) most += item.bytes;
      if (most <= room) continue;
      if (!kept.empty() && IsWithin(model, knapsack, kept.back())) continue;
      while (!kept.empty() && IsWithin(model, kept.back(), knapsack)) kept.pop_back();
      kept.push_back(std::move(knapsack));
    }
    for (Knapsack& knapsack : kept) {
      Affine sum;
      const double scale = 100 / std::max(1.0, room);
      sum.Add(knapsack.workspace, scale);
      for (const Knapsack::Item& item : knapsack.items) sum.Add(item.presence, item.bytes * scale);
      AddRow(sum, -milp::kInfinity, room * scale);
      model.knapsacks.push_back(std::move(knapsack));
    }
  }
}

}  // namespace inlay::exact
