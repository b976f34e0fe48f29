#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "inlay/cost/fused_walk/memory.h"
#include "inlay/cost/fused_walk/places.h"
#include "inlay/cost/fused_walk/words.h"

namespace inlay::fused_walk {

// One turn of every loop above some place, and what is computed in it: section 4.
struct Context {
  struct Turn {
    size_t loop = 0;
    int64_t index = 0;
  };
  std::vector<Turn> turns;  // outer to inner
  IndexedVector<NodeId, Domain> domains;
  // What readers touch of each tensor that is written; all of it with no loop above.
  IndexedVector<TensorId, std::optional<Box>> demands;
};

// The words that the next tile of a retaining hold lacks: a box, or all.
Words MissingWords(const std::optional<Box>& before, const Box& tile);

class Contexts {
 public:
  using WordBudget = std::function<void(int64_t)>;  // called with words before they are listed

  // All are kept by reference; `holds` is indexed by places.
  Contexts(const FusedProblem& problem, const Places& places, const std::vector<Held>& holds,
           WordBudget spend);

  // The context with no loop above.
  Context Whole() const;
  // How often a loop turns: as often as the sink with the largest range needs.
  int64_t TurnsOf(size_t loop, const Context& context) const;
  // The context of one turn of a loop in a context of the loop.
  Context Inside(size_t loop, int64_t index, const Context& context) const;
  // What the hold at a place has a tile of in a context of it.
  std::optional<Box> TileOf(size_t place, const Context& context) const;

 private:
  std::optional<Box> DemandOn(size_t place, TensorId tensor, const Context& context) const;
  std::optional<Box> NewWords(size_t loop, TensorId tensor, const Box& demand) const;
  Domain DomainOf(NodeId writer, const std::optional<Box>& words) const;
  // Whether a hold is reached, once per turn of a loop, without a loop between them; then, whether
  // a split is between.
  enum class Below { kNot, kDirectly, kInPartOfSplit };
  Below IsBelow(size_t hold, size_t loop) const;

  const FusedProblem& problem_;
  const Places& places_;
  const std::vector<Held>& holds_;
  WordBudget spend_;
};

}  // namespace inlay::fused_walk
