#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inlay/core/shapes.h"
#include "inlay/mapspace/tilings.h"

namespace inlay::testing {

// DRAM of 100 pJ, a buffer of 5 pJ and, if there are lanes, registers of 1 pJ below them; 1 pJ per
// operation, room for everything. `lanes` are on x.
inline Architecture SmallMachine(int64_t lanes) {
  Architecture architecture;
  architecture.name = "small";
  architecture.compute.energy_pj = 1;
  Level dram, buffer, registers;
  dram.name = "DRAM";
  dram.kind = MemoryKind::kDram;
  dram.energy = AccessEnergy{100, 100, 100};
  buffer.name = "buffer";
  buffer.energy = AccessEnergy{5, 5, 5};
  architecture.levels = {dram, buffer};
  if (lanes > 1) {
    architecture.levels[LevelId(1)].fanout.name = "array";
    architecture.levels[LevelId(1)].fanout.x = lanes;
    registers.name = "registers";
    registers.energy = AccessEnergy{1, 1, 1};
    architecture.levels.push_back(registers);
  }
  return architecture;
}

inline Space SmallSpace(const Problem& problem, int64_t lanes,
                        Mapspace mapspace = Mapspace::kPerfect) {
  return MakeSpace(problem, SmallMachine(lanes), mapspace).value();
}

// The chain whose loops take these steps: by slot the tile, outer to inner.
inline Chain ChainOfTiles(int64_t bound, const std::vector<int64_t>& tiles) {
  Chain chain;
  chain.bound = bound;
  int64_t range = bound;
  for (const int64_t tile : tiles) {
    chain.tiles.push_back(tile);
    chain.steps.push_back((range + tile - 1) / tile);
    range = tile;
  }
  return chain;
}

// Every level keeps every tensor.
inline IndexedVector<LevelId, TensorSet> KeepAll(const Space& space) {
  IndexedVector<LevelId, TensorSet> keeps;
  keeps.assign(space.architecture.levels.size(), TensorSet::FirstN(space.problem.tensors.size()));
  return keeps;
}

}  // namespace inlay::testing
