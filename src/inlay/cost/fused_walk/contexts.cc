#include "inlay/cost/fused_walk/contexts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "inlay/base/checked_arithmetic.h"

namespace inlay::fused_walk {

Contexts::Contexts(const FusedProblem& problem, const Places& places,
                   const std::vector<Held>& holds, WordBudget spend)
    : problem_(problem), places_(places), holds_(holds), spend_(std::move(spend)) {}

Context Contexts::Whole() const {
  Context whole;
  whole.demands.resize(problem_.tensors.size());
  for (const FusedNode& node : problem_.nodes) {
    Domain domain;
    for (const DimId d : DimsOf(problem_, node)) domain[d] = {0, problem_.dims[d].bound};
    whole.demands[OutputOf(node).tensor] = Touched(OutputOf(node), domain);
    whole.domains.push_back(std::move(domain));
  }
  return whole;
}

int64_t Contexts::TurnsOf(size_t loop, const Context& context) const {
  const FusedLoop& cut = *places_[loop].tree->loop();
  int64_t turns = 0;
  for (const NodeId node : places_[loop].range) {
    const Domain& domain = context.domains[node];
    if (!places_.IsSink(loop, node) || IsEmpty(domain) || !domain.contains(cut.dim)) continue;
    turns = std::max(turns, CeilDiv(domain.at(cut.dim).size(), cut.step));
  }
  return turns;
}

Context Contexts::Inside(size_t loop, int64_t index, const Context& context) const {
  const FusedLoop& cut = *places_[loop].tree->loop();
  Context inside = context;
  inside.turns.push_back({loop, index});
  const std::set<NodeId>& range = places_[loop].range;
  for (auto node = range.rbegin(); node != range.rend(); ++node) {
    Domain& domain = inside.domains[*node];
    if (places_.IsSink(loop, *node)) {
      if (!domain.contains(cut.dim)) continue;  // not a legal tree
      Interval& dim = domain[cut.dim];
      dim.lo += index * cut.step;
      dim.hi = std::min(dim.lo + cut.step, dim.hi);
      continue;
    }
    const TensorId tensor = OutputOf(problem_.nodes[*node]).tensor;
    const auto demand = DemandOn(loop, tensor, inside);
    inside.demands[tensor] = demand;
    domain = DomainOf(*node, demand ? NewWords(loop, tensor, *demand) : std::nullopt);
  }
  return inside;
}

// What the readers in the range of a part touch in their domains.
std::optional<Box> Contexts::DemandOn(size_t place, TensorId tensor, const Context& context) const {
  std::optional<Box> demand;
  for (const NodeId reader : places_.ReadersIn(place, tensor)) {
    const Domain& domain = context.domains[reader];
    if (IsEmpty(domain)) continue;
    const auto touched = Touched(*OperandOf(problem_.nodes[reader], tensor), domain);
    if (touched) demand = Hull(demand, *touched);
  }
  return demand;
}

// The part of the demand in a turn of a loop that the writer has to compute.
std::optional<Box> Contexts::NewWords(size_t loop, TensorId tensor, const Box& demand) const {
  const auto hold = places_.RetainingHoldOf(tensor);
  if (!hold) return demand;
  spend_(WordsIn(demand));
  Words words;
  if (places_.IsInside(loop, *hold)) {
    for (const Coordinates& word : WordsOf(demand)) {
      const Held& held = holds_[*hold];
      if (held.lacking.contains(word) && !held.computed.contains(word)) words.insert(word);
    }
  } else {
    const Below below = IsBelow(*hold, loop);
    if (below == Below::kNot) return demand;
    words = MissingWords(below == Below::kDirectly ? holds_[*hold].tile : std::nullopt, demand);
  }
  if (IsBox(words)) return HullOf(words);
  throw Stopped{{"tree",
                 fmt::format("the words of '{}' that are not yet computed are no box",
                             problem_.tensors[tensor]),
                 "of the loops inside a 'retain', those that move one rank of its tensor must all "
                 "be over one dimension"}};
}

Contexts::Below Contexts::IsBelow(size_t hold, size_t loop) const {
  if (!places_.IsInside(hold, loop)) return Below::kNot;
  Below below = Below::kDirectly;
  for (const size_t p : places_[hold].above) {
    if (!places_.IsInside(p, loop)) continue;
    if (places_[p].tree->loop() != nullptr) return Below::kNot;
    if (places_[p].tree->IsSplit()) below = Below::kInPartOfSplit;
  }
  return below;
}

Words MissingWords(const std::optional<Box>& before, const Box& tile) {
  Words all = WordsOf(tile);
  if (!before) return all;
  Words lacking = Minus(all, WordsOf(*before));
  return IsBox(lacking) ? lacking : all;
}

// Reduced dimensions are whole; all is empty where there are no words.
Domain Contexts::DomainOf(NodeId writer, const std::optional<Box>& words) const {
  const FusedNode& node = problem_.nodes[writer];
  Domain domain;
  for (const DimId d : DimsOf(problem_, node)) {
    domain[d] = words ? Interval{0, problem_.dims[d].bound} : Interval();
  }
  if (!words) return domain;
  const FusedOperand& output = OutputOf(node);
  for (size_t r = 0; r < words->size(); ++r) {
    for (const Term& term : output.ranks[r].terms) domain[term.dim] = (*words)[r];
  }
  return domain;
}

std::optional<Box> Contexts::TileOf(size_t place, const Context& context) const {
  const TensorId tensor = places_[place].tree->hold()->tensor;
  switch (places_[place].kind) {
    case HoldKind::kInput:
      return DemandOn(place, tensor, context);
    case HoldKind::kFused:
      return context.demands[tensor];
    case HoldKind::kOutput:
      break;
  }
  const NodeId writer = *WriterOf(problem_, tensor);
  const Domain& domain = context.domains[writer];
  if (IsEmpty(domain)) return std::nullopt;
  return Touched(OutputOf(problem_.nodes[writer]), domain);
}

}  // namespace inlay::fused_walk
