#include "inlay/mapper/exact/products/tile_list.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace inlay::exact_search {

void TileList::Clear(size_t dims) {
  dims_ = dims;
  tiles_.clear();
  cost_.clear();
  least_ = std::numeric_limits<double>::infinity();
}

void TileList::Add(const uint16_t* tile, double cost, double most) {
  least_ = std::min(least_, cost);
  if (!(cost <= most)) return;
  tiles_.insert(tiles_.end(), tile, tile + dims_);
  cost_.push_back(cost);
}

void TileList::Finish(double most, const Multiples& multiples) {
  std::vector<uint32_t> order;
  for (size_t i = 0; i < cost_.size(); ++i) {
    if (cost_[i] <= most) order.push_back(static_cast<uint32_t>(i));
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return cost_[a] < cost_[b]; });
  std::vector<uint16_t> tiles;
  std::vector<double> cost;
  tiles.reserve(order.size() * dims_);
  cost.reserve(order.size());
  for (const uint32_t i : order) {
    tiles.insert(tiles.end(), tile(i), tile(i) + dims_);
    cost.push_back(cost_[i]);
  }
  tiles_ = std::move(tiles);
  cost_ = std::move(cost);
  words_ = (size() + 63) / 64;
  rows_.resize(dims_);
  std::vector<uint64_t> exact;
  for (size_t d = 0; d < dims_; ++d) {
    const size_t divisors = multiples[d].size();
    exact.assign(divisors * words_, 0);
    for (size_t i = 0; i < size(); ++i) {
      exact[tile(i)[d] * words_ + i / 64] |= uint64_t{1} << (i % 64);
    }
    rows_[d].assign(divisors * words_, 0);
    for (size_t v = 0; v < divisors; ++v) {
      for (const uint16_t m : multiples[d][v]) {
        for (size_t w = 0; w < words_; ++w) rows_[d][v * words_ + w] |= exact[m * words_ + w];
      }
    }
  }
}

size_t TileList::FirstAround(const uint16_t* inner, size_t from) const {
  for (size_t w = from / 64; w < words_; ++w) {
    uint64_t bits = ~uint64_t{0};
    if (w == from / 64) bits <<= from % 64;
    for (size_t d = 0; d < dims_ && bits != 0; ++d) bits &= rows_[d][inner[d] * words_ + w];
    if (bits != 0) return std::min(size(), w * 64 + static_cast<size_t>(std::countr_zero(bits)));
  }
  return size();
}

}  // namespace inlay::exact_search
