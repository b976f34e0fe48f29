#pragma once

#include <optional>
#include <string>
#include <vector>

#include "inlay/base/diagnostic.h"
#include "inlay/core/architecture.h"
#include "inlay/core/mapping.h"
#include "inlay/core/problem.h"

namespace inlay::io::timeloop {

// An architecture as Timeloop can say it. A level with partitions becomes one level per partition,
// the loops at the innermost of them, so that all their tiles cover the same loops. A fan-out
// whose constraints allow a dimension on both axes and others on one becomes two, x around y, with
// a level that holds nothing between them. What needs neither stays as it is. The levels follow
// from the architecture alone, so that every mapping of it fits them.
struct TimeloopForm {
  struct Place {
    std::vector<LevelId> parts;  // as the partitions of the level; one where it has none
    LevelId loops;               // the level of its loops in time, and of the fan-out below it
    std::optional<LevelId> y;    // the level of the loops on y, if they are apart
  };
  Architecture architecture;
  std::vector<std::string> tensors;      // TensorsOf the original; the form can mention fewer
  IndexedVector<LevelId, Place> places;  // of the levels of the original
};

// The names of the tensors that an architecture is about: those of the problem; without one, those
// that it mentions, and Weights, Inputs and Outputs if it mentions no others.
std::vector<std::string> TensorsOf(const Architecture& architecture, const Problem* problem);

// Faults name constraints that cannot be said of the levels apart.
TimeloopForm FormOf(const Architecture& architecture, const Problem* problem, Diagnostics* faults);

// A mapping of the original as one of its form.
Mapping InForm(const TimeloopForm& form, const Architecture& original, const Problem& problem,
               const Mapping& mapping, Diagnostics* faults);

}  // namespace inlay::io::timeloop
