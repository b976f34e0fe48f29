#include "inlay/io/timeloop/read.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inlay::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kProblem = R"(
problem:
  shape:
    name: gemm
    dimensions: [M, N, K]
    data_spaces:
    - {name: A, projection: [M, K]}
    - {name: B, projection: [[[K]], [[N]]]}
    - {name: Z, projection: [[M], [N]], read_write: true}
  instance: {M: 4, N: 6, K: 8}
)";

constexpr const char* kFlat = R"(
arch:
  arithmetic: {name: MAC, instances: 4, energy: 1}
  storage:
  - {name: Buf, instances: 1, entries: 64, vector_access_energy: 2}
  - {name: DRAM, instances: 1, technology: DRAM, vector_access_energy: 100}
)";

Result<Inputs> Read(const std::string& text) { return ReadTimeloop({{"f.yaml", text}}); }

// All diagnostics of reading and binding, or "".
std::string Errors(const std::string& text) {
  const auto inputs = Read(text);
  if (!inputs) return Format(inputs.error());
  if (!inputs->mapping) return "";
  const auto mapping = inputs->mapping(inputs->problem.value(), inputs->architecture.value());
  return mapping ? "" : Format(mapping.error());
}

std::string Warnings(const std::string& text) {
  const auto inputs = Read(text);
  EXPECT_TRUE(inputs.has_value()) << Format(inputs.error());
  return inputs ? Format(inputs->warnings) : "";
}

Problem ReadProblem(const std::string& text) {
  const auto inputs = Read(text);
  EXPECT_TRUE(inputs.has_value()) << Format(inputs.error());
  return inputs && inputs->problem ? *inputs->problem : Problem();
}

Architecture ReadArchitecture(const std::string& text) {
  const auto inputs = Read(text);
  EXPECT_TRUE(inputs.has_value()) << Format(inputs.error());
  return inputs && inputs->architecture ? *inputs->architecture : Architecture();
}

TEST(TimeloopDetectionTest, KnowsItsOwn) {
  const auto looks = [](const std::string& text) {
    return LooksLikeTimeloop(ParseYaml({"f", text}).value());
  };
  EXPECT_TRUE(looks(kProblem));
  EXPECT_TRUE(looks("mapspace-constraints: []"));
  EXPECT_TRUE(looks("ERT: {version: 0.3, tables: []}"));
  EXPECT_FALSE(looks("format: inlay/1\nproblem: {}"));
  EXPECT_FALSE(looks("name: x"));
  EXPECT_FALSE(looks("[1]"));
  EXPECT_FALSE(looks(""));
}

TEST(TimeloopSectionsTest, MergesFiles) {
  const auto inputs = ReadTimeloop({{"p.yaml", kProblem}, {"a.yaml", kFlat}});
  ASSERT_TRUE(inputs.has_value());
  EXPECT_TRUE(inputs->problem && inputs->architecture);
  EXPECT_FALSE(inputs->mapping);
  EXPECT_EQ(inputs->architecture->name, "a");
}

TEST(TimeloopSectionsTest, RefusesASectionTwice) {
  const auto inputs = ReadTimeloop({{"p.yaml", kProblem}, {"q.yaml", kProblem}});
  ASSERT_FALSE(inputs.has_value());
  EXPECT_THAT(
      Format(inputs.error()),
      HasSubstr("q.yaml:2:1: error: a second 'problem' section; the first is at p.yaml:2:1"));
}

TEST(TimeloopSectionsTest, ASectionInManyFilesIsOneError) {
  const auto inputs =
      ReadTimeloop({{"p.yaml", kProblem}, {"q.yaml", kProblem}, {"r.yaml", kProblem}});
  ASSERT_FALSE(inputs.has_value());
  ASSERT_EQ(inputs.error().size(), 1U);
  EXPECT_THAT(inputs.error().front().message, HasSubstr("a second 'problem' section, and 1 more"));
}

TEST(TimeloopSectionsTest, EveryErrorIsCounted) {
  constexpr size_t kFaults = 300;
  std::string text;
  for (size_t i = 0; i < kFaults; ++i) text += "s" + std::to_string(i) + ": 1\n";
  const auto inputs = ReadTimeloop({{"f.yaml", text + kProblem}});
  ASSERT_FALSE(inputs.has_value());
  EXPECT_EQ(inputs.error().size(), kFaults);
}

