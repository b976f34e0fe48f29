#include "tests/property/thistle_case.h"

#include <cmath>
#include <vector>

#include "inlay/base/check.h"

namespace inlay::testing {
namespace {

AccessEnergy RandomEnergy(Random& random, int64_t most) {
  const auto pj = [&] { return static_cast<double>(Pick(random, 0, 4 * most)) / 4; };
  return {pj(), pj(), pj()};
}

void Divide(Random& random, const Problem& problem, int64_t least, int64_t most, Level* level) {
  if (Chance(random, 0.8)) {
    level->capacity_words = Pick(random, least, most);
    if (Chance(random, 0.2)) {
      for (const Tensor& tensor : problem.tensors) {
        if (Chance(random, 0.5)) level->tensor_bits.push_back({tensor.name, 24});
      }
    }
  } else if (Chance(random, 0.7)) {
    for (const Tensor& tensor : problem.tensors) {
      Partition part;
      part.tensor = tensor.name;
      if (Chance(random, 0.8)) part.capacity_words = Pick(random, 1, most / 2);
      level->partitions.push_back(part);
    }
  }
  if (Chance(random, 0.15)) level->buffering = Chance(random, 0.5) ? 2 : 1.5;
  if (Chance(random, 0.15)) level->leakage_pj_per_cycle = static_cast<double>(Pick(random, 1, 9));
}

std::vector<Constraint> RandomConstraints(Random& random, const Problem& problem,
                                          const Architecture& architecture) {
  std::vector<Constraint> constraints;
  const auto any_dim = [&] {
    const auto last = static_cast<int64_t>(problem.dims.size()) - 1;
    return problem.dims[DimId(static_cast<size_t>(Pick(random, 0, last)))].name;
  };
  for (const char* at : {"DRAM", "SRAM", "PEs", "registers"}) {
    Constraint constraint;
    constraint.at = at;
    const bool fanout = constraint.at == "PEs";
    if (fanout &&
        architecture.levels[LevelId(1)].fanout.x * architecture.levels[LevelId(1)].fanout.y == 1) {
      continue;
    }
    if (Chance(random, 0.3)) {
      const auto relation = static_cast<Relation>(Pick(random, 0, 2));
      constraint.factors.push_back({any_dim(), relation, Pick(random, 1, 3)});
    }
    if (!fanout && Chance(random, 0.3)) constraint.innermost = {any_dim()};
    if (!fanout && constraint.innermost.empty() && Chance(random, 0.2)) {
      constraint.outermost = {any_dim()};
    }
    constraints.push_back(constraint);
  }
  return constraints;
}

// Which register loop stands outside which costs nothing and would only lengthen the listing.
void FixRegisterOrder(Space* space) {
  space->orders[LevelId(2)] = {};
  for (DimId d : Ids(space->problem.dims)) space->orders[LevelId(2)].outermost.push_back(d);
}

}  // namespace

Architecture RandomThistleTemplate(Random& random, const Problem& problem) {
  Architecture architecture;
  architecture.name = "template";
  architecture.compute.energy_pj = 2;
  Level dram, sram, registers;
  dram.name = "DRAM";
  dram.energy = RandomEnergy(random, 50);
  sram.name = "SRAM";
  sram.energy = RandomEnergy(random, 8);
  Divide(random, problem, 3, 120, &sram);
  sram.fanout.name = "PEs";
  (Chance(random, 0.85) ? sram.fanout.x : sram.fanout.y) = Pick(random, 1, 7);
  registers.name = "registers";
  registers.energy = RandomEnergy(random, 4);
  Divide(random, problem, 3, 24, &registers);
  architecture.levels = {dram, sram, registers};
  return architecture;
}

Space RandomThistleSpace(Random& random, Mapspace mapspace) {
  while (true) {
    const Problem problem = RandomProblem(random, 150);
    const Architecture architecture = RandomThistleTemplate(random, problem);
    INLAY_CHECK(Validate(architecture).empty());
    std::vector<Constraint> constraints;
    if (Chance(random, 0.25)) constraints = RandomConstraints(random, problem, architecture);
    auto space = MakeSpace(problem, architecture, mapspace, constraints);
    if (!space) continue;  // they contradict each other
    if (Chance(random, 0.9)) FixRegisterOrder(&*space);
    return *std::move(space);
  }
}

bool FitsThistle(const Space& space, const Cost& cost) {
  for (LevelId l : Ids(space.architecture.levels)) {
    const Level& level = space.architecture.levels[l];
    int64_t bits = 0;
    for (TensorId t : Ids(space.problem.tensors)) {
      const int64_t words = cost.levels[l].tensors[t].tile_words;
      const std::string& name = space.problem.tensors[t].name;
      bits += words * WordBitsOf(level, name);
      for (const Partition& part : level.partitions) {
        if (part.tensor == name && part.capacity_words &&
            static_cast<double>(words) >
                std::floor(static_cast<double>(*part.capacity_words) / level.buffering)) {
          return false;
        }
      }
    }
    if (!level.partitions.empty() || !level.capacity_words) continue;
    const auto words = (bits + level.word_bits - 1) / level.word_bits;
    if (static_cast<double>(words) >
        std::floor(static_cast<double>(*level.capacity_words) / level.buffering)) {
      return false;
    }
  }
  return true;
}

}  // namespace inlay::testing
