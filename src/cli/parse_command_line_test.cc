#include "cli/parse_command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inlay::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Command SomeCommand() {
  return {
      .name = "paint",
      .sentence = "paints",
      .usages = {"WALL..."},
      .details = "",
      .arguments = {{.name = "WALL", .sentence = "what to paint", .repeated = true}},
      .options = {{.key = "colour",
                   .sentence = "which",
                   .type = OptionType::kChoice,
                   .choices = {"red", "green"},
                   .default_text = "red"},
                  {.key = "coats",
                   .sentence = "how often",
                   .type = OptionType::kInteger,
                   .value_name = "N",
                   .min = 1,
                   .default_text = "1"},
                  {.key = "dry", .sentence = "dry", .type = OptionType::kFlag, .short_name = 'd'}},
      .examples = {}};
}

std::string ErrorsOf(const std::vector<std::string>& words) {
  const auto invocation = ParseInvocation(SomeCommand(), words);
  return invocation ? "" : Format(invocation.error());
}

TEST(Parse, TakesArgumentsAndOptionsInAnyOrder) {
  const auto invocation =
      ParseInvocation(SomeCommand(), {"north", "--colour", "green", "south", "-d", "--coats=3"});
  ASSERT_TRUE(invocation.has_value()) << Format(invocation.error());
  EXPECT_THAT(invocation->arguments, ElementsAre("north", "south"));
  EXPECT_EQ(invocation->options.Text("colour"), "green");
  EXPECT_EQ(invocation->options.Integer("coats"), 3);
  EXPECT_TRUE(invocation->options.Flag("dry"));
}

TEST(Parse, AnOptionTakesOneWordOnly) {
  const auto invocation = ParseInvocation(SomeCommand(), {"--colour", "red", "north"});
  ASSERT_TRUE(invocation.has_value());
  EXPECT_THAT(invocation->arguments, ElementsAre("north"));
}

// A command with one argument, and two options that take all words that follow.
Command ListCommandOf() {
  Command command = SomeCommand();
  command.options.push_back({.key = "brushes",
                             .sentence = "with",
                             .type = OptionType::kTexts,
                             .value_name = "FILE...",
                             .takes_words = true});
  command.options.push_back({.key = "paints",
                             .sentence = "with",
                             .type = OptionType::kTexts,
                             .value_name = "FILE...",
                             .takes_words = true});
  command.options.push_back(
      {.key = "once", .sentence = "one each", .type = OptionType::kTexts, .value_name = "FILE"});
  return command;
}

TEST(Parse, SomeOptionsTakeAllWordsThatFollow) {
  const auto lists = [](const std::vector<std::string>& words) {
    const auto invocation = ParseInvocation(ListCommandOf(), words);
    if (!invocation) return Format(invocation.error());
    std::string text;
    for (const std::string& word : invocation->arguments) text += word + " ";
    for (const char* key : {"brushes", "paints", "once"}) {
      text += "|";
      if (!invocation->options.Has(key)) continue;
      for (const std::string& word : invocation->options.List(key)) text += " " + word;
    }
    return text;
  };
  EXPECT_EQ(lists({"w", "--brushes", "a", "b", "--paints", "c"}), "w | a b| c|");
  EXPECT_EQ(lists({"--brushes", "a", "b", "--brushes", "c", "-d", "--once", "e", "w"}),
            "w | a b c|| e");
  EXPECT_EQ(lists({"w", "--once", "a", "v", "--once", "b"}), "w v ||| a b");
  // The argument is the last word, wherever flags stand.
  EXPECT_EQ(lists({"--brushes", "a", "b", "w"}), "w | a b||");
  EXPECT_EQ(lists({"--brushes", "a", "w", "--colour", "red"}), "w | a||");
  EXPECT_EQ(lists({"--brushes", "a", "b", "--paints", "c", "w"}), "w | a b| c|");
  EXPECT_EQ(lists({"--paints", "c", "w", "--brushes", "a"}), "w | a| c|");
  // A word may stand in several places.
  EXPECT_EQ(lists({"--brushes", "a", "w", "--paints", "w"}), "w | a| w|");
  EXPECT_EQ(lists({"--brushes", "a", "w", "--brushes", "w"}), "w | a w||");
  EXPECT_EQ(lists({"--brushes=a", "w", "--once", "w"}), "w | a|| w");
  // A word that a flag needs is none.
  EXPECT_THAT(lists({"--brushes", "a", "--brushes", "b"}), HasSubstr("needs WALL"));
}

TEST(Parse, AfterTwoDashesEverythingIsAnArgument) {
  const auto invocation = ParseInvocation(SomeCommand(), {"--", "--colour"});
  ASSERT_TRUE(invocation.has_value());
  EXPECT_THAT(invocation->arguments, ElementsAre("--colour"));
}

TEST(Parse, NamesWhatIsWrong) {
  EXPECT_THAT(ErrorsOf({}), HasSubstr("inlay paint needs WALL: what to paint"));
  EXPECT_THAT(ErrorsOf({"w", "--color", "red"}), HasSubstr("did you mean '--colour'?"));
  EXPECT_THAT(ErrorsOf({"w", "--colour"}), HasSubstr("--colour needs a value"));
  // What follows is another option.
  EXPECT_THAT(ErrorsOf({"w", "--coats", "--colour", "red"}),
              HasSubstr("--coats needs a value, found '--colour'"));
  const auto list = ParseInvocation(ListCommandOf(), {"w", "--paints", "--brushes=a"});
  ASSERT_FALSE(list.has_value());
  EXPECT_THAT(Format(list.error()), HasSubstr("--paints needs a value, found '--brushes=a'\n"
                                              "  hint: write --paints FILE..."));
  EXPECT_THAT(ErrorsOf({"w", "--coats", "1", "--coats", "2"}),
              HasSubstr("--coats is given more than once"));
  EXPECT_THAT(ErrorsOf({"w", "--dry=yes"}), HasSubstr("--dry takes no value"));
  EXPECT_THAT(ErrorsOf({"w", "-z"}), HasSubstr("no option '-z'"));
}

TEST(Parse, TellsEveryWrongValueAtOnce) {
  const std::string errors = ErrorsOf({"w", "--coats", "0", "--colour", "blue"});
  EXPECT_THAT(errors, HasSubstr("--coats: '0'"));
  EXPECT_THAT(errors, HasSubstr("--colour: unknown value 'blue'"));
}

TEST(Commands, EveryRecordIsComplete) {
  for (const Command& command : Commands()) {
    SCOPED_TRACE(command.name);
    EXPECT_NE(command.run, nullptr);
    EXPECT_FALSE(command.sentence.empty());
    EXPECT_FALSE(command.usages.empty());
    EXPECT_FALSE(command.examples.empty());
    for (const Option& option : command.options) {
      EXPECT_FALSE(option.sentence.empty()) << option.key;
      const bool takes_value = option.type != OptionType::kFlag;
      const bool named = !option.value_name.empty() || !option.choices.empty();
      EXPECT_EQ(takes_value, named) << option.key;
    }
    for (size_t i = 0; i + 1 < command.arguments.size(); ++i) {
      EXPECT_FALSE(command.arguments[i].repeated);
    }
    OptionValues defaults(command.options);  // checks that every default is one of its choices
  }
}

}  // namespace
}  // namespace inlay::cli