TEST(TimeloopSectionsTest, SuggestsSectionNames) {
  EXPECT_THAT(Errors("problm: {}"), HasSubstr("unknown section 'problm'"));
  EXPECT_THAT(Errors("problm: {}"), HasSubstr("did you mean 'problem'?"));
  EXPECT_THAT(Errors("- a"), HasSubstr("must be a mapping of sections"));
}

TEST(TimeloopSectionsTest, TemplatesAreExpanded) {
  EXPECT_THAT(Errors("architecture:\n{{include_text('x.yaml')}}\n"),
              HasSubstr("f.yaml:2:3: error: there is no file 'x.yaml'"));
  // What stands in a comment makes no template.
  EXPECT_EQ(ReadProblem("# {{ in a comment }}\n" + std::string(kProblem)).name,
            ReadProblem(kProblem).name);
}

TEST(TimeloopSectionsTest, SectionsThatHoldAnchorsOrNothing) {
  const std::string text = std::string(kProblem) +
                           "sizes_ignore: &a {x: 1}\nignore: [2]\nmapping: []\n"
                           "ERT: {version: 0.4, tables: []}\n"
                           "extra_mapping_constraints: {version: 0.4, targets: []}\n";
  const auto inputs = Read(text);
  ASSERT_TRUE(inputs) << Format(inputs.error());
  EXPECT_FALSE(inputs->mapping);
  EXPECT_TRUE(inputs->constraints);
  EXPECT_THAT(Format(inputs->warnings), testing::Not(HasSubstr("ERT")));
  // Beside a mapping, in either order.
  const char* mapping = "mapping: [{target: 0, type: temporal, factors: M=1}]\n";
  for (const auto& files : std::vector<std::vector<Source>>{
           {{"a", mapping}, {"b", "mapping: []\n"}}, {{"b", "mapping: []\n"}, {"a", mapping}}}) {
    const auto both = ReadTimeloop(files);
    ASSERT_TRUE(both) << Format(both.error());
    EXPECT_TRUE(both->mapping);
  }
}

TEST(TimeloopProblemTest, AShapeMayStandBeside) {
  const auto inputs = ReadTimeloop(
      {{"shape.yaml",
        "shape:\n  name: own\n  dimensions: [A]\n  data_spaces:\n"
        "  - {name: I, projection: [A]}\n  - {name: O, projection: [A], read_write: true}\n"},
       {"p.yaml", "problem: {shape: own, instance: {A: 5}}\n"}});
  ASSERT_TRUE(inputs) << Format(inputs.error());
  EXPECT_EQ(inputs->problem->name, "own");
  EXPECT_EQ(Operations(*inputs->problem), 5);
  // A bare 'shape:' is none.
  EXPECT_EQ(
      ReadProblem("problem: {shape: , instance: {R: 1, S: 1, P: 1, Q: 1, C: 2, K: 4, N: 1}}").name,
      "cnn_layer");
}

TEST(TimeloopProblemTest, WhatTimeloopIgnoresIsNoError) {
  std::string text(kProblem);
  text += "  dnn_name: net\n  notes: fast\n  instnce: {M: 3}\n";
  EXPECT_EQ(Errors(text), "");
  EXPECT_THAT(Warnings(text), HasSubstr("'dnn_name', 'notes' are ignored, as Timeloop ignores"));
  EXPECT_THAT(Warnings(text), HasSubstr("did you mean 'instance'?"));
}

TEST(TimeloopProblemTest, RolesOfDataSpaces) {
  const Problem problem = ReadProblem(std::string(kProblem) + "  roles: {A: Inputs, Z: Outputs}\n");
  EXPECT_EQ(problem.tensors[TensorId(0)].role, "Inputs");
  EXPECT_EQ(problem.tensors[TensorId(1)].role, "");
  EXPECT_THAT(Errors(std::string(kProblem) + "  roles: {Y: Inputs}\n"),
              HasSubstr("'Y' is not a data space of the shape"));
  EXPECT_THAT(Errors(std::string(kProblem) + "  roles: [A]\n"), HasSubstr("must be a mapping"));
}

TEST(TimeloopSectionsTest, NamesWhatIsNotUsed) {
  EXPECT_THAT(Warnings("mapper: {algorithm: random}"), HasSubstr("mapper are not used"));
  EXPECT_THAT(Warnings("sparse_optimizations: {}"), HasSubstr("'sparse_optimizations' is not mod"));
  EXPECT_THAT(Warnings("ERT: {tables: [{name: a}]}"), HasSubstr("an ERT without an architecture"));
}

