#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "inlay/core/map_result.h"

namespace inlay {

// Writes down how a search goes. The list stays short: when it is full, every other moment goes,
// and what follows is added as before. Not for several threads at once.
class SearchMoments {
 public:
  // Nothing if neither has changed since.
  void Add(double seconds, std::optional<double> incumbent, std::optional<double> bound) {
    if (!moments_.empty() && incumbent == moments_.back().incumbent &&
        bound == moments_.back().bound) {
      return;
    }
    if (moments_.size() == kMost) {
      for (size_t i = 1; 2 * i < kMost; ++i) moments_[i] = moments_[2 * i];
      moments_.resize(kMost / 2);
    }
    moments_.push_back({seconds, incumbent, bound});
  }

  std::vector<SearchMoment> Take() { return std::move(moments_); }

 private:
  static constexpr size_t kMost = 64;
  std::vector<SearchMoment> moments_;
};

}  // namespace inlay
