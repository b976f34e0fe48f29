#include "inlay/cost/fused/contexts.h"

#include <algorithm>

#include "inlay/base/checked_arithmetic.h"

namespace inlay {
namespace {

FusedContexts::Turns FirstOf(const FusedContexts::Turns& turns, size_t count) {
  return {turns.begin(), turns.begin() + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace

FusedContexts::FusedContexts(const FusedProblem& problem, const FusedOutline& outline)
    : problem_(problem), outline_(outline), whole_(WholeDomain(problem)) {
  bool unclipped = false;
  for (const FusedNode& node : problem.nodes) {
    dims_.push_back(DimsOf(problem, node));
    for (const FusedOperand& operand : node.operands) {
      unclipped = unclipped || (!operand.borders.empty() && operand.borders.front().unclipped);
    }
  }
  for (TensorId t : Ids(problem.tensors)) {
    if (unclipped) extents_.push_back(ExtentsOf(problem, t));
  }
}

bool FusedContexts::IsIdle(NodeId node, const FusedDomain& domain) const {
  return std::any_of(dims_[node].begin(), dims_[node].end(),
                     [&domain](DimId d) { return domain[d].empty(); });
}

FusedDomain FusedContexts::DomainAt(size_t place, const Turns& turns, NodeId node) {
  const std::vector<size_t>& loops = outline_[place].loops;
  return loops.empty() ? whole_ : DomainInside({loops.back(), turns}, node);
}

int64_t FusedContexts::TurnsOf(size_t loop, const Turns& above) {
  const FusedLoop& self = *outline_[loop].tree->loop();
  int64_t turns = 0;
  for (const NodeId sink : outline_.ShiftsOf(loop).sinks) {
    turns = std::max(turns, CeilDiv(DomainAt(loop, above, sink)[self.dim].size(), self.step));
  }
  return turns;
}

FusedDomain FusedContexts::DomainInside(const Inside& inside, NodeId node) {
  const auto known = domains_.find({node, inside});
  if (known != domains_.end()) return known->second;
  FusedDomain domain = MakeDomain(inside, node);
  domains_.emplace(std::pair(node, inside), domain);
  return domain;
}

FusedDomain FusedContexts::MakeDomain(const Inside& inside, NodeId node) {
  const size_t loop = inside.loop;
  FusedDomain domain = DomainAt(loop, FirstOf(inside.turns, inside.turns.size() - 1), node);
  const FusedOperand& output = OutputOf(problem_.nodes[node]);
  if (outline_.ReadersIn(loop, output.tensor).empty()) {
    const FusedLoop& self = *outline_[loop].tree->loop();
    FusedRange& range = domain[self.dim];
    range.lo = std::min(range.hi, range.lo + inside.turns.back() * self.step);
    range.hi = std::min(range.hi, range.lo + self.step);
    return domain;
  }
  const auto demand = Demand(inside, output.tensor);
  const FusedBox nothing(output.ranks.size());
  SetOutputRanges(output, demand ? Computed(inside, output.tensor, node, *demand) : nothing,
                  &domain);
  return domain;
}

std::optional<FusedBox> FusedContexts::Demand(const Inside& inside, TensorId tensor) {
  std::optional<FusedBox> demand;
  for (const NodeId reader : outline_.ReadersIn(inside.loop, tensor)) {
    AddTouched(reader, tensor, DomainInside(inside, reader), &demand);
  }
  Limit(tensor, &demand);
  return demand;
}

void FusedContexts::AddTouched(NodeId reader, TensorId tensor, const FusedDomain& domain,
                               std::optional<FusedBox>* touched) const {
  if (IsIdle(reader, domain)) return;
  FusedBox box = Touched(*OperandOf(problem_.nodes[reader], tensor), domain);
  if (IsEmpty(box)) return;  // all border
  *touched = *touched ? Hull(**touched, box) : std::move(box);
}

void FusedContexts::Limit(TensorId tensor, std::optional<FusedBox>* box) const {
  if (*box && !extents_.empty()) LimitToTensor(extents_[tensor], &**box);
}

// Words before the place where the turn before ended have been computed, rank by rank: earlier
// turns of the loops that move a rank cover it from the start on, and the other ranks are the same
// then.
FusedBox FusedContexts::Computed(const Inside& inside, TensorId tensor, NodeId writer,
                                 const FusedBox& demand) {
  if (!extents_.empty()) return demand;  // Unclipped: of first contexts, before which is nothing
  const size_t hold = *outline_.HoldOf(writer, tensor);
  const size_t above_hold = outline_[hold].loops.size();
  if (!outline_[hold].tree->hold()->retain || above_hold > inside.turns.size()) return demand;
  const bool same_context = above_hold == inside.turns.size();
  const Turns at_hold = FirstOf(inside.turns, above_hold);
  const FusedBox missing = Missing(
      hold, at_hold, same_context ? std::optional(demand) : TileOf(hold, at_hold), demand.size());
  FusedBox computed = Intersection(demand, missing);
  std::vector<size_t> loops = outline_[inside.loop].loops;
  loops.push_back(inside.loop);
  const NodeId reader = outline_.ReadersIn(inside.loop, tensor).front();
  const FusedOperand& read = *OperandOf(problem_.nodes[reader], tensor);
  for (size_t r = 0; r < computed.size(); ++r) {
    std::vector<size_t> moving;
    for (size_t i = above_hold; i < loops.size(); ++i) {
      if (outline_.ShiftAlong(loops[i], reader, read.ranks[r]) != 0) moving.push_back(i);
    }
    const auto earlier = StepBack(inside, moving);
    const auto before = earlier ? Demand(*earlier, tensor) : std::nullopt;
    if (!before) continue;
    const FusedBox there = Intersection(*before, missing);
    if (!there[r].empty()) computed[r].lo = std::max(computed[r].lo, there[r].hi);
  }
  return computed;
}

std::optional<FusedContexts::Inside> FusedContexts::StepBack(Inside inside,
                                                             const std::vector<size_t>& moving) {
  const std::vector<size_t>& above = outline_[inside.loop].loops;
  for (size_t m = moving.size(); m-- > 0;) {
    if (inside.turns[moving[m]] == 0) continue;
    --inside.turns[moving[m]];
    for (size_t later = m + 1; later < moving.size(); ++later) {
      const size_t i = moving[later];
      const size_t loop = i < above.size() ? above[i] : inside.loop;
      inside.turns[i] = TurnsOf(loop, FirstOf(inside.turns, i)) - 1;
    }
    return inside;
  }
  return std::nullopt;
}

std::optional<FusedContexts::Turns> FusedContexts::ContextBefore(size_t place, const Turns& turns) {
  const std::vector<size_t>& loops = outline_[place].loops;
  Turns before = turns;
  do {
    size_t last = before.size();
    while (last > outline_[place].loops_above_split && before[last - 1] == 0) --last;
    if (last <= outline_[place].loops_above_split) return std::nullopt;
    before.resize(last);
    --before.back();
    while (before.size() < loops.size()) {
      const int64_t count = TurnsOf(loops[before.size()], before);
      if (count == 0) break;  // the place is not reached in there: one step further back
      before.push_back(count - 1);
    }
  } while (before.size() < loops.size());
  return before;
}

std::optional<FusedBox> FusedContexts::TileOf(size_t hold, const Turns& turns) {
  const FusedHoldPlace& info = outline_.HoldAt(hold);
  const TensorId tensor = outline_[hold].tree->hold()->tensor;
  const std::vector<size_t>& loops = outline_[hold].loops;
  if (info.kind == FusedHoldKind::kFused && !loops.empty()) {
    return Demand({loops.back(), turns}, tensor);
  }
  if (info.writer) {
    const FusedDomain domain = DomainAt(hold, turns, *info.writer);
    if (IsIdle(*info.writer, domain)) return std::nullopt;
    return Touched(OutputOf(problem_.nodes[*info.writer]), domain);
  }
  std::optional<FusedBox> tile;
  for (const NodeId reader : info.readers) {
    AddTouched(reader, tensor, DomainAt(hold, turns, reader), &tile);
  }
  Limit(tensor, &tile);
  return tile;
}

std::optional<FusedBox> FusedContexts::TileBefore(size_t hold, const Turns& turns) {
  auto before = ContextBefore(hold, turns);
  while (before) {
    if (auto tile = TileOf(hold, *before)) return tile;
    before = ContextBefore(hold, *before);
  }
  return std::nullopt;
}

FusedBox FusedContexts::Missing(size_t hold, const Turns& turns,
                                const std::optional<FusedBox>& tile, size_t ranks) {
  if (!tile) return FusedBox(ranks);
  const auto before = TileBefore(hold, turns);
  FusedBox missing = *tile;
  if (before && !Subtract(*tile, Intersection(*tile, *before), &missing)) missing = *tile;
  return missing;
}

}  // namespace inlay
