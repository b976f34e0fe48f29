#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>

#include "inlay/base/deadline.h"
#include "inlay/base/fields.h"
#include "inlay/base/parallel.h"
#include "inlay/base/suggest.h"
#include "inlay/batch/policies/policies.h"
#include "inlay/batch/policy_result.h"
#include "inlay/batch/random_mix.h"
#include "inlay/io/native/native.h"
#include "inlay/run/batch.h"
#include "inlay/study/run_kinds.h"

namespace inlay::study {

enum class Spills : uint8_t { kPaid, kFree };

// The request of a point and what studies have besides it.
struct BatchPointRequest {
  run::BatchRequest batch;
  Spills spills = Spills::kPaid;
  std::optional<int64_t> number;  // of a random mix
  run::CommonRequest common;
};

}  // namespace inlay::study

namespace inlay {
template <>
inline constexpr auto kNames<study::Spills> = std::to_array<EnumName<study::Spills>>(
    {{study::Spills::kPaid, "paid"}, {study::Spills::kFree, "free"}});
}  // namespace inlay

namespace inlay::study {

const Structure& StructureOf(const BatchPointRequest*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&BatchPointRequest::batch>("", "", {.inlined = true}),
      Row<&BatchPointRequest::spills>(
          "spills", "whether what is written out of a full memory, and read again, takes time"),
      Row<&BatchPointRequest::number>("number", "of a random mix",
                                      {.option = {.value_name = "N", .min = 1}}),
  });
  return Describe<BatchPointRequest, kFields>("BatchPointRequest");
}