TEST(TimeloopProblemTest, ReadsEveryFormOfProjection) {
  const Problem problem = ReadProblem(kProblem);
  EXPECT_EQ(ToString(problem, problem.tensors[TensorId(0)]), "A[M, K]");
  EXPECT_EQ(ToString(problem, problem.tensors[TensorId(1)]), "B[K, N]");
  EXPECT_EQ(ToString(problem, problem.tensors[TensorId(2)]), "Z[M, N] +=");
}

TEST(TimeloopProblemTest, KnowsShapesByName) {
  const Problem conv = ReadProblem(
      "problem: {shape: cnn-layer, R: 3, S: 3, P: 8, Q: 8, C: 2, K: 4, N: 1, Wstride: 2}");
  EXPECT_EQ(ToString(conv, conv.tensors[TensorId(1)]), "Inputs[N, C, R + 2*P, S + Q]");
  EXPECT_EQ(Operations(conv), 3 * 3 * 8 * 8 * 2 * 4);
  // Without a shape it is a convolution.
  EXPECT_EQ(ReadProblem("problem: {instance: {R: 1, S: 1, P: 1, Q: 1, C: 2, K: 4, N: 1}}").name,
            "cnn_layer");
  EXPECT_THAT(Errors("problem: {shape: cnnlayer, R: 1}"), HasSubstr("did you mean 'cnn_layer'?"));
}

TEST(TimeloopProblemTest, EvaluatesSizes) {
  const Problem problem = ReadProblem(
      "variables: {version: 0.4, size: 4}\n"
      "problem: {shape: gemm_ABZ, instance: {M: size * 2, N: size, K: '3'}}");
  EXPECT_EQ(problem.dims[DimId(0)].bound, 8);
  EXPECT_EQ(problem.dims[DimId(2)].bound, 3);
}

TEST(TimeloopProblemTest, WarnsAboutWhatTimeloopIgnores) {
  const std::string warnings =
      Warnings("problem: {R: 1, S: 1, P: 1, Q: 1, C: 2, K: 4, N: 1, HStride: 2}");
  EXPECT_THAT(warnings, HasSubstr("'HStride' is ignored, as Timeloop ignores it"));
  EXPECT_THAT(warnings, HasSubstr("did you mean 'Hstride'?"));
}

