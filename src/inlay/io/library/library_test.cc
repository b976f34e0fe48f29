#include "inlay/io/library/library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace inlay::io {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;

TEST(Library, KindsHaveNames) {
  for (BuiltinKind kind : BuiltinKinds()) {
    EXPECT_EQ(BuiltinKindFromName(Name(kind)), kind);
    EXPECT_FALSE(ListBuiltins(kind).empty());
  }
  EXPECT_EQ(BuiltinKindFromName("Technologies"), BuiltinKind::kTechnology);
  EXPECT_EQ(BuiltinKindFromName("Machines"), BuiltinKind::kMachine);
  EXPECT_EQ(BuiltinKindFromName("mixes"), BuiltinKind::kMix);
  EXPECT_EQ(BuiltinKindFromName("mixture"), std::nullopt);
}

TEST(Library, ListsWhatIsPromised) {
  EXPECT_THAT(BuiltinNames(BuiltinKind::kArchitecture),
              IsSupersetOf({"thistle-eyeriss", "eyeriss", "eyeriss-free", "simba", "simba-15",
                            "simba-9", "toy-5", "toy-8", "toy-9", "toy-15", "toy-16", "toy-glb-9",
                            "systolic-os", "edge-npu", "h200", "nvdla", "tpu-v4i"}));
  EXPECT_THAT(
      BuiltinNames(BuiltinKind::kNetwork),
      IsSupersetOf({"resnet18", "resnet50", "vgg16", "alexnet", "mobilenetv2", "thistle-table2",
                    "bert-base", "gpt2", "llama-layer", "transformer", "deepbench"}));
  EXPECT_THAT(BuiltinNames(BuiltinKind::kTechnology), Contains("thistle-45nm"));
}

TEST(Library, ListsMachinesAndGraphs) {
  EXPECT_THAT(BuiltinNames(BuiltinKind::kMachine),
              IsSupersetOf({"onsram", "onsram-2pads", "onsram-3pads", "onsram-4pads", "npu-eyeriss",
                            "npu-simba", "ethos-u-like", "tpu-like"}));
  int graphs = 0;
  for (const std::string& name : BuiltinNames(BuiltinKind::kNetwork)) {
    graphs += LoadBuiltin(BuiltinKind::kNetwork, name)->graph.has_value() ? 1 : 0;
  }
  EXPECT_GE(graphs, 12);
}

TEST(Library, LayersAreFoundInListsAndGraphs) {
  EXPECT_TRUE(LoadBuiltin(BuiltinKind::kNetwork, "resnet50/conv2_1_3x3").has_value());
  const auto node = LoadBuiltin(BuiltinKind::kNetwork, "resnet50/layer1.0.conv2");
  ASSERT_TRUE(node.has_value()) << Format(node.error());
  EXPECT_EQ(Operations(node->problem.value()), int64_t{64} * 64 * 56 * 56 * 9);
  EXPECT_FALSE(node->graph.has_value());
}

TEST(Library, NamesAreInTheOrderPeopleCount) {
  const std::vector<std::string> names = BuiltinNames(BuiltinKind::kArchitecture);
  const auto toy = std::find(names.begin(), names.end(), "toy-5");
  ASSERT_NE(toy, names.end());
  EXPECT_THAT(std::vector<std::string>(toy, names.end()),
              ElementsAre("toy-5", "toy-8", "toy-9", "toy-15", "toy-16", "toy-glb-9", "tpu-v4i"));
}

TEST(Library, EveryDescriptionIsOneShortLine) {
  for (BuiltinKind kind : BuiltinKinds()) {
    for (const Builtin& builtin : ListBuiltins(kind)) {
      EXPECT_FALSE(builtin.description.empty()) << builtin.name;
      EXPECT_LE(builtin.description.size(), 100U) << builtin.name;
    }
  }
}

// Everything parses and validates, and carries the name it is found by.
TEST(Library, EverythingLoads) {
  for (BuiltinKind kind : BuiltinKinds()) {
    for (const Builtin& builtin : ListBuiltins(kind)) {
      SCOPED_TRACE(builtin.name);
      const auto inputs = LoadBuiltin(kind, builtin.name);
      ASSERT_TRUE(inputs) << Format(inputs.error());
      EXPECT_TRUE(inputs->warnings.empty());
      if (kind == BuiltinKind::kArchitecture) {
        EXPECT_EQ(inputs->architecture->name, builtin.name);
        EXPECT_TRUE(Validate(*inputs->architecture).empty());
      } else if (kind == BuiltinKind::kNetwork) {
        EXPECT_TRUE(inputs->network || inputs->graph);
        if (inputs->network) {
          EXPECT_EQ(inputs->network->name, builtin.name);
          EXPECT_TRUE(Validate(*inputs->network).empty());
        }
        if (inputs->graph) {
          EXPECT_EQ(inputs->graph->name, builtin.name);
          EXPECT_TRUE(Validate(*inputs->graph).empty());
        }
      } else if (kind == BuiltinKind::kMachine) {
        EXPECT_EQ(inputs->machine->name, builtin.name);
        EXPECT_TRUE(Validate(*inputs->machine).empty());
      } else if (kind == BuiltinKind::kAccelerator) {
        EXPECT_EQ(inputs->accelerator->name, builtin.name);
        EXPECT_TRUE(Validate(*inputs->accelerator).empty());
      } else if (kind == BuiltinKind::kMix) {
        EXPECT_EQ(inputs->mix->name, builtin.name);
        EXPECT_TRUE(Validate(*inputs->mix).empty());
      } else if (kind == BuiltinKind::kTechnology) {
        EXPECT_EQ(inputs->technology->name, builtin.name);
        EXPECT_TRUE(Validate(*inputs->technology).empty());
      } else if (kind == BuiltinKind::kStudy) {
        EXPECT_EQ(inputs->study->name, builtin.name);
        EXPECT_TRUE(Validate(*inputs->study).empty());
      } else {
        EXPECT_TRUE(inputs->mapping || (inputs->fused && inputs->fused->tree));
      }
    }
  }
}

