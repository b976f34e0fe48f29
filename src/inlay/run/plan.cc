#include "inlay/run/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <string_view>

#include "inlay/base/check.h"
#include "inlay/base/fields.h"
#include "inlay/base/mention.h"
#include "inlay/io/file.h"
#include "inlay/io/json/json_place.h"
#include "inlay/io/json/plan.h"
#include "inlay/io/native/native.h"
#include "inlay/io/read_files.h"
#include "inlay/run/fused_steps.h"
#include "inlay/scratchpad/fused_plan.h"
#include "inlay/scratchpad/named_plan.h"
#include "inlay/scratchpad/plan_edges.h"
#include "inlay/scratchpad/validator.h"
#include "inlay/scratchpad/vector_seconds.h"

namespace inlay::run {
namespace {

// "nothing kept; …; or to the proof": what the strategies do, in the order of their names.
constexpr auto kStrategySentence = [] {
  std::array<char, 256> text{};  // what does not fit, with a 0 at the end, does not compile
  size_t end = 0;
  const auto add = [&](std::string_view part) {
    for (const char c : part) text.at(end++) = c;
  };
  for (const PlanStrategyRecord& record : kPlanStrategies) {
    if (end > 0) add(&record == &kPlanStrategies.back() ? "; or " : "; ");
    add(record.sentence);
  }
  text.at(end) = 0;
  return text;
}();

Diagnostics ErrorsIn(const std::string& file, const Faults& faults) {
  Diagnostics errors;
  for (const Fault& fault : faults) {
    const std::string place = fault.where.empty() ? "" : fault.where + ": ";
    errors.push_back(MakeError({file, 0, 0}, place + fault.message, fault.hint));
  }
  return errors;
}

// Errors of faults whose `where` is a place in a document.
Diagnostics ErrorsIn(const io::Source& document, const Faults& faults) {
  Diagnostics errors;
  for (const Fault& fault : faults) {
    const SourcePlace place = io::PlaceOfNextError(document, fault.where, errors);
    errors.push_back(io::MakeErrorAt(place, fault.where + ": " + fault.message, fault.hint));
  }
  return errors;
}

// What the plan says of its elements counts unless the user says otherwise.
void LoadPlanToCheck(PlanRequest* request, PlanInputs* inputs, Diagnostics* errors) {
  const auto source = io::ReadInputFile(*request->check);
  if (!source) return Append(source.error(), errors);
  auto plan = io::ReadPlan(*source);
  if (!plan) return Append(plan.error(), errors);
  if (!request->common.values.WasSet("bits")) request->bits = BitsOf(*plan);
  if (!request->common.values.WasSet("weights_stay")) {
    request->settings.weights_stay = plan->weights_stay;
  }
  inputs->record.inputs.push_back({"plan", *request->check, io::ContentHash(source->text)});
  inputs->check = *std::move(plan);
  inputs->check_text = *source;
}

void LoadModel(const PlanRequest& request, PlanInputs* inputs, Diagnostics* errors) {
  if (!io::IsModelFile(request.network)) {
    errors->push_back(
        MakeError({}, Mention("annotate") + ": '" + request.network + "' is no ONNX model",
                  "only ONNX models can be annotated"));
    return;
  }
  std::error_code ignored;  // there need be no such file yet
  if (std::filesystem::equivalent(*request.annotate, request.network, ignored)) {
    errors->push_back(MakeError({*request.annotate, 0, 0},
                                Mention("annotate") + " is the model itself",
                                "write to another file; inputs are never overwritten"));
    return;
  }
  auto source = io::ReadInputFile(request.network);
  if (!source) return;  // reading the graph reports the error
  inputs->model = std::move(source->text);
}

bool HasBeside(const NamedPlan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(),
                     [](const NamedPlan::Step& step) { return !step.beside.empty(); });
}

// Everything but what a search says.
PlanResult ResultOf(const PlanProblem& problem, const PlanOptions& options, const Plan& plan,
                    const Replayed& replayed) {
  PlanResult result;
  result.objective = options.objective;
  result.strategy = Name(options.strategy);
  result.plan = NamedPlanOf(problem, plan);
  SetTrees(problem, plan, &result.plan);
  result.plan.machine = problem.machine.name;
  result.plan.weights_stay = problem.weights_stay;
  result.memories = MemoryUseOf(problem, plan, replayed.steps);
  SetReplay(replayed.figures, replayed.steps, &result);
  result.too_large = TooLargeTensors(problem);
  result.unused_units = UnusedUnits(problem);
  result.tables = problem.tables;
  result.plan.cut_tables = static_cast<int64_t>(problem.cut_tables);
  result.threads = options.threads;
  return result;
}

Outcome<PlanResult> Check(const PlanProblem& unfused, const PlanSettings& settings,
                          const PlanOptions& options, const PlanRequest& request,
                          const PlanInputs& inputs, const StopFlag& stop) {
  const auto with_steps =
      WithStepsOf(*inputs.check, inputs.check_text, *inputs.graph, settings, unfused);
  if (!with_steps) return FailWith(Failure::Kind::kWrongInput, with_steps.error());
  const PlanProblem& problem = *with_steps;
  const auto plan = PlanOf(problem, *inputs.check);
  if (!plan) {
    return FailWith(Failure::Kind::kWrongInput, ErrorsIn(inputs.check_text, plan.error()));
  }
  const auto replayed = ReplaySteps(problem, *plan);
  if (!replayed) {
    return FailWith(Failure::Kind::kNoAnswer, ErrorsIn(*request.check, replayed.error()));
  }
  PlanResult result = ResultOf(problem, options, *plan, *replayed);
  const PlanOptions none{PlanStrategy::kNone, options.objective, false, 1, 1};
  result.baseline = MakePlan(unfused, none, Deadline(stop)).baseline;
  return result;
}

tl::unexpected<Failure> NoPlan(const Faults& faults) {
  Diagnostics errors = ErrorsOf(faults);
  if (errors.empty()) errors.push_back(MakeError({}, kNoPlanInTime, "give it more"));
  return FailWith(Failure::Kind::kNoAnswer, std::move(errors));
}

Outcome<PlanResult> Search(const PlanProblem& problem, const PlanOptions& options,
                           const Deadline& deadline, const PlanProgressSink& progress) {
  auto solved = Solve(problem, options, deadline, progress);
  if (solved) return std::move(solved->result);
  return NoPlan(solved.error());
}

// Of a network of which no node can be fused: what is proven of its plans holds of all.
Outcome<PlanResult> WithoutFusion(Outcome<PlanResult> result) {
  if (!result) return result;
  PlanFusion fusion;
  fusion.unfused = result->figures;
  fusion.unfused_certificate = fusion.steps_certificate = result->certificate;
  result->fusion = std::move(fusion);
  return result;
}

Outcome<PlanResult> SearchFused(const PlanProblem& problem, const Graph& graph,
                                const PlanSettings& settings, const PlanOptions& options,
                                const Deadline& deadline, const PlanProgressSink& progress) {
  if (const Faults faults = CheckFusable(problem); !faults.empty()) {
    Diagnostics errors = ErrorsOf(faults);
    for (Diagnostic& error : errors) error.message.insert(0, Mention("fuse") + ": ");
    return FailWith(Failure::Kind::kWrongInput, std::move(errors));
  }
  const auto fused = FusedGraphOf(graph);
  if (!fused) return WithoutFusion(Search(problem, options, deadline, progress));
  const FusableSteps steps(graph, *fused, settings, problem);
  FusedPlanAnswer answer = MakeFusedPlan(problem, steps, options, deadline, progress);
  if (!answer.best.plan) return NoPlan(answer.unfused.infeasible);
  const auto replayed = ReplaySteps(answer.problem, *answer.best.plan);
  INLAY_CHECK(replayed.has_value());
  PlanResult result = ResultOf(answer.problem, options, *answer.best.plan, *replayed);
  result.baseline = answer.best.baseline;
  SetProof(answer.certificate, answer.best.effort, &result);
  PlanFusion fusion;
  for (const PlanNode& node : answer.problem.nodes) {
    fusion.steps += node.fused ? 1 : 0;
    fusion.nodes += node.fused ? static_cast<int64_t>(node.fused->nodes.size()) : 0;
  }
  fusion.candidates = static_cast<int64_t>(answer.candidates.size());
  fusion.unfused = answer.unfused.figures;
  fusion.unfused_certificate = InUnitsOf(options.objective, answer.unfused.certificate);
  fusion.steps_certificate = InUnitsOf(options.objective, answer.best.certificate);
  fusion.fused = FusedStepsOf(problem, answer);
  fusion.edges = EdgesOf(graph, problem, steps, answer, options.objective);
  result.fusion = std::move(fusion);
  return result;
}

}  // namespace

