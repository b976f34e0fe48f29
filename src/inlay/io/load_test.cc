#include "inlay/io/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "inlay/io/read_files.h"

namespace inlay::io {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kProblem = R"(format: inlay/1
problem:
  name: gemm
  dims: {P: 4, K: 2}
  tensors: {A: "[P]", B: "[K]", Z: "[P, K] +="}
)";
constexpr const char* kArchitecture = R"(format: inlay/1
architecture:
  name: one
  technology: thistle-45nm
  levels: [{name: DRAM, kind: dram}, {compute: mac}]
)";
constexpr const char* kMapping = R"(format: inlay/1
mapping: [DRAM keeps all, for P in 4 step 1, for K in 2 step 1]
)";

class LoadTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(testing::TempDir()) / ("inlay-load-" + std::to_string(::getpid()));
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  std::string Write(const std::string& name, const std::string& text) const {
    const std::string path = (root_ / name).string();
    std::ofstream(path) << text;
    return path;
  }
  static std::string ErrorsOf(const CaseArguments& arguments) {
    const auto loaded = LoadCase(arguments);
    return loaded ? "" : Format(loaded.error());
  }

  fs::path root_;
};

TEST_F(LoadTest, ACaseMayBeInOneFileOrInMany) {
  const std::string all =
      Write("all.yaml", std::string(kProblem) + "---\n" + kArchitecture + "---\n" + kMapping);
  const std::string p = Write("p.yaml", kProblem);
  const std::string a = Write("a.yaml", kArchitecture);
  const std::string m = Write("m.yaml", kMapping);
  const auto one = LoadCase({{all}, {}, {}, {}});
  ASSERT_TRUE(one.has_value()) << Format(one.error());
  EXPECT_EQ(one->inputs.size(), 1U);
  for (const CaseArguments& arguments :
       {CaseArguments{{m, a, p}, {}, {}, {}}, CaseArguments{{}, p, {a}, m},
        CaseArguments{{a}, p, {}, m}, CaseArguments{{all}, p, {a}, m}}) {
    const auto many = LoadCase(arguments);
    ASSERT_TRUE(many.has_value()) << Format(many.error());
    EXPECT_EQ(many->problem, one->problem);
    EXPECT_EQ(many->architecture, one->architecture);
    EXPECT_EQ(many->mapping, one->mapping);
  }
}

TEST_F(LoadTest, InputsAreRecordedWithRoleNameAndHash) {
  const std::string p = Write("p.yaml", kProblem);
  const std::string m = Write("m.yaml", kMapping);
  const std::string a = Write("a.yaml", kArchitecture);
  const auto loaded = LoadCase({{a}, p, {}, m});
  ASSERT_TRUE(loaded.has_value()) << Format(loaded.error());
  ASSERT_EQ(loaded->inputs.size(), 3U);
  EXPECT_EQ(loaded->inputs[0].role, "case");
  EXPECT_EQ(loaded->inputs[1], (InputRecord{"problem", p, ContentHash(kProblem)}));
  EXPECT_EQ(loaded->inputs[2].role, "mapping");
}

TEST_F(LoadTest, ABrokenFileIsNotAlsoMissing) {
  const std::string broken = Write("b.yaml", "format: inlay/1\nproblem: 3\n");
  const std::string errors = ErrorsOf({{broken}, {}, {}, {}});
  EXPECT_THAT(errors, HasSubstr("b.yaml:2:"));
  EXPECT_THAT(errors, Not(HasSubstr("there is no")));
}

TEST_F(LoadTest, ErrorsOfAllPartsComeTogether) {
  const std::string errors = ErrorsOf({{}, "no/such.yaml", {"eyerris"}, "neither.yaml"});
  EXPECT_THAT(errors, HasSubstr("no/such.yaml"));
  EXPECT_THAT(errors, HasSubstr("did you mean 'eyeriss'?"));
  EXPECT_THAT(errors, HasSubstr("neither.yaml"));
}

