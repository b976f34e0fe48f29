#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "inlay/core/fused_box.h"
#include "inlay/core/fused_outline.h"
#include "inlay/core/fused_problem.h"

namespace inlay {

// What nodes compute and what holds hold in any context of a place, by its loops' turns alone: the
// boxes of sections 4 and 5 of docs/reference/fused-semantics.md. What is asked for once is kept.
class FusedContexts {
 public:
  // The turn of every loop above a place, outer to inner.
  using Turns = std::vector<int64_t>;

  // The tree is legal. Problem and outline outlive this.
  FusedContexts(const FusedProblem& problem, const FusedOutline& outline);

  // Of a node in the range of the place.
  FusedDomain DomainAt(size_t place, const Turns& turns, NodeId node);
  // How many turns a loop has.
  int64_t TurnsOf(size_t loop, const Turns& above);
  bool IsIdle(NodeId node, const FusedDomain& domain) const;

  // The tile of a hold; none where nothing in its range needs one.
  std::optional<FusedBox> TileOf(size_t hold, const Turns& turns);
  // The tile before, since the innermost split above began; none at first.
  std::optional<FusedBox> TileBefore(size_t hold, const Turns& turns);

 private:
  // Where a loop is in its turns.
  struct Inside {
    size_t loop;
    Turns turns;
    auto operator<=>(const Inside&) const = default;
  };

  FusedDomain DomainInside(const Inside& inside, NodeId node);
  FusedDomain MakeDomain(const Inside& inside, NodeId node);
  // What readers inside a loop touch of a tensor; none if they touch nothing.
  std::optional<FusedBox> Demand(const Inside& inside, TensorId tensor);
  // What of the demand the writer computes.
  FusedBox Computed(const Inside& inside, TensorId tensor, NodeId writer, const FusedBox& demand);
  // What a retaining hold lacks when a tile is entered.
  FusedBox Missing(size_t hold, const Turns& turns, const std::optional<FusedBox>& tile,
                   size_t ranks);
  // Where the loops that move a rank, numbers of the loops above and this one, are one step
  // earlier; none: this is their first.
  std::optional<Inside> StepBack(Inside inside, const std::vector<size_t>& moving);
  std::optional<Turns> ContextBefore(size_t place, const Turns& turns);

  // Adds what a reader touches of a tensor, if it is anything.
  void AddTouched(NodeId reader, TensorId tensor, const FusedDomain& domain,
                  std::optional<FusedBox>* touched) const;
  // Whether boxes of the problem are Unclipped, and the words that tensors then have at most.
  void Limit(TensorId tensor, std::optional<FusedBox>* box) const;

  const FusedProblem& problem_;
  const FusedOutline& outline_;
  const FusedDomain whole_;
  IndexedVector<TensorId, std::vector<std::optional<int64_t>>> extents_;  // empty: not Unclipped
  IndexedVector<NodeId, std::vector<DimId>> dims_;
  std::map<std::pair<NodeId, Inside>, FusedDomain> domains_;
};

}  // namespace inlay
