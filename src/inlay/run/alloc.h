#pragma once

#include <optional>
#include <string>
#include <vector>

#include "inlay/core/alloc_result.h"
#include "inlay/run/common.h"

namespace inlay::run {

// What `inlay alloc` is asked for.
struct AllocRequest {
  std::string buffers;              // a table
  std::optional<int64_t> capacity;  // none: the least that is enough
  CommonRequest common;
};
const Structure& StructureOf(const AllocRequest*);

struct AllocInputs {
  std::vector<Buffer> buffers;
  io::LoadRecord record;
};
Result<AllocInputs> Load(const AllocRequest* request);

// A result without addresses says why there are none.
AllocResult Run(const AllocRequest& request, const AllocInputs& inputs, const StopFlag& stop);

}  // namespace inlay::run
