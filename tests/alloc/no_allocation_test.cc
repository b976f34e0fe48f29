// The hot path allocates nothing: a counting operator new, which is why this is a program of its
// own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <vector>

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

#ifndef __clang__
// Inlined, free() looks to gcc as if it did not belong to operator new. Both are ours.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

void* operator new(std::size_t size) { return Allocate(size); }
void* operator new[](std::size_t size) { return Allocate(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace inlay {
namespace {

TEST(NoAllocationTest, TheCounterCounts) {
  const int64_t before = allocations;
  ::operator delete(::operator new(1));  // unlike a new expression, never optimised away
  EXPECT_EQ(allocations, before + 1);
}

// As in a search: one model, many mappings. The first rounds may grow the scratch, which is swapped
// around; after them all of it is large enough.
TEST(NoAllocationTest, ASearchAllocatesNothingAfterItsFirstRounds) {
  for (const auto steps : {testing::Steps::kPerfect, testing::Steps::kRuby, testing::Steps::kAny}) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
      testing::Random random(seed);
      const testing::Case first = testing::RandomCase(random, steps);
      std::vector<Mapping> mappings = {first.mapping};
      while (mappings.size() < 20) {
        const Mapping mapping =
            testing::RandomMapping(random, first.problem, first.mapping.levels.size(), steps);
        mappings.push_back(mapping);
      }
      ExactModel model(first.problem, first.architecture);
      Cost cost;
      bool evaluated = true;
      const auto round = [&] {
        for (const Mapping& mapping : mappings) {
          evaluated = model.Evaluate(mapping, &cost) && evaluated;
        }
      };
      for (int i = 0; i < 16; ++i) round();
      std::shuffle(mappings.begin(), mappings.end(), random);
      const int64_t before = allocations;
      round();
      EXPECT_EQ(allocations, before) << "seed " << seed << "\n" << testing::Describe(first);
      EXPECT_TRUE(evaluated);
    }
  }
}

}  // namespace
}  // namespace inlay
