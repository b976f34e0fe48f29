#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/native.h"

namespace inlay::io {
namespace {

using ::inlay::testing::Brief;
using ::inlay::testing::ErrorsOf;
using ::inlay::testing::ReadText;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kProblem =
    "format: inlay/1\nproblem: {dims: {K: 2}, tensors: {O: '[K] +='}}\n";
constexpr const char* kLayers =
    "format: inlay/1\nlayers: {layers: [{name: a, gemm: {P: 1, K: 1, C: 1}}]}\n";

TEST(ReadNativeTest, DocumentsAndFilesAreOneSet) {
  const auto documents = ReadText(std::string(kProblem) + "---\n" + kLayers + "---\n");
  ASSERT_TRUE(documents) << Format(documents.error());
  EXPECT_TRUE(documents->problem && documents->network);
  EXPECT_EQ(documents->format, "native");

  const auto files = ReadNative({{"a", kProblem}, {"b", kLayers}});
  ASSERT_TRUE(files);
  EXPECT_EQ(files->problem, documents->problem);
  EXPECT_EQ(files->network, documents->network);

  const auto one = ReadText(std::string(kProblem) +
                            "layers: {layers: [{name: a, gemm: {P: 1, K: 1, "
                            "C: 1}}]}\n");
  ASSERT_TRUE(one);
  EXPECT_EQ(one->network, documents->network);
}

TEST(ReadNativeTest, AKindOccursOnce) {
  const auto twice = ReadNative({{"a.yaml", kProblem}, {"b.yaml", kProblem}});
  ASSERT_FALSE(twice);
  ASSERT_EQ(twice.error().size(), 1U);
  EXPECT_EQ(twice.error()[0].location.file, "b.yaml");
  EXPECT_THAT(Brief(twice.error()),
              ElementsAre("2:1: a second 'problem' (the first is at a.yaml:2; give one of them, or "
                          "run them one after the other)"));
}

TEST(ReadNativeTest, TheFormatIsNeeded) {
  EXPECT_THAT(ErrorsOf("problem: {dims: {K: 2}, tensors: {O: '[K] +='}}\n"),
              ElementsAre("1:1: the document does not say its format (start it with 'format: "
                          "inlay/1')"));
  EXPECT_THAT(ErrorsOf("format: inlay/2\nproblem: {dims: {K: 2}, tensors: {O: '[K] +='}}\n"),
              ElementsAre("1:9: unknown format 'inlay/2' (this version reads 'inlay/1')"));
  EXPECT_THAT(ErrorsOf("format: [inlay/1]\nproblem: {dims: {K: 2}, tensors: {O: '[K] +='}}\n"),
              ElementsAre("1:9: the format must be a single value (this version reads 'inlay/1')"));
}

TEST(ReadNativeTest, WhatADocumentHolds) {
  EXPECT_THAT(ErrorsOf("format: inlay/1\narchitectur: {}\n"),
              ElementsAre("2:1: unknown key 'architectur' in a document (did you mean "
                          "'architecture'?)"));
  EXPECT_THAT(
      ErrorsOf("format: inlay/1\n"),
      ElementsAre(
          "1:1: the document holds nothing but its format (expected one of "
          "technology, problem, architecture, constraints, mapping, fused, layers, network, "
          "machine, accelerator, mix, study)"));
  EXPECT_THAT(ErrorsOf("- 1\n"), ElementsAre("1:1: a native document is a mapping (start it with "
                                             "'format: inlay/1')"));
  EXPECT_THAT(ErrorsOf("# nothing\n"),
              ElementsAre("0:0: the file is empty (start it with 'format: inlay/1')"));
  EXPECT_FALSE(ReadNative({}));
}

TEST(ReadNativeTest, EveryDocumentMayHaveADescription) {
  const std::string problem =
      "problem: {dims: {K: 2}, tensors: {W: \"[K]\", O: \"[K] +=\"}}\n---\n"
      "format: inlay/1\ndescription: second\nmapping: [x keeps all]\n";
  EXPECT_TRUE(ReadText("format: inlay/1\ndescription: 45 nm, for people\n" + problem));
  EXPECT_THAT(ErrorsOf("format: inlay/1\ndescription: [a list]\n" + problem),
              ElementsAre(HasSubstr("2:14: 'description' must be")));
  EXPECT_THAT(ErrorsOf("format: inlay/1\ndescripton: a\n" + problem),
              ElementsAre("2:1: unknown key 'descripton' in a document (did you mean "
                          "'description'?)"));
  EXPECT_THAT(ErrorsOf("format: inlay/1\ndescription: alone\n"),
              ElementsAre(HasSubstr("holds nothing but its format")));
}

TEST(ReadNativeTest, BrokenYamlDoesNotHideTheOtherFile) {
  const auto inputs =
      ReadNative({{"a", "format: inlay/1\nproblem: {dims: {K: 0}, tensors: {O: '[K] +='}}\n"},
                  {"b", "format: [\n"}});
  ASSERT_FALSE(inputs);
  ASSERT_EQ(inputs.error().size(), 2U);
  EXPECT_EQ(inputs.error()[0].location.file, "a");
  EXPECT_EQ(inputs.error()[1].location.file, "b");
}

TEST(ReadNativeTest, ErrorsQuoteTheLineWithACaret) {
  const auto inputs =
      ReadText("format: inlay/1\nproblem:\n  dims: {K: 2}\n  tensors:\n    O: \"[K, Q] +=\"\n");
  ASSERT_FALSE(inputs);
  EXPECT_EQ(Format(inputs.error()), R"(f:5:13: error: unknown dimension 'Q'
  |     O: "[K, Q] +="
  |             ^
  hint: expected one of K
)");
}

TEST(ReadNativeTest, PlacesInsideFoldedTextsFallBackToTheStart) {
  EXPECT_THAT(
      ErrorsOf("format: inlay/1\nproblem:\n  dims: {K: 2}\n  tensors:\n    O: >-\n      [K,\n   "
               "   Zebra] +=\n"),
      ElementsAre("5:8: unknown dimension 'Zebra' (expected one of K)"));
}

TEST(ReadNativeTest, TagsAreNotIgnored) {
  EXPECT_THAT(
      ErrorsOf("format: inlay/1\nproblem: !Conv {dims: {K: 2}, tensors: {O: '[K] +='}}\n"),
      ElementsAre(::testing::HasSubstr("unexpected tag '!Conv' (native files use no tags)")));
}

TEST(ReadNativeTest, ErrorsAreBounded) {
  std::string text = "format: inlay/1\nproblem:\n";
  for (int i = 0; i < 1000; ++i) text += fmt::format("  key{}: 1\n", i);
  EXPECT_LE(ErrorsOf(text).size(), 210U);
}

TEST(LooksLikeNativeTest, TellsOursFromOthers) {
  for (const char* text :
       {"format: inlay/1\n", "# hello\nformat: inlay/1\n", "{\"format\": \"inlay/1\", \"a\": 1}",
        "problem: {}\nformat: inlay/2\n", "format: inlay", "a: 1\n---\nformat : 'inlay/1'\n"}) {
    EXPECT_TRUE(LooksLikeNative({"f", text})) << text;
  }
  for (const char* text :
       {"", "problem: {}\n", "{\"format\":\"inlay/result/1\"}", "format: inlaid/1\n",
        "# format: inlay/1", "information: inlay/1\n", "format:\n", "format\n", "format: json\n"}) {
    EXPECT_FALSE(LooksLikeNative({"f", text})) << text;
  }
}

}  // namespace
}  // namespace inlay::io
