#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inlay/core/result.h"
#include "inlay/core/systolic.h"

namespace inlay {

// What result.json of `systolic` says.
struct SystolicLayer {
  std::string name;
  int64_t repeat = 1;
  SystolicCost cost;
};
struct SystolicResult {
  ResultHeader header;
  SystolicArray array;
  std::vector<SystolicLayer> layers;
  int64_t total_operations = 0;  // over all repeats
  int64_t total_cycles = 0;
  double total_utilization = 0;  // share of the elements' cycles that does an operation
  double seconds = 0;            // measured
};
const Structure& StructureOf(const SystolicLayer*);
const Structure& StructureOf(const SystolicResult*);

}  // namespace inlay
