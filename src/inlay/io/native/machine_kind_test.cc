#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inlay/core/machine.h"
#include "inlay/io/library/library.h"
#include "tests/support/native.h"

namespace inlay::io {
namespace {

using inlay::testing::ErrorsOf;
using inlay::testing::ReadText;
using ::testing::ElementsAre;
using ::testing::StartsWith;

constexpr const char* kTwoPads = R"(format: inlay/1
machine:
  name: two-pads
  clock: 1 GHz
  units: {core: {peak: 1.5 TMAC/s}}            # or {arch: eyeriss}
  memories:
    pad0: {size: 1 MiB, bandwidth: 256 B/cycle, energy: 0.5 pJ/B, alignment: 64 B, reached_by: [core]}
    pad1: {size: 512 KiB, bandwidth: 64 B/cycle, energy: 0.9 pJ/B, reached_by: [core]}
  offchip: {bandwidth: 32 GB/s, energy: 20 pJ/B}
  dma: {engines: 1, moves: [[pad0, pad1]]}
)";

TEST(MachineKind, ReadsTheExampleOfTheFormat) {
  const auto inputs = ReadText(kTwoPads);
  ASSERT_TRUE(inputs.has_value()) << Format(inputs.error());
  const Machine& machine = inputs->machine.value();
  EXPECT_EQ(machine.units[UnitId(0)].macs_per_second, 1.5e12);
  EXPECT_EQ(machine.pads[PadId(0)].bytes, 1 << 20);
  EXPECT_EQ(machine.pads[PadId(0)].bytes_per_second, 256e9);
  EXPECT_EQ(machine.pads[PadId(0)].alignment_bytes, 64);
  EXPECT_EQ(machine.pads[PadId(1)].bytes, 512 * 1024);
  EXPECT_EQ(machine.offchip.bytes_per_second, 32e9);
  ASSERT_EQ(machine.dma.moves.size(), 1U);
  EXPECT_EQ(ReadText(WriteNative(machine))->machine, machine);
}

TEST(MachineKind, ArchitecturesComeByName) {
  const std::string text = R"(format: inlay/1
machine:
  name: npu
  units: {core: {arch: eyeriss}, side: {peak: 3 TFLOP/s}}
  memories: {pad: {size: 1 MiB, reached_by: [side]}}
  offchip: {}
)";
  const auto inputs = ReadText(text, BuiltinContext());
  ASSERT_TRUE(inputs.has_value()) << Format(inputs.error());
  const Machine& machine = inputs->machine.value();
  EXPECT_EQ(machine.units[UnitId(0)].architecture->name, "eyeriss");
  EXPECT_EQ(machine.units[UnitId(1)].macs_per_second, 1.5e12);
  EXPECT_EQ(machine.pads[PadId(0)].bytes_per_second, std::nullopt);
  EXPECT_EQ(ReadText(WriteNative(machine), BuiltinContext())->machine, machine);
  EXPECT_FALSE(ReadText(text).has_value());
}

TEST(MachineKind, ErrorsStandAtTheirPlaces) {
  EXPECT_THAT(ErrorsOf(R"(format: inlay/1
machine:
  name: m
  units: {core: {peak: 3 TFLOPS}}
  memories:
    pad: {size: 2 MiB, alignment: 4 MiB, reached_by: [cor]}
    far: {size: 1.5 B}
  offchip: {bandwidth: 32}
  dma: {moves: [[pad, pda], [pad]]}
)"),
              ElementsAre(StartsWith("4:26: 'TFLOPS' is not a unit of a peak"),
                          StartsWith("6:55: there is no unit 'cor'"),
                          StartsWith("7:17: the size is not a whole number"),
                          StartsWith("8:26: a bandwidth needs a unit"),
                          StartsWith("9:23: there is no memory 'pda'"),
                          StartsWith("9:29: a move is between 2 memories, found 1")));
}

TEST(MachineKind, APadThatNobodyReachesIsAnError) {
  EXPECT_THAT(ErrorsOf(R"(format: inlay/1
machine:
  name: m
  units: {core: {peak: 1 GMAC/s}}
  memories:
    pad: {size: 2 MiB, reached_by: []}
  offchip: {}
)"),
              ElementsAre("6:36: no unit reaches 'pad' (name the units that read and write it)"));
}

TEST(MachineKind, EveryBuiltInIsReadable) {
  for (const std::string& name : BuiltinNames(BuiltinKind::kMachine)) {
    const auto inputs = LoadBuiltin(BuiltinKind::kMachine, name);
    ASSERT_TRUE(inputs.has_value()) << Format(inputs.error());
    EXPECT_EQ(inputs->machine.value().name, name);
    EXPECT_EQ(ReadText(WriteNative(*inputs->machine), BuiltinContext())->machine, inputs->machine);
  }
}

}  // namespace
}  // namespace inlay::io
