// Several batched networks on one accelerator, over random mixes of the sets E, C and A: how much
// memory each policy needs for 98 % of the throughput without limits, what planning saves where
// static batching first loses to capacity, how often it is worse than static, how much it minds
// cycle counts that are 10 % off, what pieces bring where next to nothing fits, deadlocks, and
// speed. All times are CPU seconds.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "inlay/base/check.h"
#include "inlay/base/parallel.h"
#include "inlay/base/rng.h"
#include "inlay/batch/policy.h"
#include "inlay/batch/random_mix.h"
#include "inlay/batch/remap_table.h"
#include "inlay/io/load.h"

namespace inlay::batch {
namespace {

constexpr uint64_t kSeed = 1;
constexpr size_t kMixes = 90;      // per setting and memory
constexpr size_t kAllMixes = 450;  // where time is measured
constexpr int64_t kMiB = 1 << 20;
constexpr int kThreads = 2;
constexpr int64_t kMemories[] = {64, 56, 48, 44, 40, 36, 32, 28, 24, 22, 20, 18,
                                 16, 14, 12, 11, 10, 9,  8,  7,  6,  5,  4};

struct Setting {
  const char* set;
  double bytes_per_cycle;
};
constexpr Setting kSettings[] = {{"E", 225}, {"E", 450}, {"C", 450}, {"A", 450}};

double Seconds(std::clock_t since) {
  return static_cast<double>(std::clock() - since) / CLOCKS_PER_SEC;
}

std::shared_ptr<const Graph> GraphNamed(const std::string& network) {
  static std::map<std::string, std::shared_ptr<const Graph>> graphs;
  auto& graph = graphs[network];
  if (!graph) {
    io::LoadRecord record;
    auto loaded = io::LoadGraph(network, &record);
    INLAY_CHECK(loaded.has_value());
    graph = std::make_shared<const Graph>(*std::move(loaded));
  }
  return graph;
}

std::shared_ptr<const NetworkProfile> ProfileNamed(const std::string& network) {
  static std::map<std::string, std::shared_ptr<const NetworkProfile>> profiles;
  auto& profile = profiles[network];
  if (!profile) {
    profile = std::make_shared<const NetworkProfile>(*ProfileOf(*GraphNamed(network), 8));
  }
  return profile;
}

std::vector<Task> TasksOf(const Setting& setting, size_t mixes) {
  std::vector<Task> tasks(mixes);
  for (size_t m = 0; m < mixes; ++m) {
    tasks[m].accelerator.bytes_per_cycle = setting.bytes_per_cycle;
    tasks[m].accelerator.memory_bytes = 64 * kMiB;
    const auto batches = RandomBatches(kSeed, m);
    const MixSet& set = *FindMixSet(setting.set);
    for (size_t i = 0; i < batches.size(); ++i) {
      tasks[m].workloads.push_back(
          {ProfileNamed(std::string(set.networks[i])), {{0, batches[i]}}, {}});
    }
  }
  return tasks;
}

std::vector<Controls> ControlsOfAll(const std::vector<Task>& tasks) {
  std::vector<Controls> controls(tasks.size());
  ParallelFor(tasks.size(), kThreads,
              [&](size_t i, size_t) { controls[i] = *ControlsOf(tasks[i], {}); });
  return controls;
}

// Runs of a policy with so much memory; nothing where one inference does not fit.
std::vector<PolicyRun> RunAll(std::vector<Task> tasks, std::string_view policy, int64_t mib,
                              const PolicyOptions& options = {}) {
  for (Task& task : tasks) task.accelerator.memory_bytes = mib * kMiB;
  if (!std::all_of(tasks.begin(), tasks.end(), Fits)) return {};
  std::vector<PolicyRun> runs(tasks.size());
  ParallelFor(tasks.size(), kThreads,
              [&](size_t i, size_t) { runs[i] = FindPolicy(policy)->run(tasks[i], options, {}); });
  return runs;
}

// The tasks with so much memory, and with tables of pieces where it is short.
std::vector<Task> WithPieces(std::vector<Task> tasks, const Setting& setting, int64_t mib) {
  static RemapTables tables;
  const StopFlag stop;
  const Deadline never(stop);
  Mix mix;
  for (const std::string_view network : FindMixSet(setting.set)->networks) {
    mix.workloads.push_back({std::string(network), GraphNamed(std::string(network)), 1, {}});
  }
  for (Task& task : tasks) {
    task.accelerator.memory_bytes = mib * kMiB;
    tables.AddTo(mix, 1, never, &task);
  }
  return tasks;
}

// Of each mix: throughput relative to a makespan.
template <typename Makespan>
std::vector<double> Ratios(const std::vector<PolicyRun>& runs, const Makespan& makespan) {
  std::vector<double> ratios;
  for (size_t i = 0; i < runs.size(); ++i) {
    ratios.push_back(static_cast<double>(makespan(i)) /
                     static_cast<double>(runs[i].outcome.makespan));
  }
  return ratios;
}

double Mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// M98: the smallest memory from which on, up to the largest, the mean is at least 98 % of PU.
void RunM98(benchmark::State& state, const Setting& setting, std::string_view policy) {
  const std::vector<Task> tasks = TasksOf(setting, kMixes);
  const std::vector<Controls> controls = ControlsOfAll(tasks);
  int64_t least = 0;
  for (auto _ : state) {
    for (const int64_t mib : kMemories) {
      const auto runs = RunAll(WithPieces(tasks, setting, mib), policy, mib);
      if (runs.empty() || Mean(Ratios(runs, [&](size_t i) { return controls[i].pu; })) < 0.98)
        break;
      least = mib;
    }
  }
  state.counters["MiB"] = static_cast<double>(least);
  state.SetLabel(least == 0 ? "never reached" : "of memory for 98 % of PU");
}

// Where static batching first loses more than 1 % to capacity.
void RunFirstLoss(benchmark::State& state, const Setting& setting) {
  const std::vector<Task> tasks = TasksOf(setting, kMixes);
  const std::vector<Controls> controls = ControlsOfAll(tasks);
  int64_t memory = 0;
  const auto loses = [&](int64_t mib) {
    const auto runs = RunAll(tasks, "static", mib);
    std::vector<double> shares;
    for (const PolicyRun& run : runs) {
      shares.push_back(static_cast<double>(IdleOf(run)->capacity) /
                       static_cast<double>(run.outcome.makespan));
    }
    return Mean(shares) > 0.01;
  };
  for (auto _ : state) {
    const auto* const found = std::find_if(std::begin(kMemories), std::end(kMemories), loses);
    memory = *found;
    for (const char* policy : {"static", "stall-free", "stall-free-online"}) {
      auto ratios = Ratios(RunAll(tasks, policy, memory), [&](size_t i) { return controls[i].pw; });
      std::sort(ratios.begin(), ratios.end());
      state.counters[std::string(policy) + "_of_PW"] = Mean(ratios);
      state.counters[std::string(policy) + "_of_PW_p5"] = ratios[ratios.size() / 20];
    }
  }
  state.SetLabel(fmt::format("at {} MiB", memory));
}

void RunBelowStatic(benchmark::State& state, std::string_view policy) {
  size_t cases = 0, below = 0, clearly = 0;
  double worst = 1;
  for (auto _ : state) {
    for (const Setting& setting : kSettings) {
      const std::vector<Task> tasks = TasksOf(setting, kMixes);
      for (const int64_t mib : {16, 24, 32, 48, 64}) {
        const auto whole = RunAll(tasks, "static", mib);
        const auto runs = RunAll(tasks, policy, mib);
        for (const double ratio :
             Ratios(runs, [&](size_t i) { return whole[i].outcome.makespan; })) {
          ++cases;
          if (ratio < 1) ++below;
          if (ratio < 0.999) ++clearly;
          worst = std::min(worst, ratio);
        }
      }
    }
  }
  const double percent = 100.0 / static_cast<double>(cases);
  state.counters["percent_below_static"] = percent * static_cast<double>(below);
  state.counters["percent_below_by_0.1"] = percent * static_cast<double>(clearly);
  state.counters["worst_percent"] = 100 * (1 - worst);
  state.SetLabel(fmt::format("{} mixes, 16 to 64 MiB", cases));
}

// Every product's steps up to 10 % longer or shorter.
std::shared_ptr<const NetworkProfile> Disturbed(const NetworkProfile& profile,
                                                const Accelerator& accelerator, Rng* rng) {
  NetworkProfile other = profile;
  for (LayerProfile& layer : other.layers) {
    const double by = 0.2 * UniformUnit(*rng) - 0.1;
    for (Product& product : layer.products) {
      const auto cycles = static_cast<double>(FoldStepsOf(product, accelerator, 1).cycles_per_step);
      product.more_cycles = static_cast<int64_t>(by * cycles);
    }
  }
  return std::make_shared<const NetworkProfile>(std::move(other));
}

// A plan made for one set of cycle counts meets another; against planning for that one.
void RunDisturbed(benchmark::State& state, const Setting& setting, int64_t mib) {
  std::vector<Task> tasks = TasksOf(setting, kMixes);
  std::vector<double> losses(tasks.size()), against_static(tasks.size());
  for (auto _ : state) {
    const auto planned = RunAll(tasks, "stall-free", mib);
    Rng rng(kSeed);
    std::vector<Task> kept;
    for (size_t m = 0; m < tasks.size(); ++m) {
      kept.push_back(planned[m].task);
      for (size_t i = 0; i < tasks[m].workloads.size(); ++i) {
        kept[m].workloads[i].profile = tasks[m].workloads[i].profile =
            Disturbed(*tasks[m].workloads[i].profile, tasks[m].accelerator, &rng);
      }
    }
    const auto whole = RunAll(tasks, "static", mib);
    const auto again = RunAll(tasks, "stall-free", mib);
    for (size_t m = 0; m < tasks.size(); ++m) {
      const auto makespan = static_cast<double>(Simulate(kept[m], planned[m].rules).makespan);
      losses[m] = 1 - static_cast<double>(again[m].outcome.makespan) / makespan;
      against_static[m] = static_cast<double>(whole[m].outcome.makespan) / makespan;
    }
  }
  state.counters["mean_loss_percent"] = 100 * Mean(losses);
  state.counters["of_static"] = Mean(against_static);
  state.SetLabel("cycles ±10 % unknown to the plan");
}

void RunDeadlocks(benchmark::State& state, const Setting& setting, std::string_view policy,
                  int64_t mib) {
  const std::vector<Task> tasks = TasksOf(setting, kMixes);
  size_t reported = 0, avoided = 0;
  for (auto _ : state) {
    PolicyOptions options;
    for (const PolicyRun& run : RunAll(tasks, policy, mib)) {
      if (run.outcome.ending == Ending::kDeadlock) ++avoided;
    }
    options.on_deadlock = OnDeadlock::kReport;
    for (const PolicyRun& run : RunAll(tasks, policy, mib, options)) {
      if (run.outcome.ending == Ending::kDeadlock) ++reported;
    }
  }
  state.counters["with_avoid"] = static_cast<double>(avoided);
  state.counters["without"] = static_cast<double>(reported);
  state.SetLabel(fmt::format("of {} mixes", tasks.size()));
}

void RunSpeed(benchmark::State& state, std::string_view policy) {
  const std::vector<Task> tasks = TasksOf({"E", 450}, kAllMixes);
  int64_t events = 0;
  double seconds = 0, planning = 0;
  for (auto _ : state) {
    const std::clock_t start = std::clock();
    for (const PolicyRun& run : RunAll(tasks, policy, 16)) {
      events += run.outcome.events;
      planning += run.plan_seconds;
    }
    seconds = Seconds(start);
  }
  state.counters["seconds"] = seconds;
  state.counters["events_per_s"] = static_cast<double>(events) / seconds;
  state.counters["plan_ms"] = 1000 * planning / static_cast<double>(tasks.size());
  state.SetLabel("450 mixes");
}

// Where one or two inferences of the largest network are all that fits: with layers in pieces, and
// without.
void RunTight(benchmark::State& state, const Setting& setting, int64_t mib) {
  const std::vector<Task> tasks = TasksOf(setting, kMixes);
  const std::vector<Controls> controls = ControlsOfAll(tasks);
  const auto of_pu = [&](const std::vector<PolicyRun>& runs) {
    return runs.empty() ? 0 : Mean(Ratios(runs, [&](size_t i) { return controls[i].pu; }));
  };
  for (auto _ : state) {
    state.counters["without"] = of_pu(RunAll(tasks, "stall-free", mib));
    const std::vector<Task> tight = WithPieces(tasks, setting, mib);
    const auto runs = RunAll(tight, "stall-free", mib);
    double planning = 0;
    for (const PolicyRun& run : runs) planning = std::max(planning, run.plan_seconds);
    state.counters["with_pieces"] = of_pu(runs);
    state.counters["static_with_pieces"] = of_pu(RunAll(tight, "static", mib));
    state.counters["most_plan_ms"] = 1000 * planning;
  }
  state.SetLabel("stall-free, share of PU; 0: does not fit");
}

void RunRemapLookUp(benchmark::State& state) {
  const auto profile = ProfileNamed("vgg16");
  Accelerator accelerator;
  accelerator.memory_bytes = 4 * kMiB;
  accelerator.bytes_per_cycle = 450;
  const StopFlag stop;
  const Deadline never(stop);
  const std::clock_t start = std::clock();
  const auto table = MakeRemapTable(*GraphNamed("vgg16"), profile, accelerator, kMiB, 1, never);
  const double made = Seconds(start);
  double look_up = 0, fit = 0;
  for (auto _ : state) {
    constexpr int64_t kLookUps = 1'000'000;
    const std::clock_t begin = std::clock();
    for (int64_t i = 0; i < kLookUps; ++i) {
      benchmark::DoNotOptimize(table->Find(static_cast<size_t>(i % 4), 4, i));
    }
    look_up = Seconds(begin) / kLookUps;
    const std::clock_t before = std::clock();
    for (int64_t i = 1; i <= 64; ++i) benchmark::DoNotOptimize(table->Fit(i * kMiB / 16));
    fit = Seconds(before) / 64;
  }
  state.counters["look_up_us"] = 1e6 * look_up;
  state.counters["network_us"] = 1e6 * fit;
  state.counters["table_s"] = made;
  state.SetLabel("vgg16; a layer, a whole network, making the table");
}

template <typename Body>
void Register(const std::string& name, const Body& body) {
  benchmark::RegisterBenchmark(("batch/" + name).c_str(), body)->Iterations(1);
}

const int kRegistered = [] {
  for (const Setting& setting : kSettings) {
    const std::string name = fmt::format("{}@{}", setting.set, setting.bytes_per_cycle);
    for (const PolicyRecord& policy : Policies()) {
      Register(fmt::format("M98/{}/{}", name, policy.name),
               [=](benchmark::State& state) { RunM98(state, setting, policy.name); });
    }
    Register("first_loss/" + name, [=](benchmark::State& state) { RunFirstLoss(state, setting); });
    Register("disturbed/" + name,
             [=](benchmark::State& state) { RunDisturbed(state, setting, 16); });
    for (const char* policy : {"static", "batch-dnn", "lazy", "stall-free-online"}) {
      Register(fmt::format("deadlocks/{}/{}", name, policy),
               [=](benchmark::State& state) { RunDeadlocks(state, setting, policy, 16); });
    }
  }
  for (const int64_t mib : {4, 6, 8, 12}) {
    Register(fmt::format("tight/A@450/{}", mib), [=](benchmark::State& state) {
      RunTight(state, {"A", 450}, mib);
    });
  }
  Register("remap", RunRemapLookUp);
  for (const char* policy : {"stall-free", "stall-free-online"}) {
    Register(fmt::format("below_static/{}", policy),
             [=](benchmark::State& state) { RunBelowStatic(state, policy); });
  }
  for (const PolicyRecord& policy : Policies()) {
    Register(fmt::format("speed/{}", policy.name),
             [=](benchmark::State& state) { RunSpeed(state, policy.name); });
  }
  return 0;
}();

}  // namespace
}  // namespace inlay::batch
