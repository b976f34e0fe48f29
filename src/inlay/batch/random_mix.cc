#include "inlay/batch/random_mix.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "inlay/base/rng.h"

namespace inlay::batch {

const std::vector<MixSet>& MixSets() {
  static const std::vector<MixSet> sets = {
      {"E", {"resnet50", "mobilenetv2", "bert-base", "gnmt"}},
      {"C", {"resnet50", "vgg16", "mobilenetv2", "gnmt"}},
      {"A", {"resnet50", "vgg16", "mobilenetv2", "bert-base"}},
  };
  return sets;
}

const MixSet* FindMixSet(std::string_view name) {
  const auto& sets = MixSets();
  const auto found = std::find_if(sets.begin(), sets.end(),
                                  [name](const MixSet& set) { return set.name == name; });
  return found == sets.end() ? nullptr : &*found;
}

std::array<int64_t, 4> RandomBatches(uint64_t seed, uint64_t index) {
  std::array<int64_t, 4> batches = {};
  uint64_t choices = 1;
  for (size_t i = 0; i < batches.size(); ++i) choices *= kLargestRandomBatch;
  index %= choices;
  // A shuffle, as far as it is asked for: places before `index` are drawn as they would be for it.
  std::vector<uint32_t> order(choices);
  std::iota(order.begin(), order.end(), 0U);
  Rng rng(seed);
  for (uint64_t i = 0; i <= index; ++i) {
    std::swap(order[i], order[i + UniformBelow(rng, choices - i)]);
  }
  uint64_t digits = order[index];
  for (int64_t& batch : batches) {
    batch = static_cast<int64_t>(digits % kLargestRandomBatch) + 1;
    digits /= kLargestRandomBatch;
  }
  return batches;
}

Mix RandomMix(const MixSet& set, const std::array<std::shared_ptr<const Graph>, 4>& graphs,
              const Accelerator& accelerator, uint64_t seed, uint64_t index) {
  Mix mix{std::string(set.name) + " " + std::to_string(index), accelerator, {}};
  const auto batches = RandomBatches(seed, index);
  for (size_t i = 0; i < graphs.size(); ++i) {
    mix.workloads.push_back({std::string(set.networks[i]), graphs[i], batches[i], {}});
  }
  return mix;
}

}  // namespace inlay::batch
