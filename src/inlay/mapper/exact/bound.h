#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "inlay/core/objective.h"
#include "inlay/mapper/exact/chain_bounds.h"
#include "inlay/mapper/exact/frame.h"
#include "inlay/mapper/exact/sharing.h"

namespace inlay::exact_search {

// Figures that no mapping of a set goes below.
struct LowerBound {
  double energy_pj = 0;
  double cycles = 0;
  double offchip_words = 0;
};

// The least value of a metric.
double BoundOf(const LowerBound& least, Metric metric);

// The dimension of the innermost of some loops.
inline constexpr int kAnyDim = -2;  // not decided: the least over all of them counts
inline constexpr int kNoDim = -1;   // there is no loop

// Lower bounds on the cost of all mappings whose chains, dimension by dimension, belong to given
// sets, whatever the order of their loops. docs/reference/mapper-bounds.md argues for each step.
//
// Use: Begin, then AddMerged or AddNested for the levels that are to count, compute last, then End.
class Bounder {
 public:
  Bounder(const Frame& frame, const RowLayout& layout);

  // One row per dimension.
  using Rows = std::vector<const double*>;

  void Begin();
  // What has been added so far, to go on from there.
  struct State {
    LowerBound least;
    std::vector<double> ports;
    LowerBound bypassing;
  };
  void Save(const LowerBound& least, State* state) const;
  LowerBound BeginFrom(const State& state);

  // Makes bypassing() the sum of what the edges that bypass a level further out than `level`, with
  // a parent above it, have added at most: BoundsByLevel counts them there.
  void CountBypassing(size_t level) { bypassing_level_ = level; }
  const LowerBound& bypassing() const { return bypassing_; }
  // Assume that along a dimension every round of the last level has at least two tiles (even), or
  // that some round has one tile (alone).
  void AssumeEven(size_t dim) { even_dim_ = static_cast<int>(dim); }
  void AssumeAlone(size_t dim) { alone_dim_ = static_cast<int>(dim); }
  // Assume that dimensions of a set have no lanes yet and share those left; `sharing` may be null.
  // After AssumeAlone.
  void ShareLanes(const Rows& rows, Sharing* sharing, uint64_t open_dims, double lanes_left);
  // Distinguish the orders of a group by that many of its innermost loops.
  static constexpr size_t kAllLoops = 64;
  void LookInto(size_t depth) { order_depth_ = depth; }

  // Everything that moves into level `child` (1 … levels, the last is compute), all loops above it
  // taken as one group in any order. `inner`: the dimension of the innermost of them.
  void AddMerged(const Rows& rows, size_t child, int inner, LowerBound* least);

  // Everything that moves into the levels from `first` on, compute left out. The loops of each
  // level from `first` on are a group of their own, those above a group together. The sets agree on
  // which loops are there. `inner`: of the innermost loop above the last level.
  void AddNested(const Rows& rows, size_t first, int inner, LowerBound* least);

  // What an edge needs whatever the order.
  struct EdgeTerms {
    std::vector<double> all, once;  // per rank: words of all tiles; what every lane sees at least
    double all_words = 1, once_words = 1;  // their products
    double shared = 1;  // lanes that can share although their dimensions are relevant
    double first = 0;   // output: words that enter for the first time, at most
    // Over the irrelevant dimensions, lanes and those shared with the parent.
    double lanes = 1, leaders = 1;

    // What the ranks came from: they stay as long as the rows of their dimensions do.
    struct Source {
      std::array<const double*, 2> rows{};
      double shared = 1, first = 1;
    };
    std::vector<Source> sources;
  };
  // An edge whose tile no loop inside the level under decision moves.
  struct OpenEdge {
    const Edge* edge = nullptr;
    EdgeTerms terms;
  };
  // The part of AddNested that does not depend on the tile of the level above `first`: everything
  // moved by the groups from `first` on. The edges left are put into *open. Returns `inner` if the
  // innermost loop is among those above `first`, else kAnyDim.
  int AddSettled(const Rows& rows, size_t first, int inner, LowerBound* least,
                 std::vector<OpenEdge>* open);

  // Those edges, and everything that moves into `level`, whose tile is being decided, while the
  // loops further in are. `moved`, a bit per tensor: its open edges are moved by some loop of
  // `level`; the others by none. `inner`: of the innermost loop of all from `level` outwards.
  // False if no mapping is like that.
  bool AddSplit(const Rows& rows, size_t level, const std::vector<OpenEdge>& open, uint64_t moved,
                int inner, LowerBound* least);

  // Everything that the level above `level` sends inwards, compute left out, the tile of `level`
  // being decided; `bypassing`: the edges that bypass it. Bit i of `moved`: some loop from `level`
  // on moves the tile of bypassing[i]; else none does. False if no mapping is like that.
  bool AddSent(const Rows& rows, size_t level, const std::vector<const Edge*>& bypassing,
               uint64_t moved, int inner, LowerBound* least);

  // Off-chip words of everything that moves into level 1 and of `bypassing`, edges from level 0 to
  // a level further in, the tiles of level 1 being decided. Bit i of `moved`: some temporal loop
  // from level 1 on moves the tile of bypassing[i], so no loop of level 0 finds it in place; else
  // none does. Infinite if no mapping is like that.
  double OffchipInCase(const Rows& rows, const std::vector<const Edge*>& bypassing, size_t moved);

