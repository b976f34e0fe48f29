#pragma once

#include <optional>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/codesign/codesign.h"

namespace inlay {

// A layer's architecture and mapping as its geometric programs suggest them.
struct GpDesign {
  size_t choice = 0;  // of those given
  Solution solution;
  double relaxed = 0;   // the least optimum in real numbers, of the first metric
  size_t programs = 0;  // solved
  size_t tried = 0;     // architectures
};

// What the method cannot do; empty if nothing. `architecture`: any of the family.
Faults CheckGp(const CodesignTask& task, const Architecture& architecture);

// Thistle's pipeline with a free architecture. One program per form of a mapping, its variables the
// steps of the loops and the free sizes; from the least optimum up, the architectures whose sizes
// are the nearest to the real ones; on each of them the program again with these sizes, rounded to
// divisors; the best mapping that the cost model finds among the candidates. None: there is no
// candidate, or the time was up. CheckGp finds nothing. How: docs/reference/geometric-programs.md.
std::optional<GpDesign> DesignByGp(const CodesignTask& task, const Problem& problem,
                                   const std::vector<ArchitectureChoice>& choices,
                                   const Deadline& deadline);

}  // namespace inlay
