#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/core/map_result.h"
#include "inlay/cost/exact.h"
#include "inlay/mapper/exact/incumbent.h"
#include "inlay/mapper/exact/orders.h"
#include "inlay/mapper/exact/perfect/lane_choices.h"
#include "inlay/mapper/exact/perfect/product_bound.h"
#include "inlay/mapper/exact/perfect/tile_list.h"

namespace inlay::exact_search {

// One thread's search through the `perfect` tilings of one frame, for least energy or EDP. For each
// choice of lanes it lists the tiles of every level by what enters the level at least, and puts
// lists together from the innermost level outwards.
class ProductSearch {
 public:
  ProductSearch(const Space& space, const Frame& frame, const std::vector<LaneChoice>& choices,
                Incumbent* incumbent, const Deadline& deadline);

  // A bound for the mappings of a choice without a look at tiles.
  LowerBound Quick(size_t choice);
  // A bound from the lists of all tiles; infinite if some level fits none. Nothing if stopped.
  std::optional<LowerBound> ByLevel(size_t choice);
  // Everything in a choice whose bound of the first metric is at most `cutoff`. False if stopped.
  bool Run(size_t choice, int64_t number, double cutoff);

  void SetBetween(std::function<void()> between) { between_ = std::move(between); }
  SearchEffort effort() const { return {0, nodes_, evaluations_}; }

 private:
  // The trips of a dimension's temporal loops.
  struct Time {
    std::vector<double> divisors;                  // ascending
    std::vector<std::vector<uint16_t>> multiples;  // [divisor]: places of its multiples
    std::vector<std::vector<uint16_t>> allowed;    // [level]: places of the trips from it on
  };
  const Time& TimeOf(size_t dim, int64_t trips, bool leaves_last);
  void SetLanes(size_t choice);
  bool FillList(size_t level, double most);
  bool FillFrom(size_t level, size_t dim, double most);
  double EnergyLimit();
  bool Stage(size_t level, const ProductBound::Nest& nest, const uint16_t* inner);
  double LeastAround(size_t level, const uint16_t* inner) const;
  bool Leaf();
  bool CountNode();

  const Space& space_;
  const Frame& frame_;
  const std::vector<LaneChoice>& choices_;
  Incumbent* incumbent_;
  DeadlineWatch watch_;
  ProductBound bound_;
  uint64_t movable_ = 0;  // dimensions whose loop at the last level is no better than further out
  size_t choice_ = 0;
  std::map<std::tuple<size_t, int64_t, bool>, Time> times_;
  std::vector<const Time*> time_;  // by dimension
  TileList::Multiples multiples_;
  std::vector<TileList> lists_;   // by level, 1 … last
  std::vector<uint16_t> places_;  // of the tile that is being listed
  DimFactors inside_{};
  std::vector<double> tile_;
  std::vector<ProductBound::Nest> nests_;      // by level
  std::vector<std::vector<uint16_t>> chosen_;  // [level]: places of the trips from it on
  Incumbent::View view_;
  int64_t number_ = 0;
  double cutoff_ = 0;
  double energy_limit_ = 0;
  int64_t nodes_ = 0, evaluations_ = 0;
  std::function<void()> between_;

  RowLayout layout_;
  RowFiller filler_;
  OrderLister orders_;
  ExactModel model_;
  Solution solution_;
};

}  // namespace inlay::exact_search
