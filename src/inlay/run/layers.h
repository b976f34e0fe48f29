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
  std::vector<Constraint> constraints;  // besides the architecture's own
  bool tensor_names_resolved = true;    // of tensors; otherwise see ForLayer
  io::LoadRecord record;
};
// Everything that is wrong with them is added to `errors`, each fault once.
LayerInputs LoadLayers(const std::vector<std::string>& workloads,
                       const std::vector<std::string>& arch,
                       const std::vector<std::string>& constraints, const CommonRequest& common,
                       Diagnostics* errors);

inline constexpr const char* kArchSentence =
    "the architecture: a built-in, or files that are read together";
// How searches count accesses.
inline constexpr const char* kSearchSemantics[] = {"exact", "thistle"};
// The mapspaces whose tensors enter a level together: the only ones that are counted, and that
// co-design searches.
inline constexpr const char* kEvenMapspaces[] = {"perfect", "padded", "ruby-s",
                                                 "ruby-t",  "ruby",   "any"};
inline constexpr OptionTraits kThistleOnly = {.only_with_key = "semantics",
                                              .only_with_value = "thistle"};
inline int& Nearest(MapOptions& options) { return options.gp.nearest; }
inline constexpr const char* kAccountingSentence =
    "thistle only: count the first read of each partial sum, or leave it out";

}  // namespace inlay::run
