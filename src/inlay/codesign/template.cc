#include "inlay/codesign/template.h"

namespace inlay {

ArchitectureSpace ThistleTemplate(const Technology& technology, double area_um2) {
  Level dram, sram, registers;
  dram.name = "DRAM";
  dram.kind = MemoryKind::kDram;
  sram.name = "SRAM";
  sram.kind = MemoryKind::kSram;
  sram.capacity_words = 64;
  sram.fanout.name = "PEs";
  registers.name = "registers";
  registers.kind = MemoryKind::kRegister;
  registers.capacity_words = 4;
  ArchitectureSpace space;
  space.base.name = "thistle";
  space.base.technology = technology;
  space.base.levels = {dram, sram, registers};
  space.budget.area_um2 = area_um2;
  using Kind = AttributeKind;
  space.free = {{"registers.capacity", {LevelId(2), Kind::kCapacityWords}, PowersOfTwo(4, 4096)},
                {"SRAM.capacity", {LevelId(1), Kind::kCapacityWords}, PowersOfTwo(64, 262144)},
                {"PEs.x", {LevelId(1), Kind::kFanoutX}, {}}};
  return space;
}

}  // namespace inlay
