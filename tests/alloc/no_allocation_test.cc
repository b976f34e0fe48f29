// The hot path allocates nothing: a counting operator new, which is why this is a program of its
// own.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "inlay/cost/exact.h"
#include "tests/support/random_case.h"

namespace {

int64_t allocations = 0;

void* Allocate(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return Allocate(size); }
void* operator new[](std::size_t size) { return Allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace inlay {
namespace {

TEST(NoAllocationTest, TheCounterCounts) {
  const int64_t before = allocations;
  delete new int(1);
  EXPECT_EQ(allocations, before + 1);
}

// The first few evaluations may grow the scratch, which is swapped around; later ones find all of
// it large enough.
TEST(NoAllocationTest, EvaluatingAgainAllocatesNothing) {
  for (const auto steps : {testing::Steps::kPerfect, testing::Steps::kRuby, testing::Steps::kAny}) {
    for (uint64_t seed = 0; seed < 300; ++seed) {
      testing::Random random(seed);
      const testing::Case c = testing::RandomCase(random, steps);
      ExactModel model(c.problem, c.architecture);
      Cost cost;
      for (int i = 0; i < 16; ++i) ASSERT_TRUE(model.Evaluate(c.mapping, &cost));
      const int64_t before = allocations;
      bool evaluated = true;
      for (int i = 0; i < 16; ++i) evaluated = model.Evaluate(c.mapping, &cost) && evaluated;
      EXPECT_EQ(allocations, before) << "seed " << seed << "\n" << testing::Describe(c);
      EXPECT_TRUE(evaluated);
    }
  }
}

}  // namespace
}  // namespace inlay
