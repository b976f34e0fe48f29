#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "inlay/mapspace/tilings.h"

namespace inlay {

// What memories and lanes see of a chain.
struct TileChoice {
  IndexedVector<LevelId, int64_t> sizes;  // of the level's tile, in iterations
  std::vector<int64_t> lanes;             // by the slots of SpatialSlots
  Chain chain;                            // one of those that look like this
  bool operator==(const TileChoice& other) const {
    return sizes == other.sizes && lanes == other.lanes;
  }
};

// How much is looked at before a search gives up.
struct FitEffort {
  double tries = 1e7;  // of steps, while chains are listed
  int64_t chains = 200'000;
  int64_t nodes = 300'000;
};

// The choices of a dimension, each once; nullopt if there are too many chains to look at.
std::optional<std::vector<TileChoice>> TileChoicesOf(const Space& space, DimId dim,
                                                     const FitEffort& effort = {});

// The tiling, and what it keeps, that is nearest to fitting.
struct NearestFit {
  IndexedVector<DimId, Chain> chains;
  IndexedVector<LevelId, TensorSet> keeps;
  int64_t too_many_words = 0;   // over all memories
  int64_t levels_unfilled = 0;  // that do not reach their least utilisation
  bool Fits() const { return too_many_words == 0 && levels_unfilled == 0; }
};

// Searches all tilings and choices of what is kept, lanes and their least number respected.
// nullopt: there is no tiling within the lanes, or (`gave_up`) the search took too long.
std::optional<NearestFit> FindNearestFit(
    const Space& space, const IndexedVector<DimId, std::vector<TileChoice>>& choices, bool* gave_up,
    const FitEffort& effort = {});

}  // namespace inlay
