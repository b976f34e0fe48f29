// Layer files and designs of Timeloop's exercises, where the folder shared/ is beside the project.
// What a layer means is read a second time here, by a reader that knows nothing but lines.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "inlay/io/load.h"
#include "tests/support/paths.h"

namespace inlay {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

fs::path Exercises() {
  return fs::path(INLAY_SOURCE_DIR) / "../shared/workloads/timeloop-exercises";
}

std::string TextOf(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::vector<fs::path> LayerFiles() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(Exercises() / "layer_shapes")) {
    const bool base = entry.path().filename() == "problem_base.yaml";
    if (entry.is_regular_file() && entry.path().extension() == ".yaml" && !base) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

// "instance: {C: 3, M: 64}" → sizes; all other dimensions of the base are 1.
std::map<std::string, int64_t> SizesByLines(const std::string& text) {
  std::map<std::string, int64_t> sizes;
  for (const char* dim : {"C", "M", "R", "S", "N", "P", "Q", "G"}) sizes[dim] = 1;
  std::smatch line;
  if (!std::regex_search(text, line, std::regex("instance: \\{([^}]*)\\}"))) return {};
  const std::string inside = line[1];
  const std::regex entry("(\\w+): (\\d+)");
  for (std::sregex_iterator it(inside.begin(), inside.end(), entry), end; it != end; ++it) {
    const std::string name = (*it)[1];
    if (sizes.contains(name)) sizes[name] = std::stoll((*it)[2]);
  }
  return sizes;
}

TEST(TimeloopExercises, EveryLayerFileMeansWhatItsLinesSay) {
  if (!fs::exists(Exercises())) GTEST_SKIP() << "skipped: needs shared/workloads";
  const auto files = LayerFiles();
  ASSERT_GE(files.size(), 30u);
  int misspelt = 0;
  for (const fs::path& path : files) {
    io::LoadRecord record;
    const auto network = io::LoadWorkload(path.string(), &record);
    ASSERT_TRUE(network) << path << "\n" << Format(network.error());
    ASSERT_EQ(network->layers.size(), 1u) << path;
    const Problem& problem = network->layers.front().problem;
    const std::string text = TextOf(path);
    const auto sizes = SizesByLines(text);
    ASSERT_EQ(sizes.size(), problem.dims.size()) << path;
    int64_t operations = 1;
    for (const auto& [name, size] : sizes) {
      const auto dim = FindDim(problem, name);
      ASSERT_TRUE(dim) << path << ": " << name;
      EXPECT_EQ(problem.dims[*dim].bound, size) << path << ": " << name;
      operations *= size;
    }
    EXPECT_EQ(Operations(problem), operations) << path;
    // Their strides are misspelt, so that Timeloop has none: windows overlap as with stride 1.
    const Tensor& inputs = problem.tensors[FindTensor(problem, "Inputs").value()];
    const int64_t height = sizes.at("R") + sizes.at("P") - 1;
    const int64_t width = sizes.at("S") + sizes.at("Q") - 1;
    EXPECT_EQ(TensorWords(problem, *FindTensor(problem, "Inputs")),
              sizes.at("N") * sizes.at("C") * sizes.at("G") * height * width)
        << path << ": " << ToString(problem, inputs);
    if (text.find("HStride") == std::string::npos) continue;
    ++misspelt;
    EXPECT_THAT(Format(record.warnings), HasSubstr("did you mean 'Hstride'?")) << path;
  }
  EXPECT_GE(misspelt, 5);
}

TEST(TimeloopExercises, AFolderOfLayersIsANetwork) {
  if (!fs::exists(Exercises())) GTEST_SKIP() << "skipped: needs shared/workloads";
  std::vector<std::string> paths;
  int64_t operations = 0;
  for (const fs::path& path : LayerFiles()) {
    if (path.parent_path().filename() != "resnet18") continue;
    paths.push_back(path.string());
    int64_t own = 1;
    for (const auto& [name, size] : SizesByLines(TextOf(path))) own *= size;
    operations += own;
  }
  io::LoadRecord record;
  const auto network = io::LoadWorkloads(paths, &record);
  ASSERT_TRUE(network) << Format(network.error());
  EXPECT_EQ(network->name, "resnet18");
  ASSERT_EQ(network->layers.size(), 21u);
  EXPECT_EQ(network->layers.front().name, "00");
  EXPECT_EQ(network->layers.back().name, "20");
  int64_t total = 0;
  for (const Layer& layer : network->layers) total += Operations(layer.problem);
  EXPECT_EQ(total, operations);
  const auto of_base =
      std::count_if(record.warnings.begin(), record.warnings.end(), [](const Diagnostic& warning) {
        return warning.location.file.ends_with("problem_base.yaml");
      });
  EXPECT_EQ(of_base, 1);  // each warning once
}

// Words of every level of a design, from outside; -1: unbounded. Read off its arch.yaml by hand:
// depth × width / datawidth.
struct Design {
  const char* name;
  std::vector<int64_t> words;
  int64_t lanes;
};

TEST(TimeloopExercises, TheTopFileOpensWithEveryDesign) {
  if (!fs::exists(Exercises())) GTEST_SKIP() << "skipped: needs shared/workloads";
  const std::vector<Design> designs = {
      {"eyeriss_like", {-1, 16384 * 8, 12 * 2, 192 * 2, 16}, 14 * 12},
      {"simba_like", {-1, 2048 * 32, 8192 * 8, 4096 * 8, 128, 64}, 16 * 4 * 4},
      {"simple_output_stationary", {-1, 16384 * 4, 192, 1, 1, 1}, 16 * 16}};
  for (const Design& design : designs) {
    io::LoadRecord record;
    record.set = {{"architecture", design.name}};
    const auto inputs =
        io::LoadAny({(Exercises() / "example_designs/top.yaml.jinja2").string()}, &record);
    ASSERT_TRUE(inputs) << design.name << "\n" << Format(inputs.error());
    ASSERT_TRUE(inputs->problem && inputs->architecture) << design.name;
    EXPECT_EQ(Operations(*inputs->problem), int64_t{3} * 32 * 112 * 112 * 9) << design.name;
    EXPECT_EQ(ComputeLanes(*inputs->architecture), design.lanes) << design.name;
    std::vector<int64_t> words;
    for (const Level& level : inputs->architecture->levels) {
      if (level.name.starts_with("inter_")) continue;  // a container
      words.push_back(level.capacity_words.value_or(-1));
    }
    if (design.name == std::string("simba_like")) words.back() *= 64;  // clusters are one word
    EXPECT_EQ(words, design.words) << design.name;
    EXPECT_THAT(Format(io::WarnOfUnusedValues(record)), "");
  }
  io::LoadRecord record;  // without the value that it asks for
  const auto inputs =
      io::LoadAny({(Exercises() / "example_designs/top.yaml.jinja2").string()}, &record);
  ASSERT_FALSE(inputs);
  EXPECT_THAT(Format(inputs.error()), HasSubstr("give one with --set architecture=VALUE"));
}

}  // namespace
}  // namespace inlay
