// The figures of the built-ins: what the sources say about them must come out of the core.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "inlay/core/architecture.h"
#include "inlay/core/mapping.h"
#include "inlay/core/network.h"
#include "inlay/io/library/library.h"

namespace inlay::io {
namespace {

using testing::ElementsAre;

Architecture Arch(std::string_view name) {
  auto inputs = LoadBuiltin(BuiltinKind::kArchitecture, name);
  EXPECT_TRUE(inputs) << Format(inputs.error());
  return *std::move(inputs->architecture);
}

Network Net(std::string_view name) {
  auto inputs = LoadBuiltin(BuiltinKind::kNetwork, name);
  EXPECT_TRUE(inputs) << Format(inputs.error());
  return *std::move(inputs->network);
}

double ReadPj(const Architecture& architecture, const char* level, const char* tensor) {
  const AccessEnergy energy = EnergyOf(architecture, *FindLevel(architecture, level), tensor);
  EXPECT_EQ(energy.read_pj, energy.fill_pj);
  EXPECT_EQ(energy.read_pj, energy.update_pj);
  return energy.read_pj;
}

int64_t Macs(const Network& network) {
  int64_t macs = 0;
  for (const Layer& layer : network.layers) macs += layer.repeat * Operations(layer.problem);
  return macs;
}

int64_t Runs(const Network& network) {
  int64_t runs = 0;
  for (const Layer& layer : network.layers) runs += layer.repeat;
  return runs;
}

TEST(Figures, EyerissEnergies) {
  for (const char* name : {"eyeriss", "eyeriss-free"}) {
    const Architecture eyeriss = Arch(name);
    EXPECT_EQ(ReadPj(eyeriss, "DRAM", "Weights"), 128);
    EXPECT_NEAR(ReadPj(eyeriss, "GLB", "Inputs"), 4.577, 0.0005);
    EXPECT_NEAR(ReadPj(eyeriss, "spads", "Inputs"), 0.1088, 0.00005);
    EXPECT_NEAR(ReadPj(eyeriss, "spads", "Weights"), 1.741, 0.0005);
    EXPECT_NEAR(ReadPj(eyeriss, "spads", "Outputs"), 0.1451, 0.00005);
    EXPECT_EQ(ComputeEnergyPj(eyeriss), 2.2);
    EXPECT_EQ(ComputeLanes(eyeriss), 168);
    const Level& glb = eyeriss.levels[*FindLevel(eyeriss, "GLB")];
    EXPECT_EQ(glb.capacity_words, 65536);
    EXPECT_EQ(glb.read_bandwidth, 16);
    EXPECT_EQ(glb.write_bandwidth, 16);
    EXPECT_EQ(KeepRuleOf(glb, "Weights"), KeepRule::kBypass);
    EXPECT_EQ(KeepRuleOf(glb, "Inputs"), KeepRule::kKeep);
    EXPECT_EQ(glb.fanout.x, 14);
    EXPECT_EQ(glb.fanout.y, 12);
    const Level& spads = eyeriss.levels[*FindLevel(eyeriss, "spads")];
    EXPECT_EQ(spads.read_bandwidth, 2);
    EXPECT_EQ(spads.write_bandwidth, 2);
  }
  EXPECT_TRUE(Arch("eyeriss-free").constraints.empty());
  Architecture unconstrained = Arch("eyeriss");
  EXPECT_THAT(*unconstrained.constraints.at(0).x, ElementsAre("Q", "K"));
  EXPECT_THAT(*unconstrained.constraints.at(0).y, ElementsAre("S", "C", "K"));
  EXPECT_THAT(*unconstrained.constraints.at(1).loops, ElementsAre("K", "C", "R"));
  unconstrained.constraints.clear();
  unconstrained.name = "eyeriss-free";
  EXPECT_EQ(unconstrained, Arch("eyeriss-free"));
}

// 512 registers cost 4.64 pJ, as much as the SRAM; the area is what the Thistle paper's co-design
// has to spend.
TEST(Figures, ThistleEyeriss) {
  const Architecture thistle = Arch("thistle-eyeriss");
  EXPECT_NEAR(ReadPj(thistle, "registers", "Outputs"), 4.64, 0.005);
  EXPECT_NEAR(ReadPj(thistle, "SRAM", "Weights"), 4.577, 0.0005);
  EXPECT_EQ(ComputeLanes(thistle), 168);
  EXPECT_NEAR(*AreaUm2(thistle), 2363756, 1);
}

TEST(Figures, SimbaPricesEachPartitionByItsKindSizeAndWidth) {
  const Architecture simba = Arch("simba");
  EXPECT_EQ(ComputeLanes(simba), 16 * 4 * 4);
  EXPECT_EQ(ReadPj(simba, "DRAM", "Weights"), 64);
  EXPECT_NEAR(ReadPj(simba, "GLB", "Inputs"), 17.88e-3 * 256 / 2, 1e-12);  // 64 Ki words
  EXPECT_NEAR(ReadPj(simba, "input_buffer", "Inputs"), 17.88e-3 * 256 / 2, 1e-12);
  EXPECT_NEAR(ReadPj(simba, "buffers", "Weights"), 17.88e-3 * std::sqrt(32768.0) / 2, 1e-12);
  EXPECT_NEAR(ReadPj(simba, "buffers", "Outputs"), 9.06719e-3 * 128 * 1.5, 1e-12);
  EXPECT_NEAR(ReadPj(simba, "weight_register", "Weights"), 9.06719e-3 / 2, 1e-12);
  EXPECT_EQ(ComputeEnergyPj(simba), 1.1);
  const Level& glb = simba.levels[*FindLevel(simba, "GLB")];
  EXPECT_EQ(KeepRuleOf(glb, "Weights"), KeepRule::kBypass);
  EXPECT_EQ(KeepRuleOf(simba.levels[*FindLevel(simba, "buffers")], "Inputs"), KeepRule::kBypass);
  EXPECT_EQ(ComputeLanes(Arch("simba-15")), 15 * 4 * 4);
  EXPECT_EQ(ComputeLanes(Arch("simba-9")), 9 * 3 * 3);
}

TEST(Figures, SimbaAreaIsTheSumOfItsParts) {
  const double sram = 6.806 / 2, reg = 19.874 / 2;  // um2 per 8-bit word
  EXPECT_NEAR(*AreaUm2(Arch("simba")),
              65536 * sram + 16 * 65536 * sram + 64 * (32768 * sram + 128 * 3 * reg) + 256 * reg +
                  256 * 1239.5 / 2,
              1e-3);
}

TEST(Figures, Toys) {
  for (int n : {5, 8, 9, 15, 16}) {
    const Architecture toy = Arch("toy-" + std::to_string(n));
    EXPECT_EQ(ComputeLanes(toy), n);
    const Level& spad = toy.levels[*FindLevel(toy, "spad")];
    EXPECT_EQ(spad.capacity_words, 512);
    EXPECT_EQ(Instances(toy, *FindLevel(toy, "spad")), n);
    EXPECT_NEAR(ReadPj(toy, "spad", "Inputs"), 17.88e-3 * std::sqrt(512.0), 1e-12);
  }
  const Architecture glb = Arch("toy-glb-9");
  EXPECT_EQ(ComputeLanes(glb), 9);
  EXPECT_EQ(Instances(glb, *FindLevel(glb, "buffer")), 1);
}

// Millions of multiply-accumulates, as the sources give them (and as the models' ONNX graphs add
// up).
TEST(Figures, OperationsOfTheNetworks) {
  EXPECT_EQ(Macs(Net("resnet50")), 4089184256);
  EXPECT_EQ(Macs(Net("resnet18")), 1814073344);
  EXPECT_EQ(Macs(Net("vgg16")), 15470264320);
  EXPECT_EQ(Macs(Net("alexnet")), 714188480);
  EXPECT_EQ(Macs(Net("mobilenetv2")), 300774272);
  EXPECT_EQ(Macs(Net("bert-base")), 11173625856);
  EXPECT_EQ(Macs(Net("llama-layer")), 52076478464 / 2);  // two layers have this many
  // Per token: 12 layers of 12·768² weights each, the output layer, and the two products of
  // attention with 1024 tokens of 768 words.
  EXPECT_EQ(Macs(Net("gpt2")),
            int64_t{1024} * (12 * (12 * 768 * 768 + 2 * 1024 * 768) + 50257 * 768));
  EXPECT_EQ(Macs(Net("transformer")), int64_t{128} * (18 * (4 * 512 * 512 + 2 * 128 * 512) +
                                                      12 * 2 * 512 * 2048 + 512 * 37000));
}

TEST(Figures, LayersOfTheNetworks) {
  EXPECT_EQ(Runs(Net("resnet50")), 54);
  EXPECT_EQ(Net("resnet50").layers.size(), 24U);
  EXPECT_EQ(Runs(Net("resnet18")), 21);
  EXPECT_EQ(Runs(Net("vgg16")), 16);
  EXPECT_EQ(Runs(Net("alexnet")), 8);
  EXPECT_EQ(Runs(Net("mobilenetv2")), 53);
  EXPECT_EQ(Runs(Net("bert-base")), 12 * 8);
  EXPECT_EQ(Runs(Net("thistle-table2")), 23);
}

// Peaks and rates that the sources print, from the figures that the files are made of.
TEST(Figures, ChipsThatExist) {
  const auto peak_tops = [](const Architecture& chip) {
    return 2e-12 * static_cast<double>(ComputeLanes(chip)) * *chip.clock_hz;
  };
  const auto gigabytes = [](const Architecture& chip, const char* name) {
    const Level& level = chip.levels[*FindLevel(chip, name)];
    return *level.shared_bandwidth * level.word_bits / 8 * *chip.clock_hz / 1e9;
  };
  const auto capacity = [](const Architecture& chip, const char* name) {
    const Level& level = chip.levels[*FindLevel(chip, name)];
    return *level.capacity_words * level.word_bits / 8;
  };
  const Architecture h200 = Arch("h200");  // whose clock under load is not that of its data sheet
  EXPECT_NEAR(peak_tops(h200) / *h200.clock_hz * 1.83e9, 989.4, 0.1);
  const Architecture edge = Arch("edge-npu"), nvdla = Arch("nvdla"), tpu = Arch("tpu-v4i");
  EXPECT_NEAR(peak_tops(edge), 0.512, 1e-9);
  EXPECT_NEAR(peak_tops(nvdla), 4.096, 1e-9);
  EXPECT_NEAR(peak_tops(tpu), 138, 0.5);
  EXPECT_NEAR(gigabytes(edge, "DRAM"), 3.75, 1e-9);
  EXPECT_NEAR(gigabytes(nvdla, "DRAM"), 20, 1e-9);
  EXPECT_NEAR(gigabytes(tpu, "HBM"), 614, 1e-9);
  EXPECT_EQ(capacity(edge, "pad"), 256 << 10);
  EXPECT_EQ(capacity(nvdla, "CBUF"), 512 << 10);
  EXPECT_EQ(capacity(tpu, "CMEM") + capacity(tpu, "VMEM"), 144 << 20);
  const Level& sums = nvdla.levels[*FindLevel(nvdla, "CACC")];
  EXPECT_EQ(*sums.partitions.front().capacity_words * sums.partitions.front().word_bits,
            136 * 8 * 128);
}

// A level of parts that a table prices has none for other tensors, and so no energy: not that of a
// memory without a size.
TEST(Figures, PartsPriceTheirTensorsOnly) {
  const Architecture edge = Arch("edge-npu");
  const LevelId buffers = *FindLevel(edge, "buffers");
  EXPECT_GT(EnergyOf(edge, buffers, "Inputs").read_pj, 0);
  EXPECT_EQ(EnergyOf(edge, buffers, "Scores"), AccessEnergy());
}

// Layers of equal sizes are one entry with a number. (Transformers name products by their role.)
TEST(Figures, NoTwoLayersOfAnImageNetworkAreTheSame) {
  for (const char* name :
       {"alexnet", "mobilenetv2", "resnet18", "resnet50", "thistle-table2", "vgg16"}) {
    const Network network = Net(name);
    for (size_t i = 0; i < network.layers.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        Problem a = network.layers[i].problem;
        const Problem& b = network.layers[j].problem;
        a.name = b.name;
        EXPECT_FALSE(a == b) << name << ": " << network.layers[i].name << " and "
                             << network.layers[j].name;
      }
    }
  }
}

// Table II gives input sizes; with 'same' padding the outputs are the input divided by the stride.
TEST(Figures, ThistleTable2) {
  const Network network = Net("thistle-table2");
  const auto dims = [&network](const char* name) {
    for (const Layer& layer : network.layers) {
      if (layer.name != name) continue;
      std::vector<int64_t> bounds;
      for (const char* dim : {"K", "C", "P", "Q", "R", "S"}) {
        bounds.push_back(layer.problem.dims[*FindDim(layer.problem, dim)].bound);
      }
      return bounds;
    }
    return std::vector<int64_t>();
  };
  EXPECT_THAT(dims("yolo1"), ElementsAre(32, 3, 544, 544, 3, 3));
  EXPECT_THAT(dims("yolo11"), ElementsAre(28269, 1024, 17, 17, 1, 1));
  EXPECT_THAT(dims("resnet1"), ElementsAre(64, 3, 112, 112, 7, 7));
  EXPECT_THAT(dims("resnet5"), ElementsAre(128, 64, 28, 28, 1, 1));
  EXPECT_THAT(dims("resnet12"), ElementsAre(512, 512, 7, 7, 3, 3));
}

TEST(Figures, DeepBenchHoldsEveryInferenceKernel) {
  const Network network = Net("deepbench");
  int gemms = 0, convs = 0, cells = 0;
  for (const Layer& layer : network.layers) {
    if (layer.name.find("_gemm_") != std::string::npos) ++gemms;
    if (layer.name.find("_conv_") != std::string::npos) convs += static_cast<int>(layer.repeat);
    for (const char* cell : {"_vanilla_", "_lstm_", "_gru_"}) {
      if (layer.name.find(cell) != std::string::npos) ++cells;
    }
  }
  EXPECT_EQ(gemms, 75 + 13);
  EXPECT_EQ(convs, 107 + 16);
  EXPECT_EQ(cells, 69 + 3);
}

}  // namespace
}  // namespace inlay::io
