#include "inlay/codesign/thistle_template.h"

#include <utility>
#include <vector>

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
  // One by one: a list of them makes g++ 12 warn of strings that it takes for uninitialised.
  const auto free = [&](const char* name, std::vector<double> values) {
    FreeAttribute& attribute = space.free.emplace_back();
    attribute.name = name;
    attribute.attribute = FindAttribute(space.base, name).value();
    attribute.values = std::move(values);
  };
  free("registers.capacity", PowersOfTwo(4, 4096));
  free("SRAM.capacity", PowersOfTwo(64, 262144));
  free("PEs.x", {});
  return space;
}

}  // namespace inlay
