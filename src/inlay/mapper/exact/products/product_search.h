#pragma once

#include <compare>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/core/map_result.h"
#include "inlay/cost/exact.h"
#include "inlay/mapper/exact/incumbent.h"
#include "inlay/mapper/exact/orders.h"
#include "inlay/mapper/exact/products/lane_choices.h"
#include "inlay/mapper/exact/products/product_bound.h"
#include "inlay/mapper/exact/products/tile_list.h"

namespace inlay::exact_search {

// One thread's search through the `perfect` or `ruby-s` tilings of one case, for least energy or
// EDP. For each choice of lanes it lists the tiles of every level by what enters the level at
// least, and puts lists together from the innermost level outwards.
class ProductSearch {
 public:
  ProductSearch(const Space& space, const KeepCase& keep_case,
                const std::vector<LaneChoice>& choices, Incumbent* incumbent,
                const Deadline& deadline);

  // A bound for the mappings of a choice without a look at tiles; infinite if there is none.
  LowerBound Quick(size_t choice);
  // A bound from the lists of all tiles; infinite if some level fits none. Nothing if stopped.
  std::optional<LowerBound> ByLevel(size_t choice);
  // Everything in a choice whose bound of the first metric is at most `cutoff`. False if stopped.
  bool Run(size_t choice, int64_t number, double cutoff);

  void SetBetween(std::function<void()> between) { between_ = std::move(between); }
  SearchEffort effort() const { return {0, nodes_, evaluations_}; }

 private:
  // The temporal loops of a dimension, given its lanes. A place is an index into `trips`.
  struct Time {
    std::vector<double> trips;                     // of the loops from some level on, ascending
    TileList::Multiples::value_type multiples;     // [place]: places of its multiples
    std::vector<std::vector<uint16_t>> allowed;    // [level]: places of the trips from it on
    std::vector<std::vector<double>> least, most;  // [level][place]: trips outside the level
    // [level][place from the next level on × places + place from it on]: the level's loop may be.
    std::vector<std::vector<uint8_t>> step;
  };
  struct TimeKey {
    size_t dim = 0;
    std::vector<int64_t> lanes;  // by spatial slot
    bool leaves_last = false;    // no loop at the last level
    auto operator<=>(const TimeKey&) const = default;
  };
  const Time& TimeOf(const TimeKey& key);
  void SetLanes(size_t choice);
  bool FillList(size_t level, double rest);
  bool FillFrom(size_t level, size_t dim, double rest);
  Outside OutsideOf(size_t level, const uint16_t* places, double* steps) const;
  double EnergyLimit(double steps);
  bool Stage(size_t level, const ProductBound::Nest& nest, const uint16_t* inner, double steps);
  double LeastAround(size_t level, const uint16_t* inner) const;
  bool Leaf();
  bool CountNode();

  const Space& space_;
  const KeepCase& keep_case_;
  const std::vector<LaneChoice>& choices_;
  Incumbent* incumbent_;
  DeadlineWatch watch_;
  ProductBound bound_;
  uint64_t movable_ = 0;  // dimensions whose loop at the last level is no better than further out
  size_t choice_ = 0;
  std::map<TimeKey, Time> times_;
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
  double least_steps_ = 1;  // of the array, with the lanes that are set
  int64_t nodes_ = 0, evaluations_ = 0;
  std::function<void()> between_;

  RowLayout layout_;
  RowFiller filler_;
  OrderLister orders_;
  ExactModel model_;
  Solution solution_;
};

}  // namespace inlay::exact_search
