#include "inlay/run/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "inlay/base/fields.h"
#include "inlay/base/mention.h"
#include "inlay/base/suggest.h"
#include "inlay/batch/policy_result.h"
#include "inlay/batch/remap_table.h"
#include "inlay/batch/trace.h"
#include "inlay/io/native/native.h"

namespace inlay::run {
namespace {

// What can be written for `policy`.
constexpr auto kPolicyChoices = [] {
  std::array<const char*, kBatchPolicies.size() + 1> names{};
  for (size_t i = 0; i < kBatchPolicies.size(); ++i) names[i] = kBatchPolicies[i].data();
  names.back() = "all";
  return names;
}();

// Options of the mix, each at its place in the file, where the request does not say otherwise.
Diagnostics TakeOptionsOf(const Mix& mix, BatchRequest* request) {
  Diagnostics errors;
  std::vector<std::string> keys;
  for (const Option& option : OptionsOf<BatchRequest>()) keys.emplace_back(option.key);
  OptionValues values = request->common.values;
  for (const MixOption& own : mix.options) {
    const auto add = [&](const Diagnostics& found) {
      for (Diagnostic error : found) {
        error.location = own.place.location;
        error.source_line = own.place.line;
        errors.push_back(std::move(error));
      }
    };
    if (std::find(keys.begin(), keys.end(), own.name) == keys.end()) {
      add({MakeError({}, "'inlay batch' has no option '" + own.name + "'",
                     SuggestionHint(own.name, keys))});
    } else if (!request->common.values.WasSet(own.name)) {
      if (const auto set = values.Set(own.name, own.text); !set) add(set.error());
    }
  }
  std::string name = std::move(request->mix);
  *request = RequestFrom<BatchRequest>(values);
  request->mix = std::move(name);
  return errors;
}

Diagnostics Override(const BatchRequest& request, Accelerator* accelerator) {
  Diagnostics errors;
  const std::pair<const char*, const std::optional<std::string>*> given[] = {
      {"memory", &request.memory}, {"bandwidth", &request.bandwidth}, {"window", &request.window}};
  for (const auto& [key, text] : given) {
    if (!*text) continue;
    auto set = io::SetAcceleratorKey(key, **text, accelerator);
    if (set) continue;
    for (Diagnostic& error : set.error()) {
      error.message = fmt::format("{}: {}", Mention(key), error.message);
      errors.push_back(std::move(error));
    }
  }
  return errors;
}

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// What every policy made of it. False: the time was up before all were through.
bool RunAll(const batch::Task& task, const std::vector<std::string_view>& policies,
            const batch::PolicyOptions& options, const Deadline& deadline,
            const std::function<void(const std::string&)>& progress, BatchFigures* figures,
            BatchRun* best_run) {
  for (size_t i = 0; i < policies.size(); ++i) {
    progress(fmt::format("[{}/{}] {}", i + 1, policies.size(), policies[i]));
    const auto start = std::chrono::steady_clock::now();
    batch::RunOptions run_options;
    run_options.deadline = &deadline;
    batch::PolicyRun run = batch::FindPolicy(policies[i])->run(task, options, run_options);
    std::optional<BatchPolicyResult> result =
        batch::PolicyResultOf(policies[i], task, run, &deadline);
    if (!result) return false;
    result->seconds = SecondsSince(start);
    figures->policies.push_back(*std::move(result));
    const BatchPolicyResult& last = figures->policies.back();
    if (BestPolicy(*figures) == &last || best_run->traced_name.empty()) {
      best_run->traced = std::move(run);
      best_run->traced_name = last.name;
    }
  }
  progress("controls");
  const auto controls = batch::ControlsOf(task, options, &deadline);
  if (!controls) return false;
  figures->lb_cycles = controls->lb;
  figures->pu_cycles = controls->pu;
  figures->pw_cycles = controls->pw;
  return true;
}

BatchResult DescribeMix(const Mix& mix, const batch::Task& task) {
  BatchResult result;
  result.mix = mix.name;
  result.accelerator = mix.accelerator;
  for (size_t w = 0; w < mix.workloads.size(); ++w) {
    result.workloads.push_back({mix.workloads[w].network, mix.workloads[w].batch,
                                static_cast<int64_t>(task.workloads[w].requests.size())});
  }
  return result;
}

}  // namespace

const Structure& StructureOf(const BatchRequest*) {
  using R = BatchRequest;
  using Options = batch::PolicyOptions;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&R::policy>("policy", "which workload runs when, and how many inferences at a time",
                      {.option = {.choices = kPolicyChoices}}),
      RowIn<&R::options, &Options::on_deadlock>(
          "deadlock",
          "when workloads would wait for each other's memory for ever: never let it come to that; "
          "write the largest holder out; or stop and say which workload holds what"),
      RowIn<&R::options, &Options::order>(
          "order",
          "which block an engine takes next, in every policy; without it longest-path, and "
          "stall-free tries all"),
      Row<&R::memory>("memory", "another size of the on-chip memory than the mix says: 20 MiB",
                      {.option = {.value_name = "SIZE"}}),
      Row<&R::bandwidth>("bandwidth",
                         "another bandwidth off chip than the mix says: 225 B/cycle, 225 GB/s",
                         {.option = {.value_name = "RATE"}}),
      Row<&R::window>("window",
                      "another limit than the mix says for weights that wait for their turn: 4 MiB",
                      {.option = {.value_name = "SIZE"}}),
      RowIn<&R::options, &Options::memory>(
          "memory_model",
          "how feature maps lie: as bytes of a pool, in pages of 4 KiB, or at addresses"),
      RowIn<&R::options, &Options::bypass>(
          "no_bypass", "while a workload waits for memory, no other starts a layer"),
      RowIn<&R::options, &Options::merge>("no_merge", "what was split is never put together again"),
      RowIn<&R::options, &Options::cascade_depth>(
          "cascade", "most parts of a workload that are paused at a time, where a policy splits",
          {.option = {.value_name = "N", .min = 0, .max = 1'000'000}}),
  });
  return Describe<R, kFields>("BatchRequest");
}

