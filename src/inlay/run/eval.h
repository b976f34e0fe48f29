#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "inlay/core/cost.h"
#include "inlay/core/fused_result.h"
#include "inlay/cost/walker.h"
#include "inlay/report/eval.h"
#include "inlay/run/common.h"

namespace inlay::run {

// A problem, an architecture and a mapping: each named, or held by files.
struct CaseRequest {
  std::vector<std::string> files;
  std::optional<std::string> problem;
  std::vector<std::string> arch;
  std::optional<std::string> mapping;
};
const Structure& StructureOf(const CaseRequest*);

// What `inlay eval` is asked for.
struct EvalRequest {
  CaseRequest of;
  std::vector<Semantics> semantics = {Semantics::kExact};
  Accounting accounting = Accounting::kElide;
  bool fill_and_drain = false;
  CommonRequest common;
};
const Structure& StructureOf(const EvalRequest*);

// What `inlay walk` is asked for.
struct WalkRequest {
  CaseRequest of;
  int64_t limit = kMostWalkedOperations;
  bool fill_and_drain = false;
  CommonRequest common;
};
const Structure& StructureOf(const WalkRequest*);

struct CaseInputs {
  io::Case input;
  io::LoadRecord record;
};
Result<CaseInputs> Load(const EvalRequest* request);
Result<CaseInputs> Load(const WalkRequest* request);

// One result for every semantics, with the cost that it is made of.
struct EvalRun {
  std::vector<EvalResult> results;
  std::vector<report::SemanticsCost> costs;
};
// Fails if the mapping does not fit. Not of a fused mapping.
Outcome<EvalRun> Run(const EvalRequest& request, const CaseInputs& inputs);
// The result of a fused mapping.
Outcome<FusedEvalResult> RunFused(const EvalRequest& request, const CaseInputs& inputs);
Outcome<FusedEvalResult> RunFused(const WalkRequest& request, const CaseInputs& inputs,
                                  const StopFlag& stop);
// One result, not of a fused mapping. `progress` is called with the share that is done.
Outcome<EvalRun> Run(const WalkRequest& request, const CaseInputs& inputs, const StopFlag& stop,
                     const std::function<void(double share)>& progress = {});

}  // namespace inlay::run
