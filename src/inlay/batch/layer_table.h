#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "inlay/batch/network_profile.h"

namespace inlay::batch {

// The costs of n inferences of a network together, layer by layer.
struct InferenceCosts {
  std::vector<int64_t> cycles;         // of each layer
  std::vector<int64_t> cycles_before;  // of all layers before; one more entry than layers
  // From each layer to the end, the longer of computing it and fetching its weights; one more entry
  // than layers.
  std::vector<int64_t> path;
  std::vector<int64_t> held;   // bytes before each layer starts; one more entry than layers
  std::vector<int64_t> added;  // when each layer starts: its outputs, and of the first its inputs

  // The most bytes in memory during one of the layers [from, to); 0 if there are none.
  int64_t Peak(size_t from, size_t to) const {
    if (from >= to) return 0;
    const auto level = static_cast<size_t>(63 - __builtin_clzll(to - from));
    const std::vector<int64_t>& most = peaks[level];
    return most[from] > most[to - (size_t{1} << level)] ? most[from]
                                                        : most[to - (size_t{1} << level)];
  }
  std::vector<std::vector<int64_t>> peaks;  // [i][l]: of the layers [l, l + 2^i)
};

// The costs of a network by n, each made when first needed. Of more than kDirect inferences only
// some stay: those that were asked for lately, and the one that is pinned.
class LayerTable {
 public:
  // What an inference holds is rounded up to pages.
  LayerTable(const NetworkProfile& profile, const Accelerator& accelerator, int64_t page_bytes = 1);

  const InferenceCosts& CostsOf(int64_t n) {
    if (n < kDirect && near_[static_cast<size_t>(n)]) return *near_[static_cast<size_t>(n)];
    return MakeCosts(n);
  }
  // CostsOf(n), which stay where they are until others are pinned.
  const InferenceCosts& Pin(int64_t n) {
    pinned_ = n;
    return CostsOf(n);
  }
  size_t layers() const { return profile_->layers.size(); }
  // Weights of all layers before; one more entry than layers.
  const std::vector<int64_t>& weights_before() const { return weights_before_; }
  int64_t streamed_bytes() const { return streamed_bytes_; }  // of all layers, per inference
  int64_t FetchCycles(int64_t bytes) const;                   // rounded up

 private:
  static constexpr int64_t kDirect = 256;
  static constexpr size_t kMostFar = 512;  // of each of the two maps
  const InferenceCosts& MakeCosts(int64_t n);
  InferenceCosts* FindFar(int64_t n);
  int64_t Round(int64_t bytes) const;

  const NetworkProfile* profile_;
  const Accelerator* accelerator_;
  int64_t page_bytes_;
  std::vector<int64_t> weights_before_;
  int64_t streamed_bytes_ = 0;
  std::vector<std::unique_ptr<InferenceCosts>> near_;  // by n < kDirect
  std::map<int64_t, InferenceCosts> far_, older_;
  int64_t pinned_ = 0;
};

}  // namespace inlay::batch
