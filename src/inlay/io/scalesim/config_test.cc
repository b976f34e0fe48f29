#include "inlay/io/scalesim/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inlay/io/scalesim/scalesim.h"

namespace inlay::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Technology SomeTechnology() {
  Technology technology;
  technology.name = "some";
  technology.mac_energy_pj = 2;
  technology.sram.energy_pj.root = 1;
  technology.reg.energy_pj.linear = 1;
  technology.dram.energy_pj.constant = 100;
  return technology;
}

Result<WithWarnings<ScaleSimConfig>> Read(const std::string& text) {
  return ReadScaleSimConfig({"arch.cfg", text}, SomeTechnology());
}

// Both separators, comments, any case, keys without use here.
std::string Config(const std::string& dataflow, const std::string& mode) {
  return "[general]\r\n"
         "run_name = demo\r\n"
         "\r\n"
         "; a comment\r\n"
         "[architecture_presets]\r\n"
         "ArrayHeight: 32\r\n"
         "arraywidth = 16 ; columns\r\n"
         "IfmapSramSzkB: 64\r\n"
         "FilterSramSzkB: 32\r\n"
         "ofmapSRAMszkb: 8\r\n"
         "IfmapOffset: 0\r\n"
         "Bandwidth : 10,20\r\n"
         "MemoryBanks: 1\r\n"
         "Dataflow: " +
         dataflow +
         "\r\n"
         "[run_presets]\r\n"
         "InterfaceBandwidth: " +
         mode + "\r\n";
}

TEST(Config, WholeFile) {
  const auto config = Read(Config("ws", "USER"));
  ASSERT_TRUE(config) << Format(config.error());
  EXPECT_TRUE(config->warnings.empty()) << Format(config->warnings);
  EXPECT_EQ(config->value.run_name, "demo");
  EXPECT_EQ(config->value.array, (SystolicArray{32, 16, Dataflow::kWeightStationary}));
  const Architecture& architecture = config->value.architecture;
  EXPECT_EQ(architecture.name, "systolic-ws");
  EXPECT_TRUE(Validate(architecture).empty());
  ASSERT_THAT(LevelNames(architecture), ElementsAre("DRAM", "SRAM", "PE"));
  const Level& dram = architecture.levels[LevelId(0)];
  EXPECT_EQ(dram.read_bandwidth, 20);
  EXPECT_EQ(dram.write_bandwidth, 10);
  const Level& sram = architecture.levels[LevelId(1)];
  EXPECT_EQ(sram.buffering, 2);
  ASSERT_EQ(sram.partitions.size(), 3U);
  EXPECT_EQ(sram.partitions[0], (Partition{"Weights", 32 * 1024, 8, std::nullopt}));
  EXPECT_EQ(sram.partitions[1], (Partition{"Inputs", 64 * 1024, 8, std::nullopt}));
  EXPECT_EQ(sram.partitions[2], (Partition{"Outputs", 8 * 1024, 8, std::nullopt}));
  EXPECT_EQ(sram.fanout.x, 16);
  EXPECT_EQ(sram.fanout.y, 32);
  EXPECT_EQ(ComputeLanes(architecture), 512);
}

TEST(Config, EachDataflowKeepsItsTensorAndUnrollsItsDimensions) {
  const auto stationary = [](const char* dataflow) {
    const auto config = Read(Config(dataflow, "CALC"));
    EXPECT_TRUE(config);
    return config->value.architecture;
  };
  const Architecture os = stationary("os"), ws = stationary("ws"), is = stationary("is");
  EXPECT_EQ(os.levels[LevelId(2)].partitions[0].tensor, "Outputs");
  EXPECT_EQ(ws.levels[LevelId(2)].partitions[0].tensor, "Weights");
  EXPECT_EQ(is.levels[LevelId(2)].partitions[0].tensor, "Inputs");
  EXPECT_FALSE(os.levels[LevelId(1)].fanout.reduce);
  EXPECT_TRUE(ws.levels[LevelId(1)].fanout.reduce);
  EXPECT_THAT(*os.constraints[0].x, ElementsAre("K"));
  EXPECT_THAT(*os.constraints[0].y, ElementsAre("N", "P", "Q"));
  EXPECT_THAT(*ws.constraints[0].x, ElementsAre("K"));
  EXPECT_THAT(*ws.constraints[0].y, ElementsAre("C", "R", "S"));
  EXPECT_THAT(*is.constraints[0].x, ElementsAre("N", "P", "Q"));
  EXPECT_THAT(*is.constraints[0].y, ElementsAre("C", "R", "S"));
  EXPECT_FALSE(os.levels[LevelId(0)].read_bandwidth);
}

