#pragma once

#include <cstdint>
#include <tl/expected.hpp>
#include <vector>

#include "inlay/core/architecture.h"
#include "inlay/core/fault.h"
#include "inlay/core/mapping.h"
#include "inlay/core/problem.h"
#include "inlay/cost/timeloop.h"
#include "inlay/cost/timeloop/boundary.h"
#include "inlay/cost/timeloop/nest.h"

namespace inlay::timeloop {

// One tensor at one level, per instance, in (averaged, fractional) words.
struct LevelTraffic {
  bool kept = false;
  std::vector<AccessRecord> records;  // what it serves to its children
  double served = 0;                  // sum of the records
  double received = 0;                // from the next outer level
  double from_neighbours = 0;
  double link_words = 0;        // passed between the children of an instance
  int64_t children = 1;         // lanes below an instance
  int64_t instances = 1;        // utilised on average, truncated
  int64_t tile_words = 0;       // largest
  int64_t partition_words = 0;  // the instance's share of the whole tensor
  int64_t touched_words = 0;    // outputs: distinct words that it ever holds (of a perfect nest)
};
using TensorTraffic = IndexedVector<LevelId, LevelTraffic>;

tl::expected<TensorTraffic, Fault> AnalyseTensor(const Nest& nest, const Architecture& architecture,
                                                 const Mapping& mapping, const Tensor& tensor,
                                                 TensorId id, const TimeloopRules& rules);

// What Timeloop reports of the compute lanes.
struct ComputeTraffic {
  int64_t lanes = 1;          // utilised at best
  int64_t average_lanes = 1;  // utilised on average, truncated
  int64_t operations = 0;     // average per lane × average_lanes, truncated
};
tl::expected<ComputeTraffic, Fault> AnalyseCompute(const Nest& nest,
                                                   const Architecture& architecture,
                                                   const TimeloopRules& rules);

}  // namespace inlay::timeloop
