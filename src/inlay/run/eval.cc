#include "inlay/run/eval.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <utility>

#include "inlay/base/check.h"
#include "inlay/base/deadline.h"
#include "inlay/base/fields.h"
#include "inlay/base/mention.h"
#include "inlay/cost/evaluate.h"
#include "inlay/cost/fused/count.h"
#include "inlay/cost/fused/finish.h"
#include "inlay/cost/fused/room.h"
#include "inlay/cost/fused_walker.h"
#include "inlay/cost/walker.h"
#include "inlay/io/native/native.h"
#include "inlay/mapspace/space.h"
#include "inlay/mapspace/unknown_dims.h"
#include "inlay/run/layers.h"

namespace inlay::run {
namespace {

Result<CaseInputs> LoadCase(const CaseRequest& request, const CommonRequest& common) {
  io::LoadRecord record = RecordFor(common);
  auto input =
      io::LoadCase({request.files, request.problem, request.arch, request.mapping}, &record);
  if (!input) return Fail(std::move(input.error()));
  CaseInputs inputs{*std::move(input), record};
  return inputs;
}

// A given mapping may be of a form that searches leave out, and may violate the constraints, which
// restrict searches only; but a user who gives both probably means it to keep to them.
Diagnostics WarnOfSearches(const io::Case& input) {
  Network one;
  one.layers.push_back({input.problem.name, "", input.problem, 1});
  Diagnostics warnings = WarnOfUnknownDims(one, input.architecture, {});
  const bool fits = CheckCapacity(input.problem, input.architecture, input.mapping).empty();
  if (!fits) return warnings;
  const auto space = MakeSpace(input.problem, input.architecture, Mapspace::kUneven);
  const Faults faults = space ? CheckMembership(*space, input.mapping) : space.error();
  for (const Fault& fault : faults) {
    if (fault.where == "mapping") {
      warnings.push_back(MakeWarning({}, "no search finds this mapping: " + fault.message,
                                     fault.hint + ", so what is proven optimal may cost more"));
      continue;
    }
    warnings.push_back(MakeWarning(
        {}, (space ? "the mapping breaks a constraint of the architecture: " : "") + fault.message,
        fault.hint));
  }
  for (LevelId l : Ids(input.architecture.levels)) {
    if (!space || space->min_utilization[l] <= 0) continue;
    const double share = UtilizationOf(input.problem, input.architecture, input.mapping, l);
    if (share >= space->min_utilization[l]) continue;
    warnings.push_back(MakeWarning(
        {}, fmt::format("the mapping breaks a constraint of the architecture: it fills {:.4g} % of "
                        "'{}', where the constraints ask for {:.4g} %",
                        100 * share, input.architecture.levels[l].name,
                        100 * space->min_utilization[l])));
  }
  return warnings;
}

Diagnostics Overflows(const io::Case& input) {
  Diagnostics errors;
  for (const Fault& fault : CheckCapacity(input.problem, input.architecture, input.mapping)) {
    errors.push_back(MakeError({}, "the mapping does not fit: " + fault.message, fault.hint));
  }
  return errors;
}

Diagnostics Overflows(const io::FusedCase& input, const Architecture& architecture) {
  Diagnostics errors;
  const FusedOutline outline(input.problem, input.tree);
  for (const Fault& fault : CheckFusedCapacity(input.problem, architecture, outline)) {
    errors.push_back(MakeError({}, "the mapping does not fit: " + fault.message, fault.hint));
  }
  return errors;
}

// What is wrong with so many operations, if they are too many to be walked.
Diagnostics TooLarge(int64_t operations, int64_t limit) {
  if (operations <= limit) return {};
  return {MakeError({},
                    fmt::format("the problem has {} operations; walk visits every one and takes at "
                                "most {}",
                                operations, limit),
                    "inlay eval counts the same in no time; to walk all the same, add " +
                        Mention("limit", std::to_string(operations)))};
}

// Why a walk with this deadline has no result.
tl::unexpected<Failure> NoWalk(const Fault& fault, const StopFlag& stop, const Deadline& deadline) {
  if (stop.Requested()) return FailWith(Failure::Kind::kStopped, {});
  if (!deadline.Passed()) return FailWith(Failure::Kind::kNoAnswer, ErrorsOf({fault}));
  return FailWith(Failure::Kind::kNoAnswer,
                  {MakeError({}, "the walk did not end within " + Mention("time_limit"),
                             "allow more time, or count with inlay eval")});
}

// A result of a fused mapping with everything but its cost filled in.
FusedEvalResult FusedResultFor(const char* command, const CommonRequest& common,
                               const CaseInputs& inputs) {
  const auto& [problem, tree] = *inputs.input.fused;
  FusedEvalResult result;
  result.header = HeaderOf(command, common, inputs.record.inputs);
  result.problem = problem.name;
  result.architecture = inputs.input.architecture.name;
  result.tree = io::FusedTreeLines(problem, inputs.input.architecture, tree);
  return result;
}

// A result with everything but its cost filled in.
EvalResult ResultFor(const char* command, const CommonRequest& common, const CaseInputs& inputs) {
  const io::Case& input = inputs.input;
  EvalResult result;
  result.header = HeaderOf(command, common, inputs.record.inputs);
  result.problem = input.problem.name;
  result.architecture = input.architecture.name;
  result.mapspace = Classify(input.problem, input.mapping);
  result.mapping = io::MappingLines(input.problem, input.architecture, input.mapping);
  return result;
}

}  // namespace

const Structure& StructureOf(const CaseRequest*) {
  using R = CaseRequest;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&R::problem>("problem", "one layer: a built-in such as resnet50/conv2_1_3x3, or a file",
                       {.option = {.value_name = "WORKLOAD", .in_result = false}}),
      Row<&R::arch>("arch", "the architecture: a built-in or a file; once for each file",
                    {.option = {.value_name = "ARCH", .in_result = false}}),
      Row<&R::mapping>("mapping", "the mapping: a file, or a built-in example",
                       {.option = {.value_name = "FILE", .in_result = false}}),
  });
  return Describe<R, kFields>("CaseRequest");
}

