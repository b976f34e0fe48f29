#pragma once

#include <optional>
#include <string>
#include <vector>

#include "inlay/core/systolic_result.h"
#include "inlay/run/common.h"

namespace inlay::run {

// What `inlay systolic` is asked for.
struct SystolicRequest {
  std::vector<std::string> workloads;
  std::optional<std::string> array;  // "32x16": rows and columns
  std::optional<Dataflow> dataflow;
  std::optional<std::string> config;  // a file that says both, where they are not given
  std::vector<std::string> arch;      // instead: an architecture that is such an array
  CommonRequest common;
};
const Structure& StructureOf(const SystolicRequest*);

struct SystolicInputs {
  Network network;
  SystolicArray array;
  io::LoadRecord record;
};
Result<SystolicInputs> Load(const SystolicRequest* request);

Outcome<SystolicResult> Run(const SystolicRequest& request, const SystolicInputs& inputs);

}  // namespace inlay::run
