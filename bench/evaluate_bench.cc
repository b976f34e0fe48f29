// Evaluations per second of each semantics: a 3×3 convolution, 64 → 64 channels, 56 × 56 pixels, on
// three-level architectures with 168 PEs. Mappings are drawn at random and evaluated in turn.
#include <benchmark/benchmark.h>

#include <string>
#include <utility>
#include <vector>

#include "bench/random_mapping.h"
#include "inlay/core/shapes.h"
#include "inlay/cost/evaluate.h"
#include "inlay/cost/exact.h"

namespace inlay {
namespace {

Problem Conv() { return MakeConv("conv3x3", {1, 1, 64, 64, 56, 56, 3, 3, 1, 1, 1, 1}); }

Level MakeLevel(const char* name, MemoryKind kind, Fanout fanout = {}) {
  Level level;
  level.name = name;
  level.kind = kind;
  level.energy = AccessEnergy{1, 1, 1};
  level.fanout = std::move(fanout);
  return level;
}

// Everything is kept everywhere; one row of 168 PEs.
Architecture ThistleEyeriss() {
  Architecture architecture;
  architecture.levels = {MakeLevel("DRAM", MemoryKind::kDram),
                         MakeLevel("SRAM", MemoryKind::kSram, {"array", 168, 1}),
                         MakeLevel("registers", MemoryKind::kRegister)};
  architecture.compute.energy_pj = 1;
  return architecture;
}

// Weights bypass the global buffer; 14 × 12 PEs.
Architecture Eyeriss() {
  Architecture architecture = ThistleEyeriss();
  Level& buffer = architecture.levels[LevelId(1)];
  buffer.fanout = {"array", 14, 12};
  buffer.bypass = TensorNameSet{false, {"Weights"}};
  buffer.keep = TensorNameSet{false, {"Inputs", "Outputs"}};
  buffer.read_bandwidth = buffer.write_bandwidth = 16;
  architecture.levels[LevelId(2)].read_bandwidth = 2;
  return architecture;
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

void Register(const std::string& name, const Architecture& architecture) {
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
  Register("thistle-eyeriss", ThistleEyeriss());
  Register("eyeriss-free", Eyeriss());
  return 0;
}();

}  // namespace
}  // namespace inlay
