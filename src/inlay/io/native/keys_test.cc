#include "inlay/io/native/keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "inlay/io/native/quantity.h"

namespace inlay::io {

struct TestPart {
  int64_t words = 4;
  bool operator==(const TestPart&) const = default;
};
const Structure& StructureOf(const TestPart*) {
  static constexpr auto kKeys = std::to_array<Field>(
      {KeyOf<&TestPart::words>("capacity", "how many", {.unit = &kCapacityUnits})});
  return DescribeKeys<TestPart, kKeys>("a part");
}

// A key of every sort.
struct TestThing {
  std::string name;
  bool flag = false;
  int count = 2;
  double factor = 1;
  MemoryKind kind = MemoryKind::kSram;
  std::optional<double> rate;
  double low = 0, high = 0;
  std::vector<std::string> dims;
  std::optional<TestPart> part;
  std::optional<TensorNameSet> tensors;
  SizeFunction energy;
  std::vector<std::pair<std::string, std::string>> where;
  std::string only_in_results;
  bool operator==(const TestThing&) const = default;
};
const Structure& StructureOf(const TestThing*) {
  static constexpr auto kKeys = std::to_array<Field>({
      KeyOf<&TestThing::name>("name", "what it is called", {.required = true}),
      KeyOf<&TestThing::flag>("flag", "whether"),
      KeyOf<&TestThing::count>("count", "how many", {.maximum = 9, .unless_default = true}),
      KeyOf<&TestThing::factor>("factor", "by what", {.unless_default = true}),
      KeyOf<&TestThing::kind>("kind", "of memory"),
      KeyOf<&TestThing::rate>("rate", "how fast", {.unit = &kBandwidthUnits}),
      KeyOf<&TestThing::low, &TestThing::high>("both", "low and high", {.unless_default = true}),
      KeyOf<&TestThing::high>("high", "where it differs", {.unless_default = true}),
      KeyOf<&TestThing::dims>("dims", "which",
                              {.text = TextForm::kDimension, .unless_default = true}),
      KeyOf<&TestThing::part>("part", "of it"),
      KeyOf<&TestThing::tensors>("tensors", "that it holds"),
      KeyOf<&TestThing::energy>("energy", "of an access",
                                {.unit = &kEnergyUnits, .what = "an energy"}),
      KeyOf<&TestThing::where>("where", "and what there", {.unless_default = true}),
      Row<&TestThing::only_in_results>("only_in_results", "what follows from the rest"),
      ByHand("other", "what its kind reads"),
  });
  return DescribeKeys<TestThing, kKeys>("a thing");
}

namespace {

using testing::HasSubstr;

Node Parse(const std::string& text) { return ParseYaml({"thing.yaml", text}).value().front(); }

Diagnostics Errors(const std::string& text) {
  Diagnostics errors;
  Node key;
  key.kind = Node::Kind::kScalar;
  key.text = "thing";
  Check(key, Parse(text), TypeOf<TestThing>({{"other", &kFreeText}}), &errors);
  return errors;
}

TestThing Read(const std::string& text, int word_bits = 16) {
  TestThing thing;
  Diagnostics errors;
  ReadKeys(Parse(text), {.word_bits = &word_bits}, &thing, &errors);
  EXPECT_TRUE(errors.empty()) << Format(errors);
  return thing;
}

TEST(KeysTest, MembersAreReadAndWritten) {
  const std::string text =
      "{name: a, flag: true, count: 3, factor: 1.5, kind: dram, rate: 8 words/cycle, both: 2, "
      "high: 5, dims: [K, C], part: {capacity: 32 words}, tensors: [W], energy: 1 pJ + 2 pJ * "
      "words, where: {left: a, right: b}}";
  EXPECT_TRUE(Errors(text).empty()) << Format(Errors(text));
  const TestThing thing = Read(text);
  const TestThing expected{"a",
                           true,
                           3,
                           1.5,
                           MemoryKind::kDram,
                           8,
                           2,
                           5,
                           {"K", "C"},
                           TestPart{32},
                           TensorNameSet{false, {"W"}},
                           {1, 2, 0},
                           {{"left", "a"}, {"right", "b"}},
                           ""};
  EXPECT_EQ(thing, expected);
  EXPECT_EQ(FlowText(thing).ToString(), text);
  EXPECT_EQ(Read(FlowText(thing).ToString()), thing);
}

TEST(KeysTest, WhatIsLeftOutHasItsDefault) {
  EXPECT_EQ(Read("{other: x}"), TestThing());
  EXPECT_EQ(FlowText(TestThing()).ToString(),
            "{name: \"\", flag: false, kind: sram, energy: 0 pJ}");
}

TEST(KeysTest, BytesAreCountedInTheWordsOfTheContext) {
  const std::string text = "{rate: 8 B/cycle, part: {capacity: 32 B}}";
  EXPECT_EQ(Read(text, 16).rate, 4);
  EXPECT_EQ(Read(text, 16).part, TestPart{16});
  EXPECT_EQ(Read(text, 32).part, TestPart{8});
  TestPart part;
  Diagnostics errors;
  const int word_bits = 16;
  ReadKeys(Parse("capacity: 3 B"), {.word_bits = &word_bits}, &part, &errors);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].message, "the capacity is not a whole number of 16-bit words");
  EXPECT_EQ(errors[0].location.column, 11);
  EXPECT_EQ(part, TestPart());
}

TEST(KeysTest, TheKindHasTheLastWord) {
  const auto text = [](std::string_view key) -> std::optional<std::string> {
    if (key == "other") return "said";
    return key == "flag" ? std::optional<std::string>("") : std::nullopt;
  };
  EXPECT_EQ(FlowText(TestThing(), text).ToString(),
            "{name: \"\", kind: sram, energy: 0 pJ, other: said}");
  EXPECT_EQ(BlockText(TestThing(), "  ", text), "  kind: sram\n  energy: 0 pJ\n  other: said\n");
}

TEST(KeysTest, EveryErrorIsReported) {
  const std::string all = Format(
      Errors("{count: 10, factor: x, kind: srm, rate: 8, dims: [1], tensors: W, part: [], colour: "
             "red, where: [], only_in_results: x}"));
  for (const char* message :
       {"'count' must be at most 9, found 10", "'factor' must be a number", "did you mean 'sram'?",
        "a bandwidth needs a unit", "expected a list of tensors or 'all'",
        "'part' must be a part, found a list", "unknown key 'colour' in a thing",
        "'where' must be a mapping, found a list", "unknown key 'only_in_results' in a thing",
        "a thing needs the key 'name'"}) {
    EXPECT_THAT(all, HasSubstr(message));
  }
}

}  // namespace
}  // namespace inlay::io