Result<BatchInputs> Load(BatchRequest* request) {
  BatchInputs inputs;
  inputs.record = RecordFor(request->common);
  Diagnostics errors;
  auto mix = ValueOr(io::LoadMix(request->mix, &inputs.record), &errors);
  if (mix) Append(TakeOptionsOf(*mix, request), &errors);
  Accelerator unused;
  Append(Override(*request, mix ? &mix->accelerator : &unused), &errors);
  if (!errors.empty()) return Fail(std::move(errors));
  inputs.mix = *std::move(mix);
  auto task = batch::MakeTask(inputs.mix);
  if (!task) return Fail(ErrorsOf(task.error()));
  inputs.task = *std::move(task);
  return inputs;
}

Outcome<BatchRun> Run(const BatchRequest& request, BatchInputs inputs, const StopFlag& stop,
                      const std::function<void(const std::string&)>& progress) {
  const Deadline deadline(stop, request.common.time_limit);
  batch::PolicyOptions options = request.options;
  options.threads = ThreadsOf(request.common);
  batch::Task& task = inputs.task;
  progress("fronts of layers");
  batch::RemapTables().AddTo(inputs.mix, options.threads, deadline, &task);
  if (const Faults misfits = batch::MisfitsOf(task, options.memory); !misfits.empty()) {
    progress("");
    return FailWith(Failure::Kind::kNoAnswer, ErrorsOf(misfits));
  }
  BatchRun run;
  BatchFigures figures;
  const bool complete = RunAll(task, batch::ChosenPolicies(request.policy), options, deadline,
                               progress, &figures, &run);
  progress("");
  if (figures.policies.empty()) {
    return FailWith(stop.Requested() ? Failure::Kind::kStopped : Failure::Kind::kNoAnswer,
                    {MakeError({}, "the time was up before a policy came to its end",
                               fmt::format("a longer {}, a smaller batch, or one {}",
                                           Mention("time_limit"), Mention("policy")))});
  }
  run.result = DescribeMix(inputs.mix, task);
  run.result.header = HeaderOf("batch", request.common, inputs.record.inputs);
  SetFigures(figures, &run.result);
  run.result.interrupted = !complete;
  run.result.threads = options.threads;
  run.result.seconds = deadline.SecondsSinceStart();
  return run;
}

BatchTrace TraceOf(const BatchRun& run) {
  batch::TraceRecorder recorder(
      run.traced.task,
      fmt::format("{} on {}, {}", run.result.mix, run.result.accelerator.name, run.traced_name));
  batch::RunOptions options;
  options.observer = &recorder;
  const batch::Outcome outcome = batch::Simulate(run.traced.task, run.traced.rules, options);
  return recorder.Finish(outcome.makespan);
}

}  // namespace inlay::run
