#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inlay/core/shapes.h"
#include "tests/support/native.h"

namespace inlay::io {
namespace {

using ::inlay::testing::ErrorsOf;
using ::inlay::testing::ReadText;
using ::testing::ElementsAre;

TEST(NativeProblemTest, MultiLetterNamesAndNamedCoefficients) {
  const auto inputs = ReadText(R"(format: inlay/1
problem:
  dims: {rows: 7, kernel: 3, channels: 4}
  coefficients: {stride: 2}
  tensors:
    W: "[channels, kernel]"
    I: "I[channels, rows*stride + kernel]"
    O: "[rows] +="
)");
  ASSERT_TRUE(inputs) << Format(inputs.error());
  const Problem& problem = *inputs->problem;
  EXPECT_EQ(problem.name, "");
  EXPECT_EQ(ToString(problem, problem.tensors[TensorId(1)]), "I[channels, 2*rows + kernel]");
  EXPECT_EQ(TensorWords(problem, TensorId(1)), 4 * 15);
  EXPECT_FALSE(inputs->architecture);
  EXPECT_FALSE(inputs->mapping);
}

TEST(NativeProblemTest, RolesOfTensors) {
  const std::string text = R"(format: inlay/1
problem:
  name: gemm
  dims: {M: 4, N: 2, K: 8}
  tensors:
    A: "[M, K]"
    B: "[N, K]"
    Z: "[M, N] +="
  roles: {A: Inputs, B: Weights}
)";
  const auto inputs = ReadText(text);
  ASSERT_TRUE(inputs) << Format(inputs.error());
  const Problem& problem = *inputs->problem;
  EXPECT_EQ(problem.tensors[TensorId(0)].role, "Inputs");
  EXPECT_EQ(problem.tensors[TensorId(1)].role, "Weights");
  EXPECT_EQ(problem.tensors[TensorId(2)].role, "");
  EXPECT_EQ(WriteNative(problem), text);
  EXPECT_THAT(ErrorsOf("format: inlay/1\nproblem:\n  dims: {P: 2}\n"
                       "  tensors: {A: \"[P]\", Z: \"[P] +=\"}\n  roles: {a: Inputs}\n"),
              ElementsAre("5:11: there is no tensor 'a' (did you mean 'A'?)"));
}

TEST(NativeProblemTest, MergeKeysAreResolved) {
  const auto inputs = ReadText(R"(format: inlay/1
problem:
  dims: &small {K: 2, C: 3}
  coefficients: {<<: {s: 2}}
  tensors: {W: "[K, s*C]", O: "[K] +="}
)");
  ASSERT_TRUE(inputs) << Format(inputs.error());
  EXPECT_EQ(TensorWords(*inputs->problem, TensorId(0)), 2 * 5);
}

TEST(NativeProblemTest, AllErrorsAtOnceAtTheirPlaces) {
  EXPECT_THAT(
      ErrorsOf(R"(format: inlay/1
problem:
  nmae: x
  dims: {K: 0, C: many, P: 4}
  tensors:
    Weights: "[K, c, R]"
    Inputs: [C, P]
    Outputs: "[K, P +="
)"),
      ElementsAre("3:3: unknown key 'nmae' in a problem (did you mean 'name'?)",
                  "4:13: 'K' must be at least 1, found 0",
                  "4:19: 'C' must be a whole number, found 'many'",
                  "6:19: unknown dimension 'c' (did you mean 'C'?)",
                  "6:22: unknown dimension 'R' (expected one of K, C, P)",
                  "7:13: 'Inputs' must be a projection such as '[C, 2*P + R]', found a list",
                  "8:22: expected a dimension (write for example '[C, 2*P + R]', with '+=' after "
                  "the output)"));
}

TEST(NativeProblemTest, WhatCoreFindsIsReportedAtItsPlace) {
  EXPECT_THAT(
      ErrorsOf(R"(format: inlay/1
problem:
  dims: {K: 4, Z: 5}
  tensors:
    A: "[K, 2*K]"
    B: "[K]"
)"),
      ElementsAre("3:19: dimension 'Z' is in no tensor (leave it out, or use it in a tensor)",
                  "5:5: no tensor is the output (mark exactly one tensor as the reduced "
                  "output)",
                  "5:8: tensor 'A' uses dimension 'K' more than once (a dimension may occur "
                  "in one rank of a tensor only)"));
}

TEST(NativeProblemTest, HugeProblemsAreRefused) {
  EXPECT_THAT(ErrorsOf(R"(format: inlay/1
problem:
  dims: {K: 4000000000, C: 4000000000}
  tensors: {W: "[K, C]", O: "[K] +="}
)"),
              ElementsAre("3:9: the number of operations does not fit into 64 bits"));
  std::string dims, terms;
  for (int i = 0; i < 65; ++i) {
    dims += fmt::format("{}D{}: 1", i == 0 ? "" : ", ", i);
    terms += fmt::format("{}D{}", i == 0 ? "" : ", ", i);
  }
  EXPECT_THAT(
      ErrorsOf(fmt::format("format: inlay/1\nproblem:\n  dims: {{{}}}\n  tensors: {{O: '[D1] "
                           "+='}}\n",
                           dims)),
      ElementsAre("3:9: more than 64 dimensions"));
}

TEST(NativeProblemTest, MissingAndEmptyParts) {
  EXPECT_THAT(ErrorsOf("format: inlay/1\nproblem: {name: x}\n"),
              ElementsAre("2:10: a problem needs the key 'dims' ('dims': the dimensions and their "
                          "bounds)",
                          "2:10: a problem needs the key 'tensors' ('tensors': the projection of "
                          "each tensor; '+=' after the one that is the output)"));
  EXPECT_THAT(ErrorsOf("format: inlay/1\nproblem:\n"),
              ElementsAre("2:1: 'problem' has no value (expected a problem)"));
  EXPECT_THAT(ErrorsOf("format: inlay/1\nproblem: [1]\n"),
              ElementsAre("2:10: 'problem' must be a problem, found a list"));
}

TEST(NativeProblemTest, ACoefficientIsNotADimension) {
  EXPECT_THAT(ErrorsOf(R"(format: inlay/1
problem:
  dims: {K: 4}
  coefficients: {K: 2}
  tensors: {O: "[K] +="}
)"),
              ::testing::Contains("4:18: 'K' is both a dimension and a coefficient"));
}

TEST(NativeProblemTest, WritesWhatAPersonWouldWrite) {
  EXPECT_EQ(WriteNative(MakeConv("conv", {.n = 2, .k = 3, .p = 7, .stride_h = 2})),
            R"(format: inlay/1
problem:
  name: conv
  dims: {N: 2, K: 3, C: 1, P: 7, Q: 1, R: 1, S: 1}
  tensors:
    Weights: "[K, C, R, S]"
    Inputs: "[N, C, 2*P + R, Q + S]"
    Outputs: "[N, K, P, Q] +="
)");
}

}  // namespace
}  // namespace inlay::io
