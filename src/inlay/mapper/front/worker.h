#pragma once

#include <cstdint>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/mapper/exact/bound.h"
#include "inlay/mapper/exact/lanes.h"
#include "inlay/mapper/exact/leaf.h"
#include "inlay/mapper/exact/search.h"
#include "inlay/mapper/front/archive.h"
#include "inlay/mapper/front/steps.h"

namespace inlay::exact_search {

// What a front decides first: the tile of level 1, which is the footprint; then the tile of the
// last level, the lanes, and the levels between from the inside out.
std::vector<Stage> FrontStages(size_t levels);

// Looks for the points of a front among the mappings of one frame. A set of mappings is left out if
// a point of the archive is at most its lower bounds.
class FrontWorker {
 public:
  // The chains are of FrontStages. The edges of the frame tell which words are off-chip words.
  FrontWorker(const Space& space, const Frame& frame, const Chains& chains, TensorSet onchip,
              FrontArchive* archive, const Deadline& deadline);

  // Tiles of level 1, all dimensions.
  struct Tiles {
    int64_t footprint_words = 0;
    Least least;
    std::vector<uint32_t> nodes;  // of stage 0, by dimension; none if there is no level 1
  };
  int64_t SmallestFootprint() const { return FootprintOf(smallest_); }
  int64_t LargestFootprint() const { return FootprintOf(largest_); }
  // Adds all tiles whose footprint is in (above, most] and that the archive does not exclude. False
  // if stopped.
  bool List(int64_t above, int64_t most, std::vector<Tiles>* found);
  // Offers all that is worth it among the mappings with these tiles. False if stopped.
  bool Run(const Tiles& tiles);

  SearchEffort effort() const { return {0, nodes_seen_, leaf_.evaluations()}; }

 private:
  using Sizes = IndexedVector<DimId, int64_t>;
  int64_t FootprintOf(const Sizes& sizes) const;
  uint32_t FirstInBand(size_t d);
  void OrderDims(size_t stage);
  void Begin(size_t stage, const Least& least);
  template <typename Visit>
  bool Descend(size_t stage, size_t depth, const Visit& visit);
  bool RunStage(size_t stage, const Least& least);
  bool RunCases(size_t stage, const Least& least);
  bool RunChoices(size_t stage);
  bool Leaf();
  Least Bound(size_t stage, double steps, bool complete);
  size_t Cases() const { return size_t{1} << passing_.size(); }
  bool BeginCase(size_t stage, size_t moved, const Least& least);
  bool ExcludedByCases(size_t stage, const Least& least);
  bool MayBeStill(size_t d) const;
  bool Excluded(const Least& least) const;

  const Space& space_;
  const Frame& frame_;
  const Chains& chains_;
  TensorSet onchip_;
  FrontArchive* archive_;
  DeadlineWatch watch_;
  Bounder bounder_;
  LeafEvaluator leaf_;
  LaneCounter lanes_;
  StepSearch steps_;
  std::vector<const Edge*> passing_;  // off-chip words that do not stop at level 1
  std::vector<uint64_t> still_;       // by dimension: levels without a loop, in the case looked at
  Sizes smallest_, largest_;          // tiles of level 1
  Sizes least_sizes_, most_sizes_;    // the same with those under decision
  int64_t above_ = 0, most_ = 0;      // footprints listed
  int64_t footprint_ = 0;             // of the tiles that are run
  size_t lane_stage_ = 0;
  std::vector<size_t> first_nested_;  // by stage: from this level on tiles are decided; 0: not yet
  std::vector<size_t> dim_order_;
  std::vector<std::vector<uint32_t>> nodes_;  // [stage][dim]
  Bounder::Rows rows_;
  std::vector<double> tile_;  // of the level under decision, by dimension
  double cycles_cut_ = 0;     // mappings of as many cycles are of no use
  int64_t nodes_seen_ = 0;
};

}  // namespace inlay::exact_search
