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
// Fails on what Timeloop cannot say: partitions, word bits per tensor, fan-outs without multicast
// or reduction, tilings that are not factors, two loops over a dimension at one level.
Result<std::string> WriteTimeloop(const Problem* problem, const Architecture* architecture,
                                  const Mapping* mapping, TimeloopVersion version);

// The section `mapping` alone.
Result<std::string> WriteTimeloopMapping(const Problem& problem, const Architecture& architecture,
                                         const Mapping& mapping);

// Its entries, one by one.
Result<TimeloopDirectives> TimeloopMappingOf(const Problem& problem,
                                             const Architecture& architecture,
                                             const Mapping& mapping);

}  // namespace inlay::io
