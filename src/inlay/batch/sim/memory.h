#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "inlay/batch/simulate.h"

namespace inlay::batch::sim {

// The bytes on chip, by workload and kind. There are three kinds: feature maps; weight blocks that
// wait for their turn (claimed); and weight blocks that are done but will be needed again (kept),
// which give way to the others, the oldest first. A block's number is its own over all workloads.
//
// Each workload has a reserve of its largest block, which maps never take, so that a layer that has
// started can always fetch the next block.
class Memory {
 public:
  // `blocks`: the bytes of every block.
  Memory(int64_t capacity, int64_t window, std::vector<int64_t> reserves,
         std::vector<int64_t> blocks);

  int64_t capacity() const { return capacity_; }
  int64_t feature_map_bytes() const { return feature_map_bytes_; }
  int64_t claimed() const { return claimed_; }
  int64_t claimed(size_t workload) const { return claimed_by_[workload]; }
  int64_t kept() const { return kept_bytes_; }
  int64_t peak() const { return peak_; }
  // What maps may have at most, when no block is on chip.
  int64_t most_feature_map_bytes() const { return most_feature_map_bytes_; }
  int64_t BlockBytes(size_t block) const { return blocks_[block]; }
  bool IsKept(size_t block) const { return links_[block].kept; }

  // Bytes that maps may still take.
  int64_t Room() const { return capacity_ - feature_map_bytes_ - weights_; }
  void AddMaps(int64_t bytes);  // at most Room()
  void RemoveMaps(int64_t bytes) { feature_map_bytes_ -= bytes; }

  // Whether a workload may have one more block of so many bytes.
  bool MayClaim(size_t workload, int64_t bytes) const {
    const int64_t mine = claimed_by_[workload];
    if (mine == 0) return true;
    if (claimed_ + bytes > window_) return false;
    const int64_t reserve = reserves_[workload];
    const int64_t more =
        mine + bytes <= reserve ? 0 : mine + bytes - (mine < reserve ? reserve : mine);
    return more <= Room();
  }
  void Claim(size_t workload, size_t block);    // absent or kept before
  void Release(size_t workload, size_t block);  // claimed, now gone
  void Keep(size_t workload, size_t block);     // claimed, now kept

  // Reports every later change of the blocks on chip to `observer`, at time `*now`; both outlive
  // the memory.
  void Notify(Observer* observer, const int64_t* now) {
    observer_ = observer;
    now_ = now;
  }

  // Every total is the sum of its parts.
  void Check() const;

 private:
  struct Link {
    uint32_t before = 0, after = 0;  // in order of age; number of blocks: none
    bool kept = false;
  };
  void Count(size_t workload, int64_t change);
  void Drop(size_t block);  // kept, now gone
  void MakeSpace();
  void NotifyBlock(size_t block, bool comes) const {
    if (observer_ != nullptr) observer_->Block(*now_, block, blocks_[block], comes);
  }

  int64_t capacity_, window_, most_feature_map_bytes_;
  std::vector<int64_t> reserves_, blocks_;
  std::vector<int64_t> claimed_by_;
  int64_t feature_map_bytes_ = 0, claimed_ = 0, kept_bytes_ = 0, peak_ = 0;
  int64_t weights_ = 0;  // Σ over workloads: the larger of reserve and claimed
  std::vector<Link> links_;
  uint32_t oldest_, newest_;
  Observer* observer_ = nullptr;
  const int64_t* now_ = nullptr;
};

}  // namespace inlay::batch::sim