const Structure& StructureOf(const EvalRequest*) {
  using R = EvalRequest;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&R::of>("", "", {.inlined = true}),
      Row<&R::semantics>("semantics",
                         "how accesses are counted; with several, a comparison side by side"),
      Row<&R::accounting>("accounting", kAccountingSentence),
      Row<&R::fill_and_drain>("fill_and_drain",
                              "exact only: add the first fill and the last drain to the cycles"),
  });
  return Describe<R, kFields>("EvalRequest");
}

const Structure& StructureOf(const WalkRequest*) {
  using R = WalkRequest;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&R::of>("", "", {.inlined = true}),
      Row<&R::limit>("limit", "the most operations that a problem may have to be walked",
                     {.option = {.value_name = "N", .min = 1, .in_result = false}}),
      Row<&R::fill_and_drain>("fill_and_drain",
                              "add the first fill and the last drain to the cycles"),
  });
  return Describe<R, kFields>("WalkRequest");
}

Result<CaseInputs> Load(const EvalRequest* request) {
  auto inputs = LoadCase(request->of, request->common);
  if (inputs && !inputs->input.fused)
    Append(WarnOfSearches(inputs->input), &inputs->record.warnings);
  return inputs;
}

Result<CaseInputs> Load(const WalkRequest* request) {
  return LoadCase(request->of, request->common);
}

Outcome<FusedEvalResult> RunFused(const EvalRequest& request, const CaseInputs& inputs) {
  const auto start = std::chrono::steady_clock::now();
  const Architecture& architecture = inputs.input.architecture;
  const auto& [problem, tree] = *inputs.input.fused;
  if (request.semantics != std::vector{Semantics::kExact} || request.fill_and_drain) {
    return FailWith(Failure::Kind::kWrongInput,
                    {MakeError({}, "a fused mapping is counted by exact semantics only",
                               fmt::format("leave out {} and {}", Mention("semantics"),
                                           Mention("fill_and_drain")))});
  }
  Diagnostics overflows = Overflows(*inputs.input.fused, architecture);
  if (!overflows.empty()) return FailWith(Failure::Kind::kNoAnswer, std::move(overflows));
  const auto counts = CountFused(problem, architecture, tree);
  const auto cost =
      counts ? FinishFused(problem, architecture, *counts) : tl::unexpected(counts.error());
  if (!cost) return FailWith(Failure::Kind::kNoAnswer, ErrorsOf({cost.error()}));
  FusedEvalResult result = FusedResultFor("eval", request.common, inputs);
  SetCost(problem, architecture, *cost, &result);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  result.measured.seconds = elapsed.count();
  return result;
}