// Were each key compared with all others, or each fault to count lines, these would take hours.
TEST(TimeloopProblemTest, ManyUnknownKeysAreReadInTime) {
  std::string text = "problem:\n  instance:\n    R: 1\n    S: 1\n    P: 1\n    Q: 1\n    C: 1\n";
  text += "    K: 1\n    N: 1\n";
  for (int i = 0; i < 200'000; ++i) text += "    unknown" + std::to_string(i) + ": 1\n";
  const auto inputs = Read(text);
  ASSERT_TRUE(inputs) << Format(inputs.error());
  ASSERT_EQ(inputs->warnings.size(), 1U);
  EXPECT_THAT(inputs->warnings.back().message,
              HasSubstr("'unknown9' and 199990 more are ignored, as Timeloop ignores them"));
}

TEST(TimeloopProblemTest, ManyDimensionsAreRefusedBeforeTheyAreLookedAt) {
  std::string text = "problem:\n  shape:\n    dimensions:\n";
  for (int i = 0; i < 200'000; ++i) text += "    - D" + std::to_string(i) + "\n";
  const auto inputs = Read(text);
  ASSERT_FALSE(inputs);
  ASSERT_EQ(inputs.error().size(), 1U);
  EXPECT_THAT(inputs.error()[0].message, HasSubstr("more than"));
}

TEST(TimeloopProblemTest, WarnsAboutSparsity) {
  const std::string start = "problem: {shape: gemm_ABZ, instance: {M: 1, N: 1, K: 1, ";
  EXPECT_THAT(Warnings(start + "densities: {A: 0.5}}}"), HasSubstr("sparsity is not modelled"));
  EXPECT_THAT(Warnings(start + "commonDensity: 0.5}}"), HasSubstr("sparsity is not modelled"));
  EXPECT_EQ(Warnings(start + "densities: {A: 1, B: {distribution: fixed, density: 1.0}}}}"), "");
}

TEST(TimeloopProblemTest, ReportsEveryFault) {
  const std::string errors = Errors(R"(
problem:
  shape:
    dimensions: [M, N, K]
    coefficients: [{name: s}]
    dataspaces: []
    data_spaces:
    - {name: A, projection: [[[X]], [[K, t]], [[M, s]]]}
    - {name: B, projection: [s]}
    - {projection: [M]}
  instance: {M: 4, N: x}
)");
  for (const char* message :
       {"f.yaml:6:5: error: unknown key 'dataspaces' in the shape", "did you mean 'data_spaces'?",
        "f.yaml:8:32: error: 'X' is not a dimension of the shape",
        "f.yaml:8:42: error: 't' is not a coefficient of the shape",
        "error: coefficient 's' has neither a default nor a value",
        "f.yaml:9:30: error: 's' is not a dimension", "a coefficient stands beside its dimension",
        "f.yaml:10:7: error: a data space needs a 'name' and a 'projection'",
        "error: N must be a number or an expression, found 'x'",
        "error: dimension 'K' has no size"}) {
    EXPECT_THAT(errors, HasSubstr(message));
  }
}

TEST(TimeloopProblemTest, PlacesWhatCoreFinds) {
  const std::string start = "problem:\n  shape: gemm_ABZ\n  instance:\n    M: ";
  EXPECT_THAT(Errors(start + "0\n    N: 1\n    K: 1\n"),
              HasSubstr("f.yaml:4:8: error: dimension 'M' has bound 0"));
  EXPECT_THAT(Errors(start + "4000000000\n    N: 4000000000\n    K: 4000000000\n"),
              HasSubstr("the number of operations does not fit into 64 bits"));
}

TEST(TimeloopFlatTest, ReadsLevelsInnermostFirst) {
  const Architecture architecture = ReadArchitecture(kFlat);
  EXPECT_THAT(LevelNames(architecture), ElementsAre("DRAM", "Buf"));
  EXPECT_EQ(architecture.levels[LevelId(1)].fanout.x, 4);
  EXPECT_EQ(architecture.levels[LevelId(1)].fanout.y, 1);
  EXPECT_EQ(architecture.levels[LevelId(1)].fanout.name, "Buf_fanout");
  EXPECT_EQ(architecture.levels[LevelId(0)].fanout.name, "");
  EXPECT_EQ(architecture.levels[LevelId(0)].kind, MemoryKind::kDram);
  EXPECT_EQ(architecture.compute.energy_pj, 1);
}

TEST(TimeloopFlatTest, ExplainsTheMissingVersion) {
  EXPECT_THAT(Errors("arch: {version: 0.3}"), HasSubstr("needs 'arithmetic' and 'storage'"));
}

std::string MeshOf(const std::string& attributes) {
  const auto inputs = Read(
      "arch:\n  arithmetic: {instances: 12, meshX: 6, energy: 1}\n  storage:\n"
      "  - {name: Buf, vector_access_energy: 1, " +
      attributes + "}\n");
  if (!inputs) return inputs.error().front().message;
  const Fanout& fanout = inputs->architecture->levels[LevelId(0)].fanout;
  return std::to_string(6 / fanout.x) + "x" + std::to_string(2 / fanout.y);
}

TEST(TimeloopMeshTest, DerivesWhatIsNotGiven) {
  EXPECT_EQ(MeshOf("instances: 1"), "1x1");
  EXPECT_EQ(MeshOf("instances: 6"), "6x1");
  EXPECT_EQ(MeshOf("instances: 12, meshX: 6"), "6x2");
  EXPECT_EQ(MeshOf("instances: 12, meshY: 2"), "6x2");
  EXPECT_EQ(MeshOf("instances: 4, meshX: 2, meshY: 2"), "2x2");
  EXPECT_EQ(MeshOf("meshX: 3, meshY: 2"), "3x2");
  EXPECT_EQ(MeshOf("meshX: 3"), "3x1");
  EXPECT_EQ(MeshOf("meshY: 2"), "1x2");
}

TEST(TimeloopMeshTest, RefusesWhatDoesNotAgree) {
  EXPECT_THAT(MeshOf("entries: 4"), HasSubstr("'Buf' does not say how many there are"));
  EXPECT_THAT(MeshOf("instances: 5, meshX: 2"), HasSubstr("5 instances of 'Buf' do not agree"));
  EXPECT_THAT(MeshOf("instances: 5, meshX: 2, meshY: 2"), HasSubstr("meshX × meshY = 2 × 2"));
  EXPECT_THAT(MeshOf("instances: 4"), HasSubstr("which is no multiple of the 4 of 'Buf'"));
  EXPECT_THAT(MeshOf("instances: 0"), HasSubstr("instances must be at least 1, found 0"));
}

TEST(TimeloopMeshTest, WarnsAboutIdleOutermostInstances) {
  EXPECT_THAT(Warnings("arch:\n  arithmetic: {instances: 8, energy: 1}\n  storage:\n"
                       "  - {name: DRAM, instances: 4, vector_access_energy: 1}\n"),
              HasSubstr("of the 4 × 1 instances of 'DRAM', the outermost level, only one is used"));
}

constexpr const char* kTree = R"(
architecture:
  version: 0.3
  subtree:
  - name: system
    attributes: {technology: 45nm, word-bits: 8}
    local:
    - {name: DRAM, class: DRAM, attributes: {width: 64, vector_access_energy: 100}}
    subtree:
    - name: chip
      local:
      - {name: glb, class: SRAM, attributes: {depth: 1024, width: 64, vector_access_energy: 8}}
      - {name: 'Dummy[0..13]', class: regfile, attributes: {depth: 0, meshX: 14, vector_access_energy: 0}}
      subtree:
      - name: PE[0..167]
        local:
        - {name: rf,  class: regfile, attributes: {depth: 64, width: 8, meshX: 14, vector_access_energy: 1}}
        - {name: mac, class: intmac,  attributes: {datawidth: 8, meshX: 14, energy: 1}}
)";

TEST(TimeloopTreeTest, ReadsRangesAndInheritsAttributes) {
  const Architecture architecture = ReadArchitecture(kTree);
  EXPECT_THAT(LevelNames(architecture), ElementsAre("DRAM", "glb", "Dummy", "rf"));
  const Level& glb = architecture.levels[LevelId(1)];
  EXPECT_EQ(glb.word_bits, 8);
  EXPECT_EQ(glb.block_words, 8);
  EXPECT_EQ(glb.capacity_words, 8192);
  EXPECT_EQ(glb.fanout.x, 14);
  const Level& dummy = architecture.levels[LevelId(2)];
  EXPECT_EQ(dummy.fanout.y, 12);
  EXPECT_EQ(KeepRuleOf(dummy, "A"), KeepRule::kBypass);
  EXPECT_EQ(architecture.levels[LevelId(3)].kind, MemoryKind::kRegister);
  EXPECT_EQ(ComputeLanes(architecture), 168);
}

std::string WithoutLine(std::string text, const std::string& part) {
  const size_t at = text.find(part);
  const size_t start = text.rfind('\n', at) + 1;
  return text.erase(start, text.find('\n', at) + 1 - start);
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(TimeloopTreeTest, ReportsFaults) {
  EXPECT_THAT(Errors(Replaced(kTree, "class: SRAM", "class: SROM")),
              HasSubstr("f.yaml:12:28: error: 'SROM' is no class that Timeloop knows"));
  EXPECT_THAT(Errors(Replaced(kTree, "PE[0..167]", "PE[0-167]")),
              HasSubstr("cannot read the name 'PE[0-167]'"));
  EXPECT_THAT(Errors(Replaced(kTree, "depth: 1024", "dept: 1024")),
              HasSubstr("f.yaml:12:47: error: 'glb' has no attribute 'dept'"));
  EXPECT_THAT(Errors(WithoutLine(kTree, "name: mac")), HasSubstr("has 0 compute components"));
  EXPECT_THAT(Errors(Replaced(kTree, "version: 0.3", "version: 0.9")),
              HasSubstr("version '0.9' of an architecture is not known"));
  EXPECT_THAT(Warnings(WithoutLine(kTree, "version: 0.3")), HasSubstr("it is read as 0.3"));
  EXPECT_THAT(Errors(Replaced(kTree, "name: rf", "name: glb")), HasSubstr("'glb' is used twice"));
}

TEST(TimeloopTreeTest, NetworksAreNamedInAWarning) {
  EXPECT_THAT(Warnings(Replaced(kTree, "- {name: glb,",
                                "- {name: noc, class: XY_NoC}\n      - {name: glb,")),
              HasSubstr("network 'noc' is not modelled"));
}

std::string LevelWith(const std::string& attributes) {
  return "arch:\n  arithmetic: {instances: 1, energy: 1}\n  storage:\n"
         "  - {name: Buf, instances: 1, vector_access_energy: 1, " +
         attributes + "}\n";
}

TEST(TimeloopStorageTest, RelatesWidthsAndBlocks) {
  const auto block = [](const std::string& attributes) {
    return ReadArchitecture(LevelWith(attributes)).levels[LevelId(0)].block_words;
  };
  EXPECT_EQ(block("word_bits: 8"), 1);
  EXPECT_EQ(block("word_bits: 8, width: 64"), 8);
  EXPECT_EQ(block("word_bits: 8, width: 64, block_size: 8"), 8);
  EXPECT_EQ(block("word_bits: 8, width: 64, block_size: 4"), 4);
  EXPECT_EQ(block("word_bits: 8, width: 64, cluster_size: 2"), 4);
  EXPECT_EQ(block("datawidth: 8, memory_width: 64, cluster-size: 2, n_words: 4"), 4);
  EXPECT_THAT(
      Errors(LevelWith("word_bits: 8, width: 60")),
      HasSubstr("width of 'Buf' is 60, but word_bits × block_size × cluster_size = 8 × 7 × 1"));
  EXPECT_THAT(Errors(LevelWith("word_bits: 8, width: 64, block_size: 3, cluster_size: 2")),
              HasSubstr("width of 'Buf' is 64"));
  EXPECT_THAT(Warnings(LevelWith("width: 64, word_bits: 8, block_size: 4")),
              HasSubstr("cluster_size of 2, which is not modelled"));
}

TEST(TimeloopStorageTest, ReadsTheCapacityInAllWays) {
  const auto words = [](const std::string& attributes) {
    return ReadArchitecture(LevelWith(attributes)).levels[LevelId(0)].capacity_words;
  };
  EXPECT_EQ(words("word_bits: 8"), std::nullopt);
  EXPECT_EQ(words("entries: 64, block_size: 4"), 64);
  EXPECT_EQ(words("depth: 64, block_size: 4"), 256);
  EXPECT_EQ(words("memory_depth: 64, block_size: 4"), 256);
  EXPECT_EQ(words("sizeKB: 2, word_bits: 8"), 2048);
  EXPECT_EQ(words("depth: 64, block_size: 4, entries: 256"), 256);
  EXPECT_THAT(Errors(LevelWith("depth: 64, entries: 65")),
              HasSubstr("'Buf' has 65 words by one attribute and 64 by 'depth'"));
  EXPECT_THAT(Errors(LevelWith("depth: -1")), HasSubstr("depth of 'Buf' must be at least 0"));
  EXPECT_THAT(Errors(LevelWith("depth: 9000000000000000000, block_size: 4")),
              HasSubstr("does not fit into 64 bits"));
}

TEST(TimeloopStorageTest, ReadsBandwidthsAndBuffering) {
  const Level level = ReadArchitecture(LevelWith("bandwidth: 10, write_bandwidth: 4, "
                                                 "shared_bandwidth: 7, multiple-buffering: 2.0"))
                          .levels[LevelId(0)];
  EXPECT_EQ(level.read_bandwidth, 5);
  EXPECT_EQ(level.write_bandwidth, 4);
  EXPECT_EQ(level.shared_bandwidth, 7);
  EXPECT_EQ(level.buffering, 2);
  EXPECT_THAT(Errors(LevelWith("read_bandwidth: 0")), HasSubstr("is not a positive number"));
}

TEST(TimeloopStorageTest, AcceptsOrWarnsAboutOtherAttributes) {
  EXPECT_EQ(Warnings(LevelWith("n_banks: 2, network_read: noc, allow_overbooking: False, "
                               "network_fill_latency: 0, reduction_supported: yes")),
            "");
  const std::string warnings =
      Warnings(LevelWith("allow_overbooking: true, network_fill_latency: 3"));
  EXPECT_THAT(warnings, HasSubstr("'allow_overbooking' of 'Buf' is not modelled"));
  EXPECT_THAT(warnings, HasSubstr("'network_fill_latency' of 'Buf' is not modelled"));
  const Architecture architecture = ReadArchitecture(LevelWith("entries: 8, min_utilization: 0.5"));
  ASSERT_EQ(architecture.constraints.size(), 1U);
  EXPECT_EQ(architecture.constraints[0].min_utilization, 0.5);
}

TEST(TimeloopStorageTest, TakesTwoNamesOfOneThingIfTheyAgree) {
  EXPECT_EQ(Errors(LevelWith("word_bits: 8, datawidth: 8")), "");
  EXPECT_THAT(Errors(LevelWith("word_bits: 8, datawidth: 16")),
              HasSubstr("has both 'word_bits' and 'datawidth', which mean the same"));
  EXPECT_THAT(Errors(LevelWith("word_bits: 8, word-bits: 8")),
              HasSubstr("has both 'word_bits' and 'word-bits'"));
}

constexpr const char* kWithoutEnergies = R"(
arch:
  arithmetic: {name: MAC, instances: 1, word_bits: 8}
  storage:
  - {name: Buf, instances: 1, word_bits: 16, entries: 512, block_size: 2}
  - {name: DRAM, instances: 1, word_bits: 8, block_size: 4, technology: DRAM}
)";

TEST(TimeloopEnergyTest, FallsBackToTimeloopsOwnFigures) {
  const Architecture architecture = ReadArchitecture(kWithoutEnergies);
  EXPECT_DOUBLE_EQ(architecture.levels[LevelId(0)].energy->read_pj, 200.0 * 32 / 16);
  // 512 words of 16 bits are 1 KB.
  EXPECT_DOUBLE_EQ(architecture.levels[LevelId(1)].energy->fill_pj, (5 / 99.5 * 0.5 + 1) * 2);
  EXPECT_DOUBLE_EQ(*architecture.compute.energy_pj, 0.25);
  EXPECT_THAT(Warnings(kWithoutEnergies), HasSubstr("no energies for 'DRAM', 'Buf', 'MAC'"));
}

TEST(TimeloopEnergyTest, ReadsTablesOfBothKinds) {
  const std::string list = R"(
ERT:
  version: 0.4
  tables:
  - name: "system.DRAM[1..1]"
    actions: [{name: read, arguments: {}, energy: 5}, {name: write, energy: 6}, {name: leak, energy: 0.5}]
  - name: system.chip.PE[0..3].Buf
    actions:
    - {name: read, arguments: {a: 0}, energy: 1}
    - {name: read, arguments: {a: 1}, energy: 3}
    - {name: write, energy: 2}
    - {name: update, energy: 4}
  - {name: MAC, actions: [{name: mac_random, energy: 7}, {name: compute, energy: 8}]}
)";
  const std::string mapping = R"(
ERT:
  version: 0.2
  tables:
    system.DRAM: {read: {energy: 5}, write: [{energy: 6}], leak: {energy: 0.5}}
    system.Buf: {read: [{energy: 1}, {energy: 3}], write: {energy: 2}, update: {energy: 4}}
    MAC: {mac_random: {energy: 7}}
)";
  for (const std::string& ert : {list, mapping}) {
    const Architecture architecture = ReadArchitecture(kWithoutEnergies + ert);
    EXPECT_EQ(architecture.levels[LevelId(0)].energy, (AccessEnergy{5, 6, 6}));
    EXPECT_EQ(architecture.levels[LevelId(0)].leakage_pj_per_cycle, 0.5);
    EXPECT_EQ(architecture.levels[LevelId(1)].energy, (AccessEnergy{3, 2, 4}));
    EXPECT_EQ(architecture.compute.energy_pj, 7);
    EXPECT_EQ(Warnings(kWithoutEnergies + ert), "");
  }
}

TEST(TimeloopEnergyTest, VectorAccessEnergyBeatsTheTable) {
  const Architecture architecture = ReadArchitecture(
      std::string(kFlat) +
      "ERT: {version: 0.3, tables: [{name: system.Buf, actions: [{name: read, energy: 9}]}]}");
  EXPECT_EQ(architecture.levels[LevelId(1)].energy, (AccessEnergy{2, 2, 2}));
}

TEST(TimeloopEnergyTest, RefusesImpossibleEnergies) {
  const auto with = [](const std::string& energy) {
    return Errors(std::string(kFlat) +
                  "ERT: {tables: [{name: Buf, actions: [{name: read, energy: " + energy + "}]}]}");
  };
  EXPECT_THAT(with("-1"), HasSubstr("the energy of 'read' is negative"));
  EXPECT_THAT(with(".nan"), HasSubstr("energy must be a number"));
  EXPECT_THAT(
      Errors(LevelWith("entries: 1").replace(LevelWith("").find("energy: 1,"), 10, "energy: -1,")),
      HasSubstr("energies of 'Buf' must be finite and not negative"));
}

}  // namespace
}  // namespace inlay::io
