#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "inlay/mapper/exact/keep_case.h"
#include "inlay/mapper/exact/lower_bound.h"

namespace inlay::exact_search {

// Lower bounds that know no loops, only the sizes of tiles and the lanes along each dimension. They
// hold for every mapping of every mapspace but `padded` and `uneven` and need no list of chains.
// docs/reference/mapper-bounds.md argues for them ("Bounds from boxes").

// What the tiles of every level and the lanes below it are at least and at most, dimension by
// dimension. Dimensions of one iteration are left out.
struct BoxRange {
  static constexpr size_t kMostDims = 8, kMostLevels = 6;
  using Sizes = std::array<int32_t, kMostDims>;
  struct Part {
    Sizes lo{}, hi{};
  };
  // By level; level 0 holds everything. Lanes on x and y of the fan-out below, multiplied.
  std::array<Part, kMostLevels> tiles, lanes;
};

// The bounds of one choice of tensors kept. The space and the case outlive it.
class BoxBounder {
 public:
  // Applies(space).
  BoxBounder(const Space& space, const KeepCase& keep_case);

  // Whether there is a bound at all: every dimension concerns all tensors but at most one.
  static bool Applies(const Space& space);
  size_t levels() const { return keep_case_.levels; }
  size_t dims() const { return dims_.size(); }

  // All mappings; none if nothing fits.
  std::optional<BoxRange> Whole() const;
  // Leaves out sizes that no mapping of the range has. False if nothing is left.
  bool Narrow(BoxRange* range) const;
  // No mapping of the range costs less.
  LowerBound BoundOf(const BoxRange& range) const;

 private:
  static constexpr size_t kMostDims = BoxRange::kMostDims, kMostLevels = BoxRange::kMostLevels;
  static constexpr size_t kMostTensors = 4;
  using Extents = std::array<double, kMostDims>;
  struct Term {
    size_t dim = 0;
    double coefficient = 1;
  };
  struct BoxTensor {
    std::vector<std::vector<Term>> ranks;
    std::array<int, kMostDims> rank_of{};  // −1: does not concern it
    bool slides = false;                   // some rank has two dimensions
  };
  struct Sizes;  // of a range, as the bound needs them
  struct Words {
    double groups = 0, lanes = 0;  // that leave the parent; that enter the lanes
  };
  struct EdgeWords;
  struct LevelWords;
  struct PassingBy;
  struct LaneSteps;
  struct EdgeSizes {
    Extents lanes, whole, around;  // of lanes; a step of all of them; the next outer tiles
    double lanes_product = 1, outer_product = 1;  // of lanes that share words; of those outside
    double meet = 1;                              // lanes of sliding ranks that share words
    double first_groups = 1, first = 1;           // of a tile's words, at the first step of a phase
    uint32_t spread = 0, nested = 0;  // dimensions with lanes; with lanes outside the next tiles
    bool apart = false;               // lanes outside need not find in place what one does
    // How words of a sliding tensor are shared out among lanes: rank by rank, by the dimension of
    // it with this index (−1: equally); or equally, `meet` of them at most.
    bool by_rank = false;
    std::array<int, kMostDims> share_out{};
  };
  struct Weights {
    double floors = 0;    // of what slides: as entering once; the rest as moved
    double once = 0;      // of what passes by the level above: as entering once; the rest as moved
    bool drains = false;  // the words that lanes give back count as once per copy
  };
  // pJ per operation of what enters a level in a phase: while nothing but dimensions move that do
  // not concern one tensor.
  struct PhaseCosts {
    // By that tensor and by whether no dimension moves but such as slide.
    std::array<std::array<double, 2>, kMostTensors> normal;
    std::array<std::array<double, 2>, kMostTensors> still;  // the tensor was in place already
    // What they and what passes the level by cost more together; only if nothing is in place.
    std::array<std::array<double, 2>, kMostTensors> raise;
    double none;      // each step by itself
    double constant;  // of these, what does not depend on the tile
    // Of one tensor's phases, what each tensor costs: normal, then still.
    std::array<std::array<double, kMostTensors>, 4> parts;
    int passing_by = -1;  // the tensor of `raise`
    Weights weights;
    double Least(size_t tensors) const {
      double least = none;
      for (size_t t = 0; t < tensors; ++t) least = std::min({least, normal[t][0], normal[t][1]});
      return least;
    }
  };
  // A tensor that is in place in the next level inwards, too; in lanes that are idle in a short
  // second round, and not in the others, if `partly`.
  struct InPlace {
    int tensor = -1;  // −1: none
    bool partly = false;
  };
  // So much of a tile is of such lanes; what enters costs so much of what it does with one round.
  struct SecondRounds {
    double share = 1;
    std::array<double, kMostTensors> scale;
  };
  struct Through {
    PhaseCosts costs;
    std::vector<SecondRounds> rounds;
    size_t dims = 0;  // that can have a second round
  };
  using NormalCosts = std::array<std::array<PhaseCosts, 9>, kMostLevels>;
  using ThroughCosts = std::array<std::array<std::array<Through, kMostTensors>, 9>, kMostLevels>;

  // By level and tensor: of a tile, what is done by lanes that were idle in the one before and so
  // may find the tensor in place, at most. At level 1 of all tiles together, else of any.
  using IdleShares = std::array<std::array<double, kMostTensors>, kMostLevels>;

