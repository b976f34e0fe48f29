// How long the certified search takes: one row per semantics, architecture, layer, mapspace and
// objective, with the fastest of the repeats in ms, the nodes looked at, the optimum (its first
// metric: pJ, cycles, pJ × cycles) and the certificate; and one row per group with the median and
// the slowest. One thread.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "inlay/base/check.h"
#include "inlay/core/network.h"
#include "inlay/io/library/library.h"
#include "inlay/mapper/mapper.h"

namespace inlay {
namespace {

// A group of rows: what is the same in all of them.
struct Group {
  std::string architecture;  // of the name: the constraints may be part of it
  std::vector<std::pair<std::string, Space>> layers;
  MapOptions options;

  std::string Name(const std::string& layer) const {
    return std::string("map/") + inlay::Name(options.semantics) + "/" + architecture + "/" + layer +
           "/" + inlay::Name(layers.front().second.mapspace) + "/" + ToString(options.objective);
  }
};

double Milliseconds(const Space& space, const MapOptions& options, LayerAnswer* answer) {
  const auto start = std::chrono::steady_clock::now();
  *answer = MapLayer(space, options, StopFlag());
  const auto end = std::chrono::steady_clock::now();
  return std::chrono::duration<double, std::milli>(end - start).count();
}

void MapOne(benchmark::State& state, const Space& space, const MapOptions& options) {
  LayerAnswer answer;
  double ms = std::numeric_limits<double>::infinity();
  for (auto _ : state) ms = std::min(ms, Milliseconds(space, options, &answer));
  if (!answer.best) {
    state.SkipWithError("no mapping");
    return;
  }
  state.counters["ms"] = ms;
  state.counters["nodes"] = static_cast<double>(answer.effort.nodes);
  state.counters["optimum"] = answer.certificate.objective;
  state.counters["gap"] = answer.certificate.gap;
  state.SetLabel(Name(answer.certificate.status));
}

void MapAll(benchmark::State& state, const Group& group) {
  std::vector<double> ms;
  double gap = 0;
  for (auto _ : state) {
    for (const auto& [name, space] : group.layers) {
      LayerAnswer answer;
      double fastest = std::numeric_limits<double>::infinity();
      for (int i = 0; i < 3; ++i) {
        fastest = std::min(fastest, Milliseconds(space, group.options, &answer));
      }
      ms.push_back(fastest);
      gap = std::max(gap, answer.certificate.gap);
    }
  }
  std::sort(ms.begin(), ms.end());
  state.counters["median_ms"] = ms[ms.size() / 2];
  state.counters["slowest_ms"] = ms.back();
  state.counters["largest_gap"] = gap;
  state.SetLabel("of " + std::to_string(group.layers.size()) + " layers");
}

void Register(const Group& group) {
  for (const auto& [name, space] : group.layers) {
    const MapOptions& options = group.options;
    benchmark::RegisterBenchmark(group.Name(name).c_str(), [space = space,
                                                            options](benchmark::State& state) {
      MapOne(state, space, options);
    })->MinTime(0.05);
  }
  benchmark::RegisterBenchmark(group.Name("all").c_str(), [group](benchmark::State& state) {
    MapAll(state, group);
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
      Register(group);
    }
  }
}

const int kRegistered = [] {
  RegisterThistle(true);
  RegisterThistle(false);
  return 0;
}();

}  // namespace
}  // namespace inlay
