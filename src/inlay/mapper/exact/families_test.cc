#include "inlay/mapper/exact/families.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/small_machine.h"

namespace inlay::exact_search {
namespace {

using Sizes = std::vector<int64_t>;

// ⌈10 / t⌉ is 10, 5, 4, 3, 2 and 1 from these sizes on.
TEST(FamiliesTest, TilesAreSortedByTheirNumberInTheBound) {
  EXPECT_EQ(TileClasses(10, std::numeric_limits<double>::infinity()), Sizes({1, 2, 3, 4, 5, 10}));
  EXPECT_EQ(TileClasses(10, 0), Sizes({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(TileClasses(10, 0.5), Sizes({1, 2, 3, 4, 5, 8, 10}));  // 5 … 7, 8 … 9
}

// Every chain is in one family, and the family's figures cover the chain's.
TEST(FamiliesTest, EachChainIsInOneFamily) {
  const Space space = testing::SmallSpace(MakeGemm("gemm", {.p = 5}), 2, Mapspace::kAny);
  const RowLayout layout(3);
  std::vector<double> row(layout.size()), covering(layout.size());
  for (const Chain& chain : ChainsOf(space, DimId(0))) {
    int families = 0;
    ForEachFamily(space, DimId(0), 0.5, [&](const Family& family) {
      if (!Holds(space, family, chain)) return true;
      ++families;
      EXPECT_TRUE(FillFamily(layout, family, covering.data()));
      RowFiller(space).Fill(layout, chain, row.data());
      std::vector<double> widened = covering;
      Cover(layout, row.data(), widened.data());
      EXPECT_EQ(widened, covering);
      return true;
    });
    EXPECT_EQ(families, 1);
  }
}

}  // namespace
}  // namespace inlay::exact_search
