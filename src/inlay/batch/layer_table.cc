#include "inlay/batch/layer_table.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "inlay/base/checked_arithmetic.h"

namespace inlay::batch {

LayerTable::LayerTable(const NetworkProfile& profile, const Accelerator& accelerator,
                       int64_t page_bytes)
    : profile_(&profile), accelerator_(&accelerator), page_bytes_(page_bytes), near_(kDirect) {
  weights_before_.push_back(0);
  for (const LayerProfile& layer : profile.layers) {
    weights_before_.push_back(SaturatingAdd(weights_before_.back(), layer.weight_bytes));
    streamed_bytes_ = SaturatingAdd(streamed_bytes_, layer.stream_bytes);
  }
}

int64_t LayerTable::FetchCycles(int64_t bytes) const {
  return static_cast<int64_t>(
      std::ceil(static_cast<double>(bytes) / accelerator_->bytes_per_cycle));
}

int64_t LayerTable::Round(int64_t bytes) const {
  return page_bytes_ == 1 ? bytes : SaturatingMultiply(CeilDiv(bytes, page_bytes_), page_bytes_);
}

InferenceCosts* LayerTable::FindFar(int64_t n) {
  if (const auto found = far_.find(n); found != far_.end()) return &found->second;
  if (far_.size() >= kMostFar) {
    auto pinned = older_.extract(pinned_);
    older_ = std::exchange(far_, {});
    if (pinned) older_.insert(std::move(pinned));
  }
  auto older = older_.extract(n);
  return older ? &far_.insert(std::move(older)).position->second : nullptr;
}

const InferenceCosts& LayerTable::MakeCosts(int64_t n) {
  if (n >= kDirect) {
    if (const InferenceCosts* costs = FindFar(n)) return *costs;
  } else {
    near_[static_cast<size_t>(n)] = std::make_unique<InferenceCosts>();
  }
  InferenceCosts& costs = n < kDirect ? *near_[static_cast<size_t>(n)] : far_[n];
  const size_t count = layers();
  costs.cycles.resize(count);
  costs.cycles_before.assign(count + 1, 0);
  costs.path.assign(count + 1, 0);
  costs.held.assign(count + 1, 0);
  costs.added.resize(count);
  costs.peaks.emplace_back(count);
  for (size_t l = 0; l < count; ++l) {
    const LayerProfile& layer = profile_->layers[l];
    costs.cycles[l] = CyclesOf(layer, *accelerator_, n);
    costs.cycles_before[l + 1] = SaturatingAdd(costs.cycles_before[l], costs.cycles[l]);
    const int64_t live = SaturatingMultiply(n, Round(layer.live_bytes));
    costs.held[l] = l == 0 ? 0 : live;
    costs.added[l] = SaturatingAdd(SaturatingMultiply(n, Round(layer.output_bytes)),
                                   SaturatingAdd(Round(layer.workspace_bytes), l == 0 ? live : 0));
    costs.peaks[0][l] = SaturatingAdd(costs.held[l], costs.added[l]);
  }
  for (size_t l = count; l-- > 0;) {
    const int64_t streamed = SaturatingMultiply(n, profile_->layers[l].stream_bytes);
    const int64_t fetched = SaturatingAdd(profile_->layers[l].weight_bytes, streamed);
    costs.path[l] =
        SaturatingAdd(costs.path[l + 1], std::max(costs.cycles[l], FetchCycles(fetched)));
  }
  for (size_t width = 1; 2 * width <= count; width *= 2) {
    const std::vector<int64_t>& below = costs.peaks.back();
    std::vector<int64_t> most(count - 2 * width + 1);
    for (size_t l = 0; l < most.size(); ++l) most[l] = std::max(below[l], below[l + width]);
    costs.peaks.push_back(std::move(most));
  }
  return costs;
}

}  // namespace inlay::batch
