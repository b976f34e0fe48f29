#include "inlay/batch/slice_plan.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/batch/layer_table.h"
#include "inlay/batch/planned_runs.h"

namespace inlay::batch {
namespace {

// Up to this batch every size of slices is tried, above it kMostSizes.
constexpr int64_t kAllSizes = 16;
constexpr size_t kMostSizes = 12;
// Up to so many layers each may be a gate; of more, those before which the least is held.
constexpr size_t kMostGates = 128;

// What plans of one batch cost, in a time that does not depend on the slices or the layers.
class PlanCoster {
 public:
  PlanCoster(const NetworkProfile& profile, const Accelerator& accelerator, int64_t batch)
      : table_(profile, accelerator), batch_(batch) {
    const int64_t inputs = profile.layers.front().live_bytes;
    always_ = SaturatingMultiply(batch, SaturatingAdd(inputs, table_.streamed_bytes()));
  }

  size_t layers() const { return table_.layers(); }
  // Of one slice, whatever waits.
  int64_t Peak(int64_t n, size_t from, size_t to) { return table_.CostsOf(n).Peak(from, to); }

  SlicePlanCost Of(const SlicePlan& plan) {
    slices_ = Resolve(plan, batch_, layers());
    cost_ = {0, 0, always_};
    groups_ = 0;
    const int64_t full = batch_ / slices_.second, rest = batch_ % slices_.second;
    if (full > 0) AddGroups(slices_.second, full);
    if (rest > 0) AddGroups(rest, 1);
    AddRun(batch_, slices_.second_end, layers(), 1, 0);
    return cost_;
  }

 private:
  // `times` groups of `size` inferences, after groups_ others of slices_.second each.
  void AddGroups(int64_t size, int64_t times) {
    const int64_t behind = SaturatingMultiply(
        groups_ + times - 1, table_.CostsOf(slices_.second).held[slices_.second_end]);
    const int64_t full = size / slices_.first, rest = size % slices_.first;
    if (slices_.first_end > 0) {
      const int64_t waiting = table_.CostsOf(slices_.first).held[slices_.first_end];
      if (full > 0) {
        AddRun(slices_.first, 0, slices_.first_end, SaturatingMultiply(times, full),
               SaturatingAdd(behind, SaturatingMultiply(full - 1, waiting)));
      }
      if (rest > 0) {
        AddRun(rest, 0, slices_.first_end, times,
               SaturatingAdd(behind, SaturatingMultiply(full, waiting)));
      }
    }
    AddRun(size, slices_.first_end, slices_.second_end, times, behind);
    groups_ += times;
  }

  void AddRun(int64_t n, size_t from, size_t to, int64_t times, int64_t others) {
    if (from == to) return;
    const InferenceCosts& costs = table_.CostsOf(n);
    const auto add = [times](int64_t* sum, int64_t each) {
      *sum = SaturatingAdd(*sum, SaturatingMultiply(times, each));
    };
    add(&cost_.cycles, costs.cycles_before[to] - costs.cycles_before[from]);
    add(&cost_.bytes, table_.weights_before()[to] - table_.weights_before()[from]);
    cost_.peak_bytes = std::max(cost_.peak_bytes, SaturatingAdd(others, costs.Peak(from, to)));
  }

