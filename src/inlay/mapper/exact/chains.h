#pragma once

#include <tl/expected.hpp>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/mapper/exact/chain_tree.h"

namespace inlay::exact_search {

// All chains of a space, once for every choice of tensors kept.
struct Chains {
  RowLayout layout;
  std::vector<Stage> stages;
  std::vector<ChainTree> trees;             // by dimension
  std::vector<std::vector<TileSet>> tiles;  // [level][dimension], levels 1 … last
  // Each chain stands for a family of chains that its figures cover: the search finds no mapping,
  // but the least bound over all families.
  bool families = false;
};
// The tiles of the inner levels, of trees that are there; false if the deadline passed.
bool AddTiles(size_t levels, const Deadline& deadline, Chains* all);

// Why there are no chains to search.
enum class ChainFault { kStopped, kTooMany, kNone };
tl::expected<Chains, ChainFault> BuildChains(const Space& space, std::vector<Stage> stages,
                                             const Deadline& deadline);

}  // namespace inlay::exact_search
