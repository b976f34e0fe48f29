#include "inlay/base/option_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "inlay/base/mention.h"

namespace inlay {

enum class Pigment : uint8_t { kRed, kGreen, kBlue };
template <>
inline constexpr auto kNames<Pigment> =
    std::to_array<EnumName<Pigment>>({{Pigment::kRed, "red", "crimson scarlet"},
                                      {Pigment::kGreen, "green"},
                                      {Pigment::kBlue, "blue", "azure"}});

struct Brush {
  int64_t hairs = 100;
  double wear = 0.25;
};
const Structure& StructureOf(const Brush*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&Brush::hairs>("hairs", "how many", {.option = {.value_name = "N", .min = 1}}),
      Row<&Brush::wear>("wear", "in percent",
                        {.scale = 100, .option = {.value_name = "PERCENT", .min = 0, .max = 100}}),
  });
  return Describe<Brush, kFields>("Brush");
}

struct Painting {
  std::string tool = "brush";
  Brush brush;
  Pigment colour = Pigment::kGreen;
  std::vector<Pigment> frame = {Pigment::kBlue, Pigment::kRed};
  std::vector<std::string> rooms = {"all"};
  std::optional<Pigment> sky;
  std::optional<double> patience;
  std::optional<std::string> title;
  bool varnish = false;
  bool shadows = true;
  std::vector<std::pair<std::string, int64_t>> sizes;
  std::vector<std::pair<std::string, int64_t>> coats = {{"all", 2}};
};
const Structure& StructureOf(const Painting*) {
  static constexpr const char* kWarm[] = {"red", "green"};
  static constexpr const char* kRooms[] = {"hall", "attic", "all"};
  static constexpr auto kFields = std::to_array<Field>({
      Row<&Painting::tool>("tool", "with what", {.option = {.value_name = "TOOL"}}),
      Row<&Painting::brush>(
          "", "",
          {.inlined = true, .option = {.only_with_key = "tool", .only_with_value = "brush"}}),
      Row<&Painting::colour>("colour", "of all", {.option = {.choices = kWarm}}),
      Row<&Painting::frame>("frame", "from outside"),
      Row<&Painting::rooms>("rooms", "where", {.option = {.choices = kRooms}}),
      Row<&Painting::sky>("sky_colour", "of the sky",
                          {.option = {.only_with_key = "rooms", .only_with_value = "attic"}}),
      Row<&Painting::patience>("patience", "how long",
                               {.option = {.value_name = "TIME", .duration = true}}),
      Row<&Painting::title>("title", "on a plate",
                            {.option = {.value_name = "TEXT", .in_result = false}}),
      Row<&Painting::varnish>("varnish", "shiny"),
      Row<&Painting::shadows>("no_shadows", "flat"),
      Row<&Painting::sizes>("size", "of parts", {.option = {.value_name = "NAME=N"}}),
      Row<&Painting::coats>(
          "coats", "of paint",
          {.option = {.value_name = "N|NAME=N,...", .min = 1, .max = 9, .alone = "all"}}),
  });
  return Describe<Painting, kFields>("Painting");
}

namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

const Structure& OfPainting() { return StructureOf(static_cast<const Painting*>(nullptr)); }

OptionValues Given(const std::vector<std::pair<std::string, std::string>>& settings) {
  OptionValues values(OptionsOf<Painting>());
  for (const auto& [key, text] : settings) EXPECT_TRUE(values.Set(key, text)) << key;
  return values;
}

TEST(OptionFields, NumbersAreForAllOrByName) {
  const auto coats = [](const char* text) {
    return StructFrom<Painting>(Given({{"coats", text}})).coats;
  };
  EXPECT_THAT(StructFrom<Painting>(Given({})).coats, ElementsAre(Pair("all", 2)));
  EXPECT_THAT(coats("3"), ElementsAre(Pair("all", 3)));
  EXPECT_THAT(coats("wall=4,all=1"), ElementsAre(Pair("wall", 4), Pair("all", 1)));
  EXPECT_THAT(coats("a=b=5"), ElementsAre(Pair("a=b", 5)));
  OptionValues values(OptionsOf<Painting>());
  for (const char* wrong : {"10", "wall=10", "wall=0", "wall=", "wall=1,", "=3", "wall=x", ""}) {
    EXPECT_FALSE(values.Set("coats", wrong)) << wrong;
  }
  const auto twice = values.Set("coats", "wall=1,wall=2");
  ASSERT_FALSE(twice);
  EXPECT_EQ(Spell(twice.error().front().message), "--coats: 'wall' is given twice");
  EXPECT_EQ(values.Set("coats", "wall=10").error().front().hint,
            "write N|NAME=N,... with whole numbers from 1 up to 9");
}

TEST(OptionFields, OtherWordsForAChoiceAreKnownToHints) {
  OptionValues values(OptionsOf<Painting>());
  EXPECT_EQ(values.Set("sky_colour", "azure").error().front().hint, "did you mean 'blue'?");
  EXPECT_EQ(values.Set("frame", "red,scarlet").error().front().hint, "did you mean 'red'?");
}

