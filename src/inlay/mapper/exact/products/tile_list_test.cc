#include "inlay/mapper/exact/products/tile_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "inlay/base/rng.h"

namespace inlay::exact_search {
namespace {

// Tiles of two dimensions of 12 trips each, by the places of their divisors.
TEST(TileList, FindsTheCheapestTilesAroundAnother) {
  const std::vector<uint16_t> divisors = {1, 2, 3, 4, 6, 12};
  TileList::Multiples multiples(2, std::vector<std::vector<uint16_t>>(divisors.size()));
  for (auto& of_dim : multiples) {
    for (size_t i = 0; i < divisors.size(); ++i) {
      for (size_t o = 0; o < divisors.size(); ++o) {
        if (divisors[o] % divisors[i] == 0) of_dim[i].push_back(static_cast<uint16_t>(o));
      }
    }
  }
  Rng rng(7);
  TileList list;
  list.Clear(2);
  double least = 1e9;
  for (int i = 0; i < 200; ++i) {
    const std::vector<uint16_t> tile = {static_cast<uint16_t>(UniformBelow(rng, 6)),
                                        static_cast<uint16_t>(UniformBelow(rng, 6))};
    const auto cost = static_cast<double>(UniformBelow(rng, 1000));
    least = std::min(least, cost);
    list.Add(tile.data(), cost, 900);
  }
  EXPECT_EQ(list.least(), least);
  list.Finish(600, multiples);
  ASSERT_GT(list.size(), 64U);  // more than one word of bits
  for (size_t i = 0; i < list.size(); ++i) {
    EXPECT_LE(list.cost(i), 600);
    if (i > 0) {
      EXPECT_LE(list.cost(i - 1), list.cost(i));
    }
  }
  for (uint16_t a = 0; a < 6; ++a) {
    for (uint16_t b = 0; b < 6; ++b) {
      const uint16_t inner[] = {a, b};
      std::vector<size_t> expected, found;
      for (size_t i = 0; i < list.size(); ++i) {
        const bool around = divisors[list.tile(i)[0]] % divisors[a] == 0 &&
                            divisors[list.tile(i)[1]] % divisors[b] == 0;
        if (around) expected.push_back(i);
      }
      for (size_t i = list.FirstAround(inner, 0); i < list.size();
           i = list.FirstAround(inner, i + 1)) {
        found.push_back(i);
      }
      EXPECT_EQ(found, expected) << a << " " << b;
    }
  }
}

}  // namespace
}  // namespace inlay::exact_search
