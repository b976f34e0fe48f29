#include "inlay/cost/fused_walk/places.h"

#include <algorithm>
#include <utility>

namespace inlay::fused_walk {

Places::Places(const FusedProblem& problem, const FusedTree& tree) : problem_(problem) {
  Add(tree, {});
  for (size_t p = 0; p < places_.size(); ++p) {
    if (places_[p].tree->hold() != nullptr) places_[p].kind = KindOf(p);
  }
}

void Places::Add(const FusedTree& tree, std::vector<size_t> above) {
  const size_t place = places_.size();
  places_.emplace_back();
  places_[place].tree = &tree;
  places_[place].above = above;
  if (const FusedLeaf* leaf = tree.leaf()) {
    places_[place].range.insert(leaf->node);
    for (const size_t outer : above) places_[outer].range.insert(leaf->node);
  }
  above.push_back(place);
  for (const FusedTree& child : tree.children) {
    places_[place].children.push_back(places_.size());
    Add(child, above);
  }
  places_[place].end = places_.size();
}

HoldKind Places::KindOf(size_t place) const {
  const TensorId tensor = places_[place].tree->hold()->tensor;
  const auto writer = WriterOf(problem_, tensor);
  if (!writer || !places_[place].range.contains(*writer)) return HoldKind::kInput;
  return ReadersIn(place, tensor).empty() ? HoldKind::kOutput : HoldKind::kFused;
}

std::optional<size_t> Places::LeafOf(NodeId node) const {
  for (size_t p = 0; p < places_.size(); ++p) {
    const FusedLeaf* leaf = places_[p].tree->leaf();
    if (leaf != nullptr && leaf->node == node) return p;
  }
  return std::nullopt;
}

std::optional<size_t> Places::HoldAbove(size_t place, TensorId tensor) const {
  std::optional<size_t> found;
  for (const size_t p : places_[place].above) {
    const FusedHold* hold = places_[p].tree->hold();
    if (hold != nullptr && hold->tensor == tensor) found = p;
  }
  return found;
}

std::optional<size_t> Places::RetainingHoldOf(TensorId tensor) const {
  const auto writer = WriterOf(problem_, tensor);
  const auto leaf = writer ? LeafOf(*writer) : std::nullopt;
  const auto hold = leaf ? HoldAbove(*leaf, tensor) : std::nullopt;
  if (!hold || places_[*hold].kind != HoldKind::kFused) return std::nullopt;
  return places_[*hold].tree->hold()->retain ? hold : std::nullopt;
}

std::vector<size_t> Places::LoopsAbove(size_t place) const {
  std::vector<size_t> loops;
  for (const size_t p : places_[place].above) {
    if (places_[p].tree->loop() != nullptr) loops.push_back(p);
  }
  return loops;
}

bool Places::IsInside(size_t inner, size_t outer) const {
  return outer < inner && inner < places_[outer].end;
}

std::vector<NodeId> Places::ReadersIn(size_t place, TensorId tensor) const {
  std::vector<NodeId> readers;
  for (const NodeId reader : ReadersOf(problem_, tensor)) {
    if (places_[place].range.contains(reader)) readers.push_back(reader);
  }
  return readers;
}

bool Places::IsSink(size_t place, NodeId node) const {
  return ReadersIn(place, OutputOf(problem_.nodes[node]).tensor).empty();
}

Shifts Places::ShiftsOf(size_t loop) const {
  const std::set<NodeId>& range = places_[loop].range;
  Shifts shifts;
  for (auto node = range.rbegin(); node != range.rend(); ++node) {
    if (IsSink(loop, *node)) {
      shifts[*node][places_[loop].tree->loop()->dim] = 1;
      continue;
    }
    const FusedOperand& output = OutputOf(problem_.nodes[*node]);
    const NodeId reader = ReadersIn(loop, output.tensor).front();  // all of them alike: rule 4
    const FusedOperand& read = *OperandOf(problem_.nodes[reader], output.tensor);
    for (size_t r = 0; r < output.ranks.size(); ++r) {
      int64_t shift = 0;
      for (const Term& term : read.ranks[r].terms) {
        shift += term.coefficient * shifts[reader][term.dim];
      }
      for (const Term& term : output.ranks[r].terms) shifts[*node][term.dim] = shift;
    }
  }
  return shifts;
}

bool Places::ShiftsReduced(size_t loop, NodeId node) const {
  const Shifts shifts = ShiftsOf(loop);
  const auto own = shifts.find(node);
  if (own == shifts.end()) return false;
  return std::any_of(own->second.begin(), own->second.end(), [&](const auto& dim) {
    return dim.second != 0 && IsReduced(problem_.nodes[node], dim.first);
  });
}

}  // namespace inlay::fused_walk