TEST_F(LoadTest, WorkloadsAreNetworksLayersOrFiles) {
  LoadRecord record;
  const auto network = LoadWorkload("resnet50", &record);
  ASSERT_TRUE(network.has_value()) << Format(network.error());
  EXPECT_GT(network->layers.size(), 20U);
  const auto layer = LoadWorkload("resnet50/conv2_1_3x3", &record);
  ASSERT_TRUE(layer.has_value()) << Format(layer.error());
  ASSERT_EQ(layer->layers.size(), 1U);
  EXPECT_EQ(layer->layers[0].repeat, 1);
  const auto file = LoadWorkload(Write("p.yaml", kProblem), &record);
  ASSERT_TRUE(file.has_value()) << Format(file.error());
  EXPECT_EQ(file->layers.at(0).name, "gemm");
  EXPECT_EQ(record.inputs.size(), 3U);
  EXPECT_FALSE(LoadWorkload("resnet50/nothing", &record).has_value());
  EXPECT_FALSE(LoadWorkload(Write("a.yaml", kArchitecture), &record).has_value());
}

TEST_F(LoadTest, OneLayerOfAFile) {
  const std::string net = Write("net.yaml", R"(format: inlay/1
layers:
  name: net
  layers:
  - {name: head, gemm: {P: 8, K: 6, C: 4}, repeat: 3}
  - {name: tail, gemm: {P: 8, K: 6, C: 5}}
)");
  LoadRecord record;
  const auto head = LoadWorkload(net + "/head", &record);
  ASSERT_TRUE(head.has_value()) << Format(head.error());
  ASSERT_EQ(head->layers.size(), 1U);
  EXPECT_EQ(head->layers[0].name, "head");
  EXPECT_EQ(head->layers[0].repeat, 1);
  const auto wrong = LoadWorkload(net + "/haed", &record);
  ASSERT_FALSE(wrong.has_value());
  EXPECT_THAT(Format(wrong.error()), HasSubstr("did you mean 'head'?"));
}

TEST_F(LoadTest, AFileOfABuiltinsNameNeedsAPath) {
  fs::current_path(root_);
  Write("eyeriss", kArchitecture);
  LoadRecord record;
  EXPECT_EQ(LoadAny({"eyeriss"}, &record)->architecture->name, "eyeriss");
  EXPECT_EQ(LoadAny({"./eyeriss"}, &record)->architecture->name, "one");
}

TEST(DetectFormat, BySayingSoOrByExtension) {
  const auto format = [](const char* name, const char* text) {
    return DetectFormat({name, text}).value();
  };
  EXPECT_EQ(format("x.csv", "a, 1, 2, 3,\n"), FileFormat::kScaleSim);
  EXPECT_EQ(format("x.cfg", "[general]\nrun_name = x\n"), FileFormat::kScaleSim);
  EXPECT_EQ(format("x", kProblem), FileFormat::kNative);
  EXPECT_EQ(format("x.yaml", "problem: {instance: {P: 3}}\n"), FileFormat::kTimeloop);
  EXPECT_EQ(format("x.yaml", "mapping: [{target: 0, type: temporal, factors: P=3}]\n"),
            FileFormat::kTimeloop);
  for (const char* text :
       {"problem: {dims: {P: 3}}\n", "layers: {}\n", "mapping: [for P in 3]\n"}) {
    EXPECT_THAT(Format(DetectFormat({"x.yaml", text}).error()), HasSubstr("'format: inlay/1'"));
  }
  EXPECT_FALSE(DetectFormat({"x.cfg", "arch = { }\n"}).has_value());
  EXPECT_FALSE(DetectFormat({"x.yaml", "eggs: 3\n"}).has_value());
  EXPECT_FALSE(DetectFormat({"x.yaml", " \n"}).has_value());
}

TEST(MatchTensorNames, ListsBothSides) {
  Problem problem;
  problem.name = "p";
  problem.tensors = {Tensor{"A", {}, false}, Tensor{"Z", {}, true}};
  Architecture architecture;
  architecture.levels.resize(1);
  const auto match = [&] {
    LoadRecord record;
    Architecture copy = architecture;
    const auto matched = MatchTensorNames(problem, &copy, &record);
    return matched ? std::string() : Format(matched.error());
  };
  EXPECT_EQ(match(), "");
  architecture.levels[LevelId(0)].keep = TensorNameSet{false, {"A"}};
  EXPECT_EQ(match(), "");
  architecture.levels[LevelId(0)].bypass = TensorNameSet{false, {"Kernel"}};
  EXPECT_THAT(match(), HasSubstr("is for tensors A, Kernel; problem 'p' has A, Z"));
}

