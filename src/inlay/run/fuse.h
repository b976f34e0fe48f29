#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inlay/core/fuse_result.h"
#include "inlay/fuse/fuse.h"
#include "inlay/run/common.h"

namespace inlay::run {

// What `inlay fuse` is asked for.
struct FuseRequest {
  std::string workload;           // a network, or nodes that pass tensors on
  std::vector<std::string> arch;  // empty where the workload holds it
  FuseOptions options;
  std::optional<std::string> nodes;  // "A..B" or "A": names; none: all
  std::optional<std::string> pad;    // "A..B" or "A": sizes; none: the architecture's
  CommonRequest common;
};
const Structure& StructureOf(const FuseRequest*);

struct FuseInputs {
  FusedProblem problem;                    // of the nodes that were asked for
  Architecture architecture;               // with the largest pad that was asked for
  IndexedVector<NodeId, NodeId> earliest;  // as in FusedGraph; empty: nothing is in between
  std::optional<PadRange> front;
  io::LoadRecord record;
};
// Everything that can be wrong before the search starts, all at once.
Result<FuseInputs> Load(const FuseRequest* request);
// The same of nodes and an architecture that have been read; the record has warnings alone.
Result<FuseInputs> InputsOf(const FuseRequest& request, io::FusableNodes nodes,
                            Architecture architecture);

struct FuseRun {
  FuseResult result;
  FusedTree tree;  // of all runs
};
Outcome<FuseRun> Run(const FuseRequest& request, const FuseInputs& inputs, const StopFlag& stop,
                     const FuseProgressSink& progress = {});

}  // namespace inlay::run
