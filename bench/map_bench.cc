// How long the certified search takes. One row per semantics, architecture, layer, mapspace and
// objective, with the fastest of the repeats in ms of CPU time (cpu_ms), the nodes looked at, the
// best value found (of the first metric: pJ, cycles, pJ × cycles), the gap and the certificate; one
// row per group with the median and the slowest. One thread. Then whole networks on two threads,
// with the CPU time of both together (cpu_s), and the Pareto front of every distinct layer of
// ResNet-50 (map/front). All times are CPU time of the process, since other work on the machine
// would count otherwise. Under `exact` semantics a search ends after 10 s, proven or not, so that
// the table always ends; in the large mapspaces (map/wide) after 60 s, or as many as
// INLAY_WIDE_SECONDS says.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inlay/base/check.h"
#include "inlay/core/network.h"
#include "inlay/core/shapes.h"
#include "inlay/io/library/library.h"
#include "inlay/mapper/mapper.h"
#include "inlay/mapper/network.h"

namespace inlay {
namespace {

constexpr double kTimeLimitSeconds = 10;  // per layer, under `exact` semantics

double CpuSeconds(std::clock_t start, std::clock_t end) {
  return static_cast<double>(end - start) / CLOCKS_PER_SEC;
}

// The fastest run of one layer.
struct Measured {
  double cpu_ms = std::numeric_limits<double>::infinity();
  LayerAnswer answer;
};

// A group of rows: what is the same in all of them.
struct Group {
  std::string part;          // of the name
  std::string architecture;  // of the name: the constraints may be part of it
  std::vector<std::pair<std::string, Space>> layers;
  MapOptions options;
  // By layer, so that the row of the group repeats no search; none: filtered out, or yet to come.
  std::vector<std::optional<Measured>> measured;

