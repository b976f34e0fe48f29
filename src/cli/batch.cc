#include "inlay/io/json/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "cli/deliver.h"
#include "cli/session.h"
#include "inlay/base/parallel.h"
#include "inlay/base/suggest.h"
#include "inlay/base/version.h"
#include "inlay/batch/figures.h"
#include "inlay/batch/options.h"
#include "inlay/batch/policy.h"
#include "inlay/batch/remap.h"
#include "inlay/batch/trace.h"
#include "inlay/io/json/document.h"
#include "inlay/io/load.h"
#include "inlay/io/native/native.h"
#include "inlay/report/batch.h"

namespace inlay::cli {
namespace {

std::vector<Option> Records() {
  return {batch::PolicyChoiceRecord(),
          batch::DeadlockRecord(),
          batch::OrderRecord(),
          batch::MemoryRecord(),
          batch::BandwidthRecord(),
          batch::WindowRecord(),
          batch::MemoryModelRecord(),
          {.name = "no-bypass",
           .sentence = "while a workload waits for memory, no other starts a layer",
           .type = OptionType::kFlag,
           .in_result = true},
          {.name = "no-merge",
           .sentence = "what was split is never put together again",
           .type = OptionType::kFlag,
           .in_result = true},
          batch::CascadeRecord()};
}

void Append(Diagnostics from, Diagnostics* to) {
  std::move(from.begin(), from.end(), std::back_inserter(*to));
}

// Options of the mix, each at its place in the file, where the command does not say otherwise.
Diagnostics TakeOptionsOf(const Mix& mix, OptionValues* values) {
  Diagnostics errors;
  const std::vector<Option> records = Records();
  std::vector<std::string> keys;
  keys.reserve(records.size());
  for (const Option& option : records) keys.push_back(KeyOf(option));
  for (const MixOption& own : mix.options) {
    const auto at = [&own](Diagnostics found) {
      for (Diagnostic& error : found) {
        error.location = own.place.location;
        error.source_line = own.place.line;
      }
      return found;
    };
    const auto known = std::find(keys.begin(), keys.end(), own.name);
    if (known == keys.end()) {
      Append(at({MakeError({}, "'inlay batch' has no option '" + own.name + "'",
                           SuggestionHint(own.name, keys))}),
             &errors);
      continue;
    }
    const Option& option = records[static_cast<size_t>(known - keys.begin())];
    if (values->WasSet(option.name)) continue;
    const bool flag = option.type == OptionType::kFlag;
    if (flag && own.text == "false") continue;
    if (flag && own.text != "true") {
      Append(at({MakeError({}, "'" + own.name + "' is true or false")}), &errors);
      continue;
    }
    if (auto set = values->Set(option.name, flag ? "" : own.text); !set) {
      Append(at(std::move(set.error())), &errors);
    }
  }
  return errors;
}

// --memory, --bandwidth and --window.
Diagnostics Override(const OptionValues& values, Accelerator* accelerator) {
  Diagnostics errors;
  for (const char* key : {"memory", "bandwidth", "window"}) {
    if (!values.Has(key)) continue;
    auto set = io::SetAcceleratorKey(key, values.Text(key), accelerator);
    if (set) continue;
    for (Diagnostic& error : set.error()) {
      error.message = fmt::format("--{}: {}", key, error.message);
      errors.push_back(std::move(error));
    }
  }
  return errors;
}

Diagnostics ErrorsOf(const Faults& faults) {
  Diagnostics errors;
  for (const Fault& fault : faults) errors.push_back(MakeError({}, fault.message, fault.hint));
  return errors;
}

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// What every policy made of it, and how the traced one ran.
struct Runs {
  BatchFigures figures;
  std::optional<batch::PolicyRun> traced;
  std::string traced_name;
  bool complete = true;
};

Runs RunAll(const batch::Task& task, const std::vector<std::string_view>& policies,
            const batch::PolicyOptions& options, const Deadline& deadline, Session* session) {
  Runs runs;
  for (size_t i = 0; i < policies.size(); ++i) {
    session->ShowProgress(fmt::format("[{}/{}] {}", i + 1, policies.size(), policies[i]));
    const auto start = std::chrono::steady_clock::now();
    batch::RunOptions run_options;
    run_options.deadline = &deadline;
    batch::PolicyRun run = batch::FindPolicy(policies[i])->run(task, options, run_options);
    std::optional<BatchPolicyResult> result = batch::FiguresOf(policies[i], task, run, &deadline);
    if (!result) {
      runs.complete = false;
      break;
    }
    result->seconds = SecondsSince(start);
    runs.figures.policies.push_back(*std::move(result));
    const BatchPolicyResult* best = BestPolicy(runs.figures);
    const BatchPolicyResult& last = runs.figures.policies.back();
    if (best == &last || !runs.traced) {
      runs.traced = std::move(run);
      runs.traced_name = last.name;
    }
  }
  if (runs.complete) {
    session->ShowProgress("controls");
    const auto controls = batch::ControlsOf(task, options, &deadline);
    runs.complete = controls.has_value();
    if (controls) {
      runs.figures.lb_cycles = controls->lb;
      runs.figures.pu_cycles = controls->pu;
      runs.figures.pw_cycles = controls->pw;
    }
  }
  session->ShowProgress("");
  return runs;
}

std::string TraceOf(const Runs& runs, const BatchResult& result) {
  batch::TraceRecorder recorder(
      runs.traced->task,
      fmt::format("{} on {}, {}", result.mix, result.accelerator.name, runs.traced_name));
  batch::RunOptions options;
  options.observer = &recorder;
  const batch::Outcome outcome = batch::Simulate(runs.traced->task, runs.traced->rules, options);
  return io::WriteBatchTrace(recorder.Finish(outcome.makespan));
}

BatchResult Describe(const Mix& mix, const batch::Task& task) {
  BatchResult result;
  result.mix = mix.name;
  result.accelerator = mix.accelerator;
  for (size_t w = 0; w < mix.workloads.size(); ++w) {
    result.workloads.push_back({mix.workloads[w].network, mix.workloads[w].batch,
                                static_cast<int64_t>(task.workloads[w].requests.size())});
  }
  return result;
}

ExitCode RunBatch(const Invocation& invocation, Session* session) {
  io::LoadRecord record;
  OptionValues values = invocation.options;
  record.dims = DimsFrom(values);
  auto mix = io::LoadMix(invocation.arguments.front(), &record);
  Diagnostics errors = mix ? TakeOptionsOf(*mix, &values) : mix.error();
  Accelerator unused;
  Append(Override(values, mix ? &mix->accelerator : &unused), &errors);
  if (!errors.empty()) {
    session->Report(errors);
    return kWrongInput;
  }
  session->Report(record.warnings);
  auto task = batch::MakeTask(*mix);
  if (!task) {
    session->Report(ErrorsOf(task.error()));
    return kWrongInput;
  }
  auto folder = ClaimOutput(values, session);
  if (!folder) return kWrongInput;
  const auto start = std::chrono::steady_clock::now();
  batch::PolicyOptions options = batch::PolicyOptionsFrom(values);
  options.bypass = !values.Flag("no-bypass");
  options.merge = !values.Flag("no-merge");
  options.threads =
      values.Has("threads") ? static_cast<int>(values.Integer("threads")) : HardwareThreads();
  const Deadline deadline(session->stop(), values.Seconds("time-limit"));
  session->ShowProgress("fronts of layers");
  batch::RemapTables().AddTo(*mix, options.threads, deadline, &*task);
  if (const Faults misfits = batch::MisfitsOf(*task, options.memory); !misfits.empty()) {
    session->ShowProgress("");
    session->Report(ErrorsOf(misfits));
    return kNoAnswer;
  }
  const Runs runs =
      RunAll(*task, batch::ChosenPolicies(values.List("policy")), options, deadline, session);
  if (runs.figures.policies.empty()) {
    session->Report({MakeError({}, "the time was up before a policy came to its end",
                               "a longer --time-limit, a smaller batch, or one --policy")});
    return session->Stopped() ? kInterrupted : kNoAnswer;
  }
  BatchResult result = Describe(*mix, *task);
  result.header = {"batch", std::string(kVersion), record.inputs, values.ForResult()};
  SetFigures(runs.figures, &result);
  result.interrupted = !runs.complete;
  result.threads = options.threads;
  std::vector<OutputFile> files;
  if (folder->has_value()) {
    result.traced = runs.traced_name;
    files.push_back({"trace.json", TraceOf(runs, result)});
  }
  result.seconds = SecondsSince(start);
  const auto summary = [&](const TextStyle& style) { return report::BatchSummary(result, style); };
  const ExitCode code =
      Deliver({io::WriteJson(result), summary, std::move(files), true}, &*folder, session);
  if (code != kDone) return code;
  return BestPolicy(result.figures) == nullptr ? kNoAnswer : kDone;
}

}  // namespace

Command BatchCommand() {
  std::vector<Option> options = Records();
  AddOutputOptions(
      OutputFolderOption("write result.json, summary.txt (always UTF-8) and trace.json, the "
                         "timeline of the best policy for Perfetto, into this folder; it must be "
                         "new or empty"),
      &options);
  return {
      .name = "batch",
      .sentence = "several batched networks on one accelerator: policies side by side",
      .usages = {"MIX [OPTIONS]"},
      .details =
          "Simulates, cycle by cycle and byte by byte, how the batches of several networks share "
          "the arrays, the on-chip memory and the channel of one accelerator, under each policy; "
          "beside them what unlimited memory (PU), unlimited memory for feature maps alone (PW) "
          "and no waiting at all (LB) would take. Idle cycles of the arrays are attributed to "
          "their cause (capacity, bandwidth, dependency) by simulating again without it. "
          "Where memory is very short, layers run in pieces. "
          "docs/reference/batching.md says what the policies do.\n"
          "Ends with code 1 if one inference of a workload does not fit, not even in pieces, or if "
          "every policy ends in a deadlock (--deadlock report). Ctrl-C and SIGTERM end with the "
          "policies that are "
          "through, marked as interrupted, and code 130.",
      .arguments = {{.name = "MIX", .sentence = "a built-in mix or a file"}},
      .options = std::move(options),
      .examples = {{"inlay batch mix-tight", "all policies where memory is short"},
                   {"inlay batch mix-e --policy static,stall-free --memory \"20 MiB\" -o out",
                    "two policies with less memory, and the timeline of the better one"},
                   {"inlay batch mix-tight --policy batch-dnn --deadlock spill --json",
                    "one policy that pays for deadlocks"}},
      .heeds = {.time_limit = "the most time for all policies: 500ms, 60s, 5min; then those that "
                              "are through",
                .threads = true,
                .seed = false,
                .dims = true},
      .run = RunBatch,
  };
}

}  // namespace inlay::cli
