#pragma once

#include <memory>
#include <optional>
#include <string>

#include "inlay/core/plan_result.h"
#include "inlay/run/common.h"
#include "inlay/scratchpad/planner.h"
#include "inlay/scratchpad/problem_from_graph.h"

namespace inlay::run {

// What `inlay plan` is asked for.
struct PlanRequest {
  std::string network;
  std::optional<std::string> machine;
  PlanOptions options;
  ElementBits bits = {{kAllValues, kUsualBits}};
  PlanSettings settings;
  bool fuse = false;                    // several nodes may run as one step, in tiles
  std::optional<std::string> check;     // the file of a plan that is only replayed
  std::optional<std::string> annotate;  // the ONNX model to write, with the plan in it
  CommonRequest common;
};
const Structure& StructureOf(const PlanRequest*);

struct PlanInputs {
  std::shared_ptr<const Graph> graph;
  ValueBits value_bits;  // of the graph's values
  Machine machine;
  std::optional<NamedPlan> check;
  io::Source check_text;             // what it was read from
  std::optional<std::string> model;  // the bytes of the ONNX model, to be annotated
  io::LoadRecord record;
};
// Everything that can be wrong before the planning starts, all at once. The widths of
// elements and `weights_stay` of the plan to check become options of the request.
Result<PlanInputs> Load(PlanRequest* request);

// Decides how wide the elements are: as asked for, else as the plan to check says, else the
// network. For inputs that Load has not made. Errors: entries that name nothing.
Diagnostics FindBits(PlanRequest* request, PlanInputs* inputs);

// A plan, or a replay of the one to check.
Outcome<PlanResult> Run(const PlanRequest& request, const PlanInputs& inputs, const StopFlag& stop,
                        const PlanProgressSink& progress = {});

// The best plan of a problem that is made already, with its figures by names; the plan as files
// have it says nothing of the network. Faults: why there is none; empty if the time was up.
struct SolvedPlan {
  Plan plan;
  Certificate certificate;  // in seconds, bytes or pJ
  PlanResult result;
};
tl::expected<SolvedPlan, Faults> Solve(const PlanProblem& problem, const PlanOptions& options,
                                       const Deadline& deadline,
                                       const PlanProgressSink& progress = {});
inline constexpr const char* kNoPlanInTime = "the time was up before there was a plan";

}  // namespace inlay::run
