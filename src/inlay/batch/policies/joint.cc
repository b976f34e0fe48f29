#include "inlay/batch/policies/joint.h"

#include <algorithm>
#include <array>
#include <limits>

#include "inlay/batch/policies/policies.h"

namespace inlay::batch {
namespace {

// What a cycle of the arrays counts beside one of the channel while sums are compared. Whoever is
// the bound in the end is found by trying.
constexpr std::array kWeights = {0.0, 0.25, 0.5, 0.75, 1.0};
// The engine that is not the bound counts so much: it has to keep up at every time, not only in
// the end.
constexpr double kOther = 0.1;
// Sums are thinned out to so many, evenly by their peak.
constexpr size_t kMostSums = 256;

// Those that no other with at most its peak beats, by peak.
template <typename T, typename Cost>
std::vector<T> Unbeaten(std::vector<T> all, const Cost& cost) {
  std::sort(all.begin(), all.end(), [&](const T& a, const T& b) {
    return a.peak != b.peak ? a.peak < b.peak : cost(a) < cost(b);
  });
  std::vector<T> front;
  for (const T& entry : all) {
    if (front.empty() || cost(entry) < cost(front.back())) front.push_back(entry);
  }
  if (front.size() <= kMostSums) return front;
  std::vector<T> thin;
  for (size_t i = 0; i < kMostSums; ++i) {
    thin.push_back(front[i * (front.size() - 1) / (kMostSums - 1)]);
  }
  return thin;
}

}  // namespace

JointChoice::JointChoice(const Task& task) : task_(&task), most_maps_(MostMaps(task)) {
  for (const TaskWorkload& w : task.workloads) {
    fronts_.push_back(PlanFront(*w.profile, task.accelerator, LargestBatch(w)));
  }
  for (const double weight : kWeights) sums_.push_back(SumsOf(weight));
}

std::vector<std::vector<JointChoice::Sum>> JointChoice::SumsOf(double weight) const {
  const auto cost = [weight](const Sum& sum) {
    return weight * sum.cycles + (1 - weight) * sum.fetch_cycles;
  };
  std::vector<std::vector<Sum>> sums;
  std::vector<Sum> before = {{}};
  for (const std::vector<CostedPlan>& front : fronts_) {
    std::vector<Sum> own;
    for (size_t i = 0; i < front.size(); ++i) {
      own.push_back({front[i].cost.peak_bytes, static_cast<double>(front[i].cost.cycles),
                     static_cast<double>(front[i].cost.bytes) / task_->accelerator.bytes_per_cycle,
                     0, i});
    }
    own = Unbeaten(std::move(own), cost);
    std::vector<Sum> all;
    for (size_t i = 0; i < before.size(); ++i) {
      for (const Sum& plan : own) {
        all.push_back({before[i].peak + plan.peak, before[i].cycles + plan.cycles,
                       before[i].fetch_cycles + plan.fetch_cycles, i, plan.plan});
      }
    }
    before = Unbeaten(std::move(all), cost);
    sums.push_back(before);
  }
  return sums;
}

Task JointChoice::Choose(double overcommit, int64_t window_bytes, double reluctance) const {
  const int64_t window = std::min(window_bytes, most_maps_);
  const auto room = static_cast<double>(std::max<int64_t>(1, most_maps_ - window));
  const double budget = overcommit * room;
  double least = std::numeric_limits<double>::infinity();
  const std::vector<std::vector<Sum>>* best = &sums_.front();
  size_t index = 0;
  for (const auto& sums : sums_) {
    const std::vector<Sum>& all = sums.back();
    for (size_t i = 0; i < all.size() && static_cast<double>(all[i].peak) <= budget; ++i) {
      const double over = std::max(0.0, static_cast<double>(all[i].peak) / room - 1);
      const double value = (std::max(all[i].cycles, all[i].fetch_cycles) +
                            kOther * std::min(all[i].cycles, all[i].fetch_cycles)) *
                           (1 + reluctance * over * over);
      if (value >= least) continue;
      least = value;
      best = &sums;
      index = i;
    }
  }
  Task task = *task_;
  const int64_t rest = most_maps_ - best->back()[index].peak;
  task.accelerator.window_bytes = std::max<int64_t>({1, window, rest});
  for (size_t w = fronts_.size(); w-- > 0;) {
    const Sum& sum = (*best)[w][index];
    task.workloads[w].plan = fronts_[w][sum.plan].plan;
    index = sum.before;
  }
  return task;
}

}  // namespace inlay::batch
