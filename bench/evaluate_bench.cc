// Evaluations per second of each semantics: a 3×3 convolution, 64 → 64 channels, 56 × 56 pixels, on
// three-level architectures with 168 PEs.
#include <benchmark/benchmark.h>

#include <string>

#include "inlay/core/shapes.h"
#include "inlay/cost/exact.h"
#include "random_mapping.h"

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

const int kRegistered = [] {
  const std::pair<const char*, Architecture> architectures[] = {
      {"thistle-eyeriss", ThistleEyeriss()}, {"eyeriss-free", Eyeriss()}};
  for (const auto& [name, architecture] : architectures) {
    for (Mapspace mapspace :
         {Mapspace::kPerfect, Mapspace::kRubyS, Mapspace::kRuby, Mapspace::kAny}) {
      benchmark::RegisterBenchmark(
          (std::string("evaluate/exact/") + name + "/" + Name(mapspace)).c_str(),
          [architecture, mapspace](benchmark::State& state) {
            EvaluateExact(state, architecture, mapspace);
          });
    }
  }
  return 0;
}();

}  // namespace
}  // namespace inlay