namespace {

// Axes that are options. Those of the accelerator and what names the mix come besides them.
std::vector<Option> BatchAxisOptions() {
  const std::vector<std::string> keys = io::AcceleratorKeys();
  const std::vector<std::string_view> of_accelerator(keys.begin(), keys.end());
  return AxisOptions(StructureOf(static_cast<const BatchPointRequest*>(nullptr)), of_accelerator);
}

struct Prepared {
  Mix mix;
  batch::PolicyOptions options;
  std::vector<std::string_view> policies;
  // The memory, in terms of the largest workload's; none: as the accelerator says.
  std::optional<double> memory_factor;
  std::optional<double> seconds;
  std::shared_ptr<batch::RemapTables> remaps;
};

// The cycles of the policy in the terms of those that everything is measured by.
StudyFigures FiguresOf(const BatchPolicyResult& policy, const BatchFigures& all) {
  StudyFigures figures;
  const auto set = [&figures](const char* name, auto value) {
    figures.Set(name, static_cast<double>(value));
  };
  const auto cycles = static_cast<double>(policy.makespan_cycles);
  const auto share = [&](int64_t part) {
    return cycles > 0 ? static_cast<double>(part) / cycles : 0;
  };
  if (!policy.deadlocked) {
    set("makespan_cycles", cycles);
    set("throughput_per_s", policy.throughput_per_s);
    set("of_pu", share(all.pu_cycles));
    set("of_pw", share(all.pw_cycles));
    const BatchPolicyResult* plain = FindPolicy(all, "static");
    if (plain != nullptr && !plain->deadlocked) {
      set("over_static", share(plain->makespan_cycles) - 1);
    }
  }
  set("pe_busy", policy.pe_busy);
  set("utilization", policy.utilization);
  set("idle_capacity", share(policy.idle_capacity));
  set("idle_bandwidth", share(policy.idle_bandwidth));
  set("idle_dependency", share(policy.idle_dependency));
  set("refetched_bytes", policy.refetched_bytes);
  set("spilled_bytes", policy.spilled_bytes);
  set("streamed_bytes", policy.streamed_bytes);
  set("splits", policy.splits);
  set("merges", policy.merges);
  set("remaps", policy.remaps);
  set("deadlocks", policy.deadlocks);
  set("peak_bytes", policy.peak_bytes);
  return figures;
}

void AddFigures(StudyPoint* point) {
  const BatchFigures& all = *point->batch;
  point->figures.Set("lb_cycles", static_cast<double>(all.lb_cycles));
  point->figures.Set("pu_cycles", static_cast<double>(all.pu_cycles));
  point->figures.Set("pw_cycles", static_cast<double>(all.pw_cycles));
  for (const BatchPolicyResult& policy : all.policies) {
    StudyFigures figures = FiguresOf(policy, all);
    for (const auto& [name, value] : figures.values) {
      point->figures.Set(policy.name + "." + name, value);
    }
    point->layers.push_back({policy.name, 1, std::move(figures), {}});
  }
}

// So many times the feature maps of the largest workload, all its inferences together, and the
// blocks of weights that are reserved.
void ScaleMemory(double factor, batch::Task* task) {
  int64_t largest = 0;
  for (const batch::TaskWorkload& workload : task->workloads) {
    const batch::SlicePlanCost whole = batch::CostOf(
        *workload.profile, task->accelerator, batch::LargestBatch(workload), batch::SlicePlan());
    largest = std::max(largest, whole.peak_bytes);
  }
  task->accelerator.memory_bytes =
      static_cast<int64_t>(factor * static_cast<double>(largest)) + batch::ReservesOf(*task);
}

void Run(const Prepared& prepared, const RunLimits& limits, const StopFlag& stop,
         StudyPoint* point) {
  point->status = PointStatus::kNoAnswer;
  auto task = batch::MakeTask(prepared.mix);
  if (!task) return AddReasons(task.error(), point);
  if (prepared.memory_factor) ScaleMemory(*prepared.memory_factor, &*task);
  batch::PolicyOptions options = prepared.options;
  options.threads = limits.threads;
  const Deadline deadline(stop, SecondsOf(limits, prepared.seconds));
  prepared.remaps->AddTo(prepared.mix, limits.threads, deadline, &*task);
  if (const Faults misfits = batch::MisfitsOf(*task, options.memory); !misfits.empty()) {
    return AddReasons(misfits, point);
  }
  const auto controls = batch::ControlsOf(*task, options, &deadline);
  if (!controls) return;
  const size_t count = prepared.policies.size();
  std::vector<std::optional<BatchPolicyResult>> results(count);
  // The last are the ones that plan, and take longest.
  ParallelFor(
      count, limits.threads,
      [&](size_t i, size_t /*worker*/) {
        const size_t at = count - 1 - i;
        const std::string_view name = prepared.policies[at];
        batch::RunOptions run_options;
        run_options.deadline = &deadline;
        const auto run = batch::FindPolicy(name)->run(*task, options, run_options);
        results[at] = batch::PolicyResultOf(name, *task, run, &deadline);
      },
      &stop);
  BatchFigures all{{}, controls->lb, controls->pu, controls->pw};
  for (auto& result : results) {
    if (result) all.policies.push_back(*std::move(result));
  }
  point->seconds = deadline.SecondsSinceStart();
  if (all.policies.empty()) return;
  point->status = all.policies.size() == count ? PointStatus::kDone : PointStatus::kCut;
  point->batch = std::move(all);
  AddFigures(point);
}

// The mix of a file, or the networks of a set with the batches of a number.
Result<Mix> FindMix(const Settings& settings, const BatchPointRequest& request, Loader* loader) {
  const auto setting = [&settings](const char* axis) {
    const auto found = settings.find(axis);
    return found == settings.end() ? nullptr : found->second;
  };
  if (const StudySetting* file = setting("mix")) {
    auto mix = loader->MixOf(*file);
    if (!mix) return Fail(std::move(mix.error()));
    return **mix;
  }
  const auto name = Need(settings, "set");
  if (!name) {
    return Fail(MakeError({}, "a grid has neither an axis 'mix' nor 'set' and 'number'",
                          "name mixes, or sets and the numbers of random mixes of them"));
  }
  const batch::MixSet* set = batch::FindMixSet((*name)->text);
  if (set == nullptr) {
    std::vector<std::string> names;
    for (const batch::MixSet& known : batch::MixSets()) names.emplace_back(known.name);
    return Fail(At((*name)->place, {MakeError({}, "there is no set '" + (*name)->text + "'",
                                              SuggestionHint((*name)->text, names))}));
  }
  if (!request.number) {
    const auto number = Need(settings, "number");
    return Fail(number ? Diagnostics() : number.error());  // what is wrong with it is known
  }
  const StudySetting* named = setting("accelerator");
  const StudySetting standard{"ai-mt", "ai-mt"};
  const auto accelerator = loader->AcceleratorOf(named == nullptr ? standard : *named);
  if (!accelerator) return Fail(accelerator.error());
  std::array<std::shared_ptr<const Graph>, 4> graphs;
  for (size_t i = 0; i < graphs.size(); ++i) {
    const std::string network(set->networks[i]);
    auto graph = loader->WorkloadGraph({network, network});
    if (!graph) return Fail(std::move(graph.error()));
    graphs[i] = *std::move(graph);
  }
  return batch::RandomMix(*set, graphs, **accelerator, static_cast<uint64_t>(request.common.seed),
                          static_cast<uint64_t>(*request.number) - 1);
}

// Every axis that is a key of the accelerator, and the factor of the memory.
Diagnostics SetAccelerator(const Settings& settings, Prepared* prepared) {
  Diagnostics errors;
  const auto add = [&errors](const StudySetting& setting, const Diagnostics& found) {
    Append(At(setting.place, found), &errors);
  };
  for (const std::string& key : io::AcceleratorKeys()) {
    const auto found = settings.find(key);
    if (found == settings.end()) continue;
    const auto set = io::SetAcceleratorKey(key, found->second->text, &prepared->mix.accelerator);
    if (!set) add(*found->second, set.error());
  }
  if (const auto found = settings.find("memory_factor"); found != settings.end()) {
    prepared->memory_factor = LeadingNumber(found->second->text);
    if (!prepared->memory_factor || *prepared->memory_factor <= 0) {
      add(*found->second, {MakeError({}, "'" + found->second->text + "' is no factor",
                                     "write a number more than 0, such as 1.1")});
    }
  }
  return errors;
}

Result<RunPoint> PrepareBatch(const Settings& settings, Loader* loader) {
  Diagnostics errors;
  const auto request = ReadRequest<BatchPointRequest>(settings, BatchAxisOptions(), &errors);
  Prepared prepared;
  prepared.remaps = loader->remaps;
  auto mix = run::ValueOr(FindMix(settings, request, loader), &errors);
  if (mix) prepared.mix = *std::move(mix);
  Append(SetAccelerator(settings, &prepared), &errors);
  if (!errors.empty()) return Fail(std::move(errors));
  prepared.options = request.batch.options;
  prepared.options.free_spills = request.spills == Spills::kFree;
  prepared.policies = batch::ChosenPolicies(request.batch.policy);
  prepared.seconds = request.common.time_limit;
  return RunPoint([prepared](const RunLimits& limits, const StopFlag& stop, StudyPoint* point) {
    Run(prepared, limits, stop, point);
  });
}

}  // namespace

RunRecord BatchRun() {
  // "label" means nothing to the run: it is what a figure calls the point.
  std::vector<std::string> axes = {"mix", "set", "accelerator", "memory_factor", "label"};
  for (const std::string& key : io::AcceleratorKeys()) axes.push_back(key);
  return {"batch",
          AxesOf(std::move(axes), BatchAxisOptions()),
          PrepareBatch,
          {{"bypass", "no_bypass", {{"on", "false"}, {"off", "true"}}},
           {"merge", "no_merge", {{"on", "false"}, {"off", "true"}}}}};
}

}  // namespace inlay::study