  std::string Name(const std::string& layer) const {
    return "map/" + part + "/" + architecture + "/" + layer + "/" +
           inlay::Name(layers.front().second.mapspace) + "/" + ToString(options.objective);
  }
};

void Measure(const Space& space, const MapOptions& options, Measured* measured) {
  const std::clock_t start = std::clock();
  measured->answer = MapLayer(space, options, StopFlag());
  measured->cpu_ms = std::min(measured->cpu_ms, 1e3 * CpuSeconds(start, std::clock()));
}

void MapOne(benchmark::State& state, Group* group, size_t layer) {
  Measured measured;
  for (auto _ : state) Measure(group->layers[layer].second, group->options, &measured);
  group->measured[layer] = measured;
  const LayerAnswer& answer = measured.answer;
  state.counters["cpu_ms"] = measured.cpu_ms;
  state.counters["nodes"] = static_cast<double>(answer.effort.nodes);
  if (!answer.best && !answer.interrupted) {
    state.SkipWithError("no mapping");
  } else if (!answer.best) {
    state.SetLabel("stopped before the first mapping");
  } else {
    state.counters["optimum"] = answer.certificate.objective;
    state.counters["gap"] = answer.certificate.gap;
    state.SetLabel(Name(answer.certificate.status));
  }
}

void MapAll(benchmark::State& state, Group* group) {
  std::vector<double> ms;
  double gap = 0;
  size_t proven = 0;
  for (auto _ : state) {
    for (size_t i = 0; i < group->layers.size(); ++i) {
      std::optional<Measured>& measured = group->measured[i];
      if (!measured) Measure(group->layers[i].second, group->options, &measured.emplace());
      const LayerAnswer& answer = measured->answer;
      ms.push_back(measured->cpu_ms);
      gap = std::max(gap, answer.best ? answer.certificate.gap : 1);
      if (answer.best && answer.certificate.status == CertificateStatus::kOptimal) ++proven;
    }
  }
  std::sort(ms.begin(), ms.end());
  state.counters["median_cpu_ms"] = ms[ms.size() / 2];
  state.counters["slowest_cpu_ms"] = ms.back();
  state.counters["largest_gap"] = gap;
  state.SetLabel(std::to_string(proven) + " of " + std::to_string(ms.size()) + " layers optimal");
}

void Register(Group filled) {
  const auto group = std::make_shared<Group>(std::move(filled));
  group->measured.resize(group->layers.size());
  for (size_t i = 0; i < group->layers.size(); ++i) {
    benchmark::RegisterBenchmark(
        group->Name(group->layers[i].first).c_str(),
        [group, i](benchmark::State& state) { MapOne(state, group.get(), i); })
        ->MinTime(0.05);
  }
  benchmark::RegisterBenchmark(group->Name("all").c_str(), [group](benchmark::State& state) {
    MapAll(state, group.get());
  })->Iterations(1);
}

Architecture LoadArchitecture(const std::string& name) {
  auto inputs = io::LoadBuiltin(io::BuiltinKind::kArchitecture, name);
  INLAY_CHECK(inputs.has_value() && inputs->architecture.has_value());
  return *std::move(inputs->architecture);
}

// The Thistle paper leaves the window of a convolution whole.
std::vector<Constraint> WindowWhole() {
  std::vector<Constraint> constraints;
  for (const char* at : {"DRAM", "SRAM", "PEs"}) {
    Constraint constraint;
    constraint.at = at;
    for (const char* dim : {"R", "S"}) constraint.factors.push_back({dim, Relation::kEqual, 1});
    constraints.push_back(constraint);
  }
  return constraints;
}

void RegisterThistle(bool window_whole) {
  const Architecture architecture = LoadArchitecture("thistle-eyeriss");
  const auto inputs = io::LoadBuiltin(io::BuiltinKind::kNetwork, "thistle-table2");
  INLAY_CHECK(inputs.has_value() && inputs->network.has_value());
  for (const Mapspace mapspace : {Mapspace::kPerfect, Mapspace::kAny}) {
    for (const Metric metric : {Metric::kEnergy, Metric::kEdp, Metric::kDelay}) {
      Group group;
      group.part = "thistle";
      group.architecture = window_whole ? "thistle-eyeriss:window-whole" : "thistle-eyeriss";
      group.options.objective = {metric};
      group.options.semantics = Semantics::kThistle;
      group.options.accounting = Accounting::kLiteral;
      for (const auto& layer : inputs->network->layers) {
        auto space = MakeSpace(layer.problem, architecture, mapspace,
                               window_whole ? WindowWhole() : std::vector<Constraint>());
        INLAY_CHECK(space.has_value());
        group.layers.emplace_back(layer.name, *std::move(space));
      }
      Register(std::move(group));
    }
  }
}

void RegisterExact(const std::string& part, const std::string& name,
                   const std::vector<Mapspace>& mapspaces, double seconds) {
  const Architecture architecture = LoadArchitecture(name);
  const std::vector<Problem> problems = {
      MakeConv("1x1-64-256-56", {.k = 256, .c = 64, .p = 56, .q = 56}),
      MakeConv("3x3-64-64-56", {.k = 64, .c = 64, .p = 56, .q = 56, .r = 3, .s = 3}),
      MakeConv("3x3-512-512-7", {.k = 512, .c = 512, .p = 7, .q = 7, .r = 3, .s = 3}),
      MakeConv("7x7s2-3-64-112",
               {.k = 64, .c = 3, .p = 112, .q = 112, .r = 7, .s = 7, .stride_h = 2, .stride_w = 2}),
      MakeGemm("gemm-128-768-768", {.p = 128, .k = 768, .c = 768})};
  for (const Mapspace mapspace : mapspaces) {
    for (const Metric metric : {Metric::kEnergy, Metric::kEdp, Metric::kDelay}) {
      Group group;
      group.part = part;
      group.architecture = name;
      group.options.objective = {metric};
      group.options.time_limit_seconds = seconds;
      for (const Problem& problem : problems) {
        auto space = MakeSpace(problem, architecture, mapspace);
        INLAY_CHECK(space.has_value());
        group.layers.emplace_back(problem.name, *std::move(space));
      }
      Register(std::move(group));
    }
  }
}

// The Pareto front of one layer.
void MapFront(benchmark::State& state, const Space& space) {
  MapOptions options;
  options.front = FrontOptions();
  options.time_limit_seconds = kTimeLimitSeconds;
  LayerAnswer answer;
  const std::clock_t start = std::clock();
  for (auto _ : state) answer = MapLayer(space, options, StopFlag());
  state.counters["cpu_ms"] = 1e3 * CpuSeconds(start, std::clock());
  state.counters["points"] = static_cast<double>(answer.front.size());
  state.counters["nodes"] = static_cast<double>(answer.effort.nodes);
  state.counters["evaluations"] = static_cast<double>(answer.effort.evaluations);
  state.SetLabel(Name(answer.certificate.status));
}

// One row per distinct layer.
void RegisterFronts(const std::string& architecture, const std::string& network) {
  const auto inputs = io::LoadBuiltin(io::BuiltinKind::kNetwork, network);
  INLAY_CHECK(inputs.has_value() && inputs->network.has_value());
  const Architecture loaded = LoadArchitecture(architecture);
  for (const auto& layer : inputs->network->layers) {
    auto space = MakeSpace(layer.problem, loaded, Mapspace::kRubyS);
    INLAY_CHECK(space.has_value());
    const std::string name = "map/front/" + architecture + "/" + network + "/" + layer.name;
    benchmark::RegisterBenchmark(name.c_str(), MapFront, *std::move(space))->Iterations(1);
  }
}

// Equal layers are searched once. The totals count every repeat.
void MapWholeNetwork(benchmark::State& state, const NetworkTask& task) {
  NetworkAnswer answer;
  const std::clock_t start = std::clock();
  for (auto _ : state) answer = MapNetwork(task, StopFlag()).value();
  const std::clock_t end = std::clock();
  size_t proven = 0;
  double gap = 0;
  for (size_t i = 0; i < answer.layers.size(); ++i) {
    const LayerAnswer& layer = answer.layers[i];
    gap = std::max(gap, layer.best ? layer.certificate.gap : 1);
    if (answer.same_as[i] != i || !layer.best) continue;
    if (layer.certificate.status == CertificateStatus::kOptimal) ++proven;
  }
  state.counters["cpu_s"] = CpuSeconds(start, end);
  state.counters["largest_gap"] = gap;
  if (answer.totals) {
    state.counters["energy_pj"] = answer.totals->energy_pj;
    state.counters["cycles"] = static_cast<double>(answer.totals->cycles);
  }
  state.SetLabel(std::to_string(proven) + " of " + std::to_string(SearchCount(task.network)) +
                 " distinct layers optimal");
}

void RegisterNetwork(const std::string& network, const std::string& architecture, Mapspace mapspace,
                     Metric metric) {
  auto inputs = io::LoadBuiltin(io::BuiltinKind::kNetwork, network);
  INLAY_CHECK(inputs.has_value() && inputs->network.has_value());
  NetworkTask task;
  task.network = *std::move(inputs->network);
  task.architecture = LoadArchitecture(architecture);
  task.mapspace = mapspace;
  task.options.objective = {metric};
  task.options.time_limit_seconds = kTimeLimitSeconds;
  task.options.threads = 2;
  const std::string name = "map/exact/" + architecture + "/" + network + "/" + Name(mapspace) +
                           "/" + ToString(task.options.objective);
  benchmark::RegisterBenchmark(name.c_str(), [task](benchmark::State& state) {
    MapWholeNetwork(state, task);
  })->Iterations(1);
}

const int kRegistered = [] {
  RegisterThistle(true);
  RegisterThistle(false);
  const char* wide = std::getenv("INLAY_WIDE_SECONDS");
  for (const char* name : {"thistle-eyeriss", "eyeriss", "eyeriss-free"}) {
    RegisterExact("exact", name, {Mapspace::kPerfect, Mapspace::kRubyS}, kTimeLimitSeconds);
    RegisterExact("wide", name, {Mapspace::kRuby, Mapspace::kAny},
                  wide == nullptr ? 60 : std::strtod(wide, nullptr));
  }
  for (const char* name : {"eyeriss", "eyeriss-free", "simba"}) {
    RegisterNetwork("resnet50", name, Mapspace::kRubyS, Metric::kEdp);
  }
  RegisterNetwork("resnet50", "simba", Mapspace::kPerfect, Metric::kEdp);
  RegisterNetwork("resnet50", "eyeriss", Mapspace::kRubyS, Metric::kEnergy);
  for (const char* name : {"eyeriss", "eyeriss-free", "simba"}) RegisterFronts(name, "resnet50");
  return 0;
}();

}  // namespace
}  // namespace inlay