TEST(Library, EverythingRoundTrips) {
  for (const std::string& name : BuiltinNames(BuiltinKind::kArchitecture)) {
    const Architecture architecture = *LoadBuiltin(BuiltinKind::kArchitecture, name)->architecture;
    const auto again =
        ReadNative({{name, WriteNative(architecture, BuiltinContext())}}, BuiltinContext());
    ASSERT_TRUE(again) << Format(again.error());
    EXPECT_EQ(again->architecture, architecture) << name;
  }
  for (const std::string& name : BuiltinNames(BuiltinKind::kNetwork)) {
    const auto inputs = LoadBuiltin(BuiltinKind::kNetwork, name);
    std::vector<Source> parts;
    if (inputs->network) parts.push_back({name, WriteNative(*inputs->network)});
    if (inputs->graph) parts.push_back({name, WriteNative(*inputs->graph)});
    const auto again = ReadNative(std::move(parts));
    ASSERT_TRUE(again) << Format(again.error());
    EXPECT_EQ(again->network, inputs->network) << name;
    EXPECT_EQ(again->graph, inputs->graph) << name;
  }
  for (const std::string& name : BuiltinNames(BuiltinKind::kTechnology)) {
    const Technology technology = LoadBuiltinTechnology(name).value();
    const auto again = ReadNative({{name, WriteNative(technology)}});
    ASSERT_TRUE(again) << Format(again.error());
    EXPECT_EQ(again->technology, technology) << name;
  }
}

TEST(Library, OneLayerOfANetwork) {
  const auto inputs = LoadBuiltin(BuiltinKind::kNetwork, "resnet50/conv2_1_3x3");
  ASSERT_TRUE(inputs) << Format(inputs.error());
  ASSERT_EQ(inputs->network->layers.size(), 1U);
  EXPECT_EQ(inputs->network->layers[0].repeat, 1);
  EXPECT_EQ(inputs->problem, inputs->network->layers[0].problem);
  EXPECT_EQ(Operations(*inputs->problem), int64_t{64} * 64 * 56 * 56 * 9);
}

TEST(Library, UnknownNamesAreRefusedWithAProposal) {
  const auto message = [](BuiltinKind kind, const char* name) {
    const auto inputs = LoadBuiltin(kind, name);
    EXPECT_FALSE(inputs);
    return inputs ? std::string() : Format(inputs.error());
  };
  EXPECT_EQ(message(BuiltinKind::kNetwork, "resnet5O"),
            "error: there is no built-in network 'resnet5O'\n  hint: did you mean 'resnet50'?\n");
  EXPECT_EQ(message(BuiltinKind::kNetwork, "resnet50/conv2_1_3x4"),
            "error: resnet50 has no layer 'conv2_1_3x4'\n"
            "  hint: did you mean 'conv2_1_3x3'?\n");
  EXPECT_THAT(message(BuiltinKind::kArchitecture, "tpu"),
              HasSubstr("expected one of edge-npu, eyeriss"));
  EXPECT_THAT(message(BuiltinKind::kArchitecture, ""), HasSubstr("no built-in architecture ''"));
  EXPECT_THAT(message(BuiltinKind::kArchitecture, "eyeriss/GLB"), HasSubstr("eyeriss/GLB"));
}

TEST(Library, TellsBuiltinsFromFiles) {
  EXPECT_TRUE(IsBuiltin(BuiltinKind::kNetwork, "resnet50"));
  EXPECT_TRUE(IsBuiltin(BuiltinKind::kNetwork, "resnet50/no-such-layer"));
  EXPECT_FALSE(IsBuiltin(BuiltinKind::kNetwork, "models/resnet50"));
  EXPECT_FALSE(IsBuiltin(BuiltinKind::kArchitecture, "eyeriss/x"));
  EXPECT_FALSE(IsBuiltin(BuiltinKind::kArchitecture, "eyeriss.yaml"));
}

TEST(Library, TechnologiesAreFoundByFilesThatNameThem) {
  const std::string text =
      "format: inlay/1\narchitecture:\n  name: x\n  technology: thistle-45nn\n  levels:\n"
      "  - {name: DRAM, kind: dram}\n  - {compute: mac}\n";
  const auto wrong = ReadNative({{"x.yaml", text}}, BuiltinContext());
  ASSERT_FALSE(wrong);
  EXPECT_THAT(Format(wrong.error()), HasSubstr("x.yaml:4:15: error: there is no built-in "
                                               "technology 'thistle-45nn'"));
  EXPECT_THAT(Format(wrong.error()), HasSubstr("did you mean 'thistle-45nm'?"));
}

}  // namespace
}  // namespace inlay::io