  LayerTable table_;
  int64_t batch_;
  int64_t always_ = 0;  // bytes, whatever the plan
  Slices slices_;
  SlicePlanCost cost_;
  int64_t groups_ = 0;
};

// Sizes of slices below the whole, ascending.
std::vector<int64_t> SizesOf(int64_t batch) {
  std::vector<int64_t> sizes;
  if (batch <= kAllSizes) {
    for (int64_t b = 1; b < batch; ++b) sizes.push_back(b);
    return sizes;
  }
  // Half as many, a third, …: of those with as many slices the smallest, thinned out evenly by
  // their logarithm.
  double parts = 2;
  const double step = std::pow(static_cast<double>(batch) / 2, 1.0 / (kMostSizes - 1));
  for (size_t i = 0; i < kMostSizes; ++i, parts *= step) {
    sizes.push_back(std::clamp<int64_t>(CeilDiv(batch, static_cast<int64_t>(parts)), 1, batch - 1));
  }
  sizes.push_back(1);
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

// Layers that slices may wait at, ascending, the end among them.
std::vector<size_t> GatesOf(const NetworkProfile& profile) {
  std::vector<size_t> gates;
  for (size_t l = 1; l < profile.layers.size(); ++l) gates.push_back(l);
  if (gates.size() > kMostGates) {
    std::stable_sort(gates.begin(), gates.end(), [&](size_t a, size_t b) {
      return profile.layers[a].live_bytes < profile.layers[b].live_bytes;
    });
    gates.resize(kMostGates);
    std::sort(gates.begin(), gates.end());
  }
  gates.push_back(profile.layers.size());
  return gates;
}

// Those that no other beats; of equal ones the first.
std::vector<CostedSlicePlan> ParetoFront(std::vector<CostedSlicePlan> plans) {
  std::stable_sort(plans.begin(), plans.end(),
                   [](const CostedSlicePlan& a, const CostedSlicePlan& b) {
                     return std::tie(a.cost.peak_bytes, a.cost.cycles, a.cost.bytes) <
                            std::tie(b.cost.peak_bytes, b.cost.cycles, b.cost.bytes);
                   });
  std::vector<CostedSlicePlan> front;
  std::map<int64_t, int64_t> stairs;  // cycles → bytes, descending
  for (const CostedSlicePlan& plan : plans) {
    const auto after = stairs.upper_bound(plan.cost.cycles);
    if (after != stairs.begin() && std::prev(after)->second <= plan.cost.bytes) continue;
    const auto place = stairs.insert_or_assign(plan.cost.cycles, plan.cost.bytes).first;
    for (auto worse = std::next(place);
         worse != stairs.end() && worse->second >= plan.cost.bytes;) {
      worse = stairs.erase(worse);
    }
    front.push_back(plan);
  }
  return front;
}

}  // namespace

SlicePlanCost CostOf(const NetworkProfile& profile, const Accelerator& accelerator, int64_t batch,
                     const SlicePlan& plan) {
  return PlanCoster(profile, accelerator, batch).Of(plan);
}

std::vector<CostedSlicePlan> SlicePlanFront(const NetworkProfile& profile,
                                            const Accelerator& accelerator, int64_t batch) {
  PlanCoster coster(profile, accelerator, batch);
  std::vector<CostedSlicePlan> plans;
  const CostedSlicePlan whole{{}, coster.Of({})};
  // Slices cost at least the cycles and bytes of the whole, so only those with less memory matter.
  const auto add = [&](const SlicePlan& plan) {
    const SlicePlanCost cost = coster.Of(plan);
    if (cost.peak_bytes < whole.cost.peak_bytes) plans.push_back({plan, cost});
  };
  const std::vector<int64_t> sizes = SizesOf(batch);
  const std::vector<size_t> gates = GatesOf(profile);
  const auto fits = [&](int64_t n, size_t from, size_t to) {
    return coster.Peak(n, from, to) < whole.cost.peak_bytes;
  };
  for (size_t i = 0; i < sizes.size(); ++i) {
    for (size_t g = 0; g < gates.size() && fits(sizes[i], 0, gates[g]); ++g) {
      add({sizes[i], 0, gates[g], gates[g]});
      for (size_t j = i + 1; j < sizes.size(); ++j) {
        // With both gates in one place the slices come in uneven groups: 2, 1, 2, 1.
        for (size_t h = g; h < gates.size() && fits(sizes[j], gates[g], gates[h]); ++h) {
          add({sizes[i], sizes[j], gates[g], gates[h]});
        }
      }
    }
  }
  plans.push_back(whole);
  return ParetoFront(std::move(plans));
}

}  // namespace inlay::batch