const Structure& StructureOf(const PlanRequest*) {
  using R = PlanRequest;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&R::machine>("machine",
                       "what it runs on: a built-in or a file; or an architecture, at 1 GHz",
                       {.option = {.value_name = "MACHINE", .in_result = false}}),
      RowIn<&R::options, &PlanOptions::strategy>("strategy", kStrategySentence.data()),
      RowIn<&R::options, &PlanOptions::objective>(
          "objective", "what to minimise: time, off-chip bytes, or energy of all accesses"),
      Row<&R::bits>(
          "bits",
          "bits of every element, whatever the model says; or of groups and tensors, such "
          "as weights=4,kv=8,all=16: all, inputs, weights, activations, kv (keys and "
          "values of attention), NAME",
          {.option =
               {.value_name = "N|NAME=N,...", .min = 1, .max = kMostBits, .alone = kAllValues}}),
      RowIn<&R::options, &PlanOptions::reorder>(
          "reorder", "choose among the orders in which the nodes can run"),
      RowIn<&R::settings, &PlanSettings::weights_stay>(
          "weights_stay",
          "weights may stay on chip from one run to the next, and are then not fetched"),
      Row<&R::fuse>("fuse",
                    "nodes that follow each other may run as one step, in tiles, so that what they "
                    "pass on stays on chip"),
      Row<&R::check>("check",
                     "make no plan, but replay this one (plan.json or result.json) step by step, "
                     "and refuse it if it is impossible",
                     {.option = {.value_name = "PLAN.json", .in_result = false}}),
      Row<&R::annotate>("annotate", "write the ONNX model again, with the plan in its metadata",
                        {.option = {.value_name = "FILE.onnx", .in_result = false}}),
  });
  return Describe<R, kFields>("PlanRequest");
}

