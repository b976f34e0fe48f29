#include "inlay/io/json/plan.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <utility>

#include "cli/deliver.h"
#include "cli/plan_progress.h"
#include "cli/session.h"
#include "inlay/base/check.h"
#include "inlay/base/parallel.h"
#include "inlay/base/version.h"
#include "inlay/io/file.h"
#include "inlay/io/json/document.h"
#include "inlay/io/json/json_place.h"
#include "inlay/io/load.h"
#include "inlay/io/onnx/annotate.h"
#include "inlay/io/read_files.h"
#include "inlay/io/write_file.h"
#include "inlay/report/plan.h"
#include "inlay/scratchpad/make_problem.h"
#include "inlay/scratchpad/named.h"
#include "inlay/scratchpad/options.h"
#include "inlay/scratchpad/planner.h"
#include "inlay/scratchpad/validator.h"

namespace inlay::cli {
namespace {

struct Task {
  Graph graph;
  Machine machine;
  PlanSettings settings;
  PlanOptions options;
  std::optional<double> seconds;     // most time for the planning
  std::optional<NamedPlan> check;    // a plan that is only replayed
  io::Source check_text;             // what it was read from
  std::optional<std::string> model;  // the bytes of the ONNX model, to be annotated
};

void Append(Diagnostics from, Diagnostics* to) {
  std::move(from.begin(), from.end(), std::back_inserter(*to));
}

Diagnostics ErrorsOf(const Faults& faults, const std::string& file) {
  Diagnostics errors;
  for (const Fault& fault : faults) {
    const std::string place = file.empty() || fault.where.empty() ? "" : fault.where + ": ";
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

void ReadOptions(const OptionValues& values, Task* task) {
  task->settings.bits = static_cast<int>(values.Integer("bits"));
  task->settings.weights_stay = values.Flag("weights-stay");
  task->settings.threads =
      values.Has("threads") ? static_cast<int>(values.Integer("threads")) : HardwareThreads();
  task->options.threads = task->settings.threads;
  task->options.strategy = *PlanStrategyFromName(values.Text("strategy"));
  task->options.objective = *FromName<PlanObjective>(values.Text("objective"));
  task->options.reorder = values.Flag("reorder");
  task->options.seed = static_cast<uint64_t>(values.Integer("seed"));
  task->seconds = values.Seconds("time-limit");
  if (task->seconds) task->settings.table_seconds = *task->seconds * kTableShare;
}

// What the plan says of its elements counts unless the user says otherwise.
void ReadPlanToCheck(const OptionValues& values, io::LoadRecord* record, Task* task,
                     Diagnostics* errors) {
  const auto source = io::ReadInputFile(values.Text("check"));
  if (!source) return Append(source.error(), errors);
  auto plan = io::ReadPlan(*source);
  if (!plan) return Append(plan.error(), errors);
  if (!values.WasSet("bits")) task->settings.bits = plan->bits;
  if (!values.WasSet("weights-stay")) task->settings.weights_stay = plan->weights_stay;
  record->inputs.push_back({"plan", values.Text("check"), io::ContentHash(source->text)});
  task->check = *std::move(plan);
  task->check_text = *source;
}

void ReadModel(const Invocation& invocation, Task* task, Diagnostics* errors) {
  const std::string& network = invocation.arguments.front();
  if (!io::IsModelFile(network)) {
    errors->push_back(MakeError({}, "--annotate: '" + network + "' is no ONNX model",
                                "only ONNX models can be annotated"));
    return;
  }
  const std::string& output = invocation.options.Text("annotate");
  std::error_code ignored;  // there need be no such file yet
  if (std::filesystem::equivalent(output, network, ignored)) {
    errors->push_back(MakeError({output, 0, 0}, "--annotate is the model itself",
                                "write to another file; inputs are never overwritten"));
    return;
  }
  if (auto target = io::CheckFileToWrite(output); !target) Append(target.error(), errors);
  auto source = io::ReadInputFile(network);
  if (!source) return;  // reading the graph reports the error
  task->model = std::move(source->text);
}

// Everything that can be wrong before the planning starts, all at once.
Result<Task> ReadTask(const Invocation& invocation, io::LoadRecord* record) {
  const OptionValues& values = invocation.options;
  record->dims = DimsFrom(values);
  Task task;
  Diagnostics errors;
  ReadOptions(values, &task);
  auto graph = io::LoadGraph(invocation.arguments.front(), record);
  if (!graph) Append(std::move(graph.error()), &errors);
  if (graph) task.graph = *std::move(graph);
  if (values.Has("machine")) {
    auto machine = io::LoadMachine(values.Text("machine"), record);
    if (!machine) Append(std::move(machine.error()), &errors);
    if (machine) task.machine = *std::move(machine);
  } else {
    errors.push_back(MakeError({}, "there is no machine",
                               "give --machine MACHINE: a built-in ('inlay list machine' lists "
                               "them) or a file"));
  }
  if (values.Has("check")) ReadPlanToCheck(values, record, &task, &errors);
  if (task.check) task.settings.table_seconds.reset();  // it names tilings by their places
  if (values.Has("annotate")) ReadModel(invocation, &task, &errors);
  if (!errors.empty()) return Fail(std::move(errors));
  return task;
}

PlanResult ResultOf(const PlanProblem& problem, const Task& task, const Plan& plan,
                    const Replayed& replayed) {
  PlanResult result;
  result.objective = task.options.objective;
  result.strategy = Name(task.options.strategy);
  result.plan = NamesOf(problem, plan);
  result.plan.network = task.graph.name;
  result.plan.machine = task.machine.name;
  result.plan.bits = task.settings.bits;
  result.plan.weights_stay = task.settings.weights_stay;
  result.memories = MemoryUseOf(problem, plan, replayed.steps);
  SetReplay(replayed.figures, replayed.steps, &result);
  result.too_large = TooLargeTensors(problem);
  result.tables = problem.tables;
  result.plan.cut_tables = static_cast<int64_t>(problem.cut_tables);
  result.threads = task.options.threads;
  return result;
}

// The plan of --check, replayed.
tl::expected<PlanResult, ExitCode> Check(const PlanProblem& problem, const Task& task,
                                         const std::string& file, Session* session) {
  const auto plan = PlanOf(problem, *task.check);
  if (!plan) {
    session->Report(ErrorsIn(task.check_text, plan.error()));
    return tl::unexpected(kWrongInput);
  }
  const auto replayed = ReplaySteps(problem, *plan);
  if (!replayed) {
    session->Report(ErrorsOf(replayed.error(), file));
    return tl::unexpected(kNoAnswer);
  }
  PlanResult result = ResultOf(problem, task, *plan, *replayed);
  const PlanOptions none{PlanStrategy::kNone, task.options.objective, false, 1, 1};
  result.baseline = MakePlan(problem, none, Deadline(session->stop())).baseline;
  return result;
}

tl::expected<PlanResult, ExitCode> Search(const PlanProblem& problem, const Task& task,
                                          const Deadline& deadline, Session* session) {
  PlanProgressLine line(task.options.objective, task.seconds, *session);
  const PlanAnswer answer = MakePlan(problem, task.options, deadline,
                                     [&](const PlanProgress& state) { line.Show(state); });
  line.Finish();
  if (!answer.plan) {
    Diagnostics errors = ErrorsOf(answer.infeasible, "");
    if (errors.empty()) {
      errors.push_back(MakeError({}, "the time was up before there was a plan", "give it more"));
    }
    session->Report(errors);
    return tl::unexpected(kNoAnswer);
  }
  const auto replayed = ReplaySteps(problem, *answer.plan);
  INLAY_CHECK(replayed.has_value());  // the validator knows nothing of how plans are made
  PlanResult result = ResultOf(problem, task, *answer.plan, *replayed);
  result.baseline = answer.baseline;
  SetProof(answer.certificate, answer.effort, &result);
  result.interrupted = session->Stopped();
  return result;
}

// The model with the plan in it. False: it could not be written, and why was said.
bool WriteAnnotated(const Invocation& invocation, const Task& task, const PlanResult& result,
                    Session* session) {
  const auto model =
      io::AnnotateModel(invocation.arguments.front(), *task.model, task.graph, result);
  const auto written = model ? io::WriteFile(invocation.options.Text("annotate"), *model)
                             : Result<void>(Fail(model.error()));
  if (!written) session->Report(written.error());
  return written.has_value();
}

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

ExitCode RunPlan(const Invocation& invocation, Session* session) {
  io::LoadRecord record;
  const auto task = ReadTask(invocation, &record);
  if (!task) {
    session->Report(task.error());
    return kWrongInput;
  }
  session->Report(record.warnings);
  auto folder = ClaimOutput(invocation.options, session);
  if (!folder) return kWrongInput;

  const auto start = std::chrono::steady_clock::now();
  const Deadline deadline(session->stop(), task->seconds);
  const auto problem = MakePlanProblem(task->graph, task->machine, task->settings, session->stop());
  if (!problem) {
    session->Report(ErrorsOf(problem.error(), ""));
    return kWrongInput;
  }
  if (task->check && session->Stopped()) return kInterrupted;  // its tilings may be missing
  const double tables_seconds = SecondsSince(start);
  auto result = task->check ? Check(*problem, *task, invocation.options.Text("check"), session)
                            : Search(*problem, *task, deadline, session);
  if (!result) return result.error();
  result->header = {"plan", std::string(kVersion), record.inputs, invocation.options.ForResult()};
  result->tables_seconds = tables_seconds;
  result->seconds = SecondsSince(start);
  const auto summary = [&](const TextStyle& style) { return report::PlanSummary(*result, style); };
  // Made only where they are written or printed: of 20,000 nodes they take a second.
  const LongText json([&](const TextSink& put) { put(io::WriteJson(*result)); });
  const LongText plan([&](const TextSink& put) { put(io::WritePlan(*result)); });
  const ExitCode code = Deliver({json, summary, {{"plan.json", plan}}, true}, &*folder, session);
  // Last, so that the plan is delivered even if the model cannot be written.
  const bool annotated = !task->model || WriteAnnotated(invocation, *task, *result, session);
  return annotated ? code : kWrongInput;
}

std::vector<Option> Records() {
  return {
      {.name = "machine",
       .sentence = "what it runs on: a built-in or a file; or an architecture, at 1 GHz",
       .value_name = "MACHINE"},
      PlanStrategyRecord(),
      PlanObjectiveRecord(),
      BitsRecord("bits of every element, whatever the model says"),
      {.name = "reorder",
       .sentence = "choose among the orders in which the nodes can run",
       .type = OptionType::kFlag,
       .in_result = true},
      {.name = "weights-stay",
       .sentence = "weights may stay on chip from one run to the next, and are then not fetched",
       .type = OptionType::kFlag,
       .in_result = true},
      {.name = "check",
       .sentence = "make no plan, but replay this one (plan.json or result.json) step by step, "
                   "and refuse it if it is impossible",
       .value_name = "PLAN.json"},
      {.name = "annotate",
       .sentence = "write the ONNX model again, with the plan in its metadata",
       .value_name = "FILE.onnx"},
  };
}

Option PlanFolderOption() {
  return OutputFolderOption(
      "write result.json, plan.json and summary.txt (always UTF-8) into this folder; it must be "
      "new or empty");
}

}  // namespace

Command PlanCommand() {
  std::vector<Option> options = Records();
  AddOutputOptions(PlanFolderOption(), &options);
  return {
      .name = "plan",
      .sentence = "what of a network stays on chip between its nodes, with a certificate",
      .usages = {"NETWORK --machine MACHINE [OPTIONS]"},
      .details =
          "Decides which tensors lie in which memory at which address during which steps, and what "
          "is fetched, prefetched, moved and written back when, for the least --objective. A step "
          "is the run of one node. Every plan is replayed step by step before it is reported; "
          "docs/reference/scratchpad.md says what it means and costs. Where a unit of the machine "
          "has an architecture, the mapper says how its nodes can be tiled; that comes first, and "
          "takes up to half of the time limit.\n"
          "Ends with code 1 if there is no plan, or if the plan of --check is impossible. Ctrl-C "
          "and SIGTERM end the search with the best so far, marked as interrupted, and code 130.",
      .arguments = {{.name = "NETWORK",
                     .sentence =
                         "a built-in network, an ONNX model or a native file with a graph"}},
      .options = std::move(options),
      .examples =
          {{"inlay plan mobilenetv2 --machine onsram --time-limit 5s",
            "a plan for OnSRAM's accelerator"},
           {"inlay plan resnet18 --machine onsram-2pads --strategy greedy --objective bytes -o out",
            "the fewest off-chip bytes on two memories, by the quick strategy; plan.json in a new "
            "folder"},
           {"inlay plan resnet18 --machine onsram-2pads --check plan.json",
            "replays such a plan, step by step"}},
      .heeds = {.time_limit = "the most time for the planning: 500ms, 60s, 5min; then the best so "
                              "far, with its gap",
                .threads = true,
                .seed = true,
                .dims = true},
      .run = RunPlan,
  };
}

}  // namespace inlay::cli