  // Off-chip words of one such edge if some temporal loop from level 1 on moves its tile. Infinite
  // if none can.
  double OffchipMoved(const Rows& rows, const Edge& edge);
  // The same for the words of each port of the frame.
  std::vector<double> PortsMoved(const Rows& rows, const Edge& edge);
  // EdgeTraffic of an edge at each port if the innermost temporal loop above its child moves
  // `inner` (kNoDim: a dimension that does not concern it, or none).
  std::vector<double> PortsByInner(const Rows& rows, const Edge& edge, int inner) const;
  EdgeTerms TermsOf(const Rows& rows, const Edge& edge) const;
  // Off-chip words of such an edge that no loop from level 1 on moves, or of an edge to level 1, if
  // the innermost loops of level 0 stand in this order, inner to outer; those over the dimensions
  // `anywhere` (a bit each) may also stand further out if a loop inside them moves the tile
  // already. `terms` are the edge's.
  double OffchipInOrder(const Rows& rows, const Edge& edge, const EdgeTerms& terms,
                        const std::vector<size_t>& order, uint64_t anywhere = 0);

  // Steps of the array. Dimensions whose lanes are not decided (their sets differ in them) share
  // `lanes_left`.
  double LeastSteps(const Rows& rows, double lanes_left) const;

  // Adds operations, cycles (at least `steps`) and leakage.
  void End(const Rows& rows, double steps, LowerBound* least);

 private:
  struct EdgeTraffic {
    double lanes = 0, groups = 0, first = 0;
  };
  struct Times {  // how often, over the irrelevant dimensions
    double tiles = 1, leaders = 1;
  };
  // A group of loops that may stand in any order among themselves: those of levels [from, to).
  struct Group {
    size_t from = 0, to = 0;
    bool moves_all = false;  // every member is moved by some loop of the group
  };
  struct Member {  // an edge in the group that moves its tile
    const Edge* edge = nullptr;
    const EdgeTerms* terms = nullptr;
    Times inside;   // the loops of the group in full
    Times outside;  // those outside the group only
  };
  class LoopOrderSearch;
  // What the loops of a group, from the inside out as far as they are known, do to a member.
  struct Prefix {
    EdgeTraffic words;
    // Irrelevant loops inside the first relevant one repeat nothing: their share of the times.
    double skipped_tiles = 1, skipped_leaders = 1;
    // Ranks of several dimensions of which some loop stands inside: the words of the other ranks
    // count with the first tile of those dimensions only.
    uint64_t inside_dims = 0;
    bool full = false;  // further loops add nothing
  };
  double RankFirst(const Rows& rows, const std::vector<Frame::Term>& rank, size_t at,
                   uint64_t first_dims) const;
  void Extend(const Rows& rows, const Group& group, const Member& member, size_t dim,
              Prefix* prefix) const;
  void AssumeNothing();
  // For the terms of an edge, nothing known of them yet.
  void MakeRoom(const Edge& edge, EdgeTerms* terms) const;
  void Prepare(const Rows& rows, const Edge& edge, EdgeTerms* terms) const;
  void PrepareRank(const Rows& rows, const Edge& edge, size_t rank, EdgeTerms* terms) const;
  template <typename Visit>
  void ForEachMover(const Rows& rows, const Edge& edge, const Visit& visit) const;
  bool IsInnermost(const Edge& edge) const;
  double MostCopies(const Rows& rows, const Edge& edge) const;
  Times TimesOf(const Rows& rows, const Edge& edge, size_t levels) const;
  double RankOnce(const Rows& rows, const std::vector<Frame::Term>& rank, size_t at) const;
  double RankRound(const Rows& rows, const std::vector<Frame::Term>& rank, size_t at, size_t dim,
                   bool even) const;
  bool IsEven(const Edge& edge, size_t dim) const;
  double Overlap(const Rows& rows, const std::vector<Frame::Term>& rank, size_t at,
                 size_t dim) const;
  static bool PartnerMoves(const Rows& rows, const std::vector<Frame::Term>& rank, size_t at,
                           size_t dim);
  bool Moves(const Rows& rows, const Group& group, size_t dim) const;
  EdgeTraffic Once(const EdgeTerms& terms) const;
  void RaiseByMover(const Rows& rows, const Edge& edge, const EdgeTerms& terms, const Times& times,
                    size_t dim, EdgeTraffic* words) const;
  void Raise(const Rows& rows, const Edge& edge, const EdgeTerms& terms, const Times& times,
             size_t dim, double others, EdgeTraffic* words) const;
  bool RaiseBySome(const Rows& rows, const Edge& edge, const EdgeTerms& terms, const Times& times,
                   const Group& group, EdgeTraffic* words) const;
  void Charge(const Edge& edge, const EdgeTraffic& words, LowerBound* least, double* ports) const;
  EdgeTraffic ComputeWords(const Rows& rows, const Edge& edge) const;
  void AddCompute(const Rows& rows, LowerBound* least);

  void AddGroup(const Rows& rows, const Group& group, const std::vector<Member>& members, int inner,
                LowerBound* least);

  const Frame& frame_;
  const RowLayout& layout_;
  std::vector<std::vector<EdgeTerms>> terms_;  // [child][edge]
  std::vector<double> port_sum_, port_class_, port_least_;
  std::vector<Member> members_;
  std::vector<EdgeTerms> bypassing_terms_;
  std::vector<OpenEdge> open_;
  std::vector<Prefix> prefixes_;  // of an order search
  std::vector<double> shared_;    // by its members: lanes of decided dimensions that share; 0: none
  size_t bypassing_level_ = 0;
  size_t order_depth_ = 1;
  const Sharing* sharing_ = nullptr;
  const std::vector<Sharing::Lanes>* ways_ = nullptr;
  uint64_t open_dims_ = 0;
  int even_dim_ = -1, alone_dim_ = -1;
  LowerBound bypassing_;
  // Instances of the innermost level that keeps the output which work on the same words, as far as
  // that level's own traffic has assumed them; −1: it has not.
  double output_copies_ = -1;
};

}  // namespace inlay::exact_search