  void Measure(const BoxRange& range, Sizes* sizes) const;
  void MeasureProducts(Sizes* sizes) const;
  double UndoneShare(size_t tensor, size_t dim, uint32_t movable, const Extents& tile,
                     const Extents& tile_lo) const;
  double CopiesIn(const Sizes& sizes, size_t tensor, size_t level) const;
  double RankShare(const std::vector<Term>& rank, const Extents& extents, int moved,
                   bool gaps) const;
  double ShareOf(size_t tensor, const Extents& extents, int moved, bool gaps) const;
  double MostThatMeet(const std::vector<Term>& rank, const EdgeSizes& own) const;
  double GroupRankShare(const std::vector<Term>& rank, const Extents& tile, int moved,
                        const EdgeSizes& own, int share_out) const;
  double GroupShare(size_t tensor, const Extents& tile, int moved, const EdgeSizes& own) const;
  void ChooseSharing(size_t tensor, const Extents& tile, EdgeSizes* own) const;
  template <typename Share>
  double LeastMovedShare(size_t tensor, uint32_t movable, const Share& share_of) const;
  double MovedShare(size_t tensor, const Extents& tile, uint32_t movable) const;
  double GroupMovedShare(size_t tensor, const Extents& tile, uint32_t movable,
                         const EdgeSizes& own) const;
  LaneSteps StepsOf(const Sizes& sizes, size_t child, const InPlace& in_place) const;
  std::vector<SecondRounds> SecondRoundsOf(const Sizes& sizes, size_t child, size_t in_place,
                                           size_t* dims) const;
  double InOneRound(const Sizes& sizes, size_t dim) const;
  double IdleAlong(const Sizes& sizes, size_t level, size_t dim) const;
  double IdleShare(const Sizes& sizes, size_t level, size_t tensor) const;
  EdgeSizes SizesOf(const Sizes& sizes, const LaneSteps& steps, const Edge& edge, size_t child,
                    bool still) const;
  double LanesThatMeet(const Sizes& sizes, const EdgeSizes& own, const Edge& edge, size_t child,
                       double lane, double whole) const;
  double LaneOf(const Sizes& sizes, const LaneSteps& steps, size_t t, size_t child, bool cut) const;
  double FirstPart(const Sizes& sizes, const LaneSteps& steps, size_t t, size_t child,
                   bool only_sliding, double lane) const;
  void CountOwnPhases(const Sizes& sizes, const LaneSteps& steps, const Edge& edge, size_t child,
                      bool cut, EdgeSizes* own, EdgeWords* out) const;
  Words SharesInPhase(const Sizes& sizes, const LaneSteps& steps, const EdgeSizes& own, size_t t,
                      size_t phase, size_t kind, size_t child, double first_part) const;
  void CountWords(const Sizes& sizes, size_t child, const InPlace& in_place,
                  LevelWords* words) const;
  PassingBy PassingByAbove(const Sizes& sizes, size_t child, const LevelWords& words) const;
  PhaseCosts CostsOf(const LevelWords& words, size_t child, const Weights& weights,
                     const PassingBy& passing_by, int in_place = -1) const;
  // A tensor that is in place when a level is entered: not looked at; at no more cost further out
  // than else; counted.
  enum class Still { kNever, kForNothing, kCounted };
  static double WithIdle(double cost, double own, const std::array<double, kMostTensors>& in_place,
                         const std::array<double, kMostTensors>& idle);
  static double ThroughCost(const Through& through, size_t t, size_t s, double inner,
                            double inner_still);
  double Combine(const NormalCosts& normal, Still still_in, const ThroughCosts& through,
                 const IdleShares& idle, const std::array<size_t, kMostLevels>& choice) const;
  // The lanes that a dimension can have on an axis, and all together.
  const FactorRange& LanesOf(size_t level, size_t dim, Axis axis) const {
    return lanes_of_[level][axis == Axis::kX ? 0 : 1][dim];
  }
  int64_t MostLanes(size_t level, Axis axis) const {
    return most_lanes_[level][axis == Axis::kX ? 0 : 1];
  }
  bool NarrowTile(size_t level, BoxRange* range) const;
  bool NarrowLanes(size_t level, BoxRange::Part* lanes) const;

  const Space& space_;
  const KeepCase& keep_case_;
  bool equal_lanes_;                    // all lanes of a step have as much to do
  std::vector<size_t> dims_;            // of the problem, those of more than one iteration
  Extents bounds_{};                    // by dimension of these
  std::array<int, kMostDims> skips_{};  // the tensor that it does not concern; −1: none
  std::array<uint32_t, kMostTensors> skipped_by_{};  // dimensions that do not concern a tensor
  uint32_t skipped_ = 0;                             // dimensions that do not concern some tensor
  uint32_t sliding_ = 0;                             // dimensions in ranks of several
  std::vector<BoxTensor> tensors_;
  std::array<double, kMostTensors> whole_share_{};    // words of a tensor per operation, each once
  std::array<size_t, kMostTensors> computes_from_{};  // the level that compute takes a tensor from
  std::array<std::array<std::array<FactorRange, kMostDims>, 2>, kMostLevels> lanes_of_;
  std::array<std::array<int64_t, 2>, kMostLevels> most_lanes_{};
  double operations_ = 1;
};

}  // namespace inlay::exact_search
