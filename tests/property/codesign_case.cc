#include "tests/property/codesign_case.h"

#include "inlay/core/shapes.h"
#include "tests/support/attribute_at.h"

namespace inlay::testing {
namespace {

// DRAM – SRAM – lanes – registers of a few sizes, in an area that allows some of them.
ArchitectureSpace RandomSpaceOfArchitectures(Random& random) {
  ArchitectureSpace space;
  Technology technology;
  technology.mac_energy_pj = 2;
  technology.mac_area_um2 = 5;
  technology.dram.energy_pj.constant = 40;
  technology.sram.energy_pj.root = 0.5;
  technology.sram.area_um2.linear = 1;
  technology.reg.energy_pj.linear = 0.05 * static_cast<double>(Pick(random, 1, 4));
  technology.reg.area_um2.linear = 2;
  space.base.technology = technology;
  Level dram, sram, registers;
  dram.name = "DRAM";
  dram.kind = MemoryKind::kDram;
  sram.name = "SRAM";
  sram.capacity_words = 1;
  sram.fanout.name = "PEs";
  registers.name = "registers";
  registers.kind = MemoryKind::kRegister;
  registers.capacity_words = 1;
  space.base.levels = {dram, sram, registers};
  space.free = {
      {"registers.capacity", AttributeAt(space.base, LevelId(2), "capacity").value(), {3, 6, 12}},
      {"SRAM.capacity", AttributeAt(space.base, LevelId(1), "capacity").value(), {8, 24}},
      {"PEs.x", AttributeAt(space.base, LevelId(1), "x").value(), {}}};
  space.budget.area_um2 = static_cast<double>(Pick(random, 45, 140));
  return space;
}

}  // namespace

CodesignTask RandomCodesignTask(Random& random) {
  CodesignTask task;
  const auto pick = [&](int64_t low, int64_t high) { return Pick(random, low, high); };
  task.network.layers = {
      {"gemm", "gemm", MakeGemm("gemm", {.p = pick(2, 4), .k = pick(2, 4), .c = pick(1, 4)}), 2},
      {"conv", "conv", MakeConv("conv", {.k = pick(1, 3), .p = pick(2, 6), .r = 2}), 1}};
  task.space = RandomSpaceOfArchitectures(random);
  task.mapspace = Chance(random, 0.7) ? Mapspace::kPerfect : Mapspace::kRubyS;
  task.options.semantics = Semantics::kThistle;
  task.options.accounting = Chance(random, 0.5) ? Accounting::kLiteral : Accounting::kElide;
  return task;
}

}  // namespace inlay::testing
