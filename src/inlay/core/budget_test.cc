#include "inlay/core/budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include "inlay/core/architecture_space.h"
#include "inlay/core/units.h"

namespace inlay {
namespace {

using ::testing::HasSubstr;

// DRAM, one SRAM, four lanes with registers.
Architecture Small() {
  Level dram, sram, registers;
  dram.name = "DRAM";
  dram.kind = MemoryKind::kDram;
  dram.energy = AccessEnergy{100, 100, 100};
  dram.read_bandwidth = 3;
  dram.write_bandwidth = 1;
  sram.name = "SRAM";
  sram.capacity_words = 10;
  sram.word_bits = 8;
  sram.energy = AccessEnergy{3, 5, 4};
  sram.read_bandwidth = 2;
  sram.write_bandwidth = 1;
  sram.leakage_pj_per_cycle = 0.5;
  sram.fanout.name = "PEs";
  sram.fanout.x = 4;
  registers.name = "registers";
  registers.kind = MemoryKind::kRegister;
  registers.capacity_words = 2;
  registers.energy = AccessEnergy{1, 7, 2};
  Architecture architecture;
  architecture.levels = {dram, sram, registers};
  architecture.compute.energy_pj = 10;
  return architecture;
}

constexpr LevelId kDram(0), kSram(1), kRegisters(2);

TEST(Budget, PowerIsTheMostOfACycle) {
  Architecture architecture = Small();
  const double lanes = 4 * (10 + 3 * 1 + 2);
  EXPECT_EQ(UseOf(architecture, Resource::kPower), lanes + 2 * 3 + 1 * 5 + 0.5);
  architecture.levels[kSram].shared_bandwidth = 2;  // one write, the dearer, and one read
  EXPECT_EQ(UseOf(architecture, Resource::kPower), lanes + 5 + 3 + 0.5);
  architecture.levels[kSram].write_bandwidth.reset();
  EXPECT_EQ(UseOf(architecture, Resource::kPower), lanes + 2 * 5 + 0.5);
  architecture.levels[kSram].block_words = 2;
  EXPECT_EQ(UseOf(architecture, Resource::kPower), lanes + 5 + 0.5);
  architecture.levels[kRegisters].shared_bandwidth = 1;
  EXPECT_EQ(UseOf(architecture, Resource::kPower), 4 * (10 + 7) + 5 + 0.5);
  architecture.levels[kSram].shared_bandwidth.reset();
  EXPECT_THAT(WhyUnknown(architecture, Resource::kPower).front().message, HasSubstr("'SRAM'"));
}

TEST(Budget, SramAndBandwidthAreThoseOfAllInstances) {
  Architecture architecture = Small();
  EXPECT_EQ(UseOf(architecture, Resource::kSram), 80);
  EXPECT_EQ(UseOf(architecture, Resource::kBandwidth), 4);
  architecture.levels[kDram].shared_bandwidth = 3.5;
  architecture.levels[kDram].fanout.x = 2;
  EXPECT_EQ(UseOf(architecture, Resource::kSram), 160);
  EXPECT_EQ(UseOf(architecture, Resource::kBandwidth), 3.5);
  EXPECT_FALSE(WhyUnknown(architecture, Resource::kArea).empty());
}

// What is said to be enough is, and a little less is not.
TEST(Budget, EveryKindSaysWhatTheSmallestIs) {
  ArchitectureSpace space;
  space.base = Small();
  Technology technology;
  technology.mac_area_um2 = 2.5;
  technology.sram.area_um2.linear = technology.reg.area_um2.linear = 1;
  space.base.technology = technology;
  const auto free = [&space](const char* name, std::vector<double> values) {
    space.free.push_back({name, FindAttribute(space.base, name).value(), std::move(values)});
  };
  free("SRAM.capacity", {30, 10, 20});
  free("PEs.x", {3, 5});
  free("DRAM.read_bandwidth", {0.3, 2});
  const double most = 1e6;
  for (const Resource resource : kResources) {
    SCOPED_TRACE(Name(resource));
    space.budget = {};
    for (const Resource other : kResources) space.budget.of(other) = most;
    space.budget.of(resource) = 0.1;
    ASSERT_TRUE(Validate(space).empty());
    const auto none = ListArchitectures(space);
    ASSERT_FALSE(none.has_value());
    ASSERT_EQ(none.error().size(), 1U);
    const std::string& hint = none.error().front().hint;
    const double unit = resource == Resource::kSram ? 16 : 1;
    const double enough = unit * std::strtod(hint.c_str() + std::string("allow ").size(), nullptr);
    space.budget.of(resource) = enough;
    EXPECT_TRUE(ListArchitectures(space).has_value()) << hint;
    space.budget.of(resource) = enough - (resource == Resource::kArea ? 1 : 1e-3);
    EXPECT_FALSE(ListArchitectures(space).has_value()) << hint;
  }
}

TEST(Budget, LimitsSayWhatTheLeastIs) {
  ArchitectureSpace space;
  space.base = Small();
  const Attribute lanes = FindAttribute(space.base, "PEs.x").value();
  const Attribute rows = FindAttribute(space.base, "PEs.y").value();
  space.free = {{"PEs.x", lanes, {2, 3, 4}}, {"PEs.y", rows, {2, 3, 5}}};
  space.budget.limits = {{"PEs.x = PEs.y", {{1, {lanes}}}, {{1, {rows}}}, Relation::kEqual}};
  EXPECT_EQ(ListArchitectures(space).value().size(), 2U);
  space.budget.limits.push_back(
      {"PEs.x * PEs.y + 1 >= 6", {{1, {lanes, rows}}, {1, {}}}, {{6, {}}}, Relation::kAtLeast});
  EXPECT_EQ(ListArchitectures(space).value().front().values, (std::vector<double>{3, 3}));
  space.budget.limits = {{"2 * PEs.x <= 3", {{2, {lanes}}}, {{3, {}}}, Relation::kAtMost}};
  EXPECT_THAT(ListArchitectures(space).error().front().message, HasSubstr("the least is 4"));
}

TEST(Attribute, NamesAreThoseOfFiles) {
  Architecture architecture = Small();
  architecture.levels[kRegisters].capacity_words.reset();
  architecture.levels[kRegisters].partitions = {{"W", 7}};
  const auto value = [&](const char* name) {
    const auto attribute = FindAttribute(architecture, name);
    return attribute ? ValueOf(architecture, *attribute) : std::nullopt;
  };
  EXPECT_EQ(value("SRAM.capacity"), 10);
  EXPECT_EQ(value("SRAM.word_bits"), 8);
  EXPECT_EQ(value("SRAM.energy.fill"), 5);
  EXPECT_EQ(value("SRAM.leakage"), 0.5);
  EXPECT_EQ(value("registers.partition.W"), 7);
  EXPECT_EQ(value("PEs.x"), 4);
  EXPECT_EQ(value("mac.energy"), 10);
  EXPECT_EQ(value("DRAM.capacity"), std::nullopt);
  for (const char* name :
       {"PEs", "PEs.z", "SRAM.", "SRAM.kind", "registers.partition.X", "", "."}) {
    EXPECT_FALSE(FindAttribute(architecture, name).has_value()) << name;
  }
}

TEST(Attribute, EveryFreeKeyIsOne) {
  Architecture architecture = Small();
  size_t found = 0;
  const std::function<void(const Structure&, const std::string&)> check =
      [&](const Structure& table, const std::string& part) {
        for (const Field& key : table.fields) {
          if (key.file_key == nullptr) continue;
          const std::string name = part + "." + key.file_key;
          if (IsObject(key)) check(HeldType(*key.type).structure(), name);
          const auto attribute = FindAttribute(architecture, name);
          ASSERT_EQ(attribute.has_value(), key.traits.file.free) << name;
          if (!attribute) continue;
          ++found;
          SetValue(*attribute, 3, &architecture);
          EXPECT_EQ(ValueOf(architecture, *attribute), 3) << name;
        }
      };
  check(StructureOf(static_cast<const Level*>(nullptr)), "SRAM");
  check(StructureOf(static_cast<const Fanout*>(nullptr)), "PEs");
  check(StructureOf(static_cast<const Compute*>(nullptr)), "mac");
  EXPECT_EQ(found, 16U);
  const Level& sram = architecture.levels[kSram];
  EXPECT_EQ(sram.capacity_words, 3);
  EXPECT_EQ(sram.energy, (AccessEnergy{3, 3, 3}));
  EXPECT_EQ(sram.fanout.y, 3);
}

}  // namespace
}  // namespace inlay
