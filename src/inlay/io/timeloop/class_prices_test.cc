#include "inlay/io/timeloop/class_prices.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "inlay/core/repricing.h"
#include "inlay/io/library/library.h"
#include "inlay/io/timeloop/read.h"

namespace inlay::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kErt = R"(ERT:
  version: 0.4
  tables:
  - name: system.DRAM
    actions: [{name: read, energy: 512}, {name: write, energy: 512}]
  - name: system.glb
    actions: [{name: read, energy: 20}, {name: write, energy: 30}, {name: leak, energy: 1}]
  - name: system.mac
    actions: [{name: compute, energy: 2}]
)";

std::string Design(const std::string& node, const std::string& cycle = "") {
  return fmt::format(R"(architecture:
  version: 0.4
  nodes:
  - !Container {{name: system, attributes: {{technology: {}{}}}}}
  - !Component {{name: DRAM, class: DRAM, attributes: {{width: 64, datawidth: 8, type: HBM2}}}}
  - !Component
    name: glb
    class: smartbuffer_SRAM
    attributes: {{depth: 8192, width: 64, datawidth: 8, n_banks: 4}}
  - !Component {{name: mac, class: intmac, attributes: {{multiplier_width: 8, adder_width: 16}}}}
)",
                     node, cycle);
}

Inputs ReadWell(const std::string& text) {
  auto inputs = ReadTimeloop({{"f.yaml", text}});
  EXPECT_TRUE(inputs) << Format(inputs.error());
  return inputs ? *std::move(inputs) : Inputs();
}

std::vector<std::string> Messages(const Diagnostics& diagnostics) {
  std::vector<std::string> messages;
  for (const Diagnostic& diagnostic : diagnostics) messages.push_back(diagnostic.message);
  return messages;
}

// What the technology says of a memory with accesses of 64 bits.
AccessEnergy Sram(const std::string& technology, int64_t bytes) {
  Architecture alone;
  alone.technology = LoadBuiltinTechnology(technology).value();
  Level level;
  level.word_bits = 64;
  level.capacity_words = bytes / 8;
  alone.levels.push_back(level);
  return EnergyOf(alone, LevelId(0), "");
}

TEST(ClassPrices, WithoutAnErtClassesAreTheTechnologys) {
  const Inputs inputs = ReadWell(Design("45nm"));
  const Architecture& a = *inputs.architecture;
  EXPECT_EQ(a.levels[LevelId(0)].energy->read_pj, 6.25 * 64);
  EXPECT_EQ(a.levels[LevelId(1)].energy, Sram("cmos-45", 65536));
  EXPECT_EQ(a.levels[LevelId(1)].note, "energy by class smartbuffer_SRAM, cmos-45");
  EXPECT_EQ(a.levels[LevelId(0)].note, "energy by class DRAM (hbm2), cmos-45");
  EXPECT_EQ(a.compute.energy_pj, 0.3);
  EXPECT_THAT(Messages(inputs.warnings),
              ElementsAre("no ERT: energies are estimated by class with cmos-45: 'DRAM' as DRAM, "
                          "'glb' as smartbuffer_SRAM, 'mac' as intmac"));
  EXPECT_EQ(a.levels[LevelId(1)].leakage_pj_per_cycle, 0);
}

TEST(ClassPrices, BetweenTwoNodesLinearly) {
  const Architecture a = *ReadWell(Design("40 nm")).architecture;
  const double share = (40.0 - 32) / (45 - 32);
  const double low = Sram("cmos-32", 65536).read_pj;
  const double high = Sram("cmos-45", 65536).read_pj;
  EXPECT_NEAR(a.levels[LevelId(1)].energy->read_pj, low + share * (high - low), 1e-9);
  EXPECT_THAT(a.levels[LevelId(1)].note, HasSubstr("cmos-32 and cmos-45"));
}

TEST(ClassPrices, LeakageNeedsTheLengthOfACycle) {
  const Architecture a = *ReadWell(Design("45nm", ", global_cycle_seconds: 1e-9")).architecture;
  Architecture alone;
  alone.technology = LoadBuiltinTechnology("cmos-45").value();
  Level level;
  level.word_bits = 64;
  level.capacity_words = 8192;
  alone.levels.push_back(level);
  EXPECT_NEAR(a.levels[LevelId(1)].leakage_pj_per_cycle, LeakageUw(alone, LevelId(0)) * 1e-3,
              1e-12);
  EXPECT_GT(a.levels[LevelId(1)].leakage_pj_per_cycle, 0);
}

TEST(ClassPrices, UnknownNodesAndTypesAreTimeloops) {
  for (const char* node : {"90nm", "5nm", "-1", "SET ME", "45 mm"}) {
    const Inputs inputs = ReadWell(Design(node));
    EXPECT_EQ(inputs.architecture->levels[LevelId(0)].energy->read_pj, 800) << node;
    EXPECT_THAT(Messages(inputs.warnings),
                ElementsAre(HasSubstr("Timeloop's built-in estimates are used")));
  }
  std::string other = Design("45nm");
  other.replace(other.find("HBM2"), 4, "HMC");
  EXPECT_THAT(Messages(ReadWell(other).warnings),
              ElementsAre(HasSubstr("'glb' as smartbuffer_SRAM, 'mac' as intmac"),
                          HasSubstr("no energies for 'DRAM'")));
}

TEST(ClassPrices, AnErtCountsAndATechnologyStandsBesideIt) {
  const Inputs inputs = ReadWell(Design("45nm") + "---\n" + kErt);
  EXPECT_THAT(inputs.warnings, IsEmpty());
  EXPECT_EQ(inputs.architecture->levels[LevelId(1)].energy, (AccessEnergy{20, 30, 30}));
  EXPECT_EQ(inputs.architecture->levels[LevelId(1)].note, "");
  const Repricing repricing =
      Reprice(*inputs.architecture, *inputs.by_class, LoadBuiltinTechnology("cmos-45").value());
  EXPECT_EQ(repricing.technology, "cmos-45");
  ASSERT_EQ(repricing.levels.size(), 2U);
  EXPECT_EQ(repricing.levels[0].second.priced->read_pj, 400);
  EXPECT_EQ(repricing.levels[1].first, "glb");
  EXPECT_EQ(repricing.levels[1].second.given.read_pj, 20);
  EXPECT_EQ(repricing.levels[1].second.priced, Sram("cmos-45", 65536));
  EXPECT_EQ(repricing.compute.given_pj, 2);
  EXPECT_EQ(repricing.compute.priced_pj, 0.3);
}

}  // namespace
}  // namespace inlay::io
