#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "inlay/base/diagnostic.h"
#include "inlay/core/architecture.h"
#include "inlay/core/mapping.h"
#include "inlay/core/problem.h"
#include "inlay/io/timeloop/timeloop_form.h"
#include "inlay/io/timeloop/write.h"

namespace inlay::io::timeloop {

// One-letter names for the dimensions of a problem.
class DimNamer {
 public:
  // Faults go to `faults` when there are more dimensions than letters.
  DimNamer(const Problem& problem, Diagnostics* faults);
  const std::string& Of(DimId dim) const { return names_[dim]; }
  std::string Of(const Problem& problem, std::string_view dim) const;
  std::string Comment(const Problem& problem) const;  // "" if nothing was renamed

 private:
  IndexedVector<DimId, std::string> names_;
};

// A plain scalar where YAML allows it, a quoted one otherwise.
std::string Scalar(std::string_view text);
// "[a, b]"
std::string FlowList(const std::vector<std::string>& items);

std::string WriteProblem(const Problem& problem, const DimNamer& namer, TimeloopVersion version);
// Architecture and, where levels need it, the ERT.
std::string WriteArchitecture(const Architecture& architecture, const Problem* problem,
                              TimeloopVersion version, Diagnostics* faults);
// "" if there are none.
std::string WriteConstraints(const TimeloopForm& form, const Problem* problem,
                             const DimNamer* namer, TimeloopVersion version, Diagnostics* faults);
TimeloopDirectives MappingDirectives(const Problem& problem, const Architecture& architecture,
                                     const Mapping& mapping, const DimNamer& namer,
                                     Diagnostics* faults);
std::string WriteMapping(const Problem& problem, const Architecture& architecture,
                         const Mapping& mapping, const DimNamer& namer, Diagnostics* faults);

}  // namespace inlay::io::timeloop
