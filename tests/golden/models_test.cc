// The models of the folder shared/models beside the project, where it is there, and the built-in
// graphs: multiplications by hand.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>

#include "inlay/core/network_totals.h"
#include "inlay/io/library/library.h"
#include "inlay/io/load.h"
#include "inlay/io/native/native.h"
#include "tests/support/paths.h"

namespace inlay::io {
namespace {

// A convolution that keeps what it counts: `out` × `out` outputs of k filters over c channels.
int64_t Conv(int64_t k, int64_t c, int64_t out, int64_t kernel) {
  return k * c * out * out * kernel * kernel;
}

int64_t Residual(bool bottleneck, const std::vector<int64_t>& blocks) {
  int64_t macs = Conv(64, 3, 112, 7), in = 64, width = 64, size = 56;
  for (size_t stage = 0; stage < blocks.size(); ++stage, width *= 2) {
    for (int64_t block = 0; block < blocks[stage]; ++block) {
      const bool first = block == 0;
      const int64_t before = size;
      if (first && stage > 0) size /= 2;
      const int64_t out = bottleneck ? 4 * width : width;
      if (bottleneck) {
        macs +=
            Conv(width, in, before, 1) + Conv(width, width, size, 3) + Conv(out, width, size, 1);
      } else {
        macs += Conv(width, in, size, 3) + Conv(width, width, size, 3);
      }
      if (in != out) macs += Conv(out, in, size, 1);
      in = out;
    }
  }
  return macs + in * 1000;
}

int64_t AlexNet() {
  return Conv(64, 3, 55, 11) + Conv(192, 64, 27, 5) + Conv(384, 192, 13, 3) +
         Conv(256, 384, 13, 3) + Conv(256, 256, 13, 3) + 9216 * 4096 + 4096 * 4096 + 4096 * 1000;
}

int64_t Vgg16() {
  int64_t macs = 25088 * 4096 + 4096 * 4096 + 4096 * 1000, in = 3;
  const std::vector<std::pair<int64_t, int>> stages = {
      {64, 2}, {128, 2}, {256, 3}, {512, 3}, {512, 3}};
  int64_t size = 224;
  for (const auto& [width, count] : stages) {
    for (int i = 0; i < count; ++i, in = width) macs += Conv(width, in, size, 3);
    size /= 2;
  }
  return macs;
}

int64_t SqueezeNet() {
  int64_t macs = Conv(64, 3, 111, 3) + Conv(1000, 512, 13, 1);
  struct Fire {
    int64_t in, squeeze, expand, size;
  };
  for (const Fire& f : std::initializer_list<Fire>{{64, 16, 64, 55},
                                                   {128, 16, 64, 55},
                                                   {128, 32, 128, 27},
                                                   {256, 32, 128, 27},
                                                   {256, 48, 192, 13},
                                                   {384, 48, 192, 13},
                                                   {384, 64, 256, 13},
                                                   {512, 64, 256, 13}}) {
    macs += Conv(f.squeeze, f.in, f.size, 1) + Conv(f.expand, f.squeeze, f.size, 1) +
            Conv(f.expand, f.squeeze, f.size, 3);
  }
  return macs;
}

int64_t MobileNetV2() {
  int64_t macs = Conv(32, 3, 112, 3), in = 32, size = 112;
  struct Stage {
    int64_t expand, width, count, stride;
  };
  for (const Stage& s : std::initializer_list<Stage>{{1, 16, 1, 1},
                                                     {6, 24, 2, 2},
                                                     {6, 32, 3, 2},
                                                     {6, 64, 4, 2},
                                                     {6, 96, 3, 1},
                                                     {6, 160, 3, 2},
                                                     {6, 320, 1, 1}}) {
    for (int64_t i = 0; i < s.count; ++i, in = s.width) {
      const int64_t hidden = in * s.expand;
      if (s.expand > 1) macs += Conv(hidden, in, size, 1);
      if (i == 0) size /= s.stride;
      macs += Conv(hidden, 1, size, 3) + Conv(s.width, hidden, size, 1);
    }
  }
  return macs + Conv(1280, 320, 7, 1) + 1280 * 1000;
}

int64_t EfficientNetB0() {
  int64_t macs = Conv(32, 3, 112, 3), in = 32, size = 112;
  struct Stage {
    int64_t expand, width, count, stride, kernel;
  };
  for (const Stage& s : std::initializer_list<Stage>{{1, 16, 1, 1, 3},
                                                     {6, 24, 2, 2, 3},
                                                     {6, 40, 2, 2, 5},
                                                     {6, 80, 3, 2, 3},
                                                     {6, 112, 3, 1, 5},
                                                     {6, 192, 4, 2, 5},
                                                     {6, 320, 1, 1, 3}}) {
    for (int64_t i = 0; i < s.count; ++i, in = s.width) {
      const int64_t hidden = in * s.expand, squeezed = std::max<int64_t>(1, in / 4);
      if (s.expand > 1) macs += Conv(hidden, in, size, 1);
      if (i == 0) size /= s.stride;
      macs +=
          Conv(hidden, 1, size, s.kernel) + 2 * hidden * squeezed + Conv(s.width, hidden, size, 1);
    }
  }
  return macs + Conv(1280, 320, 7, 1) + 1280 * 1000;
}

int64_t DenseNet121() {
  int64_t macs = Conv(64, 3, 112, 7), in = 64, size = 56;
  const std::vector<int64_t> blocks = {6, 12, 24, 16};
  for (size_t b = 0; b < blocks.size(); ++b) {
    for (int64_t i = 0; i < blocks[b]; ++i, in += 32) {
      macs += Conv(128, in, size, 1) + Conv(32, 128, size, 3);
    }
    if (b + 1 == blocks.size()) break;
    macs += Conv(in / 2, in, size, 1);
    in /= 2;
    size /= 2;
  }
  return macs + in * 1000;
}

int64_t GoogLeNet() {
  int64_t macs = Conv(64, 3, 112, 7) + Conv(64, 64, 56, 1) + Conv(192, 64, 56, 3);
  struct Inception {
    int64_t in, one, three_before, three, five_before, five, pool, size;
  };
  for (const Inception& i :
       std::initializer_list<Inception>{{192, 64, 96, 128, 16, 32, 32, 28},
                                        {256, 128, 128, 192, 32, 96, 64, 28},
                                        {480, 192, 96, 208, 16, 48, 64, 14},
                                        {512, 160, 112, 224, 24, 64, 64, 14},
                                        {512, 128, 128, 256, 24, 64, 64, 14},
                                        {512, 112, 144, 288, 32, 64, 64, 14},
                                        {528, 256, 160, 320, 32, 128, 128, 14},
                                        {832, 256, 160, 320, 32, 128, 128, 7},
                                        {832, 384, 192, 384, 48, 128, 128, 7}}) {
    // torchvision's "5x5" branch has a kernel of 3.
    macs += Conv(i.one, i.in, i.size, 1) + Conv(i.three_before, i.in, i.size, 1) +
            Conv(i.three, i.three_before, i.size, 3) + Conv(i.five_before, i.in, i.size, 1) +
            Conv(i.five, i.five_before, i.size, 3) + Conv(i.pool, i.in, i.size, 1);
  }
  return macs + 1024 * 1000;
}

// Query, key, value and output, scores and context, and a feed-forward network of `matrices`.
int64_t Transformer(int64_t layers, int64_t tokens, int64_t width, int64_t inner,
                    int64_t matrices) {
  return layers * (4 * tokens * width * width + 2 * tokens * tokens * width +
                   matrices * tokens * width * inner);
}

int64_t Vit() { return Conv(768, 3, 14, 16) + Transformer(12, 197, 768, 3072, 2) + 768 * 1000; }

// Input and recurrence of the four gates; `in` and the directions differ from layer to layer.
int64_t Lstm(int64_t steps, int64_t in, int64_t hidden, int64_t directions = 1) {
  return steps * directions * 4 * hidden * (in + hidden);
}

int64_t Gnmt() {
  constexpr int64_t kSteps = 50, kWidth = 1024, kWords = 32320;
  const int64_t encoder = Lstm(kSteps, kWidth, kWidth, 2) + Lstm(kSteps, 2 * kWidth, kWidth) +
                          2 * Lstm(kSteps, kWidth, kWidth);
  const int64_t attention = 2 * kSteps * kWidth * kWidth + 2 * kSteps * kSteps * kWidth;
  const int64_t decoder = Lstm(kSteps, kWidth, kWidth) + 3 * Lstm(kSteps, 2 * kWidth, kWidth);
  return encoder + attention + decoder + kSteps * kWidth * kWords;
}

struct ModelCase {
  std::string file, builtin;
  int64_t macs;
  double published;  // in G, as the papers and frameworks say; 0: they do not
  int64_t compute_nodes;
};

std::vector<ModelCase> Models() {
  return {
      {"alexnet", "alexnet", AlexNet(), 0.71, 8},
      {"bert-base-seq128", "bert-base", Transformer(12, 128, 768, 3072, 2), 11.17, 96},
      {"densenet121", "densenet121", DenseNet121(), 2.83, 121},
      {"distilbert-seq128", "distilbert", Transformer(6, 128, 768, 3072, 2), 0, 48},
      {"efficientnet_b0", "efficientnet-b0", EfficientNetB0(), 0.39, 82},
      {"googlenet", "googlenet", GoogLeNet(), 1.50, 58},
      {"llama7b-2layers-seq128", "llama-7b-2layers", Transformer(2, 128, 4096, 11008, 3), 0, 18},
      {"lstm-gnmt-like", "", 4 * Lstm(50, 1024, 1024), 0, 4},
      {"mobilenet_v2", "mobilenetv2", MobileNetV2(), 0.30, 53},
      {"resnet18", "resnet18", Residual(false, {2, 2, 2, 2}), 1.81, 21},
      {"resnet50", "resnet50", Residual(true, {3, 4, 6, 3}), 4.09, 54},
      {"resnet50-batch8", "", 8 * Residual(true, {3, 4, 6, 3}), 8 * 4.09, 54},
      {"squeezenet1_1", "squeezenet", SqueezeNet(), 0.35, 26},
      {"vgg16", "vgg16", Vgg16(), 15.47, 16},
      {"vit_b_16-dynamo", "vit-b16", Vit(), 17.56, 74}};
}

std::ostream& operator<<(std::ostream& out, const ModelCase& test) { return out << test.file; }

void CheckTotals(const ModelCase& test, const Graph& graph) {
  EXPECT_TRUE(Validate(graph).empty());
  const auto totals = TotalsOf(graph, 16);
  ASSERT_TRUE(totals.has_value());
  EXPECT_EQ(totals->operations, test.macs);
  EXPECT_EQ(totals->compute_nodes, test.compute_nodes);
  if (test.published > 0) {
    EXPECT_NEAR(static_cast<double>(test.macs) / 1e9, test.published,
                0.005 * test.published + 5e-3);
  }
}

int64_t Product(Shape::const_iterator begin, Shape::const_iterator end) {
  return std::accumulate(begin, end, int64_t{1}, std::multiplies<>());
}

// Every output word of a convolution takes a filter's words, of a product a row's.
void CheckEveryNode(const Graph& graph) {
  for (const GraphNode& node : graph.nodes) {
    if (node.works.empty() || node.works.size() > 1) continue;
    const Shape& a = graph.values[node.inputs[0]].shape;
    const Shape& b = graph.values[node.inputs[1]].shape;
    int64_t per_word = 0;
    if (node.op == Op::kConv) per_word = Product(b.begin() + 1, b.end());
    if (node.op == Op::kGemm) per_word = a[node.attributes.transpose_a ? 0 : 1];
    if (node.op == Op::kMatmul) per_word = a.back();
    EXPECT_EQ(Operations(node.works[0].problem), WordsOf(graph, node.outputs[0]) * per_word)
        << node.name;
  }
}

class ModelTest : public ::testing::TestWithParam<ModelCase> {};

TEST_P(ModelTest, HasTheMultiplicationsThatAHandCountGives) {
  const std::string path =
      std::string(INLAY_SOURCE_DIR) + "/../shared/models/" + GetParam().file + ".onnx";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "skipped: needs shared/models";
  LoadRecord record;
  const auto graph = LoadGraph(path, &record);
  ASSERT_TRUE(graph.has_value()) << Format(graph.error());
  EXPECT_TRUE(record.warnings.empty()) << Format(record.warnings);
  CheckTotals(GetParam(), *graph);
  CheckEveryNode(*graph);
  const auto again = ReadNative({{"again", WriteNative(*graph)}});
  ASSERT_TRUE(again.has_value()) << Format(again.error());
  EXPECT_EQ(again->graph, *graph);
}

TEST_P(ModelTest, TheBuiltInGraphHasThemToo) {
  if (GetParam().builtin.empty()) return;
  LoadRecord record;
  const auto graph = LoadGraph(GetParam().builtin, &record);
  ASSERT_TRUE(graph.has_value()) << Format(graph.error());
  CheckTotals(GetParam(), *graph);
  CheckEveryNode(*graph);
}

INSTANTIATE_TEST_SUITE_P(All, ModelTest, ::testing::ValuesIn(Models()));

TEST(Models, Gnmt) {
  LoadRecord record;
  const auto graph = LoadGraph("gnmt", &record);
  ASSERT_TRUE(graph.has_value()) << Format(graph.error());
  CheckTotals({"", "gnmt", Gnmt(), 0, 13}, *graph);
}

// A list and a graph under one name are of the same network.
TEST(Models, ListsAndGraphsAgree) {
  int both = 0;
  for (const std::string& name : BuiltinNames(BuiltinKind::kNetwork)) {
    const auto inputs = LoadBuiltin(BuiltinKind::kNetwork, name);
    ASSERT_TRUE(inputs.has_value()) << Format(inputs.error());
    if (!inputs->network || !inputs->graph) continue;
    ++both;
    EXPECT_EQ(TotalsOf(*inputs->network, 16)->operations, TotalsOf(*inputs->graph, 16)->operations)
        << name;
    // Each layer of the list, as often as it repeats, is a node of the graph.
    const auto problems = [](const Network& network) {
      std::map<std::string, int64_t> count;
      for (const Layer& layer : network.layers) {
        std::string key = fmt::format("{}", Operations(layer.problem));
        for (const Dimension& dim : layer.problem.dims) key += fmt::format(" {}", dim.bound);
        count[key] += layer.repeat;
      }
      return count;
    };
    EXPECT_EQ(problems(*inputs->network), problems(LayersOf(*inputs->graph))) << name;
  }
  EXPECT_GE(both, 6);
}

// OnSRAM's setting without management, as the prototypes had it: every node reads its inputs and
// writes its outputs at 32 GB/s, or computes at 1.5 TMAC/s, whatever takes longer.
TEST(Models, Resnet18TakesWhatThePrototypesFound) {
  LoadRecord record;
  const auto graph = LoadGraph("resnet18", &record);
  ASSERT_TRUE(graph.has_value());
  double us = 0;
  for (const GraphNode& node : graph->nodes) {
    if (InfoOf(node.op).op_class == OpClass::kView) continue;
    double bytes = 0, macs = 0;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      bytes += 2.0 * static_cast<double>(WordsRead(*graph, node, i));
    }
    for (const ValueId v : node.outputs) bytes += 2.0 * static_cast<double>(WordsOf(*graph, v));
    for (const Work& work : node.works) {
      macs += static_cast<double>(Operations(work.problem) * work.repeat);
    }
    us += std::max(bytes / 32e3, macs / 1.5e6);
  }
  EXPECT_NEAR(us, 2026.69, 0.2);
}

}  // namespace
}  // namespace inlay::io
