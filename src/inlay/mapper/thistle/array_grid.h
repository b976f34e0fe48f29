#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/mapper/thistle/chains.h"
#include "inlay/mapper/thistle/orders.h"

namespace inlay::thistle {

// Which array tiles the lanes and registers can hold, in ranges, with nothing said about the SRAM:
// for every choice of ranges of all dimensions but one (`main`), the first range of that one with
// which some split over the lanes may fit into the registers. What the grid rules out is
// impossible; what it allows may still be.
class ArrayGrid {
 public:
  // `classes`: the orders of the SRAM's loops that the bound is a minimum over. With `lanes`, only
  // splits over so many lanes (in `any`: up to so many). When the watch's time is up the grid is of
  // no use.
  ArrayGrid(const Model& model, const std::vector<Chains>& chains,
            const std::vector<OrderClass>& classes, std::optional<PerFree<int64_t>> lanes,
            DeadlineWatch* watch);

  static constexpr uint32_t kNone = ~uint32_t{0};

  FreeIndex main() const { return main_; }
  const std::vector<FreeIndex>& sides() const { return sides_; }
  bool empty() const { return prefixes_[0][0] == kNone; }

  // The first range of main, whatever the sides from `depth` on are; `column` counts the ranges of
  // the sides before in mixed radix.
  uint32_t FirstMain(size_t depth, size_t column) const { return prefixes_[depth][column]; }
  size_t Next(size_t depth, size_t column, size_t range) const {
    return column * chains_[sides_[depth]].array_ranges().size() + range;
  }

  // No mapping whose SRAM tiles cut the dimensions so copies for less between SRAM and array.
  double LeastPj(const Cuts& outside) const;

 private:
  // A point of the front: what one tensor's copies are multiplied with, and all others'.
  struct Point {
    double slope = 0, offset = 0;
  };
  // min over the grid of Σ α·β for one class of orders.
  struct Front {
    const OrderClass* order = nullptr;
    std::vector<size_t> outside_only;  // tensors whose β is 1
    std::vector<size_t> inside_only;   // tensors whose α is constant
    std::vector<size_t> mixed;         // tensors with both factors
    std::vector<double> least;         // of the β of each of them
    double least_offset = 0;           // of the sum of those with α constant
    std::vector<Point> hull;           // if one tensor is mixed: by falling slope
  };

  void FindMain();
  void FindSplits(FreeIndex f);
  void Spread();
  void Fill(size_t depth, size_t column, int64_t lanes_left);
  void FillLast(size_t depth, size_t column, int64_t lanes_left);
  void SetMain(size_t column, int64_t lanes_left, int64_t tile);
  bool MainMayFit(size_t range, int64_t lanes_left, int64_t tile) const;
  void FillPrefixes();
  void MakeFronts(const std::vector<OrderClass>& classes);
  bool IsCorner(size_t column) const;
  Cuts CutsOf(size_t column) const;
  Front EmptyFront(const OrderClass& order) const;
  void AddTo(const Cuts& cuts, Front* front) const;
  static void KeepHull(std::vector<Point>* points);

  const Model& model_;
  const std::vector<Chains>& chains_;
  std::optional<PerFree<int64_t>> lanes_;
  DeadlineWatch* watch_;
  FreeIndex main_ = 0;
  std::vector<FreeIndex> sides_;
  bool has_bilinear_last_ = false;
  PerFree<std::vector<std::vector<LaneSplit>>> splits_;
  PerFree<int64_t> tiles_{};                     // register tiles while filling
  std::vector<std::vector<uint32_t>> prefixes_;  // by depth, by column
  std::vector<Model::Bilinear> rooms_;
  std::vector<Front> fronts_;
};

}  // namespace inlay::thistle
