#pragma once

#include <cstdint>
#include <limits>
#include <list>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/core/fused_mapping.h"
#include "inlay/fuse/product_graph.h"
#include "inlay/fuse/tile_choices.h"

namespace inlay {

// What a search over trees of products may use, and what it looks for.
struct ProductRules {
  FusedTiles tiles = FusedTiles::kAny;
  std::optional<int> shared_loops;  // at most; none: any number
  bool short_tiles = true;          // count what short last tiles may save: a bound, not a tree
  bool least_room = false;          // of the trees with the fewest words, one with the least room
  // Ends the search after so many states, as a deadline does; none: any number.
  std::optional<int64_t> most_states;
  TensorMask free;                 // cost no words
  std::vector<int64_t> word_bits;  // of the pad, by tensor
  int64_t vector_bits = 1;         // of one element of a row vector of an online softmax
};

// The fewest off-chip words of trees of a graph of products: a dynamic program over sequences of
// holds with cuts. A *place* of a tree is followed by loops that cut dimensions once each, and then
// by holds of tensors that all of them move (a *group*), or by a split; docs/reference/fusion.md
// says why no other trees are needed. With tiles of any size the words are a lower bound where a
// dimension is cut twice.
class ProductSearch {
 public:
  static constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
  struct Answer {
    int64_t words = kNone;  // kNone: no tree has so little room
    int64_t room_bits = 0;
  };

  ProductSearch(const ProductGraph& graph, ProductRules rules, const Deadline& deadline);

  // Of nodes `first` to before `end` as a problem by itself, in a pad of so many bits, if there are
  // fewer words than the limit. kNone after the deadline has passed.
  Answer Best(size_t first, size_t end, int64_t room_bits, int64_t limit = kNone);
  // The tree that has them.
  FusedTree TreeOf(size_t first, size_t end, int64_t room_bits);
  // Whether the deadline has passed; answers since then mean nothing.
  bool Stopped() const { return stopped_; }
  int64_t states() const { return states_; }

 private:
  struct Cut {
    int64_t size = 1;        // of the tile along it
    int64_t short_tile = 0;  // words of the dimension in tiles that no inner loop may cut further
    bool twice = false;      // by two loops or more
    // The groups of loops that cut it first and last, counted since the innermost split above; 0:
    // none of these.
    int first_group = 0, last_group = 0;
    bool operator==(const Cut&) const = default;
  };
  struct Place {
    size_t first = 0, end = 0;
    int loops_left = 0;
    int groups = 0;         // of loops since the innermost split above
    std::vector<Cut> cuts;  // by dimension, from the first node's first on
    TensorMask held;        // above
    TensorMask group;       // the holds directly above
    TensorMask locked;      // whose writers have loops above with more readers (rule 5)
  };
  struct Step {
    const ProductLoop* loop;
    int64_t size;
  };
  // How the best tree of a place goes on.
  struct Choice {
    int64_t words = kNone;
    int64_t least_bits = 0, most_bits = 0;  // of the pads that it is the best of
    std::vector<Step> steps;
    TensorMask holds;
    std::vector<size_t> ends;  // of a split's children; empty: no split
  };
  struct LivingTile {
    size_t from, to;  // nodes
    int64_t bits;
  };
  using Key = std::vector<int64_t>;
  struct KeyHash {
    size_t operator()(const Key& key) const;
  };
  struct Trial;

  Place RootOf(size_t first, size_t end) const;
  Key KeyOf(const Place& place) const;
  // The best tree of fewer words than the limit; null: there is none.
  const Choice* Solve(const Place& place, int64_t bits, int64_t limit);
  Choice Compute(const Place& place, int64_t bits, int64_t limit);
  bool CutsAllAlike(const Place& place, const ProductLoop& loop, const TensorMask& missing) const;
  std::vector<const ProductLoop*> LoopsAt(const Place& place) const;
  void TryLoops(Trial* trial, size_t subset);
  void TrySizes(Trial* trial, const Place& at, size_t next);
  void TryHolds(Trial* trial, const Place& after, int64_t bits);
  void TrySplits(Trial* trial, const Place& after, int64_t bits, const TensorMask& candidates,
                 size_t next, const TensorMask& held);
  void TrySplit(Trial* trial, const Place& after, int64_t bits, const TensorMask& held);
  std::vector<LivingTile> LivingTiles(const Place& place, const TensorMask& held) const;
  static int64_t BitsAlive(const std::vector<LivingTile>& tiles, size_t first, size_t end);
  bool BeginsRows(const Place& before, const Place& after, const OnlineSoftmax& softmax) const;
  int64_t VectorBits(const Place& before, const Place& after) const;
  Place ChildOf(const Place& place, const TensorMask& held, size_t first, size_t end) const;
  void Take(Trial* trial, int64_t words, int64_t used_bits, const TensorMask& holds,
            std::vector<size_t> ends) const;

  const Cut& At(const Place& place, size_t node_dim) const {
    return place.cuts[node_dim - graph_.FirstDim(place.first)];
  }
  Cut& At(Place* place, size_t node_dim) const {
    return place->cuts[node_dim - graph_.FirstDim(place->first)];
  }
  int64_t TripsOf(const Place& place, size_t node_dim) const;
  const ProductUse* FirstUse(const Place& place, size_t tensor) const;
  int64_t TileBits(const Place& place, size_t tensor) const;
  // Off-chip words of an input or output hold at the place; at least those of one further in.
  int64_t WordsOfHold(const Place& place, size_t tensor, const ProductUse& use, bool further) const;
  // Words that short last tiles may save of those.
  int64_t SavedWords(const Place& place, const ProductTensor& of, const ProductUse& use,
                     bool further) const;
  bool MaySave(const Place& place, size_t tensor) const;
  // What holds that are still missing cost at least.
  int64_t LeastWords(const Place& place) const;
  bool IsFused(const Place& place, size_t tensor) const;
  bool Drains(const Place& place, size_t tensor) const;
  bool CanBeHeld(const Place& place, size_t tensor) const;
  bool KeepsRows(const Place& place) const;
  void ApplyStep(Place* place, const Step& step);
  FusedTree TreeAt(const Place& place, int64_t bits);

  const ProductGraph& graph_;
  const ProductRules rules_;
  TileChoices sizes_;
  DeadlineWatch watch_;
  bool stopped_ = false;
  int64_t states_ = 0;
  struct Known {
    std::list<Choice> choices;  // by the pads that they are best of
    // No tree in so many bits has fewer words than so many.
    std::vector<std::pair<int64_t, int64_t>> limits;
  };
  std::unordered_map<Key, Known, KeyHash> known_;
};

}  // namespace inlay
