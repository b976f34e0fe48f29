#include "inlay/mapper/exact/chains.h"

#include <utility>

#include "inlay/mapspace/tilings.h"

namespace inlay::exact_search {

bool AddTiles(size_t levels, const Deadline& deadline, Chains* all) {
  all->tiles.resize(levels);
  for (size_t l = 1; l + 1 < levels; ++l) {
    for (const ChainTree& tree : all->trees) {
      if (deadline.Passed()) return false;
      all->tiles[l].emplace_back(all->layout, tree, l);
    }
  }
  return true;
}

tl::expected<Chains, ChainFault> BuildChains(const Space& space, std::vector<Stage> stages,
                                             const Deadline& deadline) {
  const size_t levels = space.architecture.levels.size();
  Chains all{RowLayout(levels), std::move(stages), {}, {}, false};
  const size_t most = 60'000'000 / all.layout.size();  // some 500 MB of figures
  size_t count = 0;
  for (DimId d : Ids(space.problem.dims)) {
    if (LeastChainCount(space, d) > static_cast<double>(most)) {
      return tl::unexpected(ChainFault::kTooMany);
    }
    std::vector<Chain> chains;
    DeadlineWatch watch(deadline);
    const auto add = [&](const Chain& chain) {
      if (++count > most) return false;
      chains.push_back(chain);
      return true;
    };
    const bool complete = ForEachChain(space, d, add, &watch);
    if (deadline.Passed()) return tl::unexpected(ChainFault::kStopped);
    if (!complete) return tl::unexpected(ChainFault::kTooMany);
    if (chains.empty()) return tl::unexpected(ChainFault::kNone);
    all.trees.emplace_back(space, all.layout, all.stages, std::move(chains), nullptr, &watch);
    if (watch.PassedNow()) return tl::unexpected(ChainFault::kStopped);
  }
  if (!AddTiles(levels, deadline, &all)) return tl::unexpected(ChainFault::kStopped);
  return all;
}

}  // namespace inlay::exact_search
