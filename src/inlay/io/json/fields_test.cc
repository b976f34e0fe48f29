#include "inlay/io/json/fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "inlay/io/json/document.h"

// A struct with every kind of value and every trait, through JSON and back.
namespace inlay {

enum class Colour : uint8_t { kRed, kGreen };
template <>
inline constexpr auto kNames<Colour> = std::to_array<EnumName<Colour>>({{Colour::kRed, "red"},
                                                                        {Colour::kGreen, "green"}});

namespace {

struct Part {
  std::string role, name;
  bool operator==(const Part&) const = default;
};
const Structure& StructureOf(const Part*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&Part::role>("role", "what it is for"),
      Row<&Part::name>("name", "what it is called"),
  });
  return Describe<Part, kFields>("Part");
}

struct Size {
  int64_t rows = 0, columns = 0;
  bool operator==(const Size&) const = default;
};
const Structure& StructureOf(const Size*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&Size::rows>("rows", "rows"),
      Row<&Size::columns>("columns", "columns"),
  });
  return Describe<Size, kFields>("Size");
}

struct Everything {
  std::string format = "test/1";
  bool flag = true;
  uint8_t small = 3;
  double seconds = 0.25;
  double number = -1;
  std::string text;
  Colour colour = Colour::kRed;
  OptionValue option;
  std::optional<int64_t> left_out, null;
  std::vector<std::string> lines;
  std::vector<std::optional<double>> holes;
  std::deque<bool> flags;
  std::vector<std::pair<std::string, int64_t>> counts;
  std::vector<Part> parts;
  std::vector<std::pair<std::string, NumberOrText>> mixed;
  Size size;
  std::optional<Size> other;
  int64_t nodes = 0, deep = 0;
  bool operator==(const Everything&) const = default;
};
const Structure& StructureOf(const Everything*) {
  static constexpr auto kIsFlagged = [](const void* owner) {
    return static_cast<const Everything*>(owner)->flag;
  };
  static constexpr auto kFields = std::to_array<Field>({
      Row<&Everything::format>("format", "", {.constant = "test/1"}),
      Row<&Everything::flag>("flag", "a flag", {.presence = Presence::kUnlessDefault}),
      Row<&Everything::small>("small", "fits into eight bits"),
      Row<&Everything::seconds>("latency_us", "in another unit", {.scale = 1e6}),
      Row<&Everything::number>("number", "anything",
                               {.may_be_negative = true, .as_whole = true, .any_double = true}),
      Row<&Everything::text>("text", "only with the flag", {.applies = kIsFlagged}),
      Row<&Everything::colour>("colour", "one of two"),
      Row<&Everything::option>("option", "of a command"),
      Row<&Everything::left_out>("left_out", "not there where it is empty"),
      Row<&Everything::null>("null", "null where it is empty", {.presence = Presence::kNull}),
      Row<&Everything::lines>("lines", "texts"),
      Row<&Everything::holes>("holes", "numbers and nulls"),
      Row<&Everything::flags>("flags", "booleans"),
      Row<&Everything::counts>("counts", "by name"),
      Row<&Everything::parts>("parts", "by role", {.grouped = true}),
      Row<&Everything::mixed>("mixed", "numbers and texts", {.as_whole = true}),
      Row<&Everything::size>("", "", {.inlined = true}),
      Row<&Everything::other>("other", "a struct"),
      Row<&Everything::nodes>("nodes", "in a group", {.group = "measured"}),
      Row<&Everything::deep>("deep", "in a group of a group", {.group = "measured.more"}),
  });
  return Describe<Everything, kFields>("Everything");
}

}  // namespace
}  // namespace inlay

