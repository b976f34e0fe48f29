// The model that docs/guide/plan.md takes is what this writer writes.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/support/onnx_writer.h"
#include "tests/support/paths.h"

namespace inlay {
namespace {

using inlay::testing::OnnxWriter;

// A residual block between a first convolution and a classifier; the batch is symbolic.
std::string ModelOfTheGuide() {
  const OnnxWriter::Attributes window = {{"kernel_shape", OnnxWriter::Shape{3, 3}},
                                         {"pads", OnnxWriter::Shape{1, 1, 1, 1}}};
  const OnnxWriter::Attributes pool = {{"kernel_shape", OnnxWriter::Shape{2, 2}},
                                       {"strides", OnnxWriter::Shape{2, 2}}};
  OnnxWriter writer;
  writer.Symbolic("image", {"batch", "3", "32", "32"})
      .Weight("w1", {16, 3, 3, 3})
      .Weight("w2", {16, 16, 3, 3})
      .Weight("w3", {16, 16, 3, 3})
      .Weight("w4", {4096, 10})
      .Node("Conv", {"image", "w1"}, {"a"}, window, "conv1")
      .Node("Relu", {"a"}, {"b"}, {}, "relu1")
      .Node("Conv", {"b", "w2"}, {"c"}, window, "conv2")
      .Node("Relu", {"c"}, {"d"}, {}, "relu2")
      .Node("Conv", {"d", "w3"}, {"e"}, window, "conv3")
      .Node("Add", {"b", "e"}, {"f"}, {}, "add")
      .Node("MaxPool", {"f"}, {"g"}, pool, "pool")
      .Node("Flatten", {"g"}, {"h"}, {}, "flatten")
      .Node("Gemm", {"h", "w4"}, {"scores"}, {}, "classify")
      .Output("scores");
  return writer.Bytes();
}

TEST(GuideModel, IsTheOneCheckedIn) {
  std::ifstream file(std::string(INLAY_SOURCE_DIR) + "/docs/guide/inputs/edge.onnx",
                     std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_EQ(bytes, ModelOfTheGuide());
}

}  // namespace
}  // namespace inlay
