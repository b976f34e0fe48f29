#include "inlay/io/scalesim/topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inlay/core/shapes.h"

namespace inlay::io {
namespace {

using testing::HasSubstr;

constexpr const char* kConvHeader =
    "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, "
    "Strides,\n";

Result<WithWarnings<Network>> Read(const std::string& text) {
  return ReadScaleSimTopology({"nets/tiny.csv", text});
}

TEST(Topology, NoErrorKeepsALineThatIsTooLongToBeQuoted) {
  const auto network =
      Read(kConvHeader + std::string("one,") + std::string(500, 'x') + ",8,y,3,2,5,1,\n");
  ASSERT_FALSE(network);
  for (const Diagnostic& error : network.error()) EXPECT_EQ(error.source_line, "") << error.message;
  const auto quoted = Read(kConvHeader + std::string("one,8,8,y,3,2,5,1,\n"));
  EXPECT_EQ(quoted.error().front().source_line, "one,8,8,y,3,2,5,1,");
}

TEST(Topology, AColumnOfBatchSizesIsTheBatch) {
  const auto network = Read(
      "Layer, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, "
      "Strides, Batch Size, Sparsity\nfour,8,8,3,3,2,5,1,4\none,8,8,3,3,2,5,1,,\n"
      "both,8,8,3,3,2,5,1,2,2:2\nnone,8,8,3,3,2,5,1,\n");
  ASSERT_TRUE(network) << Format(network.error());
  EXPECT_TRUE(network->warnings.empty()) << Format(network->warnings);
  const int64_t one = int64_t{5} * 2 * 3 * 3 * 6 * 6;
  std::vector<int64_t> operations;
  for (const Layer& layer : network->value.layers) operations.push_back(Operations(layer.problem));
  EXPECT_EQ(operations, (std::vector<int64_t>{4 * one, one, 2 * one, one}));
  // Matrices have as many times the rows.
  const auto gemm = Read("Layer, M, N, K, batch\na,8,4,2,3,\n");
  ASSERT_TRUE(gemm) << Format(gemm.error());
  EXPECT_EQ(gemm->value.layers[0].problem, MakeGemm("a", {.p = 24, .k = 4, .c = 2}));
  // It may stand before the others, too.
  for (const char* text : {"Layer, Batch, M, N, K\na,3,8,4,2,\nb,,8,4,2\n",
                           "Layer, M, Batch, N, K\na,8,3,4,2,\nb,8,,4,2\n"}) {
    const auto before = Read(text);
    ASSERT_TRUE(before) << Format(before.error());
    EXPECT_TRUE(before->warnings.empty()) << Format(before->warnings);
    EXPECT_EQ(before->value.layers[0].problem, MakeGemm("a", {.p = 24, .k = 4, .c = 2}));
    EXPECT_EQ(before->value.layers[1].problem, MakeGemm("b", {.p = 8, .k = 4, .c = 2}));
  }
  const auto early = Read(
      "Layer, Batch Size, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, "
      "Num Filter, Strides\na,4,8,8,3,3,2,5,1\n");
  ASSERT_TRUE(early) << Format(early.error());
  EXPECT_EQ(Operations(early->value.layers[0].problem), 4 * one);
  const auto short_row = Read("Layer, Batch, M, N, K\na,3,8,4\n");
  ASSERT_FALSE(short_row);
  EXPECT_THAT(Format(short_row.error()), HasSubstr("a matrix needs 4 fields, found 3"));
  const auto wrong = Read("L, h, w, r, s, c, k, stride, BATCH SIZE\na,8,8,3,3,2,5,1,x\n");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(Format(wrong.error()), HasSubstr("the batch size is 'x'"));
}

TEST(Topology, ConvolutionWithAndWithoutTheLastComma) {
  const auto network = Read(std::string(kConvHeader) +
                            "\r\nConv1, 224,224 ,7,7,3,64,2,\r\nConv2,56,56,3,3,64,128,1");
  ASSERT_TRUE(network) << Format(network.error());
  EXPECT_TRUE(network->warnings.empty());
  const Network& net = network->value;
  EXPECT_EQ(net.name, "tiny");
  ASSERT_EQ(net.layers.size(), 2U);
  // 109 windows fit; SCALE-Sim rounds up to 110.
  EXPECT_EQ(
      net.layers[0].problem,
      MakeConv(
          "Conv1",
          {.k = 64, .c = 3, .p = 110, .q = 110, .r = 7, .s = 7, .stride_h = 2, .stride_w = 2}));
  EXPECT_EQ(net.layers[1].problem,
            MakeConv("Conv2", {.k = 128, .c = 64, .p = 54, .q = 54, .r = 3, .s = 3}));
  EXPECT_EQ(net.layers[1].kind, "conv");
}

TEST(Topology, DepthwiseRunsOneGroupPerChannel) {
  const auto network = Read(std::string(kConvHeader) + "Conv2_DP,16,16,3,3,32,1,1,#dw\n");
  ASSERT_TRUE(network) << Format(network.error());
  EXPECT_EQ(network->value.layers[0].kind, "depthwise");
  EXPECT_EQ(network->value.layers[0].problem,
            MakeConv("Conv2_DP", {.g = 32, .k = 1, .c = 1, .p = 14, .q = 14, .r = 3, .s = 3}));
}

TEST(Topology, MatricesByHeaderOrByTheNumberOfFields) {
  for (const char* header : {"Layer,M,N,K,\n", "layer,rows,columns,depth\n"}) {
    const auto network = Read(std::string(header) + "QKT,1024,512,64,\nbatched,10,20,30,12,\n");
    ASSERT_TRUE(network) << Format(network.error());
    EXPECT_EQ(network->value.layers[0].problem, MakeGemm("QKT", {.p = 1024, .k = 512, .c = 64}));
    EXPECT_EQ(network->value.layers[0].kind, "gemm");
    EXPECT_EQ(network->value.layers[1].problem,
              MakeGemm("batched", {.g = 12, .p = 10, .k = 20, .c = 30}));
    EXPECT_EQ(network->value.layers[1].kind, "matmul");
  }
}

TEST(Topology, TheKindCanBeForced) {
  const Source source{"x.csv", "a,b,c,d\nm,1,2,3\n"};
  EXPECT_TRUE(ReadScaleSimTopology(source, ScaleSimTopology::kGemm));
  const auto conv = ReadScaleSimTopology(source, ScaleSimTopology::kConv);
  ASSERT_FALSE(conv);
  EXPECT_THAT(Format(conv.error()),
              HasSubstr("x.csv:2:1: error: a convolution needs 8 fields, found 4"));
}

TEST(Topology, SparsityIsIgnoredWithAWarningUnlessDense) {
  const auto network =
      Read(std::string(kConvHeader) + "a,8,8,3,3,4,4,1,2:4,\nb,8,8,3,3,4,4,1,4:4,\n");
  ASSERT_TRUE(network) << Format(network.error());
  ASSERT_EQ(network->warnings.size(), 1U);
  EXPECT_EQ(network->warnings[0].location.line, 2);
  EXPECT_EQ(network->warnings[0].location.column, 17);
  EXPECT_THAT(network->warnings[0].message, HasSubstr("sparsity 2:4 is ignored"));
  EXPECT_FALSE(Read(std::string(kConvHeader) + "a,8,8,3,3,4,4,1,4:2,\n"));
  EXPECT_FALSE(Read(std::string(kConvHeader) + "a,8,8,3,3,4,4,1,half,\n"));
}

TEST(Topology, RepeatedNamesAreNumbered) {
  const auto network = Read("Layer,M,N,K\nfc,1,2,3\nfc,4,5,6\nfc,7,8,9\n");
  ASSERT_TRUE(network);
  EXPECT_EQ(network->value.layers[1].name, "fc#2");
  EXPECT_EQ(network->value.layers[2].problem.name, "fc#3");
  EXPECT_EQ(network->warnings.size(), 2U);
  EXPECT_TRUE(Validate(network->value).empty());
}

TEST(Topology, TitlesBetweenTheRowsAreSkipped) {
  const auto network = Read(std::string(kConvHeader) + "First part,\na,8,8,3,3,4,4,1,\n");
  ASSERT_TRUE(network) << Format(network.error());
  EXPECT_EQ(network->value.layers.size(), 1U);
  EXPECT_EQ(network->value.layers[0].kind, "conv");
  ASSERT_EQ(network->warnings.size(), 1U);
  EXPECT_EQ(network->warnings[0].location.line, 2);
}

TEST(Topology, AHeaderOfNumbersIsSuspicious) {
  const auto network = Read("fc1,1,2,3\nfc2,4,5,6\n");
  ASSERT_TRUE(network);
  EXPECT_EQ(network->value.layers.size(), 1U);
  ASSERT_EQ(network->warnings.size(), 1U);
  EXPECT_THAT(network->warnings[0].message, HasSubstr("taken for the header"));
}

TEST(Topology, AllErrorsAtOnceWithTheirPlaces) {
  const auto network = Read(std::string(kConvHeader) +
                            "a,8,8,9,3,4,4,1,\n"  // filter too high
                            "b,8,x,3,3,0,4,1,\n"  // two bad numbers
                            "c,8,8,3,3,4,4\n"     // no stride
                            ",8,8,3,3,4,4,1,\n"   // no name
                            "d,4000000000,4000000000,1,1,4000000000,4000000000,1,\n");
  ASSERT_FALSE(network);
  const std::string text = Format(network.error());
  EXPECT_EQ(network.error().size(), 6U) << text;
  EXPECT_THAT(text, HasSubstr("nets/tiny.csv:2:7: error: the filter height 9 is larger than the "
                              "ifmap's 8\n  | a,8,8,9,3,4,4,1,\n"));
  EXPECT_THAT(text, HasSubstr("nets/tiny.csv:3:5: error: the ifmap width is 'x'"));
  EXPECT_THAT(text, HasSubstr("nets/tiny.csv:3:11: error: the channels is '0'"));
  EXPECT_THAT(text, HasSubstr("nets/tiny.csv:4:1: error: a convolution needs 8 fields, found 7"));
  EXPECT_THAT(text, HasSubstr("nets/tiny.csv:5:1: error: the layer has no name"));
  EXPECT_THAT(text, HasSubstr("nets/tiny.csv:6:1: error: the number of operations does not fit"));
}

TEST(Topology, TabsSeparateWhereThereAreNoCommas) {
  const auto network = Read("Layer\tM\tN\tK\nfc 1\t1\t2\t3\nfc 2,4,5,6\n");
  ASSERT_TRUE(network) << Format(network.error());
  ASSERT_EQ(network->value.layers.size(), 2U);
  EXPECT_EQ(network->value.layers[0].problem, MakeGemm("fc 1", {.p = 1, .k = 2, .c = 3}));
}

TEST(Topology, TheSameErrorOfManyRowsIsToldOnce) {
  std::string text = kConvHeader;
  for (int i = 0; i < 100'000; ++i) text += "l" + std::to_string(i) + ";8;8;3,1,1\n";
  const auto network = Read(text);
  ASSERT_FALSE(network);
  ASSERT_EQ(network.error().size(), 1U);
  EXPECT_EQ(network.error()[0].location.line, 2);
  EXPECT_EQ(network.error()[0].message, "a convolution needs 8 fields, found 3 (and 99999 more)");
}

TEST(Topology, ManyDifferentErrorsAreCutShort) {
  std::string text = kConvHeader;
  for (int i = 0; i < 100'000; ++i) text += "l,8,x" + std::to_string(i) + ",3,3,4,4,1\n";
  const auto network = Read(text);
  ASSERT_FALSE(network);
  ASSERT_EQ(network.error().size(), 201U);
  EXPECT_EQ(network.error().back().message, "99800 more faults are not shown");
}

TEST(Topology, EmptyFiles) {
  for (const char* text : {"", "\n\n", "Layer,M,N,K,\n", "Layer,M,N,K,\n,,,,\n"}) {
    const auto network = Read(text);
    ASSERT_FALSE(network);
    EXPECT_THAT(Format(network.error()), HasSubstr("the topology has no layers"));
  }
}

}  // namespace
}  // namespace inlay::io
