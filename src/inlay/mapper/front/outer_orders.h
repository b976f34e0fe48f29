#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "inlay/cost/exact/traffic.h"
#include "inlay/mapper/exact/bound.h"
#include "inlay/mapper/exact/chains.h"

namespace inlay::exact_search {

// The loops of level 0 once the tiles of level 1 are decided, and the off-chip words that follow
// from their order alone: those of every tensor that level 1 keeps.
class OuterOrders {
 public:
  // The first stage of the chains decides level 1. `bypassing`: the edges of off-chip words that do
  // not stop at level 1.
  OuterOrders(const Space& space, const KeepCase& keep_case, const Chains& chains,
              const std::vector<const Edge*>& bypassing);

  // Takes up tiles of level 1: a node of the first stage per dimension. False if they do not tell
  // the loops above level 1 (lanes above it, or padding that depends on lanes further in), or if
  // counts may not fit into 64 bits.
  bool Begin(const std::vector<uint32_t>& nodes);

  int64_t Steps(size_t dim) const { return steps_[dim]; }  // of the loop of level 0

  struct Order {
    std::vector<size_t> dims;  // of the loops, inner to outer
    double words = 0;          // into level 1
  };
  // For every order of the loops of level 0 there is one in the list that has no more words into
  // level 1, and of each edge in `bypassing` whose tile no loop from level 1 on moves; but for the
  // orders whose innermost loops, inner to outer, `excluded` says to leave out.
  using Excluded = std::function<bool(const std::vector<size_t>&)>;
  const std::vector<Order>& List(const Excluded& excluded);
  // Off-chip words into level 1 if the loops of level 0 stand like this, outer to inner.
  double WordsOf(const std::vector<Loop>& loops);

 private:
  enum class State : uint8_t {
    kUnmoved,
    kMoved,   // may share words with its past
    kParted,  // shares nothing with it, at any further step
  };
  struct Moved {  // a tile
    size_t tensor = 0;
    bool bypassing = false;
    State state = State::kUnmoved;
  };
  void Place(const Excluded& excluded);
  void PlaceOne(size_t dim, const Excluded& excluded);
  bool Parts(const Moved& tile, size_t dim) const;
  std::vector<size_t> Candidates() const;
  double Count(const std::vector<Loop>& loops);

  const Space& space_;
  const KeepCase& keep_case_;
  const Chains& chains_;
  exact::Tables tables_;
  std::vector<std::vector<uint8_t>> plain_;  // [dim][node]: its chains agree above level 1
  std::vector<Moved> tiles_;                 // what the loops of level 0 move
  std::vector<int64_t> tile_, steps_;        // by dimension: of level 1; of the loop of level 0
  std::vector<size_t> placed_;               // inner to outer
  Mapping mapping_;
  exact::FlatNest nest_;
  exact::PerfectTraffic<int64_t> perfect_;
  exact::RaggedTraffic<int64_t> ragged_;
  std::vector<size_t> feeder_;
  std::vector<exact::Traffic<int64_t>> traffic_;
  std::vector<Order> orders_;
  std::map<uint64_t, double> known_;  // words by order
};

}  // namespace inlay::exact_search
