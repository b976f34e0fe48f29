#pragma once

#include <cstdint>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/mapper/exact/bound.h"
#include "inlay/mapper/exact/lanes.h"
#include "inlay/mapper/exact/leaf.h"
#include "inlay/mapper/exact/tiling_search.h"
#include "inlay/mapper/front/archive.h"
#include "inlay/mapper/front/bypass_cases.h"
#include "inlay/mapper/front/fewest_steps.h"
#include "inlay/mapper/front/inner_table.h"
#include "inlay/mapper/front/open_entries.h"
#include "inlay/mapper/front/outer_order_bounds.h"
#include "inlay/mapper/front/outer_orders.h"
#include "inlay/mapper/front/tile_blocks.h"

namespace inlay::exact_search {

// What a front decides first: the tile of level 1, which is the footprint; then the tile of the
// last level, the lanes, and the levels between from the inside out.
std::vector<Stage> FrontStages(size_t levels);

// Looks for the points of a front among the mappings of one case. A set of mappings is left out if
// a point of the archive is at most its lower bounds.
class FrontWorker {
 public:
  // The chains are of FrontStages. The edges of the case tell which words are off-chip words.
  // `blocks`: the tiles of level 1 of every dimension; none if there is no level 1.
  FrontWorker(const Space& space, const KeepCase& keep_case, const Chains& chains,
              const std::vector<TileBlocks>& blocks, TensorSet onchip, FrontArchive* archive,
              const Deadline& deadline);

  // Tiles of level 1, all dimensions.
  struct Tiles {
    int64_t footprint_words = 0;
    LowerBound bound;
    std::vector<uint32_t> nodes;  // of stage 0, by dimension; none if there is no level 1
  };
  // Footprints in bits (words, where each tensor has its partition), before they are rounded up.
  double SmallestRoom() const { return RoomOf(smallest_); }
  double LargestRoom() const { return RoomOf(largest_); }
  // Adds all tiles whose room is in (above, most] and that the archive does not exclude. False if
  // stopped.
  bool List(double above, double most, std::vector<Tiles>* found);
  // Offers all that is worth it among the mappings with these tiles. False if stopped.
  bool Run(const Tiles& tiles);

  SearchEffort effort() const { return {0, nodes_seen_, leaf_.evaluations()}; }

 private:
  using Motion = BypassCases::Motion;
  double RoomOf(const std::vector<double>& tiles) const;
  int64_t FootprintOf(const std::vector<uint32_t>& nodes) const;
  bool Split(size_t depth, size_t block, std::vector<Tiles>* found);
  bool MayImprove(size_t depth, size_t block, LowerBound* bound);
  bool RunTable(const LowerBound& bound);
  template <typename Visit>
  bool ForEachEntry(size_t in_case, const Visit& visit);
  bool RunEntries(size_t in_case);
  void OrderDims(size_t stage);
  void Begin(size_t stage, const LowerBound& bound);
  template <typename Visit>
  bool Descend(size_t stage, size_t depth, const Visit& visit);
  bool RunStage(size_t stage, const LowerBound& bound);
  bool RunCases(size_t stage, const LowerBound& bound);
  bool RunChoices(size_t stage);
  bool RunEach(size_t stage);
  bool Leaf(const LowerBound& bound);
  MappingSet SetOfRows() const { return bounder_.SetOf(rows_); }
  double StepsOfRows() const {
    return FewestSteps(SetOfRows(), keep_case_.instances[keep_case_.levels]);
  }
  LowerBound Bound(size_t stage, double steps, bool complete);
  void ListOrders(double cycles);
  struct OrderWords {
    double into_level1 = 0;
    std::vector<double> still;  // by bypassing edge, if no loop inside level 0 moves its tile
    std::vector<BypassCases::Rounds> rounds;  // by bypassing edge
  };
  BypassCases::Rounds RoundsOf(const Edge& edge, const std::vector<size_t>& order) const;
  double BypassingWords(const OrderWords& order, size_t in_case, size_t edge) const;
  // Mappings of complete chains with one innermost temporal loop above level 2.
  struct InnerClass {
    int inner = kAnyDim;
    double cycles = 0;
    std::vector<double> words;  // by bypassing edge, at least; empty: nothing known
  };
  void ListClasses(size_t entry);
  bool RunOrders(const InnerClass& one, double cycles);
  double LeafWords(const OrderWords& order, const InnerClass& one) const;
  bool OrdersExcluded(double cycles) const;
  bool BeginCase(size_t stage, size_t in_case, const LowerBound& bound);
  bool ExcludedByCases(size_t stage, const LowerBound& bound);
  bool Excluded(const LowerBound& bound) const;

  const Space& space_;
  const KeepCase& keep_case_;
  const Chains& chains_;
  const std::vector<TileBlocks>& blocks_;
  TensorSet onchip_;
  FrontArchive* archive_;
  DeadlineWatch watch_;
  Bounder bounder_;
  BoundSum sum_;  // of the bound under computation
  LeafEvaluator leaf_;
  LaneCounter lanes_;
  FewestStepsSearch steps_;
  BypassCases cases_;
  OuterOrders outer_;
  OuterOrderBounds order_bounds_;
  bool ordered_ = false;             // outer_ knows the tiles that are run
  std::vector<OrderWords> orders_;   // listed for these tiles
  std::vector<double> case_words_;   // off-chip words at least, by case
  std::vector<InnerClass> classes_;  // of the chains under decision
  std::vector<double> case_cycles_;  // by case; infinite: excluded
  size_t case_ = 0;                  // under decision
  std::vector<uint64_t> still_;      // by dimension: levels without a loop, in the case looked at
  InnerTable table_;
  OpenEntries open_;                            // of the table, for the tiles under decision
  std::vector<double> smallest_, largest_;      // tiles of level 1
  std::vector<double> least_tile_, most_tile_;  // the same with those under decision
  double above_ = 0, most_ = 0;                 // rooms listed
  int64_t footprint_ = 0;                       // of the tiles that are run
  size_t lane_stage_ = 0;
  std::vector<size_t> first_nested_;  // by stage: from this level on tiles are decided; 0: not yet
  std::vector<size_t> dim_order_;
  std::vector<std::vector<uint32_t>> nodes_;  // [stage][dim]
  Rows rows_;
  std::vector<double> tile_;  // of the level under decision, by dimension
  double cycles_cut_ = 0;     // mappings of as many cycles are of no use
  int64_t nodes_seen_ = 0;
};

}  // namespace inlay::exact_search
