#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "inlay/batch/policy.h"
#include "inlay/core/batch_result.h"
#include "inlay/core/batch_trace.h"
#include "inlay/run/common.h"

namespace inlay::run {

// What `inlay batch` is asked for.
struct BatchRequest {
  std::string mix;
  std::vector<std::string> policy = {"all"};
  batch::PolicyOptions options;                          // the threads are those below
  std::optional<std::string> memory, bandwidth, window;  // of the accelerator, instead of the mix's
  CommonRequest common;
};
const Structure& StructureOf(const BatchRequest*);

struct BatchInputs {
  Mix mix;
  batch::Task task;
  io::LoadRecord record;
};
// Options that the mix has and that were not given are asked for as well.
Result<BatchInputs> Load(BatchRequest* request);

struct BatchRun {
  BatchResult result;
  batch::PolicyRun traced;  // of the best policy
  std::string traced_name;
};
// `progress` is called with what is done next; "" at the end.
Outcome<BatchRun> Run(const BatchRequest& request, BatchInputs inputs, const StopFlag& stop,
                      const std::function<void(const std::string&)>& progress);

// The timeline of the best policy.
BatchTrace TraceOf(const BatchRun& run);

}  // namespace inlay::run
