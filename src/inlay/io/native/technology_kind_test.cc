#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/native.h"

namespace inlay::io {
namespace {

using ::inlay::testing::Brief;
using ::inlay::testing::ErrorsOf;
using ::inlay::testing::ReadText;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(NativeTechnologyTest, AllErrorsAtOnceAtTheirPlaces) {
  EXPECT_THAT(
      ErrorsOf(R"(format: inlay/1
technology:
  name: t
  word_bits: sixteen
  mac: {energy: -2.2 pJ, aera: 1 um2}
  register: {energy: 9 pJ * bits, area: 1 pJ}
  sram: {energy: 1e308 pJ + 1e308 pJ}
)"),
      ElementsAre(
          "3:3: a technology needs the key 'dram' ('dram': memories of kind dram)",
          "4:14: 'word_bits' must be a whole number, found 'sixteen'",
          "5:17: an energy must not be negative",
          "5:26: unknown key 'aera' in the multiplier's figures (did you mean 'area'?)",
          "6:29: expected 'words' or 'sqrt(words)' after '*' (a term is '4.6 pJ', '4.6 pJ * "
          "words' or '4.6 pJ * sqrt(words)')",
          "6:43: 'pJ' is not a unit of an area (expected one of um2, mm2)",
          "7:9: energies and areas must be finite and not negative"));
}

constexpr const char* kTables = R"(format: inlay/1
technology:
  name: t
  node: 28 nm
  arithmetic:
    - {type: int8, energy: 0.2 pJ, area: 100 um2}
    - {type: int32, energy: 3.2 pJ, area: 1600 um2}
    - {type: bf16, energy: 0.6 pJ, source: a paper}
  wire: {energy: 0.1 pJ/bit/mm}
  register: {energy: 0.05 pJ}
  sram:
    source: a compiler
    table:
      - {capacity: 16 KiB, width: 64, read: 4 pJ, write: 6 pJ, leakage: 4 uW, area: 16000 um2}
      - {capacity: 1 KiB, width: 64, read: 1 pJ, write: 3 pJ, leakage: 250 nW, area: 1000 um2}
  dram_kinds:
    - {kind: lpddr5, energy: 7 pJ/bit, bandwidth: 12.8 GB/s, per: 16 pins}
    - {kind: hbm3, energy: 4 pJ/bit}
)";

TEST(NativeTechnologyTest, TablesInAnyOrder) {
  const auto inputs = ReadText(kTables);
  ASSERT_TRUE(inputs) << Format(inputs.error());
  const Technology& technology = *inputs->technology;
  EXPECT_EQ(technology.node_nm, 28);
  ASSERT_EQ(technology.sram.table.size(), 2U);
  EXPECT_EQ(technology.sram.table[0],
            (KnownMemory{1024, 64, MemoryPorts::kReadOrWrite, 1, 3, 0.25, 1000}));
  EXPECT_EQ(technology.sram.table[1].capacity_bytes, 16384);
  EXPECT_EQ(technology.sram.source, "a compiler");
  ASSERT_EQ(technology.dram_kinds.size(), 2U);
  EXPECT_EQ(technology.dram_kinds[0].bytes_per_second, 12.8e9);
  EXPECT_EQ(technology.dram_kinds[1].pj_per_bit, 4);
  EXPECT_EQ(technology.wire->pj_per_bit_mm, 0.1);
  EXPECT_EQ(FindArithmetic(technology, "bf16")->source, "a paper");
  // Between int8 and int32 a power of the bits: here the square.
  EXPECT_NEAR(FiguresOfMac(technology, "", 16).energy_pj, 0.8, 1e-9);
  EXPECT_NEAR(FiguresOfMac(technology, "int16", 8).area_um2, 400, 1e-6);
  EXPECT_EQ(FiguresOfMac(technology, "bf16", 16).energy_pj, 0.6);
}

TEST(NativeTechnologyTest, WhatIsWrittenReadsBackAsTheSame) {
  const auto inputs = ReadText(kTables);
  ASSERT_TRUE(inputs) << Format(inputs.error());
  const std::string text = WriteNative(*inputs->technology);
  EXPECT_THAT(text, HasSubstr("    table:\n      - {capacity: 1 KiB, width: 64, read: 1 pJ, "));
  const auto again = ReadText(text);
  ASSERT_TRUE(again) << text << Format(again.error());
  EXPECT_EQ(*again->technology, *inputs->technology) << text;
}

TEST(NativeTechnologyTest, LevelsArePricedByCapacityWidthPortsAndKind) {
  const std::string levels = R"(---
format: inlay/1
architecture:
  name: a
  technology: t
  word_bits: 16
  levels:
  - {name: DRAM, kind: dram, dram: hbm3, block: 4 words}
  - {name: far, kind: dram}
  - {name: buffer, kind: sram, capacity: 4 KiB, block: 4 words}
  - {name: split, kind: sram, partition: {A: 1 KiB, B: 16 KiB}, block: 4 words}
  - {compute: mac, type: bf16}
)";
  const auto inputs = ReadText(kTables + levels);
  ASSERT_TRUE(inputs) << Format(inputs.error());
  const Architecture& a = *inputs->architecture;
  EXPECT_EQ(EnergyOf(a, LevelId(0), "A"), (AccessEnergy{256, 256, 256}));
  EXPECT_EQ(EnergyOf(a, LevelId(1), "A"), (AccessEnergy{112, 112, 112}));
  // Four times 1 KiB, a quarter of 16 KiB: halfway in logarithms.
  EXPECT_EQ(EnergyOf(a, LevelId(2), "A").read_pj, 2);
  EXPECT_NEAR(EnergyOf(a, LevelId(2), "A").fill_pj, std::sqrt(18), 1e-4);
  EXPECT_EQ(EnergyOf(a, LevelId(3), "A").read_pj, 1);
  EXPECT_EQ(EnergyOf(a, LevelId(3), "B").read_pj, 4);
  EXPECT_EQ(ComputeEnergyPj(a), 0.6);
  EXPECT_EQ(LeakageUw(a, LevelId(3)), 4.25);
  EXPECT_NEAR(*AreaUm2(a), 4000 + 1000 + 16000, 1e-6);
  EXPECT_THAT(Brief(inputs->warnings), IsEmpty());
}

