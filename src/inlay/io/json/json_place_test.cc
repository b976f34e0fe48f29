#include "inlay/io/json/json_place.h"

#include <gtest/gtest.h>

#include "inlay/io/json/json.h"

namespace inlay::io {
namespace {

const Source kSource{"f.json", R"({
  "plain": 1,
  "levels": [ {"name": "a, \"b\": ]", "cycles": 2},
    {"cycles": [3, {"x": null}]}],
  "in": {"conv.1": {"x": 1}, "conv": {"x": 2}, "": 3},
  "last": "}"
}
)"};

// "line:column" of a path.
std::string Place(const std::string& path) {
  const SourcePlace place = PlaceOfPath(kSource, path);
  EXPECT_EQ(place.line, LineOf(kSource, place.location.line));
  return std::to_string(place.location.line) + ":" + std::to_string(place.location.column);
}

TEST(JsonPlaceTest, FindsKeysAndItems) {
  EXPECT_EQ(Place(""), "1:1");
  EXPECT_EQ(Place("plain"), "2:3");
  EXPECT_EQ(Place("levels"), "3:3");
  EXPECT_EQ(Place("levels[0]"), "3:15");
  EXPECT_EQ(Place("levels[0].cycles"), "3:39");
  EXPECT_EQ(Place("levels[1].cycles"), "4:6");
  EXPECT_EQ(Place("levels[1].cycles[1].x"), "4:21");
  EXPECT_EQ(Place("last"), "6:3");
}

TEST(JsonPlaceTest, KeysMayHoldDots) {
  EXPECT_EQ(Place("in.conv.1.x"), "5:21");
  EXPECT_EQ(Place("in.conv.x"), "5:39");
}

TEST(JsonPlaceTest, WhatIsMissingIsWhereItShouldBe) {
  EXPECT_EQ(Place("nothing"), "1:1");
  EXPECT_EQ(Place("plain.more"), "2:3");
  EXPECT_EQ(Place("levels[1].nothing"), "4:5");
  EXPECT_EQ(Place("levels[2].cycles"), "3:3");
  EXPECT_EQ(Place("levels[x]"), "3:3");
  EXPECT_EQ(Place("plainer"), "1:1");
  EXPECT_EQ(PlaceOfPath({"f", ""}, "a[0].b").location.line, 1);
  EXPECT_EQ(PlaceOfPath({"f", "{\"a\": [\"\\"}, "a[1].b").location.line, 1);  // no crash on no JSON
}

std::string ErrorOf(const std::string& text) {
  const auto json = ParseJson({"f.json", text});
  return json ? "" : Format(json.error());
}

TEST(JsonPlaceTest, SaysWhichNumberIsTooLarge) {
  EXPECT_EQ(ErrorOf("{\"a\": \"1e999\",\n \"b\": [1, 1e999, 1e9999]}"),
            "f.json:2:11: error: the number 1e999 is too large\n"
            "  |  \"b\": [1, 1e999, 1e9999]}\n"
            "  |           ^\n"
            "  hint: no number of a result is above 1.8e308\n");
  EXPECT_TRUE(ErrorOf("-1e400").starts_with("f.json:1:1: error: the number -1e400 is too large\n"));
  EXPECT_EQ(ErrorOf("[1e308, 1e-999]"), "");
}

TEST(JsonPlaceTest, ReadersSayWhere) {
  const Source source{"f.json", "{\"a\": {\n  \"b\": \"x\"}}"};
  const auto json = ParseJson(source);
  ASSERT_TRUE(json.has_value());
  JsonReader reader(source);
  reader.Int((*json)["a"], "a", "b");
  reader.Int((*json)["a"], "a", "c");
  EXPECT_EQ(Format(reader.errors()),
            "f.json:2:3: error: a.b: expected a whole number of 64 bits\n"
            "  |   \"b\": \"x\"}}\n"
            "  |   ^\n"
            "f.json:1:2: error: a.c: missing\n"
            "  | {\"a\": {\n"
            "  |  ^\n");
}

TEST(JsonPlaceTest, WrittenJsonHasNoControlCharacters) {
  const Json json = {{"name", "a\x1b[2J\x7f\xc2\x9b\xc3\xa9"}};
  EXPECT_EQ(Dump(json), "{\"name\": \"a\\u001b[2J\\u007f\\u009b\xc3\xa9\"}\n");
  EXPECT_EQ(Json::parse(Dump(json)), json);
}

}  // namespace
}  // namespace inlay::io
