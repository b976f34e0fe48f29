#pragma once

#include <optional>
#include <string>
#include <vector>

#include "inlay/mapper/mapper.h"
#include "inlay/run/common.h"

namespace inlay::run {

// Layers and the architecture that they are mapped onto.
struct LayerInputs {
  Network network;
  Architecture architecture;
  std::vector<Constraint> constraints;  // beside the architecture's own
  io::LoadRecord record;
};
// Everything that is wrong with them is added to `errors`, each fault once.
LayerInputs LoadLayers(const std::string& workload, const std::optional<std::string>& arch,
                       const std::optional<std::string>& constraints, const CommonRequest& common,
                       Diagnostics* errors);

// How searches count accesses.
inline constexpr const char* kSearchSemantics[] = {"exact", "thistle"};
inline constexpr OptionTraits kThistleOnly = {.only_with_key = "semantics",
                                              .only_with_value = "thistle"};
inline int& Nearest(MapOptions& options) { return options.gp.nearest; }
inline constexpr const char* kAccountingSentence =
    "thistle only: count the first read of each partial sum, or leave it out";

}  // namespace inlay::run
