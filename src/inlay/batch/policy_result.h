#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inlay/batch/policy.h"
#include "inlay/core/batch_result.h"

namespace inlay::batch {

// How a policy came out, in the terms of results. `task` is what was asked for. None if the run was
// stopped, or the deadline passed while idle cycles were explained.
std::optional<BatchPolicyResult> PolicyResultOf(std::string_view policy, const Task& task,
                                                const PolicyRun& run,
                                                const Deadline* deadline = nullptr);

// What each workload holds and how much more it waits for, a line each.
std::vector<std::string> DeadlockLines(const Task& task, const std::vector<Holder>& holders);

// "2 at a time up to layer3.0.conv1, 4 up to layer4.0.conv1, then all 8".
std::string PlanText(const NetworkProfile& profile, int64_t batch, const SlicePlan& plan);

// Why no policy can run the task at all: a workload of which one inference does not fit, where the
// fault says how many bytes are missing and how much memory suffices; or too much to be given
// addresses.
Faults MisfitsOf(const Task& task, MemoryModel model);

}  // namespace inlay::batch
