#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/native.h"

namespace inlay::io {
namespace {

using ::inlay::testing::ErrorsOf;
using ::inlay::testing::ReadText;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// An architecture of a single level whose line ends with `keys`, at 4:5, energies given.
std::string OneLevel(const std::string& keys) {
  return "format: inlay/1\narchitecture:\n  levels:\n  - {name: L, kind: sram, " + keys +
         "}\n  - {compute: mac, energy: 1 pJ}\n";
}
constexpr const char* kEnergy = "energy: {read: 1 pJ, write: 1 pJ}, ";

Level LevelOf(const std::string& keys) {
  const auto inputs = ReadText(OneLevel(kEnergy + keys));
  EXPECT_TRUE(inputs) << Format(inputs.error());
  return inputs ? inputs->architecture->levels[LevelId(0)] : Level();
}

TEST(NativeArchitectureTest, EveryKeyOfALevel) {
  const Level level = LevelOf(
      "capacity: 64 KiB, word_bits: 8, block: 4 words, double_buffer: true, read_bandwidth: 16 "
      "B/cycle, write_bandwidth: 2.5 words/cycle, shared_bandwidth: 8 words/cycle, leakage: 0.1 "
      "pJ/cycle, keep: [A, B], bypass: [C]");
  EXPECT_EQ(level.kind, MemoryKind::kSram);
  EXPECT_EQ(level.word_bits, 8);
  EXPECT_EQ(level.capacity_words, 65536);
  EXPECT_EQ(level.block_words, 4);
  EXPECT_EQ(level.buffering, 2);
  EXPECT_EQ(level.read_bandwidth, 16);
  EXPECT_EQ(level.write_bandwidth, 2.5);
  EXPECT_EQ(level.shared_bandwidth, 8);
  EXPECT_EQ(level.energy, (AccessEnergy{1, 1, 1}));
  EXPECT_EQ(level.leakage_pj_per_cycle, 0.1);
  EXPECT_EQ(level.keep, (TensorNameSet{false, {"A", "B"}}));
  EXPECT_EQ(level.bypass, (TensorNameSet{false, {"C"}}));
}

TEST(NativeArchitectureTest, WordsOfSeveralWidths) {
  const Level shared = LevelOf("capacity: 60 B, word_bits: {all: 8, Outputs: 24}");
  EXPECT_EQ(shared.word_bits, 8);
  EXPECT_EQ(shared.capacity_words, 60);
  EXPECT_EQ(shared.tensor_bits, (std::vector<TensorBits>{{"Outputs", 24}}));

  const Level parts =
      LevelOf("partition: {W: 32 B, O: 384 B, X: unbounded}, word_bits: {O: 24, Y: 4}");
  EXPECT_EQ(parts.partitions,
            (std::vector<Partition>{{"W", 16, 16}, {"O", 128, 24}, {"X", std::nullopt, 16}}));
  EXPECT_EQ(parts.tensor_bits, (std::vector<TensorBits>{{"Y", 4}}));
}

TEST(NativeArchitectureTest, PartsOfOtherKindsAndWidths) {
  const Level level = LevelOf(
      "word_bits: 8, partition: {W: 32 KiB, O: {capacity: 384 B, word_bits: 24, kind: register}, "
      "X: {capacity: 3 words}}");
  EXPECT_EQ(level.partitions,
            (std::vector<Partition>{
                {"W", 32768, 8}, {"O", 128, 24, MemoryKind::kRegister}, {"X", 3, 8}}));
  const std::string energy = kEnergy;
  EXPECT_THAT(
      ErrorsOf(OneLevel(energy + "word_bits: {O: 8}, partition: {O: {capacity: 3 words, word_bits: "
                                 "24}}")),
      ElementsAre(HasSubstr("'O' has two widths (give it in the partition or in the level's")));
  EXPECT_THAT(ErrorsOf(OneLevel(energy + "partition: {O: {kind: register}}")),
              ElementsAre(HasSubstr("needs one of the keys capacity or free")));
  EXPECT_THAT(ErrorsOf(OneLevel(energy + "partition: {O: {capacity: 3 words, kind: flash}}")),
              ElementsAre(HasSubstr("'kind' must be dram, sram or register, found 'flash'")));
  EXPECT_THAT(ErrorsOf(OneLevel(energy + "partition: {O: [3 words]}")),
              ElementsAre(HasSubstr("found a list")));
}

TEST(NativeArchitectureTest, EnergiesOfFillsAndUpdates) {
  const auto energy = [](const std::string& keys) {
    return ReadText(OneLevel("energy: " + keys))->architecture->levels[LevelId(0)].energy;
  };
  EXPECT_EQ(energy("{read: 1 pJ, fill: 2 pJ, update: 3 pJ}"), (AccessEnergy{1, 2, 3}));
  EXPECT_EQ(energy("{read: 1 pJ, write: 2 pJ, update: 3 pJ}"), (AccessEnergy{1, 2, 3}));
  EXPECT_THAT(
      ErrorsOf(OneLevel("energy: {read: 1 pJ, fill: 2 pJ}")),
      ElementsAre("4:35: the energies of 'L' do not say what a write costs (give 'write', or "
                  "both 'fill' and 'update')"));
  EXPECT_THAT(ErrorsOf(OneLevel("energy: {read: 1 pJ, write: 1 pJ, fill: 2 pJ, update: 2 pJ}")),
              ElementsAre("4:55: 'write' is not used beside 'fill' and 'update' (leave it out)"));
  EXPECT_THAT(
      ErrorsOf(OneLevel("energy: 4.6 pJ")),
      ElementsAre("4:35: 'energy' must be energies such as '{read: 4.6 pJ, write: 4.6 pJ}', "
                  "found a single value"));
  EXPECT_THAT(ErrorsOf(OneLevel("energy: {read: nan, write: -1 pJ}")),
              ElementsAre("4:42: an energy must be a finite number",
                          "4:54: an energy must not be negative"));
}

TEST(NativeArchitectureTest, WrongLevels) {
  const struct {
    const char* keys;
    const char* error;
  } cases[] = {
      {"capcity: 4 words", "unknown key 'capcity' in a level (did you mean 'capacity'?)"},
      {"capacity: 65536", "a capacity needs a unit (write for example '65536 words' or '128 KiB')"},
      {"capacity: 3 B", "the capacity is not a whole number of 16-bit words"},
      {"capacity: [4 words]",
       "'capacity' must be a capacity such as '65536 words' or '128 KiB', found a list"},
      {"capacity: 4 words, partition: {A: 4 words}",
       "'L' has both a capacity and partitions (give one of them)"},
      {"partition: {}", "a partition needs at least one tensor (leave it out)"},
      {"buffering: 0.5", "buffering must be a number from 1 (2 means double-buffered)"},
      {"buffering: 2, double_buffer: true",
       "'L' has both 'buffering' and 'double_buffer' (give one of them)"},
      {"word_bits: 0", "'word_bits' must be at least 1, found 0"},
      {"word_bits: 5000", "'word_bits' must be at most 4096, found 5000"},
      {"word_bits: {A: 8}, read_bandwidth: 4 B/cycle",
       "bytes do not tell how many words 'L' moves: its tensors differ in width (give "
       "the "
       "bandwidth in words/cycle)"},
      {"keep: Inputs", "expected a list of tensors or 'all', found 'Inputs' (write '[Inputs]')"},
      {"keep: [A], bypass: [A]", "'L' both keeps and bypasses 'A'"},
      {"keep: all, bypass: all", "'L' both keeps and bypasses all tensors"},
      {"shared_bandwidth: 0 B/cycle",
       "a bandwidth must be more than 0 (leave it out where there is no limit)"},
      {"double_buffer: maybe", "'double_buffer' must be true or false, found 'maybe'"},
      {"leakage: 1 pJ",
       "'pJ' is not a unit of a leakage (expected one of pJ/cycle, fJ/cycle, nJ/cycle)"},
  };
  for (const auto& bad : cases) {
    EXPECT_THAT(ErrorsOf(OneLevel(std::string(kEnergy) + bad.keys)),
                ElementsAre(HasSubstr(bad.error)))
        << bad.keys;
  }
  EXPECT_THAT(ErrorsOf(OneLevel(std::string(kEnergy) + "kind: srma")), Contains(HasSubstr("kind")));
}

TEST(NativeArchitectureTest, EnergiesAreNeeded) {
  EXPECT_THAT(
      ErrorsOf(R"(format: inlay/1
architecture:
  levels:
  - {name: DRAM, kind: dram}
  - {compute: mac}
)"),
      ElementsAre("4:5: 'DRAM' has no energies (give the architecture a technology, or the "
                  "level 'energy: {read: …, write: …}')",
                  "5:5: the compute has no energy (give the architecture a technology, or the "
                  "compute 'energy: 1 pJ')"));
}

constexpr const char* kTechnology = R"(format: inlay/1
technology:
  name: t
  mac: {energy: 1 pJ}
  register: {energy: 1 pJ}
  sram: {energy: 2 pJ}
  dram: {energy: 3 pJ}
---
)";

TEST(NativeArchitectureTest, TheOrderOfLevels) {
  const auto errors = [](const std::string& levels) {
    return ErrorsOf(kTechnology +
                    ("format: inlay/1\narchitecture:\n  technology: t\n  levels:\n" + levels));
  };
  const std::string dram = "  - {name: DRAM, kind: dram}\n", mac = "  - {compute: mac}\n",
                    array = "  - {fanout: array, x: 4}\n", more = "  - {fanout: more, y: 4}\n";
  EXPECT_THAT(errors(dram + array + mac), ElementsAre());
  EXPECT_THAT(errors(array + dram + mac),
              ElementsAre("13:5: a fan-out cannot stand at the top (put "
                          "the level that feeds it above it)"));
  EXPECT_THAT(errors(dram + array + more + mac),
              ElementsAre("15:5: two fan-outs below 'DRAM' (use x and y of one fan-out, or put a "
                          "level that bypasses all between them)"));
  EXPECT_THAT(errors(dram),
              ElementsAre("13:3: the architecture has no compute (end the levels with "
                          "'- {compute: mac}')"));
  EXPECT_THAT(errors(dram + mac + array),
              ElementsAre("15:5: nothing can stand below the compute (move it above, or leave it "
                          "out)"));
  EXPECT_THAT(errors(mac), ElementsAre("13:3: the architecture has no storage level"));
  EXPECT_THAT(errors(dram + dram + mac), ElementsAre("14:5: the name 'DRAM' is used twice"));
  EXPECT_THAT(
      errors("  - {kind: sram}\n" + mac),
      ElementsAre("13:5: an entry of 'levels' must be a level ('name'), a fan-out ('fanout'), a "
                  "vector unit ('ops') or the compute (it needs one of the keys name, fanout, ops "
                  "or compute)"));
  EXPECT_THAT(
      errors(dram + "  - {fanout: array}\n" + mac),
      ElementsAre("14:5: fan-out 'array' does not say how many lanes it has (give 'x', 'y' or "
                  "both)"));
  EXPECT_THAT(
      errors("  - {fanout: array, x: 0, multicast: words}\n"),
      ::testing::IsSupersetOf({"13:24: 'x' must be at least 1, found 0",
                               "13:38: 'multicast' must be tile, none, true or false, found "
                               "'words'"}));
}

TEST(NativeArchitectureTest, TechnologiesByNameInFullAndFromOutside) {
  const std::string levels =
      "  levels:\n  - {name: DRAM, kind: dram}\n  - {compute: mac, word_bits: 8}\n";
  const std::string start = "format: inlay/1\narchitecture:\n";

  const auto by_name = ReadText(kTechnology + (start + "  technology: t\n" + levels));
  ASSERT_TRUE(by_name) << Format(by_name.error());
  EXPECT_EQ(by_name->architecture->technology, by_name->technology);
  EXPECT_EQ(ComputeEnergyPj(*by_name->architecture), 0.5);

  const auto in_full = ReadText(start +
                                "  technology: {name: u, mac: {energy: 1 pJ}, register: {energy: 1 "
                                "pJ}, sram: {energy: 1 pJ}, "
                                "dram: {energy: 9 pJ}}\n" +
                                levels);
  ASSERT_TRUE(in_full) << Format(in_full.error());
  EXPECT_EQ(in_full->architecture->technology->name, "u");
  EXPECT_EQ(EnergyOf(*in_full->architecture, LevelId(0), "A").read_pj, 9);
  EXPECT_FALSE(in_full->technology);

  NativeContext context;
  context.find_technology = [](const std::string& name, const Node& where) -> Result<Technology> {
    if (name != "v") return Fail(where.Error("no '" + name + "' here"));
    Technology technology;
    technology.name = "v";
    return technology;
  };
  EXPECT_EQ(ReadText(start + "  technology: v\n" + levels, context)->architecture->technology->name,
            "v");
  const auto unknown = ReadText(start + "  technology: w\n" + levels, context);
  ASSERT_FALSE(unknown);
  EXPECT_THAT(inlay::testing::Brief(unknown.error()), ElementsAre("3:15: no 'w' here"));
  EXPECT_THAT(ErrorsOf(start + "  technology: w\n" + levels),
              ElementsAre("3:15: unknown technology 'w' (define it in a document 'technology:')"));
}

TEST(NativeArchitectureTest, Fanouts) {
  const auto inputs = ReadText(std::string(kTechnology) + R"(format: inlay/1
architecture:
  technology: t
  levels:
  - {name: A, kind: dram}
  - {fanout: f, x: 3, y: 2, multicast: false, reduce: no}
  - {name: B, kind: sram}
  - {fanout: g, y: 5, multicast: true}
  - {compute: mac}
)");
  ASSERT_TRUE(inputs) << Format(inputs.error());
  const Architecture& a = *inputs->architecture;
  EXPECT_EQ(a.levels[LevelId(0)].fanout, (Fanout{"f", 3, 2, Multicast::kNone, false}));
  EXPECT_EQ(a.levels[LevelId(1)].fanout, (Fanout{"g", 1, 5, Multicast::kTile, true}));
  EXPECT_EQ(ComputeLanes(a), 30);
}

TEST(NativeArchitectureTest, VectorUnitsStandBelowALevelOrItsFanout) {
  const auto read = [](const std::string& levels) {
    const auto inputs =
        ReadText(kTechnology + ("format: inlay/1\narchitecture:\n  technology: t\n  levels:\n"
                                "  - {name: DRAM, kind: dram}\n" +
                                levels));
    EXPECT_TRUE(inputs) << Format(inputs.error());
    return inputs ? inputs->architecture->vector_units : VectorUnits();
  };
  const std::string mac = "  - {compute: mac}\n", array = "  - {fanout: array, x: 4}\n",
                    alu = "  - {ops: [add, max], compute: alu, rate: 4 ops/cycle, energy: 1 pJ}\n",
                    sfu = "  - {ops: all, compute: sfu, rate: 0.5 ops/cycle, energy: 3 pJ}\n";
  const VectorUnit the_alu = {"alu", {false, {VectorOp::kAdd, VectorOp::kMax}}, 4, 1};
  const VectorUnit the_sfu = {"sfu", {true, {}}, 0.5, 3};
  EXPECT_EQ(read(mac), VectorUnits());
  EXPECT_EQ(read(alu + sfu + array + mac), (VectorUnits{{the_alu, the_sfu}, LevelId(0), false}));
  EXPECT_EQ(read(array + sfu + mac), (VectorUnits{{the_sfu}, LevelId(0), true}));
  EXPECT_EQ(read(array + mac + sfu), read(array + sfu + mac)) << "beside the compute";
}

TEST(NativeArchitectureTest, Constraints) {
  const auto errors = [](const std::string& constraint) {
    return ErrorsOf(std::string(kTechnology) + R"(format: inlay/1
architecture:
  technology: t
  levels:
  - {name: GLB, kind: sram}
  - {fanout: array, x: 4}
  - {compute: mac}
  constraints:
  - )" + constraint +
                    "\n");
  };
  EXPECT_THAT(errors("{at: glb}"), ElementsAre("17:10: the architecture has no level or fan-out "
                                               "'glb' (did you mean 'GLB'?)"));
  EXPECT_THAT(errors("{at: GLB, x: [K]}"),
              ElementsAre("17:15: 'GLB' is a level; 'x' constrains a fan-out (the loops of a level "
                          "are constrained by 'loops')"));
  EXPECT_THAT(errors("{at: array, innermost: [K]}"),
              ElementsAre("17:17: 'array' is a fan-out; 'innermost' constrains a level (what a "
                          "fan-out unrolls is constrained by 'x' and 'y')"));
  EXPECT_THAT(
      errors("{at: GLB, factors: {K: 0, C: '< 3', P: '>= 2 '}, utilization: 0.5}"),
      ElementsAre("17:28: a factor must be at least 1 (write '4', '<= 16', '>= 2', 'all' or '4 if "
                  "it fits')",
                  "17:35: expected a whole number from 1 for a factor (write '4', '<= 16', "
                  "'>= 2', 'all' or '4 if it fits')",
                  "17:67: a utilization starts with '>=' (write for example '>= 0.5')"));
  EXPECT_THAT(errors("{loops: [K]}"), ElementsAre("17:5: a constraint needs the key 'at' ('at': "
                                                  "the level or fan-out that is constrained)"));
}