namespace inlay::io {
namespace {

using testing::HasSubstr;

Everything Full() {
  Everything full;
  full.flag = false;
  full.small = 200;
  full.number = 7;
  full.colour = Colour::kGreen;
  full.option = std::vector<std::string>{"a", "b"};
  full.left_out = 1;
  full.null = 2;
  full.lines = {"x", "µ"};
  full.holes = {1.5, std::nullopt};
  full.flags = {true, false};
  full.counts = {{"K", 3}, {"C", INT64_MAX}};
  full.parts = {{"arch", "a"}, {"arch", "b"}, {"mapping", "m"}};
  full.mixed = {{"small", 2.0}, {"huge", "123456789012345678901"}};
  full.size = {4, 5};
  full.other = Size{6, 7};
  full.nodes = 8;
  full.deep = 9;
  return full;
}

// A struct that files hold and results show: one table, with the names of both.
struct Shelf {
  std::string name = "a";
  double width_mm = 5;
  int64_t hooks = 2;
  bool shown = true;
};
const Structure& StructureOf(const Shelf*) {
  static constexpr auto kFields = std::to_array<Field>({
      KeyOf<&Shelf::name>("name", "what it is called", {.required = true}).InResults(),
      KeyOf<&Shelf::width_mm>("width", "from side to side (default {})")
          .InResults("width_mm", {.as_whole = true}),
      KeyOf<&Shelf::hooks>("hooks", "below it (default {})"),
      Row<&Shelf::shown>("shown", "whether it can be seen"),
  });
  return Describe<Shelf, kFields>("Shelf", "a shelf");
}

TEST(FieldsJson, WhatFilesAloneHoldIsNotInResults) {
  EXPECT_EQ(ToJson(Shelf{}), (Json{{"name", "a"}, {"width_mm", 5}, {"shown", true}}));
  const Source source{"shelf.json", R"({"name": "b", "width_mm": 7, "shown": false, "hooks": 9})"};
  const auto shelf = ReadJson<Shelf>(source);
  ASSERT_TRUE(shelf.has_value());
  EXPECT_EQ(shelf->name, "b");
  EXPECT_EQ(shelf->width_mm, 7);
  EXPECT_EQ(shelf->hooks, 2);
  EXPECT_FALSE(shelf->shown);
  Json definitions = Json::object();
  const Json schema = SchemaOf(StructureOf(static_cast<const Shelf*>(nullptr)), &definitions);
  EXPECT_EQ(schema["required"], (Json{"name", "width_mm", "shown"}));
  EXPECT_EQ(schema["properties"]["width_mm"]["description"], "from side to side");
}

TEST(FieldsJson, EveryKindAsItIsWritten) {
  EXPECT_EQ(ToJson(Full()).dump(),
            R"({"format":"test/1","flag":false,"small":200,"latency_us":250000.0,"number":7,)"
            R"("colour":"green","option":["a","b"],"left_out":1,"null":2,"lines":["x","µ"],)"
            R"("holes":[1.5,null],"flags":[true,false],)"
            R"("counts":{"K":3,"C":9223372036854775807},)"
            R"("parts":{"arch":[{"name":"a"},{"name":"b"}],"mapping":[{"name":"m"}]},)"
            R"("mixed":{"small":2,"huge":"123456789012345678901"},"rows":4,"columns":5,)"
            R"("other":{"rows":6,"columns":7},"measured":{"nodes":8,"more":{"deep":9}}})");
  const Json defaults = ToJson(Everything());
  EXPECT_FALSE(defaults.contains("flag"));
  EXPECT_FALSE(defaults.contains("left_out"));
  EXPECT_TRUE(defaults.at("null").is_null());
  EXPECT_EQ(defaults.at("text"), "");
}

TEST(FieldsJson, ReadsWhatItWrites) {
  for (const Everything& value : {Full(), Everything()}) {
    const auto read = ReadJson<Everything>({"f.json", WriteJson(value)});
    ASSERT_TRUE(read.has_value()) << Format(read.error());
    EXPECT_EQ(*read, value);
  }
}

TEST(FieldsJson, NumbersThatJsonHasNoWordFor) {
  Everything value;
  value.number = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(ToJson(value).at("number"), "-inf");
  EXPECT_EQ(*ReadJson<Everything>({"f.json", WriteJson(value)}), value);
  value.number = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(ReadJson<Everything>({"f.json", WriteJson(value)})->number));
}

TEST(FieldsJson, EveryFaultHasItsPlace) {
  Json json = ToJson(Full());
  json["format"] = "test/2";
  json["small"] = 256;
  json["number"] = "much";
  json["colour"] = "blue";
  json["option"] = {1, 2};
  json["null"] = "two";
  json["lines"] = {"x", 1};
  json["holes"] = {true};
  json["counts"]["K"] = 1.5;
  json["parts"]["arch"] = 3;
  json["other"].erase("rows");
  json["measured"].erase("more");
  json["unknown"] = "a later version's";
  const auto read = ReadJson<Everything>({"f.json", json.dump(1)});
  ASSERT_FALSE(read.has_value());
  const std::string text = Format(read.error());
  for (const char* fault :
       {"format: 'test/2' is not test/1", "small: expected a whole number", "number: expected",
        "colour: unknown value 'blue'", "option: expected a scalar or a list of texts",
        "null: expected a whole number", "lines: expected a list of texts",
        "holes[0]: expected a number", "counts.K: expected a whole number",
        "parts.arch: expected a list", "other.rows: missing", "measured.more: missing"}) {
    EXPECT_THAT(text, HasSubstr(fault));
  }
  EXPECT_EQ(read.error().size(), 12U) << text;
  for (const Diagnostic& error : read.error()) EXPECT_GT(error.location.line, 0) << error.message;
}

TEST(FieldsJson, SchemaSaysWhatMustBeThere) {
  Json definitions = Json::object();
  const Json schema = SchemaOf(StructureOf(static_cast<const Everything*>(nullptr)), &definitions);
  EXPECT_EQ(
      schema["required"].dump(),
      R"(["rows","columns","format","small","latency_us","number","colour","option","null","lines",)"
      R"("holes","flags","counts","parts","mixed","measured"])");
  const Json& properties = schema["properties"];
  EXPECT_EQ(properties["colour"]["enum"].dump(), R"(["red","green"])");
  EXPECT_EQ(properties["small"]["minimum"], 0);
  EXPECT_FALSE(properties["number"].contains("minimum"));
  EXPECT_EQ(properties["other"]["$ref"], "#/definitions/Size");
  EXPECT_EQ(definitions["Size"]["required"].dump(), R"(["rows","columns"])");
  EXPECT_EQ(properties["measured"]["required"].dump(), R"(["nodes","more"])");
}

}  // namespace
}  // namespace inlay::io
