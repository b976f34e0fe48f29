#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "inlay/core/graph.h"
#include "inlay/core/mix.h"

namespace inlay::batch {

// Four networks, by the names of built-ins, that mixes are drawn of.
struct MixSet {
  std::string_view name;
  std::array<std::string_view, 4> networks;
};
// "E", "C" and "A"; which four the paper took is not known.
const std::vector<MixSet>& MixSets();
const MixSet* FindMixSet(std::string_view name);

inline constexpr int64_t kLargestRandomBatch = 10;

// Every choice of batches from 1 to kLargestRandomBatch for four networks comes once, in an order
// that the seed decides; this is the one at `index`, counted from 0, and again from the first after
// the last.
std::array<int64_t, 4> RandomBatches(uint64_t seed, uint64_t index);

// A closed mix of those batches. `graphs` are those of the set, in its order.
Mix RandomMix(const MixSet& set, const std::array<std::shared_ptr<const Graph>, 4>& graphs,
              const Accelerator& accelerator, uint64_t seed, uint64_t index);

}  // namespace inlay::batch
