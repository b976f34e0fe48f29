// Evaluations per second of each semantics: a 3×3 convolution, 64 → 64 channels, 56 × 56 pixels, on
// built-in architectures (thistle-eyeriss and eyeriss-free: three levels, 168 PEs). Mappings are
// drawn at random and evaluated in turn.
#include <benchmark/benchmark.h>

#include <string>
#include <utility>
#include <vector>

#include "bench/random_mapping.h"
#include "inlay/base/check.h"
#include "inlay/core/shapes.h"
#include "inlay/cost/evaluate.h"
#include "inlay/cost/exact.h"
#include "inlay/io/library/library.h"

namespace inlay {
namespace {

Problem Conv() { return MakeConv("conv3x3", {1, 1, 64, 64, 56, 56, 3, 3, 1, 1, 1, 1}); }

Architecture Load(const std::string& name) {
  auto inputs = io::LoadBuiltin(io::BuiltinKind::kArchitecture, name);
  INLAY_CHECK(inputs.has_value() && inputs->architecture.has_value());
  return *std::move(inputs->architecture);
}

constexpr size_t kMappings = 512;

// One model for all mappings, as a search does it.
void EvaluateExact(benchmark::State& state, const Architecture& architecture, Mapspace mapspace) {
  const Problem problem = Conv();
  const auto mappings = bench::RandomMappings(problem, architecture, mapspace, kMappings, 1);
  ExactModel model(problem, architecture);
  Cost cost;
  size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(model.Evaluate(mappings[next], &cost));
    next = (next + 1) % kMappings;
  }
  state.SetItemsProcessed(state.iterations());
  state.SetLabel("evaluations/s");
}

void EvaluateOther(benchmark::State& state, const Architecture& architecture, Mapspace mapspace,
                   Semantics semantics) {
  const Problem problem = Conv();
  const auto mappings = bench::RandomMappings(problem, architecture, mapspace, kMappings, 1);
  EvaluateOptions options;
  options.semantics = semantics;
  size_t next = 0;
  for (auto _ : state) {
    const auto cost = Evaluate(problem, architecture, mappings[next], options);
    if (!cost) {
      state.SkipWithError(cost.error().message.c_str());
      return;
    }
    next = (next + 1) % kMappings;
  }
  state.SetItemsProcessed(state.iterations());
  state.SetLabel("evaluations/s");
}

void Register(const std::string& name) {
  const Architecture architecture = Load(name);
  for (Mapspace mapspace :
       {Mapspace::kPerfect, Mapspace::kRubyS, Mapspace::kRuby, Mapspace::kAny}) {
    const auto add = [&](const char* semantics, const auto& run) {
      benchmark::RegisterBenchmark(
          ("evaluate/" + std::string(semantics) + "/" + name + "/" + Name(mapspace)).c_str(), run);
    };
    add("exact", [architecture, mapspace](benchmark::State& state) {
      EvaluateExact(state, architecture, mapspace);
    });
    if (mapspace != Mapspace::kAny) {
      add("timeloop", [architecture, mapspace](benchmark::State& state) {
        EvaluateOther(state, architecture, mapspace, Semantics::kTimeloop);
      });
    }
    if (mapspace == Mapspace::kPerfect) {
      add("thistle", [architecture, mapspace](benchmark::State& state) {
        EvaluateOther(state, architecture, mapspace, Semantics::kThistle);
      });
    }
  }
}

const int kRegistered = [] {
  for (const char* name : {"thistle-eyeriss", "eyeriss-free", "simba", "toy-16"}) Register(name);
  return 0;
}();

}  // namespace
}  // namespace inlay
