#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "inlay/batch/simulate.h"

namespace inlay::batch {

// The plans of every workload of a task that are worth choosing among, with everything on chip and,
// where there is a table of that, with layers in pieces. Made once; chosen from for many budgets.
class JointSlicePlans {
 public:
  explicit JointSlicePlans(const Task& task);

  // The task with one plan per workload. Chosen so that the larger of Σ cycles and Σ bytes over the
  // bandwidth is nearly least. The peaks take together at most `overcommit` times what a window of
  // so many bytes leaves, or are the smallest there are; what they do not take is added to the
  // window. With `reluctance` r, a choice whose peaks take 1 + x times the room counts as 1 + r·x²
  // times as long.
  Task Choose(double overcommit, int64_t window_bytes, double reluctance) const;

 private:
  // Σ over the workloads so far, and where it came from.
  struct Sum {
    int64_t peak = 0;
    double cycles = 0, fetch_cycles = 0;
    size_t before = 0;  // in the sums of the workloads before
    size_t plan = 0;    // of this workload
  };
  // A plan for a network as it is, or as it is remapped.
  struct Choice {
    CostedSlicePlan plan;
    std::shared_ptr<const NetworkProfile> profile;
    int64_t remaps = 0;
  };
  void AddChoices(const TaskWorkload& workload);
  std::vector<std::vector<Sum>> SumsOf(double weight) const;

  const Task* task_;
  int64_t most_feature_map_bytes_;
  std::vector<std::vector<Choice>> choices_;         // by workload
  std::vector<std::vector<std::vector<Sum>>> sums_;  // by weight, workload
};

// What the one rule of `stall-free-online` chooses; none: whole batches are best left alone.
std::optional<Task> ChooseByRule(const Task& task, const JointSlicePlans& joint);

}  // namespace inlay::batch
