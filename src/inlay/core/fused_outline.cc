#include "inlay/core/fused_outline.h"

#include <algorithm>
#include <set>

#include "inlay/base/check.h"

namespace inlay {

FusedOutline::FusedOutline(const FusedProblem& problem, const FusedTree& tree)
    : problem_(problem), leaves_(problem.nodes.size(), 0) {
  AddPlace(tree, std::nullopt);
  shifts_.resize(places_.size());
  holds_.resize(places_.size());
  for (size_t p = 0; p < places_.size(); ++p) {
    if (places_[p].tree->loop() != nullptr) shifts_[p] = MakeShifts(p);
    if (places_[p].tree->hold() != nullptr) holds_[p] = MakeHold(p);
  }
}

size_t FusedOutline::AddPlace(const FusedTree& tree, std::optional<size_t> parent) {
  const size_t self = places_.size();
  FusedPlace place;
  place.tree = &tree;
  place.parent = parent;
  if (parent) {
    const FusedPlace& above = places_[*parent];
    place.loops = above.loops;
    place.holds = above.holds;
    place.loops_above_split = above.loops_above_split;
    if (above.tree->loop() != nullptr) place.loops.push_back(*parent);
    if (above.tree->hold() != nullptr) place.holds.push_back(*parent);
    if (above.tree->IsSplit()) place.loops_above_split = place.loops.size();
  }
  places_.push_back(std::move(place));
  if (const FusedLeaf* leaf = tree.leaf()) {
    leaves_[leaf->node] = self;
    places_[self].first = leaf->node;
    places_[self].end = NodeId(leaf->node.value() + 1);
    return self;
  }
  for (const FusedTree& child : tree.children) {
    const size_t added = AddPlace(child, self);
    places_[self].children.push_back(added);
  }
  INLAY_CHECK(!places_[self].children.empty());
  places_[self].first = places_[places_[self].children.front()].first;
  places_[self].end = places_[places_[self].children.back()].end;
  return self;
}

FusedShifts FusedOutline::MakeShifts(size_t loop) const {
  const FusedPlace& place = places_[loop];
  const DimId dim = place.tree->loop()->dim;
  FusedShifts shifts;
  shifts.of.resize(problem_.nodes.size());
  for (size_t n = place.end.value(); n-- > place.first.value();) {
    const NodeId node(n);
    shifts.of[node].assign(problem_.dims.size(), 0);
    const FusedOperand& output = OutputOf(problem_.nodes[node]);
    const std::vector<NodeId> readers = ReadersIn(loop, output.tensor);
    if (readers.empty()) {
      shifts.sinks.insert(shifts.sinks.begin(), node);
      shifts.of[node][dim] = 1;
      continue;
    }
    const FusedOperand& read = *OperandOf(problem_.nodes[readers.front()], output.tensor);
    for (size_t r = 0; r < output.ranks.size(); ++r) {
      for (const Term& term : output.ranks[r].terms) {
        for (const Term& of_reader : read.ranks[r].terms) {
          shifts.of[node][term.dim] +=
              of_reader.coefficient * shifts.of[readers.front()][of_reader.dim];
        }
      }
    }
  }
  return shifts;
}

FusedHoldPlace FusedOutline::MakeHold(size_t hold) const {
  const FusedHold& held = *places_[hold].tree->hold();
  FusedHoldPlace info;
  info.readers = ReadersIn(hold, held.tensor);
  const auto writer = WriterOf(problem_, held.tensor);
  if (!writer || !IsIn(hold, *writer)) return info;
  info.writer = writer;
  info.kind = info.readers.empty() ? FusedHoldKind::kOutput : FusedHoldKind::kFused;
  if (info.kind == FusedHoldKind::kOutput) return info;
  info.drains = IsListedOutput(problem_, held.tensor) ||
                ReadersOf(problem_, held.tensor).size() > info.readers.size();
  if (held.retain) return info;
  size_t below = places_[hold].children.front();
  while (places_[below].tree->hold() != nullptr) below = places_[below].children.front();
  if (places_[below].tree->IsSplit()) info.lifetime_split = below;
  return info;
}

std::vector<NodeId> FusedOutline::ReadersIn(size_t place, TensorId tensor) const {
  std::vector<NodeId> readers;
  for (const NodeId reader : ReadersOf(problem_, tensor)) {
    if (IsIn(place, reader)) readers.push_back(reader);
  }
  return readers;
}

std::optional<size_t> FusedOutline::HoldOf(NodeId node, TensorId tensor) const {
  for (const size_t hold : places_[leaves_[node]].holds) {
    if (places_[hold].tree->hold()->tensor == tensor) return hold;
  }
  return std::nullopt;
}

int64_t FusedOutline::ShiftAlong(size_t loop, NodeId node, const Rank& rank) const {
  int64_t shift = 0;
  if (!IsIn(loop, node)) return shift;
  for (const Term& term : rank.terms) {
    shift += term.coefficient * ShiftsOf(loop).of[node][term.dim];
  }
  return shift;
}

bool FusedOutline::Reduces(size_t loop, NodeId node) const {
  if (!IsIn(loop, node)) return false;
  for (const DimId d : DimsOf(problem_, problem_.nodes[node])) {
    if (ShiftsOf(loop).of[node][d] != 0 && IsReduced(problem_.nodes[node], d)) return true;
  }
  return false;
}

namespace {

// In the first context or, given the loops that are in their last turn, in a later one.
FusedDomains DomainsOf(const FusedProblem& problem, const FusedOutline& outline,
                       const std::set<size_t>* last) {
  const bool unclipped = HasBorders(problem);
  FusedDomains domains;
  for (size_t p = 0; p < outline.places().size(); ++p) {
    const FusedPlace& place = outline[p];
    if (!place.parent) {
      domains.emplace_back(problem.nodes.size(), WholeDomain(problem));
      continue;
    }
    domains.emplace_back(problem.nodes.size());
    for (size_t n = place.first.value(); n < place.end.value(); ++n) {
      domains.back()[NodeId(n)] = domains[*place.parent][NodeId(n)];
    }
    const FusedLoop* loop = outline[*place.parent].tree->loop();
    if (loop == nullptr) continue;
    IndexedVector<NodeId, FusedDomain>& here = domains.back();
    for (const NodeId sink : outline.ShiftsOf(*place.parent).sinks) {
      FusedRange& range = here[sink][loop->dim];
      if (last != nullptr && last->contains(*place.parent) && !range.empty()) {
        range.lo += (range.size() - 1) / loop->step * loop->step;
      }
      range.hi = std::min(range.hi, range.lo + loop->step);
    }
    for (size_t n = place.end.value(); n-- > place.first.value();) {
      const FusedOperand& output = OutputOf(problem.nodes[NodeId(n)]);
      const auto readers = outline.ReadersIn(p, output.tensor);
      if (readers.empty()) continue;
      FusedBox demand;
      for (const NodeId reader : readers) {
        const FusedBox box =
            Touched(*OperandOf(problem.nodes[reader], output.tensor), here[reader]);
        demand = demand.empty() ? box : Hull(demand, box);
      }
      if (unclipped) LimitToTensor(ExtentsOf(problem, output.tensor), &demand);
      const auto hold = outline.HoldOf(NodeId(n), output.tensor);
      if (last != nullptr && hold && outline[*hold].tree->hold()->retain) {
        const auto& ranks = OperandOf(problem.nodes[readers.front()], output.tensor)->ranks;
        for (size_t r = 0; r < ranks.size(); ++r) {
          const int64_t moved =
              outline.ShiftAlong(*place.parent, readers.front(), ranks[r]) * loop->step;
          if (moved > 0) demand[r].lo = std::max(demand[r].lo, demand[r].hi - moved);
        }
      }
      SetOutputRanges(output, demand, &here[NodeId(n)]);
    }
  }
  return domains;
}

}  // namespace

FusedDomains FirstDomains(const FusedProblem& problem, const FusedOutline& outline) {
  return DomainsOf(HasBorders(problem) ? Unclipped(problem) : problem, outline, nullptr);
}

FusedDomains LaterDomains(const FusedProblem& problem, const FusedOutline& outline,
                          const std::set<size_t>& last) {
  return DomainsOf(HasBorders(problem) ? Unclipped(problem) : problem, outline, &last);
}

Problem FirstProblemOf(const FusedProblem& problem, const FusedDomain& domain, NodeId node) {
  Problem own = ProblemOf(problem, node);
  const std::vector<DimId> dims = DimsOf(problem, problem.nodes[node]);
  for (DimId d : Ids(own.dims)) own.dims[d].bound = domain[dims[d.value()]].size();
  return own;
}

}  // namespace inlay
