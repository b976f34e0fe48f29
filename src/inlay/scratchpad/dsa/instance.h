#pragma once

#include <cstdint>
#include <vector>

#include "inlay/base/index.h"
#include "inlay/scratchpad/dsa/dsa.h"

namespace inlay::dsa {

using ItemId = Index<struct ItemTag>;        // a buffer of an Instance
using SectionId = Index<struct SectionTag>;  // a time at which a maximal set of buffers lives

// The smallest multiple that is not below the value.
inline int64_t AlignUp(int64_t value, int64_t alignment) {
  if (alignment == 1) return value;
  const int64_t rest = value % alignment;
  return rest == 0 ? value : value + (alignment - rest);
}

// A buffer as the search sees it.
struct Item {
  size_t buffer = 0;      // index in the problem
  SectionId first, last;  // lives in these sections, both included
  int64_t size = 0;       // what has to be free above its start
  int64_t alignment = 1;  // of the start
  int64_t min_start = 0;  // both equal to the address where it is fixed
  int64_t max_start = 0;
};

// A problem without what does not matter: buffers that take no room are left out, of all times only
// the maximal cliques are kept (every two buffers that live together share one), everything is
// divided by a common unit.
struct Instance {
  int64_t unit = 1;  // what sizes, starts and the capacity are counted in
  int64_t capacity = 0;
  IndexedVector<ItemId, Item> items;
  size_t sections = 0;
  int64_t pairs = 0;  // of items that live together
};

// Where the buffers of a placement end, once each is as low as it goes, is a multiple of this.
int64_t EndUnit(const std::vector<Buffer>& buffers);

// The parts of a problem that share no time, in the order of time; one part if split is false.
std::vector<Instance> Reduce(const Problem& problem, bool split);

}  // namespace inlay::dsa
