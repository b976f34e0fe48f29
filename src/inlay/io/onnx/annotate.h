#pragma once

#include <string>
#include <string_view>

#include "inlay/base/result.h"
#include "inlay/core/graph.h"
#include "inlay/core/plan_result.h"

namespace inlay::io {

// The model whose graph was planned, with the plan in its metadata and everything else as it was:
//   model    metadata_props  inlay.plan            plan.json
//   nodes    metadata_props  inlay.step, inlay.unit, inlay.tiling; inlay.workspace where there is
//                            one; inlay.residencies.NAME for outputs that lie in memories
//   inputs and initializers  metadata_props  inlay.residencies
// Residencies and workspaces are JSON as in plan.json. Entries of an earlier annotation are
// replaced. What is no node of the file (bodies of functions and branches) has no entry of its own.
Result<std::string> AnnotateModel(const std::string& file, std::string_view bytes,
                                  const Graph& graph, const PlanResult& result);

}  // namespace inlay::io