TEST(Config, AllErrorsAtOnceWithTheirPlaces) {
  const auto config = Read(
      "stray: 1\n"
      "[architecture_presets\n"
      "[architecture_presets]\n"
      "ArrayHeight: 0\n"
      "ArrayHeight: 8\n"
      "ArrayWidth: many\n"
      "IfmapSramSzkB: 99999999999999999999\n"
      "Dataflow: rs\n"
      "nonsense\n"
      "[run_presets]\n"
      "InterfaceBandwidth: MAYBE\n");
  ASSERT_FALSE(config);
  const std::string text = Format(config.error());
  for (const char* expected :
       {"arch.cfg:1:1: error: key 'stray' stands before the first section",
        "arch.cfg:2:1: error: the section's name does not end with ']'",
        "arch.cfg:4:14: error: ArrayHeight is '0'",
        "arch.cfg:5:1: error: key 'ArrayHeight' is given",
        "arch.cfg:6:13: error: ArrayWidth is 'many'", "arch.cfg:7:16: error: IfmapSramSzkB is",
        "arch.cfg: error: there is no FilterSramSzkB", "arch.cfg: error: there is no OfmapSramSzkB",
        "arch.cfg:8:11: error: unknown dataflow 'rs'", "arch.cfg:9:1: error: expected 'key: value'",
        "arch.cfg:11:21: error: InterfaceBandwidth is 'MAYBE'"}) {
    EXPECT_THAT(text, HasSubstr(expected));
  }
  EXPECT_EQ(config.error().size(), 11U) << text;
}

TEST(Config, UserBandwidthNeedsNumbers) {
  std::string text = Config("os", "USER");
  text.replace(text.find("10,20"), 5, "10,-2");
  const auto negative = Read(text);
  ASSERT_FALSE(negative);
  EXPECT_THAT(Format(negative.error()), HasSubstr("arch.cfg:12:16: error: a bandwidth is '-2'"));
  text.erase(text.find("Bandwidth :"), std::string("Bandwidth : 10,-2").size());
  const auto missing = Read(text);
  ASSERT_FALSE(missing);
  EXPECT_THAT(Format(missing.error()), HasSubstr("USER, but there is no Bandwidth"));
}

TEST(Config, WarnsOfWhatItIgnores) {
  const auto config = Read(Config("os", "CALC") +
                           "[sparsity]\nSparsitySupport: True\n[sparsty]\nx: 1\n"
                           "[layout]\nIfmapCustomLayuot: False\n");
  ASSERT_TRUE(config) << Format(config.error());
  const std::string text = Format(config->warnings);
  EXPECT_THAT(text, HasSubstr("warning: section 'sparsty' is ignored"));
  EXPECT_THAT(text, HasSubstr("did you mean 'sparsity'?"));
  EXPECT_THAT(text, HasSubstr("warning: key 'IfmapCustomLayuot' is ignored"));
  EXPECT_THAT(text, HasSubstr("did you mean 'IfmapCustomLayout'?"));
  EXPECT_THAT(text, HasSubstr("warning: sparsity is ignored"));
  EXPECT_EQ(config->warnings.size(), 3U);
}

TEST(Config, RefusesWhatIsTooLarge) {
  EXPECT_FALSE(Read(Config("os", "CALC") + std::string(size_t{1} << 20, '#')));
  std::string text = Config("os", "CALC");
  text.replace(text.find("ArrayHeight: 32"), 15, "ArrayHeight: 2000000000000");
  EXPECT_FALSE(Read(text));
}

TEST(ScaleSim, ConfigAndTopologyTogether) {
  const Source cfg{"a.cfg", Config("os", "CALC")}, csv{"net.csv", "Layer,M,N,K\nfc,1,2,3\n"};
  EXPECT_TRUE(LooksLikeScaleSimConfig(cfg));
  EXPECT_FALSE(LooksLikeScaleSimConfig(csv));
  const auto inputs = ReadScaleSim({csv, cfg}, SomeTechnology());
  ASSERT_TRUE(inputs) << Format(inputs.error());
  EXPECT_EQ(inputs->format, "scalesim");
  EXPECT_EQ(inputs->architecture->name, "systolic-os");
  EXPECT_EQ(inputs->network->name, "net");
  const auto twice = ReadScaleSim({csv, csv}, SomeTechnology());
  ASSERT_FALSE(twice);
  EXPECT_THAT(Format(twice.error()), HasSubstr("net.csv: error: a second SCALE-Sim topology"));
  const auto both_wrong =
      ReadScaleSim({{"a.cfg", "[general]\n"}, {"b.csv", "h\nx,1\n"}}, SomeTechnology());
  ASSERT_FALSE(both_wrong);
  EXPECT_THAT(Format(both_wrong.error()), HasSubstr("a.cfg: error"));
  EXPECT_THAT(Format(both_wrong.error()), HasSubstr("b.csv:2:1: error"));
}

}  // namespace
}  // namespace inlay::io
