#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace inlay::exact_search {

// Tiles of one level, each with a cost, cheapest first. A tile is a divisor per dimension, by its
// place among all divisors of the dimension's trips; the list finds the tiles that hold another
// one.
class TileList {
 public:
  void Clear(size_t dims);
  // Takes the tile if it costs no more than `most`.
  void Add(const uint16_t* tile, double cost, double most);
  // Leaves out what costs more, sorts the rest and makes ready for queries. `multiples[d][i]`: the
  // places of the multiples of the i-th divisor.
  using Multiples = std::vector<std::vector<std::vector<uint16_t>>>;
  void Finish(double most, const Multiples& multiples);

  size_t size() const { return cost_.size(); }
  double cost(size_t i) const { return cost_[i]; }
  const uint16_t* tile(size_t i) const { return &tiles_[i * dims_]; }
  double least() const { return least_; }  // of all, also those not taken; ∞: there is none

  // The first tile from `from` on that holds another one; size() if there is none.
  size_t FirstAround(const uint16_t* inner, size_t from) const;
  double LeastAround(const uint16_t* inner) const {
    const size_t i = FirstAround(inner, 0);
    return i < size() ? cost_[i] : std::numeric_limits<double>::infinity();
  }

 private:
  size_t dims_ = 0;
  std::vector<uint16_t> tiles_;
  std::vector<double> cost_;
  double least_ = std::numeric_limits<double>::infinity();
  size_t words_ = 0;                         // of a row of bits
  std::vector<std::vector<uint64_t>> rows_;  // [dimension]: a row of bits per divisor
};

}  // namespace inlay::exact_search
