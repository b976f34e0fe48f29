#include "inlay/core/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace inlay {
namespace {

using ::testing::HasSubstr;

Machine TwoPads() {
  Machine machine;
  machine.name = "two";
  machine.clock_hz = 1e9;
  machine.units.push_back({"core", 1.5e12, {}});
  machine.pads.push_back({"a", 1024, 64, 1e9, 0.5, {UnitId(0)}});
  machine.pads.push_back({"b", 2048, 1, {}, 0.9, {UnitId(0)}});
  machine.offchip = {32e9, 20};
  machine.dma.moves = {{PadId(0), PadId(1)}};
  return machine;
}

std::string Messages(const Machine& machine) {
  std::string text;
  for (const Fault& fault : Validate(machine)) text += fault.message + "\n";
  return text;
}

TEST(Machine, PartsAreFoundByName) {
  const Machine machine = TwoPads();
  EXPECT_EQ(Messages(machine), "");
  EXPECT_EQ(FindPad(machine, "b"), PadId(1));
  EXPECT_EQ(FindUnit(machine, "b"), std::nullopt);
}

TEST(Machine, ValidateFindsEverything) {
  Machine machine = TwoPads();
  machine.clock_hz = 0;
  machine.units[UnitId(0)].macs_per_second = std::numeric_limits<double>::infinity();
  machine.pads[PadId(0)].name = "core";
  machine.pads[PadId(0)].bytes = 0;
  machine.pads[PadId(1)].reached_by.clear();
  machine.pads[PadId(1)].bytes_per_second = -1;
  machine.offchip.pj_per_byte = -1;
  machine.dma.engines = 0;
  machine.dma.moves = {{PadId(0), PadId(1)}, {PadId(1), PadId(0)}, {PadId(1), PadId(1)}};
  const std::string messages = Messages(machine);
  for (const char* part :
       {"clock", "peak", "two parts are called 'core'", "at least a byte", "no unit reaches 'b'",
        "bandwidth", "energy", "DMA", "given twice", "to itself"}) {
    EXPECT_THAT(messages, HasSubstr(part));
  }
  EXPECT_THAT(Messages(Machine()), HasSubstr("nothing that computes"));
}

TEST(Machine, AnArchitectureMakesOne) {
  Architecture architecture;
  architecture.name = "arch";
  Level far, near;
  far.name = "DRAM";
  far.kind = MemoryKind::kDram;
  near.name = "GLB";
  near.capacity_words = 65536;
  architecture.levels = {far, near};
  architecture.levels[LevelId(0)].energy = AccessEnergy{128, 128, 128};
  architecture.levels[LevelId(1)].energy = AccessEnergy{4, 4, 4};
  architecture.levels[LevelId(1)].read_bandwidth = 16;
  architecture.levels[LevelId(1)].write_bandwidth = 8;
  const auto machine = MachineFrom(architecture, 2e9);
  ASSERT_TRUE(machine.has_value());
  EXPECT_EQ(Messages(*machine), "");
  EXPECT_EQ(machine->pads[PadId(0)].bytes, 131072);
  EXPECT_EQ(machine->pads[PadId(0)].bytes_per_second, 8.0 * 2 * 2e9);
  EXPECT_EQ(machine->pads[PadId(0)].pj_per_byte, 2);
  EXPECT_EQ(machine->offchip.pj_per_byte, 64);
  EXPECT_EQ(machine->offchip.bytes_per_second, std::nullopt);
  architecture.levels[LevelId(0)].block_words = 4;  // energies are of blocks
  EXPECT_EQ(MachineFrom(architecture, 2e9)->offchip.pj_per_byte, 16);
  architecture.levels[LevelId(1)].capacity_words.reset();
  EXPECT_FALSE(MachineFrom(architecture, 1e9).has_value());
}

}  // namespace
}  // namespace inlay
