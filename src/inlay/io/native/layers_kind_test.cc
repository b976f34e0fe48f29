#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inlay/core/shapes.h"
#include "tests/support/native.h"

namespace inlay::io {
namespace {

using ::inlay::testing::ErrorsOf;
using ::inlay::testing::ReadText;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(NativeLayersTest, EveryShape) {
  const auto inputs = ReadText(R"(format: inlay/1
layers:
  name: net
  layers:
  - {name: a, conv: {N: 2, G: 4, K: 16, C: 3, P: 8, Q: 9, R: 3, S: 5, stride: 2, dilation_h: 3}}
  - {name: b, depthwise: {G: 32, P: 7, Q: 7, R: 3, S: 3, stride_w: 2}, repeat: 3}
  - {name: c, gemm: {P: 1, K: 10, C: 4096}}
  - {name: d, matmul: {G: 12, P: 128, K: 64, C: 128}}
  - {name: e, einsum: {dims: {X: 4, Y: 5}, tensors: {A: "[X, Y]", B: "[X] +="}}}
)");
  ASSERT_TRUE(inputs) << Format(inputs.error());
  const Network& network = *inputs->network;
  EXPECT_EQ(network.name, "net");
  ASSERT_EQ(network.layers.size(), 5U);
  EXPECT_EQ(network.layers[0], (Layer{"a", "conv",
                                      MakeConv("a", {.n = 2,
                                                     .g = 4,
                                                     .k = 16,
                                                     .c = 3,
                                                     .p = 8,
                                                     .q = 9,
                                                     .r = 3,
                                                     .s = 5,
                                                     .stride_h = 2,
                                                     .stride_w = 2,
                                                     .dilation_h = 3}),
                                      1}));
  EXPECT_EQ(network.layers[1],
            (Layer{"b", "depthwise",
                   MakeConv("b", {.g = 32, .p = 7, .q = 7, .r = 3, .s = 3, .stride_w = 2}), 3}));
  EXPECT_EQ(network.layers[2],
            (Layer{"c", "gemm", MakeGemm("c", {.p = 1, .k = 10, .c = 4096}), 1}));
  EXPECT_EQ(network.layers[3],
            (Layer{"d", "matmul", MakeGemm("d", {.g = 12, .p = 128, .k = 64, .c = 128}), 1}));
  EXPECT_EQ(network.layers[4].kind, "einsum");
  EXPECT_EQ(network.layers[4].problem.name, "e");
  EXPECT_EQ(Operations(network.layers[4].problem), 20);

  EXPECT_EQ(WriteNative(network), R"(format: inlay/1
layers:
  name: net
  layers:
  - {name: a, conv: {N: 2, G: 4, K: 16, C: 3, P: 8, Q: 9, R: 3, S: 5, stride: 2, dilation_h: 3, dilation_w: 1}}
  - {name: b, depthwise: {G: 32, P: 7, Q: 7, R: 3, S: 3, stride_h: 1, stride_w: 2}, repeat: 3}
  - {name: c, gemm: {P: 1, K: 10, C: 4096}}
  - {name: d, matmul: {G: 12, P: 128, K: 64, C: 128}}
  - name: e
    einsum:
      dims: {X: 4, Y: 5}
      tensors:
        A: "[X, Y]"
        B: "[X] +="
)");
}

TEST(NativeLayersTest, WhatIsNoConvIsWrittenAsAnEinsum) {
  Network network;
  network.layers.push_back({"odd", "conv", MakeConv("odd", {.p = 4}), 1});
  std::swap(network.layers[0].problem.tensors[TensorId(0)],
            network.layers[0].problem.tensors[TensorId(1)]);
  const auto again = ReadText(WriteNative(network));
  ASSERT_TRUE(again) << Format(again.error());
  EXPECT_EQ(again->network->layers[0].problem, network.layers[0].problem);
}

TEST(NativeLayersTest, AllErrorsAtOnceAtTheirPlaces) {
  EXPECT_THAT(
      ErrorsOf(R"(format: inlay/1
layers:
  layers:
  - {name: a, conv: {K: 16, C: 3, P: 16, Q: 16, R: 3, S: 3, HStride: 2}}
  - {name: a, gemm: {P: 1, K: 10}}
  - {name: c}
  - {name: d, gemm: {P: 1, K: 1, C: 1}, matmul: {G: 1, P: 1, K: 1, C: 1}}
  - {name: e, conv: {K: 1, C: 1, P: 1, Q: 1, R: 1, S: 1, stride: 2, stride_h: 2}}
  - {name: f, einsum: {dims: {X: 4}, tensors: {A: "[Y] +="}}, repeat: 0}
  - {name: "", gemm: {P: 9999999999, K: 9999999999, C: 1}}
)"),
      ElementsAre("4:61: unknown key 'HStride' in a convolution (did you mean 'stride'?)",
                  "5:5: layer 'a' is declared twice",
                  "5:21: a gemm needs the key 'C' ('C': length of the sums)",
                  "6:5: a layer needs one of the keys conv, depthwise, gemm, matmul or einsum",
                  "7:41: a layer has both 'gemm' and 'matmul' (give one of them)",
                  "8:79: both 'stride' and 'stride_h' are given ('stride' is both 'stride_h' and "
                  "'stride_w')",
                  "9:53: unknown dimension 'Y' (expected one of X)",
                  "9:71: 'repeat' must be at least 1, found 0",
                  HasSubstr("the number of operations does not fit into 64 bits"),
                  HasSubstr("a name must not be empty")));
}

TEST(NativeLayersTest, ANetworkNeedsLayers) {
  EXPECT_THAT(ErrorsOf("format: inlay/1\nlayers: {layers: []}\n"),
              ElementsAre("2:18: the network has no layers"));
}

TEST(NativeLayersTest, AHundredThousandLayersAreReadInTime) {
  std::string text = "format: inlay/1\nlayers:\n  layers:\n";
  for (int i = 0; i < 100'000; ++i) {
    text += "  - {name: l" + std::to_string(i) + ", gemm: {P: 1, K: 2, C: 3}}\n";
  }
  const auto inputs = inlay::testing::ReadText(text);
  ASSERT_TRUE(inputs);
  EXPECT_EQ(inputs->network->layers.size(), 100'000U);
}

}  // namespace
}  // namespace inlay::io
