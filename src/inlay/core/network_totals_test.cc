#include "inlay/core/network_totals.h"

#include <gtest/gtest.h>

#include "inlay/core/shapes.h"

namespace inlay {
namespace {

Layer Conv(const char* name, int64_t repeat, const ConvShape& shape) {
  return {name, "conv", MakeConv(name, shape), repeat};
}

TEST(NetworkTotals, CountEveryRepeat) {
  Network network;
  network.layers.push_back(Conv("stem", 1, {.k = 8, .c = 3, .p = 4, .q = 4, .r = 3, .s = 3}));
  network.layers.push_back(Conv("body", 5, {.k = 8, .c = 8, .p = 2, .q = 2}));
  const auto totals = TotalsOf(network, 16);
  ASSERT_TRUE(totals.has_value());
  EXPECT_EQ(totals->nodes, 6);
  EXPECT_EQ(totals->compute_nodes, 6);
  EXPECT_EQ(totals->operations, 8 * 3 * 16 * 9 + 5 * (8 * 8 * 4));
  EXPECT_EQ(totals->weight_bytes, 2 * (8 * 3 * 9 + 5 * 64));
  EXPECT_EQ(totals->activation_bytes, 2 * (3 * 6 * 6 + 8 * 16 + 5 * 8 * 4));
}

TEST(NetworkTotals, OperandsOfMatrixProductsAreNoWeights) {
  Network network;
  network.layers.push_back(
      {"scores", "matmul", MakeGemm("s", {.g = 2, .p = 3, .k = 5, .c = 7}), 1});
  network.layers.push_back({"fc", "gemm", MakeGemm("f", {.p = 3, .k = 5, .c = 7}), 1});
  const auto totals = TotalsOf(network, 8);
  ASSERT_TRUE(totals.has_value());
  EXPECT_EQ(totals->weight_bytes, 35);
  EXPECT_EQ(totals->activation_bytes, 2 * (3 * 7 + 5 * 7 + 3 * 5) + 15);
}

TEST(NetworkTotals, OddBitsAreRoundedUpPerTensor) {
  Network network;
  network.layers.push_back({"fc", "gemm", MakeGemm("f", {.p = 1, .k = 3, .c = 1}), 1});
  EXPECT_EQ(TotalsOf(network, 4)->weight_bytes, 2);
}

TEST(NetworkTotals, OverflowIsAFault) {
  Network network;
  network.layers.push_back(
      {"fc", "gemm", MakeGemm("f", {.p = 1, .k = int64_t{1} << 40, .c = 1 << 20}), 1 << 10});
  EXPECT_FALSE(TotalsOf(network, 16).has_value());
  network.layers[0].repeat = 1;
  EXPECT_TRUE(TotalsOf(network, 16).has_value());
  network.layers[0].repeat = int64_t{1} << 62;
  EXPECT_FALSE(TotalsOf(network, 16).has_value());
}

}  // namespace
}  // namespace inlay
