#include "inlay/gp/orders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "inlay/core/shapes.h"

namespace inlay::gp {
namespace {

std::vector<DimId> Dims(const Problem& problem, const std::string& names) {
  std::vector<DimId> dims;
  for (const char name : names) dims.push_back(FindDim(problem, std::string(1, name)).value());
  return dims;
}

// The dumb twin: classes by walking every permutation.
IndexedVector<TensorId, uint64_t> SavedBy(const Problem& problem, const std::vector<DimId>& order) {
  IndexedVector<TensorId, uint64_t> saved;
  for (const Tensor& tensor : problem.tensors) {
    uint64_t bits = 0;
    for (size_t i = order.size(); i-- > 0;) {
      const bool present = IsRelevant(tensor, order[i]);
      bool has_halo = false;
      for (const Rank& rank : tensor.ranks) {
        if (rank.terms.size() != 2) continue;
        for (size_t side = 0; side < 2; ++side) {
          if (rank.terms[side].dim != order[i]) continue;
          has_halo = problem.dims[rank.terms[1 - side].dim].bound > rank.terms[side].coefficient;
        }
      }
      if (!present || has_halo) bits |= uint64_t{1} << order[i].value();
      if (present) break;
    }
    saved.push_back(bits);
  }
  return saved;
}

void ExpectAllPermutationsCovered(const Problem& problem, std::vector<DimId> dims) {
  std::set<std::vector<uint64_t>> expected, found;
  std::sort(dims.begin(), dims.end());
  const auto all = OrderClasses(problem, dims, Pruning::kExpressions);
  const auto best = OrderClasses(problem, dims, Pruning::kDominance);
  do {
    const auto saved = SavedBy(problem, dims);
    expected.insert({saved.begin(), saved.end()});
    const bool covered = std::any_of(best.begin(), best.end(), [&](const OrderClass& order) {
      for (TensorId t : Ids(saved)) {
        if ((saved[t] & ~order.saved[t]) != 0) return false;
      }
      return true;
    });
    EXPECT_TRUE(covered);
  } while (std::next_permutation(dims.begin(), dims.end()));
  for (const OrderClass& order : all) {
    EXPECT_EQ(SavedBy(problem, order.order), order.saved);
    found.insert({order.saved.begin(), order.saved.end()});
  }
  EXPECT_EQ(found, expected);
  EXPECT_EQ(found.size(), all.size());
}

TEST(OrderClasses, AreThoseOfAllPermutations) {
  const Problem conv = MakeConv("conv", {.n = 2, .k = 4, .c = 4, .p = 8, .q = 8, .r = 3, .s = 3});
  ExpectAllPermutationsCovered(conv, Dims(conv, "NKCPQ"));
  ExpectAllPermutationsCovered(conv, Dims(conv, "KCPQRS"));
  const Problem strided = MakeConv(
      "s2", {.k = 4, .c = 4, .p = 8, .q = 8, .r = 3, .s = 1, .stride_h = 2, .stride_w = 2});
  ExpectAllPermutationsCovered(strided, Dims(strided, "KCPQ"));
  const Problem gemm = MakeGemm("gemm", {.g = 2, .p = 4, .k = 4, .c = 4});
  ExpectAllPermutationsCovered(gemm, Dims(gemm, "GPKC"));
}

TEST(OrderClasses, OfNoLoopIsOne) {
  const Problem gemm = MakeGemm("gemm", {.p = 4, .k = 4, .c = 4});
  EXPECT_EQ(OrderClasses(gemm, {}, Pruning::kDominance).size(), 1U);
}

}  // namespace
}  // namespace inlay::gp
