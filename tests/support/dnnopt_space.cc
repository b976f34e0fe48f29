#include "tests/support/dnnopt_space.h"

namespace inlay::testing {

Space SystolicSpace(const Problem& problem, int64_t rows, int64_t columns, int64_t words,
                    bool double_buffer) {
  Architecture architecture;
  architecture.name = "systolic";
  Level offchip;
  offchip.name = "DRAM";
  offchip.kind = MemoryKind::kDram;
  offchip.energy = AccessEnergy{128, 128, 128};
  Level memory;
  memory.name = "SRAM";
  memory.capacity_words = words;
  memory.buffering = double_buffer ? 2 : 1;
  memory.energy = AccessEnergy{4, 4, 4};
  memory.fanout = {"array", columns, rows, Multicast::kTile, true};
  architecture.levels = {offchip, memory};
  architecture.compute.energy_pj = 1;
  return MakeSpace(problem, architecture, Mapspace::kAny).value();
}

LayerAnswer MapByDnnopt(const Space& space, MapOptions options) {
  options.strategy = Strategy::kDnnopt;
  const StopFlag stop;
  return MapLayer(space, options, stop);
}

}  // namespace inlay::testing
