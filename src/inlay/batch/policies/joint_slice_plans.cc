#include "inlay/batch/policies/joint_slice_plans.h"

#include <algorithm>
#include <array>
#include <limits>

#include "inlay/batch/policies/policies.h"
#include "inlay/batch/remap_table.h"

namespace inlay::batch {
namespace {

// Weights of a cycle of the arrays against one of the channel when sums are compared. Which of the
// two engines is the bottleneck is not known before; so every weight is tried.
constexpr std::array kWeights = {0.0, 0.25, 0.5, 0.75, 1.0};
// Weight of the engine that is not the bottleneck: it has to keep up at every time, not only in
// total.
constexpr double kOther = 0.1;
// Sums are thinned out to so many, evenly by their peak.
constexpr size_t kMostSums = 256;
// Of the room for maps that one inference of a remapped network may take.
constexpr std::array kParts = {1.0, 0.5, 0.25};

// Those that no other with at most its peak beats, by peak.
template <typename T, typename Cost>
std::vector<T> ParetoFront(std::vector<T> all, const Cost& cost) {
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

JointSlicePlans::JointSlicePlans(const Task& task)
    : task_(&task), most_feature_map_bytes_(MostFeatureMapBytes(task)) {
  for (const TaskWorkload& w : task.workloads) AddChoices(w);
  for (const double weight : kWeights) sums_.push_back(SumsOf(weight));
}

void JointSlicePlans::AddChoices(const TaskWorkload& workload) {
  std::vector<Choice>& choices = choices_.emplace_back();
  const auto add = [&](const std::shared_ptr<const NetworkProfile>& profile, int64_t remaps) {
    for (const CostedSlicePlan& plan :
         SlicePlanFront(*profile, task_->accelerator, LargestBatch(workload))) {
      choices.push_back({plan, profile, remaps});
    }
  };
  add(workload.profile, workload.remaps);
  if (workload.remap == nullptr) return;
  for (const double part : kParts) {
    auto remapped = workload.remap->Fit(
        static_cast<int64_t>(part * static_cast<double>(most_feature_map_bytes_)));
    if (!remapped || remapped->layers <= choices.back().remaps) continue;
    add(std::make_shared<const NetworkProfile>(std::move(remapped->profile)), remapped->layers);
  }
}

std::vector<std::vector<JointSlicePlans::Sum>> JointSlicePlans::SumsOf(double weight) const {
  const auto cost = [weight](const Sum& sum) {
    return weight * sum.cycles + (1 - weight) * sum.fetch_cycles;
  };
  std::vector<std::vector<Sum>> sums;
  std::vector<Sum> before = {{}};
  for (const std::vector<Choice>& choices : choices_) {
    std::vector<Sum> own;
    for (size_t i = 0; i < choices.size(); ++i) {
      const SlicePlanCost& of_plan = choices[i].plan.cost;
      own.push_back({of_plan.peak_bytes, static_cast<double>(of_plan.cycles),
                     static_cast<double>(of_plan.bytes) / task_->accelerator.bytes_per_cycle, 0,
                     i});
    }
    own = ParetoFront(std::move(own), cost);
    std::vector<Sum> all;
    for (size_t i = 0; i < before.size(); ++i) {
      for (const Sum& plan : own) {
        all.push_back({before[i].peak + plan.peak, before[i].cycles + plan.cycles,
                       before[i].fetch_cycles + plan.fetch_cycles, i, plan.plan});
      }
    }
    before = ParetoFront(std::move(all), cost);
    sums.push_back(before);
  }
  return sums;
}

Task JointSlicePlans::Choose(double overcommit, int64_t window_bytes, double reluctance) const {
  const int64_t window = std::min(window_bytes, most_feature_map_bytes_);
  const auto room = static_cast<double>(std::max<int64_t>(1, most_feature_map_bytes_ - window));
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
  const int64_t rest = most_feature_map_bytes_ - best->back()[index].peak;
  task.accelerator.window_bytes = std::max<int64_t>({1, window, rest});
  for (size_t w = choices_.size(); w-- > 0;) {
    const Sum& sum = (*best)[w][index];
    const Choice& choice = choices_[w][sum.plan];
    task.workloads[w].plan = choice.plan.plan;
    task.workloads[w].profile = choice.profile;
    task.workloads[w].remaps = choice.remaps;
    index = sum.before;
  }
  return task;
}

}  // namespace inlay::batch
