#pragma once

#include <array>
#include <cstdint>
#include <tl/expected.hpp>
#include <vector>

#include "inlay/core/map_result.h"
#include "inlay/mapper/mapper.h"
#include "inlay/mapspace/space.h"

namespace inlay::thistle {

// Dimensions that may be tiled: what the loop orders are permutations of.
inline constexpr size_t kMaxFree = 8;
// Different gaps that one dimension may have in ranks of two dimensions.
inline constexpr size_t kMaxGaps = 2;

// A tileable dimension, by its place among them.
using FreeIndex = size_t;
template <typename T>
using PerFree = std::array<T, kMaxFree>;

// What a dimension cut into pieces of sizes z contributes to every volume: the number of pieces
// and, for each of its gaps δ, Σ max(0, z − δ).
//
// Why this is enough: a rank s·h + d·r of blocks of h × r iterations has h·r − (h − d')⁺(r − s')⁺
// words, so over all pieces of both dimensions it has H·R − Σ(h − d')⁺ · Σ(r − s')⁺. Cutting a
// dimension further never lowers `pieces` and never raises an `overlap`: all volumes grow with it.
struct Cut {
  double pieces = 1;
  std::array<double, kMaxGaps> overlap{};
};
using Cuts = PerFree<Cut>;

// The two boundaries at which words are counted.
enum Boundary : uint8_t { kDramSram = 0, kSramArray = 1 };

// The problem and the architecture DRAM – SRAM – lanes – registers as sums of products: energy =
// base + Σ over boundaries and tensors of pj × volume, volume = product of what the Cuts say.
class Model {
 public:
  // Needs what FaultsOf (faults.h) finds nothing wrong with.
  Model(const Space& space, const MapOptions& options);

  const Space& space() const { return *space_; }
  size_t free_count() const { return free_.size(); }
  DimId dim(FreeIndex f) const { return free_[f].dim; }
  int64_t bound(FreeIndex f) const { return free_[f].bound; }
  uint32_t all_free() const { return (uint32_t{1} << free_.size()) - 1; }
  size_t tensor_count() const { return tensors_.size(); }
  int64_t lanes() const { return lanes_; }
  Axis axis() const { return axis_; }
  // Do the constraints allow the dimensions that are not free to stay whole?
  bool is_possible() const { return possible_; }
  bool uses_gaps_beyond_one() const { return wide_gaps_; }

  Cut Whole(FreeIndex f) const { return CutBy(f, bound(f)); }
  Cut CutBy(FreeIndex f, int64_t tile) const;                  // into tiles
  Cut CutBy(FreeIndex f, int64_t outer, int64_t inner) const;  // into tiles, these into tiles

  // What the number of pieces says about the overlap: with a gap of 1 it is the rest.
  void LimitOverlap(FreeIndex f, Cut* cut) const;

  // Is a dimension in a tensor, and if so in a rank of two dimensions?
  uint32_t relevant(size_t tensor) const { return tensors_[tensor].relevant; }
  uint32_t paired(size_t tensor) const { return tensors_[tensor].paired; }

  // pJ (words, if the objective is off-chip words) of the copies of one tensor over one boundary;
  // dimensions in `saved` are cut as outside the boundary, the others as inside.
  double CopiesPj(Boundary boundary, size_t tensor, uint32_t saved, const Cuts& outside,
                  const Cuts& inside) const;

  // The same as a product α · β, or less: α of the outside cuts, β of the inside cuts. A rank in
  // which one dimension is saved and the other is not counts in α, the latter as if uncut.
  double OutsideFactor(size_t tensor, uint32_t saved, const Cuts& outside) const;
  double InsideFactor(size_t tensor, uint32_t saved, const Cuts& inside) const;
  bool HasOutsideFactor(size_t tensor, uint32_t saved) const;
  bool HasInsideFactor(size_t tensor, uint32_t saved) const;

  // Every word is copied once, and no lane ever idles: no mapping takes less of either.
  double LeastPj() const;
  double LeastSteps() const;

  double base_pj() const { return base_pj_; }            // whatever the mapping
  double pj_per_cycle() const { return pj_per_cycle_; }  // leakage
  double fixed_steps() const { return fixed_steps_; }    // of the dimensions that are not tiled
  double pj_of(Boundary boundary, size_t tensor) const { return tensors_[tensor].pj[boundary]; }

  // Do tiles of these sizes fit into the SRAM (level 1) or the registers (level 2)?
  bool Fits(size_t level, const PerFree<int64_t>& sizes) const;
  // Is what a tile uses linear in the size of each of two dimensions, the others being given?
  bool IsBilinear(FreeIndex a, FreeIndex b) const;
  // c[0] + c[1]·(a − 1) + c[2]·(b − 1) + c[3]·(a − 1)(b − 1) ≤ capacity, for the sizes a and b of
  // two dimensions: as Fits says, if IsBilinear.
  struct Bilinear {
    std::array<double, 4> c{};
    double capacity = 0;
  };
  void BilinearRooms(size_t level, PerFree<int64_t> sizes, FreeIndex a, FreeIndex b,
                     std::vector<Bilinear>* rooms) const;
  // The largest size of one dimension that fits with the sizes of the others; 0: none does.
  int64_t LargestFitting(size_t level, PerFree<int64_t> sizes, FreeIndex f) const;

 private:
  struct Free {
    DimId dim;
    int64_t bound = 1;
    std::vector<int64_t> gaps;
  };
  // One dimension of a rank of two; a dimension that is not free counts as one piece.
  struct Side {
    bool is_free = false;
    FreeIndex free = 0;
    size_t gap_index = 0;
    int64_t gap = 1;
    int64_t bound = 1;
    double overlap = 0;  // if not free
  };
  struct PairRank {
    std::array<Side, 2> sides;
    double points = 1;  // product of the bounds
  };
  struct TensorTerms {
    bool output = false;
    double words = 1;       // of the ranks that no Cut changes
    double tile_fixed = 1;  // of a tile, along dimensions that are not free
    uint32_t relevant = 0, paired = 0;
    std::vector<FreeIndex> single;  // in ranks of their own
    std::vector<FreeIndex> irrelevant;
    std::vector<PairRank> pairs;
    std::array<double, 2> pj{};
  };
  // Σ of weight × words of a tile ≤ capacity.
  struct Room {
    double capacity = 0;
    std::vector<double> weights;  // per tensor
  };

  void FindFree();
  void AddTensor(const Tensor& tensor);
  void AddPair(const Rank& rank, TensorTerms* terms);
  void PriceCopies(const MapOptions& options);
  void FindRooms();
  Side SideOf(const Term& term, int64_t gap);
  double TileWords(const TensorTerms& tensor, const PerFree<int64_t>& sizes) const;
  double Used(const Room& room, const PerFree<int64_t>& sizes) const;
  static double PairWords(const PairRank& pair, uint32_t saved, const Cuts& outside,
                          const Cuts& inside);

  const Space* space_;
  std::vector<Free> free_;
  IndexedVector<DimId, int> free_of_;  // −1: not free
  std::vector<TensorTerms> tensors_;
  std::array<std::vector<Room>, 3> rooms_;  // per level
  int64_t lanes_ = 1;
  Axis axis_ = Axis::kX;
  bool wide_gaps_ = false;
  bool possible_ = true;
  double base_pj_ = 0, pj_per_cycle_ = 0, fixed_steps_ = 1;
};

}  // namespace inlay::thistle