TEST(NativeArchitectureTest, BlocksAreCalledBlocks) {
  const auto errors = [](const std::string& block) {
    return inlay::testing::ErrorsOf(
        "format: inlay/1\narchitecture:\n  levels:\n  - name: A\n    kind: sram\n    block: " +
        block + "\n    energy: {read: 1 pJ, write: 1 pJ}\n  - {compute: mac, energy: 1 pJ}\n");
  };
  EXPECT_THAT(errors("0 words"), ::testing::ElementsAre("6:12: a block must be at least one word"));
  EXPECT_THAT(errors("3 B"),
              ::testing::ElementsAre("6:12: the block is not a whole number of 16-bit words"));
}

TEST(NativeArchitectureTest, TheComputeHasANameOfItsOwn) {
  EXPECT_THAT(
      inlay::testing::ErrorsOf(
          "format: inlay/1\narchitecture:\n  levels:\n"
          "  - {name: A, kind: sram, energy: {read: 1 pJ, write: 1 pJ}}\n  - {fanout: B, x: 2}\n"
          "  - {compute: B, energy: 1 pJ}\n"),
      ::testing::ElementsAre(
          "6:5: the name 'B' is used twice (give the compute a name of its own)"));
}

// Constraints name levels: were the levels not refused first, this would take hours.
TEST(NativeArchitectureTest, ManyLevelsAreRefusedBeforeTheyAreLookedAt) {
  std::string text = "format: inlay/1\narchitecture:\n  levels:\n";
  for (int i = 0; i < 50'000; ++i) text += "  - {name: L" + std::to_string(i) + ", kind: sram}\n";
  text += "  - {compute: mac}\n  constraints:\n";
  for (int i = 0; i < 50'000; ++i) text += "  - {at: X" + std::to_string(i) + "}\n";
  const auto errors = inlay::testing::ErrorsOf(text);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_THAT(errors[0], ::testing::HasSubstr("more than"));
}

}  // namespace
}  // namespace inlay::io