TEST(NativeTechnologyTest, SizesBeyondTheTableAreWarnedOf) {
  const std::string levels = R"(---
format: inlay/1
architecture:
  name: a
  technology: t
  word_bits: 16
  levels:
  - {name: DRAM, kind: dram}
  - {name: buffer, kind: sram, capacity: 64 KiB, block: 4 words}
  - {compute: mac}
)";
  const auto inputs = ReadText(kTables + levels);
  ASSERT_TRUE(inputs) << Format(inputs.error());
  EXPECT_THAT(
      Brief(inputs->warnings),
      ElementsAre("27:5: the energies of 'buffer' are extrapolated: technology 't' knows no "
                  "memory of kind sram that is so large or so small, for accesses so wide "
                  "(it has 1 KiB to 16 KiB, accesses of 64 to 64 bits)"));
  EXPECT_EQ(EnergyOf(*inputs->architecture, LevelId(1), "A").read_pj, 8);
}

TEST(NativeTechnologyTest, WrongTables) {
  EXPECT_THAT(
      ErrorsOf(R"(format: inlay/1
technology:
  name: t
  arithmetic:
    - {type: int8, energy: 0.2 pJ}
    - {type: int8, energy: 0.3 pJ}
  register: {area: 1 um2}
  sram:
    energy: 1 pJ
    table:
      - {capacity: 1 KiB, width: 64, read: 0 pJ, write: 1 pJ}
      - {capacity: 4 KiB, width: 64, read: 1 pJ, write: 1 pJ}
      - {capacity: 4 KiB, width: 64, read: 1 pJ, write: 1 pJ}
      - {capacity: 4 KiB, width: 32, read: 1 pJ, write: 1 pJ}
  dram: {energy: 1 pJ}
  dram_kinds:
    - {kind: x, energy: 1 pJ/bit}
)"),
      ElementsAre(
          "5:5: 'arithmetic' has 'int8' twice (leave one out)",
          "7:13: 'register' does not say what an access costs (give 'energy', or a 'table' of "
          "memories whose figures are known)",
          "9:5: 'sram' has both a table and formulas (leave out 'energy' and 'area')",
          "11:9: the energies of a memory of a table must be positive (what is between rows "
          "follows "
          "from their logarithms)",
          "13:9: the table has a memory twice: 4096 B, 64 bits, 1rw (leave one out)",
          "14:9: the table has only one memory with accesses of 32 bits (1rw) (give two capacities "
          "or more of every width: what others cost follows from the nearest two)",
          "15:9: 'dram' is not used beside 'dram_kinds' (leave it out)"));
  EXPECT_THAT(ErrorsOf(R"(format: inlay/1
technology:
  name: t
  mac: {energy: 1 pJ}
  register: {energy: 1 pJ}
  sram:
    table:
      - {capacity: 1 KiB, width: 0, read: 1 pJ, wirte: 1 pJ}
  dram_kinds: []
)"),
              ElementsAre(HasSubstr("8:9: a memory such as"), HasSubstr("8:34: 'width' must be"),
                          HasSubstr("8:49: unknown key 'wirte'"),
                          "9:15: 'dram_kinds' needs at least one kind (leave it out)"));
}

TEST(NativeTechnologyTest, WhatATechnologyDoesNotHave) {
  const std::string levels = R"(---
format: inlay/1
architecture:
  name: a
  technology: t
  word_bits: 16
  levels:
  - {name: DRAM, kind: dram, dram: hbm}
  - {name: buffer, kind: sram, capacity: 4 KiB, ports: 1r1w}
  - {name: wrong, kind: sram, capacity: 4 KiB, dram: hbm3}
  - {name: unbounded, kind: sram}
  - {compute: mac, type: fp8}
)";
  EXPECT_THAT(
      ErrorsOf(kTables + levels),
      ElementsAre(
          "26:36: technology 't' has no memory 'hbm' (did you mean 'hbm3'?)",
          "27:56: technology 't' has no figures for memories of kind sram with ports 1r1w "
          "(give 'energy: {read: …, write: …}', or leave 'ports' out)",
          "28:54: 'wrong' is not of kind dram",
          "29:5: 'unbounded' has no capacity, on which its energy depends (give it a "
          "capacity, or 'energy: {read: …, write: …}')",
          "30:26: technology 't' has no arithmetic 'fp8' (expected one of int8, int32, bf16)"));
}

}  // namespace
}  // namespace inlay::io
