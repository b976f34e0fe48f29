#include "inlay/io/native/projection.h"

#include <gtest/gtest.h>

#include <regex>

#include "inlay/core/shapes.h"

namespace inlay::io {
namespace {

Problem Dims(std::initializer_list<const char*> names) {
  Problem problem;
  for (const char* name : names) problem.dims.push_back({name, 8});
  return problem;
}

struct Read {
  Tensor tensor;
  std::vector<TextError> errors;
};
Read ReadTensor(std::string_view text, const Problem& problem, const Coefficients& named = {}) {
  Read read;
  read.tensor.name = "Inputs";
  const auto projection = ParseProjection(text);
  if (!projection) {
    read.errors = {projection.error()};
  } else {
    read.errors = Resolve(*projection, problem, named, &read.tensor);
  }
  return read;
}

TEST(ProjectionTest, RanksAreSumsOfTerms) {
  const Problem problem = Dims({"C", "P", "Q", "R", "S"});
  const Read read = ReadTensor("[C, 1*P + 1*R, 2 * Q+S*3]", problem);
  ASSERT_TRUE(read.errors.empty());
  const std::vector<Rank> expected = {
      {{{DimId(0), 1}}}, {{{DimId(1), 1}, {DimId(3), 1}}}, {{{DimId(2), 2}, {DimId(4), 3}}}};
  EXPECT_EQ(read.tensor.ranks, expected);
  EXPECT_FALSE(read.tensor.is_output);
}

TEST(ProjectionTest, TheOutputIsMarked) {
  EXPECT_TRUE(ReadTensor("[K, P] +=", Dims({"K", "P"})).tensor.is_output);
  EXPECT_TRUE(ReadTensor("[K,P]+=", Dims({"K", "P"})).tensor.is_output);
}

TEST(ProjectionTest, NamesMayBeLongAndCoefficientsNamed) {
  const Problem problem = Dims({"n", "c", "p", "q", "r", "s"});
  const Read read =
      ReadTensor("Inputs[n, c, p*stride + r, q*stride + s]", problem, {{"stride", 2}});
  ASSERT_TRUE(read.errors.empty()) << read.errors[0].message;
  EXPECT_EQ(ToString(problem, read.tensor), "Inputs[n, c, 2*p + r, 2*q + s]");
  EXPECT_TRUE(ReadTensor("[rows, out_channels]", Dims({"rows", "out_channels"})).errors.empty());
}

TEST(ProjectionTest, ScalarsAndConstantRanks) {
  EXPECT_TRUE(ReadTensor("[]", Dims({"K"})).tensor.ranks.empty());
  const Read read = ReadTensor("[K, 0]", Dims({"K"}));
  ASSERT_TRUE(read.errors.empty());
  ASSERT_EQ(read.tensor.ranks.size(), 2U);
  EXPECT_TRUE(read.tensor.ranks[1].terms.empty());
}

TEST(ProjectionTest, ErrorsHaveTheirColumn) {
  const Problem problem = Dims({"K", "Pixels", "Q"});
  const struct {
    const char* text;
    size_t offset;
    const char* message;
  } cases[] = {
      {"K, P", 0, "expected '['"},
      {"[K, Pixel]", 4, "unknown dimension 'Pixel'"},
      {"[K, ]", 4, "expected a dimension"},
      {"[K Q]", 3, "expected ',', '+', '*' or ']'"},
      {"[K, 2]", 4, "a term needs a dimension"},
      {"[2*3]", 1, "a term needs a dimension"},
      {"[K*Q]", 3, "a product of two dimensions is not a projection"},
      {"[2*K*Q]", 5, "a term is one coefficient times one dimension"},
      {"[0*K]", 1, "a coefficient must be at least 1"},
      {"[-1*K]", 1, "coefficients are whole numbers from 1"},
      {"[99999999999999999999*K]", 1,
       "a coefficient does not fit into 64 bits: '99999999999999999999'"},
      {"[K] +", 5, "expected '=' after '+'"},
      {"[K] += x", 7, "unexpected text after the projection"},
      {"Weights[K]", 0, "the projection of 'Inputs' is written for 'Weights'"},
      {"", 0, "expected '['"},
  };
  for (const auto& bad : cases) {
    const Read read = ReadTensor(bad.text, problem);
    ASSERT_EQ(read.errors.size(), 1U) << bad.text;
    EXPECT_EQ(read.errors[0].offset, bad.offset) << bad.text;
    EXPECT_EQ(read.errors[0].message, bad.message) << bad.text;
  }
  EXPECT_EQ(ReadTensor("[K, Pixel]", problem).errors[0].hint, "did you mean 'Pixels'?");
}

TEST(ProjectionTest, AllUnknownNamesAreReported) {
  EXPECT_EQ(ReadTensor("[A, B, K]", Dims({"K"})).errors.size(), 2U);
}

TEST(ProjectionTest, TextsReadBack) {
  const Problem conv = MakeConv("conv", {.g = 2, .p = 7, .stride_h = 2, .dilation_w = 3});
  for (const Tensor& tensor : conv.tensors) {
    const std::string text = ProjectionText(conv, tensor);
    EXPECT_TRUE(std::regex_search(text, std::regex(ProjectionPattern()))) << text;
    Tensor again;
    again.name = tensor.name;
    EXPECT_TRUE(Resolve(ParseProjection(text).value(), conv, {}, &again).empty());
    EXPECT_EQ(again, tensor);
  }
  EXPECT_EQ(ProjectionText(conv, conv.tensors[TensorId(1)]), "[N, G, C, 2*P + R, Q + 3*S]");
}

}  // namespace
}  // namespace inlay::io
