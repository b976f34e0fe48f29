#pragma once

#include <cstdint>
#include <memory>
#include <tl/expected.hpp>
#include <vector>

#include "inlay/batch/network_profile.h"
#include "inlay/batch/slice_plan.h"
#include "inlay/core/fault.h"
#include "inlay/core/mix.h"

namespace inlay::batch {

// A batch that arrives; all requests of a workload are done in their order.
struct Request {
  int64_t arrival = 0;  // cycle
  int64_t inferences = 1;
  bool operator==(const Request&) const = default;
};

class RemapTable;

struct TaskWorkload {
  std::shared_ptr<const NetworkProfile> profile;
  std::vector<Request> requests;
  SlicePlan plan;                                     // kPlanned
  std::shared_ptr<const RemapTable> remap = nullptr;  // null: everything stays on chip
  int64_t remaps = 0;                                 // layers of the profile that run in pieces
};

struct Task {
  Accelerator accelerator;
  std::vector<TaskWorkload> workloads;
};
// The requests of a mix, with its profiles. A fault of a workload names it.
tl::expected<Task, Faults> MakeTask(const Mix& mix);

// What feature maps never take: the largest block of weights of every workload.
int64_t ReservesOf(const Task& task);
// The memory that a workload needs to run alone, one inference at a time, besides the reserves.
int64_t LeastMemory(const Task& task, size_t workload);
// Whether there is as much for every workload.
bool Fits(const Task& task);

}  // namespace inlay::batch
