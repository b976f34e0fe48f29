#include "inlay/batch/sim/memory.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "inlay/base/check.h"

namespace inlay::batch::sim {

Memory::Memory(int64_t capacity, int64_t window, std::vector<int64_t> reserves,
               std::vector<int64_t> blocks)
    : capacity_(capacity),
      window_(window),
      reserves_(std::move(reserves)),
      blocks_(std::move(blocks)),
      claimed_by_(reserves_.size(), 0),
      links_(blocks_.size()),
      oldest_(static_cast<uint32_t>(blocks_.size())),
      newest_(oldest_) {
  weights_ = std::accumulate(reserves_.begin(), reserves_.end(), int64_t{0});
  most_feature_map_bytes_ = capacity_ - weights_;
}

void Memory::AddMaps(int64_t bytes) {
  feature_map_bytes_ += bytes;
  MakeSpace();
}

void Memory::Count(size_t workload, int64_t change) {
  int64_t& mine = claimed_by_[workload];
  weights_ -= std::max(mine, reserves_[workload]);
  mine += change;
  claimed_ += change;
  weights_ += std::max(mine, reserves_[workload]);
}

void Memory::Claim(size_t workload, size_t block) {
  if (links_[block].kept) {
    Drop(block);
  } else {
    NotifyBlock(block, true);
  }
  Count(workload, blocks_[block]);
  MakeSpace();
}

void Memory::Release(size_t workload, size_t block) {
  Count(workload, -blocks_[block]);
  NotifyBlock(block, false);
}

void Memory::Keep(size_t workload, size_t block) {
  Count(workload, -blocks_[block]);
  if (blocks_[block] == 0) {
    NotifyBlock(block, false);
    return;
  }
  const auto none = static_cast<uint32_t>(blocks_.size());
  const auto id = static_cast<uint32_t>(block);
  links_[block] = {newest_, none, true};
  (newest_ == none ? oldest_ : links_[newest_].after) = id;
  newest_ = id;
  kept_bytes_ += blocks_[block];
  MakeSpace();
}

void Memory::Drop(size_t block) {
  const auto none = static_cast<uint32_t>(blocks_.size());
  Link& link = links_[block];
  (link.before == none ? oldest_ : links_[link.before].after) = link.after;
  (link.after == none ? newest_ : links_[link.after].before) = link.before;
  link.kept = false;
  kept_bytes_ -= blocks_[block];
}

void Memory::MakeSpace() {
  while (kept_bytes_ > 0 && feature_map_bytes_ + claimed_ + kept_bytes_ > capacity_) {
    NotifyBlock(oldest_, false);
    Drop(oldest_);
  }
  peak_ = std::max(peak_, feature_map_bytes_ + claimed_ + kept_bytes_);
}

void Memory::Check() const {
  INLAY_CHECK(feature_map_bytes_ >= 0 && claimed_ >= 0 && kept_bytes_ >= 0);
  INLAY_CHECK(feature_map_bytes_ + claimed_ + kept_bytes_ <= capacity_);
  INLAY_CHECK(Room() >= 0);
  int64_t claimed = 0, weights = 0, kept = 0;
  for (size_t w = 0; w < reserves_.size(); ++w) {
    INLAY_CHECK(claimed_by_[w] >= 0);
    claimed += claimed_by_[w];
    weights += std::max(claimed_by_[w], reserves_[w]);
  }
  for (size_t b = 0; b < blocks_.size(); ++b) kept += links_[b].kept ? blocks_[b] : 0;
  INLAY_CHECK(claimed == claimed_ && weights == weights_ && kept == kept_bytes_);
}

}  // namespace inlay::batch::sim