constexpr const char* kTwoLevels = R"(format: inlay/1
architecture:
  name: two
  technology: thistle-45nm
  levels:
  - {name: DRAM, kind: dram}
  - {fanout: lanes, x: 4}
  - {name: buffer, kind: sram, capacity: 8 words, keep: [A]}
  - {compute: mac}
)";

TEST_F(LoadTest, ConstraintsInAFileOfTheirOwn) {
  LoadRecord record;
  const auto architecture = LoadArchitecture({Write("a.yaml", kTwoLevels)}, &record);
  ASSERT_TRUE(architecture) << Format(architecture.error());
  const std::string native = Write("native.yaml", R"(format: inlay/1
constraints:
- {at: lanes, x: [K], default_factor: "<= 2", remainders: 3}
- {at: buffer, keep: [B], bypass: [Z], factors: {P: ">= 2"}}
)");
  const std::string timeloop = Write("timeloop.yaml", R"(mapspace_constraints:
  targets:
  - {target: DRAM, type: spatial, permutation: KP, split: 1, default_max_factor: 2, remainders: 3}
  - {target: buffer, type: dataspace, keep: [B], bypass: [Z]}
  - {target: buffer, type: temporal, factors: P>=2}
)");
  const auto from_native = LoadConstraints({native}, *architecture, &record);
  ASSERT_TRUE(from_native) << Format(from_native.error());
  ASSERT_EQ(from_native->size(), 2U);
  EXPECT_EQ(from_native->at(0).default_factor, (FactorBound{"", Relation::kAtMost, 2}));
  EXPECT_EQ(from_native->at(0).remainders, 3);
  EXPECT_EQ(from_native->at(1).keep, std::vector<std::string>{"B"});
  EXPECT_EQ(from_native->at(1).bypass, std::vector<std::string>{"Z"});
  const auto from_timeloop = LoadConstraints({timeloop}, *architecture, &record);
  ASSERT_TRUE(from_timeloop) << Format(from_timeloop.error());
  ASSERT_EQ(from_timeloop->size(), 5U);  // and no remainders at DRAM and at buffer
  EXPECT_EQ(from_timeloop->at(0).at, "lanes");
  EXPECT_EQ(from_timeloop->at(0).default_factor, from_native->at(0).default_factor);
  EXPECT_EQ(from_timeloop->at(1).keep, from_native->at(1).keep);
  EXPECT_EQ(from_timeloop->at(1).bypass, from_native->at(1).bypass);
  EXPECT_EQ(from_timeloop->at(2).factors, from_native->at(1).factors);
  EXPECT_EQ(from_timeloop->at(3).remainders, 1);
  EXPECT_TRUE(record.warnings.empty()) << Format(record.warnings);
  EXPECT_EQ(record.inputs.size(), 3U);
  EXPECT_EQ(record.inputs.back().role, "constraints");
}

TEST_F(LoadTest, ConstraintsAreWrong) {
  LoadRecord record;
  const auto architecture = LoadArchitecture({Write("a.yaml", kTwoLevels)}, &record);
  ASSERT_TRUE(architecture);
  const auto errors = [&](const std::string& text) {
    const auto loaded = LoadConstraints({Write("c.yaml", text)}, *architecture, &record);
    return loaded ? "" : Format(loaded.error());
  };
  EXPECT_THAT(errors("format: inlay/1\nconstraints:\n- {at: bufer, loops: [P]}\n"),
              HasSubstr("c.yaml:3:8: error: the architecture has no level or fan-out 'bufer'"));
  EXPECT_THAT(errors("format: inlay/1\nconstraints:\n- {at: lanes, keep: [A]}\n"),
              HasSubstr("'lanes' is a fan-out; 'keep' constrains a level"));
  EXPECT_THAT(errors("mapspace_constraints: [{target: bufer, type: temporal}]\n"),
              HasSubstr("did you mean 'buffer'?"));
  EXPECT_THAT(errors(kTwoLevels), HasSubstr("this holds no constraints of its own"));
  EXPECT_THAT(errors("constraints: [{at: buffer, loops: [P]}]\n"),
              HasSubstr("the line 'format: inlay/1' is missing"));
  EXPECT_FALSE(LoadConstraints({(root_ / "nowhere.yaml").string()}, *architecture, &record));
}

}  // namespace
}  // namespace inlay::io