Outcome<FusedEvalResult> RunFused(const WalkRequest& request, const CaseInputs& inputs,
                                  const StopFlag& stop) {
  const Architecture& architecture = inputs.input.architecture;
  const auto& [problem, tree] = *inputs.input.fused;
  if (request.fill_and_drain) {
    return FailWith(Failure::Kind::kWrongInput,
                    {MakeError({}, "cycles of fused mappings have no first fill and last drain",
                               "leave out " + Mention("fill_and_drain"))});
  }
  Diagnostics overflows = Overflows(*inputs.input.fused, architecture);
  if (overflows.empty()) overflows = TooLarge(Operations(problem), request.limit);
  if (!overflows.empty()) return FailWith(Failure::Kind::kNoAnswer, std::move(overflows));
  const Deadline deadline(stop, request.common.time_limit);
  FusedWalkOptions options;
  options.most_operations = request.limit;
  options.stop = [&] { return deadline.Passed(); };
  const auto walk = WalkFused(problem, architecture, tree, options);
  if (!walk) return NoWalk(walk.error(), stop, deadline);
  INLAY_CHECK(walk->numeric_check);  // a legal tree computes what its nodes do
  const auto cost = FinishFused(problem, architecture, walk->counts);
  if (!cost) return FailWith(Failure::Kind::kNoAnswer, ErrorsOf({cost.error()}));
  FusedEvalResult result = FusedResultFor("walk", request.common, inputs);
  SetCost(problem, architecture, *cost, &result);
  result.numeric_check = "ok";
  result.measured.seconds = deadline.SecondsSinceStart();
  return result;
}

Outcome<EvalRun> Run(const EvalRequest& request, const CaseInputs& inputs) {
  if (inputs.input.fused) {
    return FailWith(Failure::Kind::kWrongInput,
                    {MakeError({}, "this run cannot take a fused mapping",
                               "inlay eval does, under exact semantics")});
  }
  const io::Case& input = inputs.input;
  Diagnostics overflows = Overflows(input);
  if (!overflows.empty()) return FailWith(Failure::Kind::kNoAnswer, std::move(overflows));
  EvalRun run;
  for (const Semantics semantics : request.semantics) {
    EvaluateOptions options;
    options.semantics = semantics;
    options.accounting = request.accounting;
    options.add_fill_and_drain = request.fill_and_drain;
    const auto start = std::chrono::steady_clock::now();
    auto cost = Evaluate(input.problem, input.architecture, input.mapping, options);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    if (!cost) return FailWith(Failure::Kind::kNoAnswer, ErrorsOf({cost.error()}));
    if (input.asked_for) CountPadding(*input.asked_for, input.problem, &*cost);
    EvalResult result = ResultFor("eval", request.common, inputs);
    result.semantics = semantics;
    SetCost(input.problem, input.architecture, input.mapping, *cost, &result);
    result.measured.seconds = elapsed.count();
    run.results.push_back(std::move(result));
    run.costs.push_back({semantics, *std::move(cost)});
  }
  return run;
}

Outcome<EvalRun> Run(const WalkRequest& request, const CaseInputs& inputs, const StopFlag& stop,
                     const std::function<void(double share)>& progress) {
  INLAY_CHECK(!inputs.input.fused);
  const io::Case& input = inputs.input;
  Diagnostics overflows = Overflows(input);
  if (!overflows.empty()) return FailWith(Failure::Kind::kNoAnswer, std::move(overflows));
  overflows = TooLarge(Operations(input.problem), request.limit);
  if (!overflows.empty()) return FailWith(Failure::Kind::kNoAnswer, std::move(overflows));
  const Deadline deadline(stop, request.common.time_limit);
  WalkOptions options;
  options.most_operations = request.limit;
  options.fill_and_drain = request.fill_and_drain;
  options.stop = [&] { return deadline.Passed(); };
  options.progress = progress;
  const auto walk = Walk(input.problem, input.architecture, input.mapping, options);
  if (!walk || stop.Requested()) {
    return NoWalk(walk ? Fault() : walk.error(), stop, deadline);
  }
  INLAY_CHECK(walk->numeric_check);  // a valid mapping computes every operation once
  EvalRun run;
  EvalResult& result = run.results.emplace_back(ResultFor("walk", request.common, inputs));
  SetCost(input.problem, input.architecture, input.mapping, walk->cost, &result);
  result.numeric_check = "ok";
  result.measured.seconds = deadline.SecondsSinceStart();
  run.costs.push_back({Semantics::kExact, walk->cost});
  return run;
}

}  // namespace inlay::run
