#pragma once

#include <string>

#include "inlay/base/result.h"
#include "inlay/core/architecture.h"
#include "inlay/core/map_result.h"
#include "inlay/core/mapping.h"
#include "inlay/core/problem.h"

namespace inlay::io {

enum class TimeloopVersion {
  k03,  // tree of subtree and local
  k04,  // nodes
};

// The parts that are not null, as one Timeloop file; a mapping needs the other two. Timeloop's
// dimensions have names of one letter: longer ones are renamed, and a comment at the top says how.
// A level with partitions becomes one level per partition. Without a problem, the data spaces are
// those that the architecture names, or Weights, Inputs and Outputs. Fails on what Timeloop cannot
// say: word bits per tensor, fan-outs without multicast, or without the reduction that they need,
// constraints such as a share of the lanes of one of several fan-outs, tilings that are not
// factors, two loops over a dimension at one level. What is written is read back as the same
// mapspace.
Result<std::string> WriteTimeloop(const Problem* problem, const Architecture* architecture,
                                  const Mapping* mapping, TimeloopVersion version);

// The section `mapping` alone, of the levels that WriteTimeloop writes.
Result<std::string> WriteTimeloopMapping(const Problem& problem, const Architecture& architecture,
                                         const Mapping& mapping);

// Its entries, one by one.
Result<TimeloopDirectives> TimeloopMappingOf(const Problem& problem,
                                             const Architecture& architecture,
                                             const Mapping& mapping);

}  // namespace inlay::io
