#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "inlay/base/result.h"
#include "inlay/core/architecture.h"
#include "inlay/core/architecture_space.h"
#include "inlay/core/fused_mapping.h"
#include "inlay/core/graph.h"
#include "inlay/core/machine.h"
#include "inlay/core/mapping.h"
#include "inlay/core/mix.h"
#include "inlay/core/network.h"
#include "inlay/core/problem.h"
#include "inlay/core/study.h"
#include "inlay/core/technology.h"

namespace inlay::io {

// Turns a mapping as written into a mapping of this problem on this architecture: names resolved,
// form validated, every error at its place in the file.
using MappingBinder = std::function<Result<Mapping>(const Problem&, const Architecture&)>;

// Constraints in a file of their own, for this architecture.
using ConstraintsBinder =
    std::function<Result<WithWarnings<std::vector<Constraint>>>(const Architecture&)>;

// Nodes that pass tensors on, and the tree that maps them: names resolved and the rules kept. The
// mappings of leaves are bound to an architecture.
struct FusedInput {
  FusedProblem problem;
  std::function<Result<FusedTree>(const Architecture&)> tree;  // empty: there is none
};

// Whatever a set of files holds. Every reader fills one of these; a format that has no such thing
// leaves it empty.
struct Inputs {
  std::string format;  // "native", "timeloop-2019", "timeloop-0.2", "timeloop-0.3", "timeloop-0.4",
                       // "scalesim", "onnx"
  std::optional<Problem> problem;
  std::optional<Architecture> architecture;
  // The same without energies, and with the kinds of memory and compute that its components'
  // classes are for Accelergy, which a technology would price. Only of Timeloop's files.
  std::optional<Architecture> by_class;
  std::optional<ArchitectureSpace> family;  // instead, where something of it is free; valid
  MappingBinder mapping;                    // empty: there is none
  std::optional<FusedInput> fused;
  ConstraintsBinder constraints;   // empty: there are none besides those of the architecture
  std::optional<Network> network;  // a list of layers
  std::optional<Graph> graph;      // a network as a graph; beside a list, both are of one network
  std::optional<Technology> technology;
  std::optional<Machine> machine;
  std::optional<Accelerator> accelerator;
  std::optional<Mix> mix;
  std::optional<Study> study;
  Diagnostics warnings;
};

}  // namespace inlay::io