Result<PlanInputs> Load(PlanRequest* request) {
  PlanInputs inputs;
  inputs.record = RecordFor(request->common);
  Diagnostics errors;
  if (auto graph = ValueOr(io::LoadGraph(request->network, &inputs.record), &errors)) {
    inputs.graph = std::make_shared<const Graph>(*std::move(graph));
  }
  if (!request->machine) {
    errors.push_back(
        MakeError({}, "there is no machine",
                  fmt::format("give {}: a built-in ({} lists them) or a file",
                              Mention("machine", "MACHINE"), MentionListOf("machine"))));
  } else if (auto machine = ValueOr(io::LoadMachine(*request->machine, &inputs.record), &errors)) {
    inputs.machine = *std::move(machine);
  }
  if (request->check) LoadPlanToCheck(request, &inputs, &errors);
  if (request->annotate) LoadModel(*request, &inputs, &errors);
  if (inputs.graph) Append(FindBits(request, &inputs), &errors);
  if (!errors.empty()) return Fail(std::move(errors));
  return inputs;
}

Diagnostics FindBits(PlanRequest* request, PlanInputs* inputs) {
  const bool given = request->common.values.WasSet("bits");
  if (!given && !inputs->check && !inputs->graph->bits.empty()) request->bits = inputs->graph->bits;
  auto widths = BitsOfValues(*inputs->graph, request->bits);
  if (!widths) {
    Diagnostics errors = ErrorsOf(widths.error());
    for (Diagnostic& error : errors) {
      error.message.insert(0, (given ? Mention("bits") : "bits") + ": ");
    }
    return errors;
  }
  inputs->value_bits = *std::move(widths);
  // Keys and values are found, not named: of another width they would differ, if there are any.
  ElementBits others = request->bits;
  const auto kv = std::find_if(others.begin(), others.end(),
                               [](const auto& entry) { return entry.first == "kv"; });
  if (kv == others.end()) return {};
  ++kv->second;
  if (*BitsOfValues(*inputs->graph, others) == inputs->value_bits) {
    inputs->record.warnings.push_back(MakeWarning(
        {}, (given ? Mention("bits") : "bits") + ": kv has no effect",
        "network '" + inputs->graph->name +
            "' has no product of two activations whose keys or values could have this width"));
  }
  return {};
}

