#include "inlay/io/json/result_kinds.h"

#include "inlay/core/alloc_result.h"
#include "inlay/core/batch_result.h"
#include "inlay/core/codesign_result.h"
#include "inlay/core/explanation.h"
#include "inlay/core/fuse_result.h"
#include "inlay/core/fused_result.h"
#include "inlay/core/list_result.h"
#include "inlay/core/map_result.h"
#include "inlay/core/mapspace_result.h"
#include "inlay/core/plan_result.h"
#include "inlay/core/show_result.h"
#include "inlay/core/study_result.h"
#include "inlay/core/systolic_result.h"

namespace inlay::io {

std::span<const ResultKind> ResultKinds() {
  using fields::kType;
  static const std::vector<ResultKind> kinds = {
      {{"eval", "walk"}, &kType<EvalResult>, &kType<std::vector<EvalResult>>},
      {{"map"}, &kType<MapResult>},
      {{"codesign"}, &kType<CodesignResult>},
      {{"plan"}, &kType<PlanResult>},
      {{"fuse"}, &kType<FuseResult>},
      {{"alloc"}, &kType<AllocResult>},
      {{"batch"}, &kType<BatchResult>},
      {{"study"}, &kType<StudyDocument>},
      {{"systolic"}, &kType<SystolicResult>},
      {{"mapspace"}, &kType<MapspaceResult>},
      {{"codesign"}, &kType<ExplainResult>, nullptr, false, "--explain", "explanations"},
      {{"eval", "walk"}, &kType<FusedEvalResult>, nullptr, true, "of a fused mapping", "tree"},
      {{"list"}, &kType<ListResult>, nullptr, false},
      {{"show"}, &kType<ShowResult>, nullptr, false},
  };
  return kinds;
}

}  // namespace inlay::io
