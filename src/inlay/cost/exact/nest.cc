#include "inlay/cost/exact/nest.h"

namespace inlay::exact {

void FlatNest::Build(const Tables& tables, const Mapping& mapping) {
  const size_t dims = tables.dims;
  const size_t levels = mapping.levels.size();
  loops.clear();
  above.resize(levels + 1);
  chain.resize(dims);
  even.assign(dims, 1);
  tile.resize((levels + 1) * dims);
  perfect = true;
  lanes_end = 0;
  for (size_t d = 0; d < dims; ++d) {
    chain[d].clear();
    tile[d] = tables.bound[d];
  }
  for (size_t l = 0; l < levels; ++l) {
    above[l] = loops.size();
    int64_t* inner = &tile[(l + 1) * dims];
    for (size_t d = 0; d < dims; ++d) inner[d] = tile[l * dims + d];
    const LevelMapping& level = mapping.levels[LevelId(l)];
    for (const auto* list : {&level.temporal, &level.spatial}) {
      for (const Loop& loop : *list) {
        const size_t d = loop.dim.value();
        const int64_t range = inner[d];
        if (range == loop.step) continue;
        const int64_t full = range / loop.step;
        const bool divides = full * loop.step == range;
        chain[d].push_back(loops.size());
        loops.push_back({d, l, loop.axis != Axis::kTime, loop.step, divides ? full : full + 1});
        if (loop.axis != Axis::kTime) lanes_end = loops.size();
        if (!divides) even[d] = 0, perfect = false;
        inner[d] = loop.step;
      }
    }
  }
  above[levels] = loops.size();
  extent.resize(levels * tables.ranks.size());
  int64_t* next = extent.data();
  for (size_t l = 0; l < levels; ++l) {
    const int64_t* size = &tile[l * dims];
    for (const auto& rank : tables.ranks) {
      int64_t words = 1;
      for (const Tables::FlatTerm& term : rank) words += term.coefficient * (size[term.dim] - 1);
      *next++ = words;
    }
  }
}

}  // namespace inlay::exact
