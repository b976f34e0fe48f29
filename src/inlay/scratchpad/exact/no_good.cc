#include "inlay/scratchpad/exact/no_good.h"

#include <algorithm>
#include <utility>

#include "inlay/scratchpad/step_cost.h"

namespace inlay::exact {
namespace {

bool IsOne(const Affine& literal, const std::vector<double>& values) {
  return literal.At(values) > 0.5;
}

// Lies in the pad during all steps from … to − 1, which are between one use and the next, the
// latter included. If `kept`, ever since the use before.
Affine ThroughoutGap(const Model& model, ValueId tensor, PadId pad, const ReadColumns& read,
                     int64_t from, int64_t to, bool kept) {
  Affine literal;
  for (const PadColumn& stay : model.tensors[tensor].stays_in) {
    if (stay.pad == pad) literal.Add(stay.column, 1);
  }
  for (const ReadColumns::Pad& in : read.pads) {
    if (in.pad != pad) continue;
    const auto came = static_cast<size_t>(std::upper_bound(in.steps.begin(), in.steps.end(), from) -
                                          in.steps.begin());
    const int column = in.present[kept ? 0 : came];
    if (column >= 0) literal.Add(column, 1);
    if (!kept && from == read.step && in.fetched >= 0) literal.Add(in.fetched, 1);
  }
  for (const ReadColumns::Move& move : read.moves) {
    const bool leaves_later = move.from == pad && move.step >= to - 1 && to - 1 < read.step;
    const bool came_before = move.to == pad && move.step <= from && !kept;
    if (leaves_later || came_before) literal.Add(move.column, 1);
  }
  return literal;
}

// Held in the pad from the use before through the window, or as far into it as the answer says.
// Without terms: not held in the window.
Affine HeldInto(const std::vector<HoldColumns>& holds, const std::vector<double>& values,
                const Misfit& misfit, int64_t from, int64_t to) {
  Affine literal;
  for (const HoldColumns& hold : holds) {
    if (hold.pad != misfit.pad) continue;
    for (size_t k = 0; k < hold.steps.size(); ++k) {
      if (hold.steps[k] < from || values[static_cast<size_t>(hold.until[k])] < 0.5) continue;
      literal.terms = {{hold.until[k], 1}};
      if (hold.steps[k] >= to - 1) break;
    }
  }
  return literal;
}

// One literal for the use that writes, and one or two for each gap that the window touches.
bool AddLiterals(const Model& model, ValueId tensor, const std::vector<double>& values,
                 const Misfit& misfit, std::vector<Affine>* literals) {
  const TensorLife& life = model.lives[tensor];
  bool there = false;  // in the use before
  bool found = false;
  if (life.written && life.written->step >= misfit.from && life.written->step < misfit.to) {
    Affine literal = PresenceOf(model, tensor, misfit.pad, life.written->step);
    there = !literal.terms.empty() && IsOne(literal, values);
    if (there) literals->push_back(std::move(literal));
    found = there;
  }
  for (const ReadColumns& read : model.tensors[tensor].reads) {
    const int64_t to = std::min(misfit.to, read.step + 1);
    int64_t from = std::max(misfit.from, read.before + 1);
    if (from >= to) continue;
    Affine kept = ThroughoutGap(model, tensor, misfit.pad, read, from, to, true);
    if (there && IsOne(kept, values)) {
      literals->push_back(std::move(kept));
      continue;
    }
    there = false;
    const int64_t until = std::min(to, read.step);
    if (Affine held = HeldInto(read.holds, values, misfit, from, until); !held.terms.empty()) {
      literals->push_back(std::move(held));
      found = true;
    }
    for (; from < to; ++from) {
      Affine literal = ThroughoutGap(model, tensor, misfit.pad, read, from, to, false);
      if (!IsOne(literal, values)) continue;
      literals->push_back(std::move(literal));
      there = to > read.step;
      found = true;
      break;
    }
  }
  const int64_t from = std::max(misfit.from, LastUse(life) + 1);
  if (from < misfit.to) {
    Affine held = HeldInto(model.tensors[tensor].tail, values, misfit, from, misfit.to);
    if (!held.terms.empty()) {
      literals->push_back(std::move(held));
      found = true;
    }
  }
  return found;
}

bool IsValid(const Model& model, const Choices& choices, const Misfit& misfit) {
  if (!misfit.proven) return false;
  const PlanProblem& problem = *model.problem;
  for (int64_t t = misfit.from; t < misfit.to; ++t) {
    const auto step = static_cast<size_t>(t);
    if (choices.in_place[step]) return false;
    const PlanNode& node = problem.nodes[model.order[step]];
    const Tiling& tiling = node.tilings[choices.tilings[step]];
    if (tiling.inside.workspace_bytes > 0) return false;
    for (const OperandTraffic& traffic : tiling.operands) {
      if (traffic.workspace_bytes > 0) return false;
    }
  }
  return true;
}

}  // namespace

std::optional<NoGood> MakeNoGood(const Model& model, const Choices& choices,
                                 const std::vector<double>& values, const Misfit& misfit) {
  std::vector<Affine> literals;
  for (const ValueId tensor : misfit.tensors) {
    if (!AddLiterals(model, tensor, values, misfit, &literals)) return std::nullopt;
  }
  Affine sum;
  for (const Affine& literal : literals) sum.Add(literal);
  sum.Merge();
  const double most = static_cast<double>(literals.size()) - 1 - sum.constant;
  return NoGood{{-milp::kInfinity, most, std::move(sum.terms)}, IsValid(model, choices, misfit)};
}

}  // namespace inlay::exact
