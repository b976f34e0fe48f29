#include "inlay/mapper/thistle/chain_list.h"

#include <set>
#include <tuple>

#include "inlay/mapspace/tilings.h"

namespace inlay::thistle {

ChainList::ChainList(const Model& model, FreeIndex f, DeadlineWatch* watch, size_t most) {
  constexpr SlotId kDramTime(0), kSramTime(3);
  const SlotId spatial(3 + static_cast<size_t>(model.axis()));
  is_too_long_ = LeastChainCount(model.space(), model.dim(f)) > static_cast<double>(most);
  if (is_too_long_) return;
  const auto add = [&](const Chain& chain) {
    is_too_long_ = chains_.size() == most;
    if (is_too_long_) return false;
    chains_.push_back({chain.tiles[kDramTime], chain.tiles[kSramTime], chain.steps[spatial],
                       chain.tiles[spatial]});
    return true;
  };
  if (ForEachChain(model.space(), model.dim(f), add, watch) && Sort(watch)) {
    FindValues();
  } else {
    chains_ = {};
  }
}

// Sorted pieces are merged, so that there are moments to look at the clock. False if time is up.
bool ChainList::Sort(DeadlineWatch* watch) {
  const auto before = [](const ListedChain& a, const ListedChain& b) {
    return std::tie(a.sram, a.array, a.lanes, a.tile) < std::tie(b.sram, b.array, b.lanes, b.tile);
  };
  const auto at = [&](size_t i) {
    return chains_.begin() + static_cast<std::ptrdiff_t>(std::min(i, chains_.size()));
  };
  constexpr size_t kPiece = size_t{1} << 16;
  for (size_t i = 0; i < chains_.size(); i += kPiece) {
    std::sort(at(i), at(i + kPiece), before);
    if (watch->PassedNow()) return false;
  }
  for (size_t piece = kPiece; piece < chains_.size(); piece *= 2) {
    for (size_t i = 0; i + piece < chains_.size(); i += 2 * piece) {
      std::inplace_merge(at(i), at(i + piece), at(i + 2 * piece), before);
      if (watch->PassedNow()) return false;
    }
  }
  return true;
}

void ChainList::FindValues() {
  std::set<int64_t> lanes;
  for (size_t i = 0; i < chains_.size(); ++i) {
    const ListedChain& chain = chains_[i];
    const bool new_sram = i == 0 || chain.sram != chains_[i - 1].sram;
    if (new_sram) {
      srams_.push_back(chain.sram);
      begins_.push_back(i);
    }
    if (new_sram || chain.array != chains_[i - 1].array) arrays_.push_back(chain.array);
    if (!lanes.contains(chain.lanes)) lanes.insert(chain.lanes);
  }
  begins_.push_back(chains_.size());
  std::sort(arrays_.begin(), arrays_.end());
  arrays_.erase(std::unique(arrays_.begin(), arrays_.end()), arrays_.end());
  lane_counts_.assign(lanes.begin(), lanes.end());
}

}  // namespace inlay::thistle