Outcome<PlanResult> Run(const PlanRequest& request, const PlanInputs& inputs, const StopFlag& stop,
                        const PlanProgressSink& progress) {
  const Deadline deadline(stop, request.common.time_limit);
  PlanOptions options = request.options;
  options.seed = static_cast<uint64_t>(request.common.seed);
  options.threads = ThreadsOf(request.common);
  PlanSettings settings = request.settings;
  settings.threads = options.threads;
  settings.value_bits = inputs.value_bits;
  settings.bits = *std::max_element(settings.value_bits.begin(), settings.value_bits.end());
  // Older plans, and those of other programs, may run one node after the other on equal units.
  settings.side_by_side = !inputs.check || HasBeside(*inputs.check);
  // A plan to check names tilings by their places in whole tables.
  if (request.common.time_limit && !inputs.check) {
    settings.table_seconds = *request.common.time_limit * kTableShare;
  }
  const auto problem = MakePlanProblem(*inputs.graph, inputs.machine, settings, stop);
  if (!problem) return FailWith(Failure::Kind::kWrongInput, ErrorsOf(problem.error()));
  if (inputs.check && stop.Requested()) return FailWith(Failure::Kind::kStopped, {});
  const double tables_seconds = deadline.SecondsSinceStart();
  auto result = inputs.check ? Check(*problem, settings, options, request, inputs, stop)
                : request.fuse
                    ? SearchFused(*problem, *inputs.graph, settings, options, deadline, progress)
                    : Search(*problem, options, deadline, progress);
  if (!result) return result;
  result->header = HeaderOf("plan", request.common, inputs.record.inputs);
  result->plan.network = inputs.graph->name;
  if (!request.common.values.WasSet("bits") && request.bits != PlanRequest().bits) {
    // The network's own, or those of the plan that is checked.
    std::erase_if(result->header.options, [](const auto& one) { return one.first == "bits"; });
  }
  SetBits(request.bits, &result->plan);
  const bool vector = CountsVectorNodes(inputs.machine);
  const WhyNotCounted why_not =
      vector ? WhyNotCountedOn(inputs.machine, *inputs.graph) : WhyNotCounted();
  result->coverage = CoverageOf(*inputs.graph, settings.value_bits, vector ? &why_not : nullptr);
  result->hardware = Show(inputs.machine);
  result->graph = GraphResultOf(*inputs.graph, settings.value_bits);
  result->interrupted = !inputs.check && stop.Requested();
  result->tables_seconds = tables_seconds;
  result->seconds = deadline.SecondsSinceStart();
  return result;
}

tl::expected<SolvedPlan, Faults> Solve(const PlanProblem& problem, const PlanOptions& options,
                                       const Deadline& deadline, const PlanProgressSink& progress) {
  PlanAnswer answer = MakePlan(problem, options, deadline, progress);
  if (!answer.plan) return tl::unexpected(std::move(answer.infeasible));
  const auto replayed = ReplaySteps(problem, *answer.plan);
  INLAY_CHECK(replayed.has_value());  // the validator knows nothing of how plans are made
  SolvedPlan solved{*std::move(answer.plan), answer.certificate, {}};
  solved.result = ResultOf(problem, options, solved.plan, *replayed);
  solved.result.baseline = answer.baseline;
  SetProof(answer.certificate, answer.effort, &solved.result);
  solved.result.interrupted = answer.interrupted;
  return solved;
}

}  // namespace inlay::run