TEST(OptionFields, NoTimeIsNoLimit) {
  EXPECT_FALSE(StructFrom<Painting>(Given({{"patience", "0"}})).patience);
  EXPECT_FALSE(StructFrom<Painting>(Given({{"patience", "0s"}})).patience);
  EXPECT_EQ(StructFrom<Painting>(Given({{"patience", "250ms"}})).patience, 0.25);
}

TEST(OptionFields, EveryTypeIsAnOptionOfItsOwn) {
  std::vector<std::string> usages, defaults;
  for (const Option& option : OptionsOf<Painting>()) {
    usages.push_back(UsageOf(option));
    defaults.push_back(option.default_text);
  }
  EXPECT_THAT(usages,
              ElementsAre("--tool TOOL", "--hairs N", "--wear PERCENT", "--colour red|green",
                          "--frame red|green|blue[,...]", "--rooms hall|attic|all[,...]",
                          "--sky-colour red|green|blue", "--patience TIME", "--title TEXT",
                          "--varnish", "--no-shadows", "--size NAME=N", "--coats N|NAME=N,..."));
  EXPECT_THAT(defaults, ElementsAre("brush", "100", "25", "green", "blue,red", "all", "", "", "",
                                    "", "", "", "2"));
}

TEST(OptionFields, WithoutValuesTheStructIsAsItWas) {
  const Painting painting = StructFrom<Painting>(Given({}));
  EXPECT_EQ(painting.tool, "brush");
  EXPECT_EQ(painting.brush.hairs, 100);
  EXPECT_EQ(painting.brush.wear, 0.25);
  EXPECT_EQ(painting.colour, Pigment::kGreen);
  EXPECT_THAT(painting.frame, ElementsAre(Pigment::kBlue, Pigment::kRed));
  EXPECT_THAT(painting.rooms, ElementsAre("all"));
  EXPECT_FALSE(painting.sky || painting.patience || painting.title || painting.varnish);
  EXPECT_TRUE(painting.shadows);
  EXPECT_TRUE(painting.sizes.empty());
}

TEST(OptionFields, WhatIsSetArrives) {
  const Painting painting = StructFrom<Painting>(Given({{"tool", "knife"},
                                                        {"hairs", "7"},
                                                        {"wear", "5"},
                                                        {"colour", "red"},
                                                        {"frame", "green"},
                                                        {"rooms", "attic,hall"},
                                                        {"sky_colour", "blue"},
                                                        {"patience", "1.5min"},
                                                        {"title", "Dusk"},
                                                        {"varnish", ""},
                                                        {"no_shadows", "true"},
                                                        {"size", "sun=3"},
                                                        {"size", "moon=1"}}));
  EXPECT_EQ(painting.tool, "knife");
  EXPECT_EQ(painting.brush.hairs, 7);
  EXPECT_DOUBLE_EQ(painting.brush.wear, 0.05);
  EXPECT_EQ(painting.colour, Pigment::kRed);
  EXPECT_THAT(painting.frame, ElementsAre(Pigment::kGreen));
  EXPECT_THAT(painting.rooms, ElementsAre("attic", "hall"));
  EXPECT_EQ(painting.sky, Pigment::kBlue);
  EXPECT_EQ(painting.patience, 90.0);
  EXPECT_EQ(painting.title, "Dusk");
  EXPECT_TRUE(painting.varnish);
  EXPECT_FALSE(painting.shadows);
  EXPECT_THAT(painting.sizes, ElementsAre(Pair("sun", 3), Pair("moon", 1)));
}

TEST(OptionFields, FlagsInFilesAreTrueOrFalse) {
  EXPECT_FALSE(StructFrom<Painting>(Given({{"varnish", "false"}})).varnish);
  EXPECT_TRUE(StructFrom<Painting>(Given({{"no_shadows", "false"}})).shadows);
  OptionValues values(OptionsOf<Painting>());
  EXPECT_FALSE(values.Set("varnish", "maybe").has_value());
}

TEST(OptionFields, WhatHasNoEffectIsRefusedAndNotRecorded) {
  const OptionValues values = Given({{"tool", "knife"}, {"hairs", "7"}, {"sky_colour", "red"}});
  std::string errors;
  for (const Diagnostic& error : CheckEffects(values, OfPainting())) {
    errors += Spell(error.message + "; " + error.hint + "\n");
  }
  EXPECT_EQ(errors,
            "--hairs is for the tool 'brush'; add --tool brush\n"
            "--sky-colour is for the rooms 'attic'; add --rooms attic\n");
  std::vector<std::string> keys;
  for (const auto& [key, value] : EffectiveOptions(values, OfPainting())) keys.push_back(key);
  EXPECT_THAT(keys,
              ElementsAre("tool", "colour", "frame", "rooms", "varnish", "no_shadows", "coats"));
  EXPECT_TRUE(CheckEffects(Given({{"hairs", "7"}, {"rooms", "hall,attic"}, {"sky_colour", "red"}}),
                           OfPainting())
                  .empty());
}

}  // namespace
}  // namespace inlay
