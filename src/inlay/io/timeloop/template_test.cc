#include "inlay/io/timeloop/template.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <random>

#include "inlay/io/timeloop/read.h"
#include "inlay/io/timeloop/template_expression.h"

namespace inlay::io::timeloop {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// The value as compact text.
std::string Show(const Node& node) {
  if (node.IsScalar()) return node.text;
  std::string out;
  for (const Node& item : node.items) out += (out.empty() ? "" : ", ") + Show(item);
  for (const auto& [key, value] : node.entries) {
    out += (out.empty() ? "" : ", ") + key.text + ": " + Show(value);
  }
  if (node.IsNull()) return "~";
  return node.IsSequence() ? "[" + out + "]" : "{" + out + "}";
}

// Files in memory; the template is "top.yaml".
struct Expanded {
  std::string text;  // of the value, or the errors
  std::vector<std::string> asked, included;
};
Expanded Expand(const std::string& text, const std::map<std::string, std::string>& files = {},
                const TemplateValues& values = {}) {
  const TextsAsFiles in_memory(files);
  TemplateUse use;
  const auto documents = ReadTemplate({"top.yaml", text}, values, &use);
  Expanded result;
  if (!documents) {
    result.text = Format(documents.error());
  } else {
    for (const Node& document : *documents) result.text += Show(document);
  }
  result.asked.assign(use.asked.begin(), use.asked.end());
  for (const Source& source : use.included) result.included.push_back(source.name);
  return result;
}
std::string TextOf(const std::string& text, const std::map<std::string, std::string>& files = {},
                   const TemplateValues& values = {}) {
  return Expand(text, files, values).text;
}
// Of one expression.
std::string ValueOf(const std::string& expression, const TemplateValues& values = {}) {
  return TextOf("v: \"{{" + expression + "}}\"", {}, values);
}

TEST(TemplateTest, ATextWithMarkupOutsideOfCommentsIsOne) {
  EXPECT_TRUE(IsTemplate({"f", "a: {{b}}\n"}));
  EXPECT_TRUE(IsTemplate({"f", "# c\n  {% set x = 1 %}\n"}));
  EXPECT_TRUE(IsTemplate({"f", "{# no more than a comment #}\na: 1\n"}));
  EXPECT_FALSE(IsTemplate({"f", "a: {b: {c: 1}}  # no\n  # {{x}}\n"}));
  EXPECT_FALSE(IsTemplate({"f", ""}));
}

TEST(TemplateTest, LooksValuesUpAndSaysWhichItAskedFor) {
  const Expanded got =
      Expand("a: {{tokens}}\nb: {{ width | default(3) }}\n", {}, {{"tokens", "256"}});
  EXPECT_EQ(got.text, "{a: 256, b: 3}");
  EXPECT_THAT(got.asked, ElementsAre("tokens", "width"));
  // What a template sets itself is not asked for, but for what it was before.
  EXPECT_THAT(Expand("{% set a = b | default(1) %}{% set c = 2 %}v: {{a + c}}\n").asked,
              ElementsAre("b"));
  EXPECT_THAT(Expand("{% set a = a | default(1) %}v: {{a}}\n").asked, ElementsAre("a"));
}

TEST(TemplateTest, ComputesAsPythonDoes) {
  EXPECT_EQ(ValueOf("2 + 3 * 4 - 1"), "{v: 13}");
  EXPECT_EQ(ValueOf("(2 + 3) * 4"), "{v: 20}");
  EXPECT_EQ(ValueOf("7 // 2 ~ ',' ~ 7 % 3 ~ ',' ~ -7 // 2 ~ ',' ~ -7 % 3"), "{v: 3,1,-4,2}");
  EXPECT_EQ(ValueOf("8 / 2"), "{v: 4.0}");
  EXPECT_EQ(ValueOf("2 ** 10 ~ ' ' ~ 2 ** -1 ~ ' ' ~ (-1) ** 9223372036854775807"),
            "{v: 1024 0.5 -1}");
  EXPECT_EQ(ValueOf("1 if 2 < 3 else 0"), "{v: 1}");
  EXPECT_EQ(ValueOf("'a' ~ 1 ~ true ~ none"), "{v: a1TrueNone}");
  EXPECT_EQ(ValueOf("[1, 'x', 2.5]"), "{v: [1, 'x', 2.5]}");
  EXPECT_EQ(ValueOf("not (1 == 1.0 and 'a' != 'b' or false)"), "{v: False}");
  EXPECT_EQ(ValueOf("'AB' | lower ~ 'c' | upper ~ '3.7' | string ~ 3.7 | int"), "{v: abC3.73}");
  EXPECT_EQ(ValueOf("x is defined ~ y is not defined", {{"x", "1"}}), "{v: TrueTrue}");
  EXPECT_EQ(ValueOf("x | default(y | default(7))"), "{v: 7}");
  EXPECT_EQ(ValueOf("x | default(5, true)", {{"x", ""}}), "{v: 5}");
}

TEST(TemplateTest, ComparesAsPythonDoes) {
  EXPECT_EQ(ValueOf("7 if 1 == 1 == 1 else 3"), "{v: 7}");
  EXPECT_EQ(ValueOf("(1 < 2 < 2) ~ (1 < 2 <= 2) ~ (3 > 2 != 3 == 3) ~ (3 > 2 > 2)"),
            "{v: FalseTrueTrueFalse}");
  // What follows the first that does not hold is not looked at.
  EXPECT_EQ(ValueOf("2 < 1 < 'a'"), "{v: False}");
  EXPECT_THAT(ValueOf("1 < 2 < 'a'"), HasSubstr("'<' needs numbers, found a number and a text"));
  for (const char* given : {"true", "True"}) {
    EXPECT_EQ(
        ValueOf("(flag == 1) ~ (flag != 0) ~ (flag > 0.5) ~ ([flag] == [1.0])", {{"flag", given}}),
        "{v: TrueTrueTrueTrue}");
  }
  EXPECT_EQ(ValueOf("(false == 0) ~ (false == 1) ~ (true == 'True') ~ (none == false)"),
            "{v: TrueFalseFalseFalse}");
  // Doubles cannot tell these two apart.
  EXPECT_EQ(ValueOf("9007199254740993 > 9007199254740992"), "{v: True}");
}

TEST(TemplateTest, RemaindersOfTheSmallestNumberFit) {
  const std::string smallest = "(-9223372036854775807 - 1)";
  EXPECT_EQ(ValueOf(smallest + " % 3 ~ ' ' ~ " + smallest + " // 3"),
            "{v: 1 -3074457345618258603}");
  EXPECT_EQ(ValueOf(smallest + " % -1 ~ ' ' ~ " + smallest + " % 9223372036854775807"),
            "{v: 0 9223372036854775806}");
}

TEST(TemplateTest, FaultsInCommentsSayThatTheseAreExpandedToo) {
  EXPECT_THAT(TextOf("# {{include_text('missing.yaml')}}\na: {{1}}\n"),
              AllOf(HasSubstr("looked in '.'"), HasSubstr("Jinja2 expands comments of YAML, too")));
}

TEST(TemplateTest, TooMuchTextIsOneError) {
  std::string text;
  for (int i = 0; i < 70; ++i) text += fmt::format("k{}: {{{{include_text('big.txt')}}}}\n", i);
  const std::string errors =
      TextOf(text + "last: {{include('small.yaml', 'a')}}\n",
             {{"big.txt", std::string(size_t{1} << 20, 'x')}, {"small.yaml", "a: 1\n"}});
  EXPECT_THAT(errors, AllOf(HasSubstr("the expanded text is longer than"),
                            Not(HasSubstr("holds nothing"))));
}

TEST(TemplateTest, AfterManyErrorsNothingMoreIsExpanded) {
  constexpr size_t kNames = 5000;
  std::string text = "v: ";
  for (size_t i = 0; i < kNames; ++i) text += fmt::format("{{{{a{}}}}}", i);
  const Expanded got = Expand(text);
  EXPECT_LT(got.asked.size(), kNames / 2);
  EXPECT_THAT(got.text, HasSubstr("'a0' has no value"));
}

// A random expression with a bracket around everything, and its value as Python has it.
struct RandomExpression {
  std::string text;
  std::optional<int64_t> value;  // none: divided by zero, or too large
};
RandomExpression Draw(std::mt19937* rng, int depth) {
  const auto upto = [rng](int most) { return std::uniform_int_distribution<int>(0, most)(*rng); };
  if (depth == 0 || upto(4) == 0) {
    const int number = upto(20) - 10;
    return {number < 0 ? fmt::format("({})", number) : fmt::format("{}", number), number};
  }
  const RandomExpression a = Draw(rng, depth - 1), b = Draw(rng, depth - 1);
  static constexpr std::array<const char*, 7> kOperators = {"+", "-", "*", "//", "%", "<", "=="};
  const char* name = kOperators[static_cast<size_t>(upto(6))];
  RandomExpression result{fmt::format("({} {} {})", a.text, name, b.text), std::nullopt};
  if (!a.value || !b.value) return result;
  const auto x = static_cast<double>(*a.value), y = static_cast<double>(*b.value);
  double value = 0;  // exact: the numbers stay small
  switch (*name) {
    case '+':
      value = x + y;
      break;
    case '-':
      value = x - y;
      break;
    case '*':
      value = x * y;
      break;
    case '<':
      result.text = fmt::format("(1 if {} else 0)", result.text);
      value = x < y ? 1 : 0;
      break;
    case '=':
      result.text = fmt::format("(1 if {} else 0)", result.text);
      value = x == y ? 1 : 0;
      break;
    default:
      if (y == 0) return result;
      value = *name == '/' ? std::floor(x / y) : x - std::floor(x / y) * y;
  }
  if (std::abs(value) < 1e9) result.value = static_cast<int64_t>(value);
  return result;
}

TEST(TemplateTest, RandomExpressionsAreComputedAsByHand) {
  std::mt19937 rng(11);
  int with_value = 0;
  for (int i = 0; i < 2000; ++i) {
    const RandomExpression drawn = Draw(&rng, 4);
    if (!drawn.value) continue;
    ++with_value;
    EXPECT_EQ(ValueOf(drawn.text), fmt::format("{{v: {}}}", *drawn.value)) << drawn.text;
  }
  EXPECT_GT(with_value, 500);
}

TEST(TemplateTest, ValuesKeepTheSpellingTheyAreGiven) {
  for (const char* text : {"256", "007", "1e-9", "0.40", "a/b.yaml", "-3"}) {
    EXPECT_EQ(ValueOf("x", {{"x", text}}), fmt::format("{{v: {}}}", text));
  }
  EXPECT_EQ(ValueOf("x + 1", {{"x", "256"}}), "{v: 257}");
  EXPECT_EQ(ValueOf("1 if x else 2", {{"x", "false"}}), "{v: 2}");
}

TEST(TemplateTest, BranchesAndSettings) {
  const char* text =
      "{% if big %}\na: 1\n{% elif middle %}\na: 2\n{% else %}\na: 3\n{% endif %}\n"
      "{% set b = 4 %}{% if b > 3 %}{% set b = b * 2 %}{% endif %}b: {{b}}\n";
  EXPECT_EQ(TextOf(text, {}, {{"big", "true"}, {"middle", "true"}}), "{a: 1, b: 8}");
  EXPECT_EQ(TextOf(text, {}, {{"big", "false"}, {"middle", "true"}}), "{a: 2, b: 8}");
  EXPECT_EQ(TextOf(text, {}, {{"big", "0"}, {"middle", "false"}}), "{a: 3, b: 8}");
  // What is not taken is not looked at.
  EXPECT_EQ(TextOf("{% if false %}a: {{nothing}}{{include('no', 'x')}}\n{% endif %}b: 1"),
            "{b: 1}");
}

TEST(TemplateTest, CommentsAndStrippedSpace) {
  EXPECT_EQ(TextOf("a: 1 {# {{nothing}} #}\n"), "{a: 1}");
  EXPECT_EQ(TextOf("a: [1,\n  {%- set x = 2 -%}\n  {{x}}]"), "{a: [1, 2]}");
  EXPECT_EQ(TextOf("a: \"{{ '}}' }}\""), "{a: }}}");
}

constexpr const char* kBase = "base_ignore: &base\n  size: {C: 1, M: 1}\n";

TEST(TemplateTest, IncludesTexts) {
  const std::map<std::string, std::string> files = {
      {"base.yaml", kBase}, {"net/a.yaml", ""}, {"net/deep/x.yaml", "x: {{w | default(9)}}"}};
  EXPECT_EQ(TextOf("{{include_text('base.yaml')}}\np:\n  <<<: *base\n  size: {C: 3}\n", files),
            "{base_ignore: {size: {C: 1, M: 1}}, p: {size: {C: 3, M: 1}}}");
  const Expanded got = Expand("{{include_text('net/deep/x.yaml')}}\ny: 1", files);
  EXPECT_EQ(got.text, "{x: 9, y: 1}");
  EXPECT_THAT(got.included, ElementsAre("net/deep/x.yaml"));
  // A set variable stays in its file; a given one is everywhere.
  EXPECT_EQ(TextOf("{% set w = 1 %}{{include_text('net/deep/x.yaml')}}", files), "{x: 9}");
  EXPECT_EQ(TextOf("{{include_text('net/deep/x.yaml')}}", files, {{"w", "2"}}), "{x: 2}");
}

TEST(TemplateTest, IncludesValuesByTheirKeys) {
  const std::map<std::string, std::string> files = {
      {"a.yaml", "p: {q: {r: [1, 2]}}\n"},
      {"b.yaml", "p: {q: {r: [3]}}\n"},
      {"c.yaml", "n: {{include('a.yaml', 'p.q')}}\n"}};
  EXPECT_EQ(TextOf("v: {{include('a.yaml', 'p.q')}}\nw: {{include('a.yaml')}}\n", files),
            "{v: {r: [1, 2]}, w: {p: {q: {r: [1, 2]}}}}");
  EXPECT_EQ(TextOf("v: {{include_all('[ab].yaml', 'p.q.r')}}\n", files), "{v: [1, 2, 3]}");
  EXPECT_EQ(TextOf("v: {{include_all('a*.yaml', 'p.q.r')}}\n", files), "{v: [1, 2]}");
  EXPECT_EQ(TextOf("v: {<<: {{include('c.yaml', 'n')}}, s: 4}\n", files), "{v: {r: [1, 2], s: 4}}");
  EXPECT_EQ(TextOf("v: &x {{include('a.yaml', 'p.q.r')}}\nw: *x\n", files),
            "{v: [1, 2], w: [1, 2]}");
}

TEST(TemplateTest, FindsPathsFromTheFileAndFromAddedFolders) {
  const std::map<std::string, std::string> files = {
      {"lib/a.yaml", "k: {{cwd()}}\n"},
      {"lib/sub/b.yaml", "{{include_text('../a.yaml')}}"},
      {"lib/sub/c.yaml", "c: 1"}};
  EXPECT_EQ(TextOf("v: {{cwd()}}\n"), "{v: .}");
  EXPECT_EQ(TextOf("{{include_text('lib/a.yaml')}}", files), "{k: lib}");
  EXPECT_EQ(TextOf("{{include_text('lib/sub/b.yaml')}}", files), "{k: lib}");
  EXPECT_EQ(TextOf("{{add_to_path(cwd() ~ '/lib')}}{{add_to_path('lib/sub')}}\n"
                   "{{include_text('a.yaml')}}\n{{include_text('c.yaml')}}",
                   files),
            "{k: lib, c: 1}");
  EXPECT_EQ(TextOf("{{include_text(cwd() ~ '/lib/a.yaml')}}", files), "{k: lib}");
  EXPECT_EQ(
      TextOf("v: {{path_exists('lib/a.yaml')}}{{path_exists('lib')}}{{path_exists('x')}}", files),
      "{v: TrueTrueFalse}");
  EXPECT_EQ(TextOf("{{add_to_path('lib')}}v: {{find_path('a.yaml')}}", files), "{v: lib/a.yaml}");
}

// Errors name the file and the place where what is wrong stands.
TEST(TemplateTest, ErrorsInsideIncludesHaveTheirPlaces) {
  const std::map<std::string, std::string> files = {{"bad.yaml", "a: 1\nb: [2\nc: 3\n"},
                                                    {"twice.yaml", "q: 1\nq: 2\n"},
                                                    {"deep.yaml", "x: 1\ny:\n  z: {{oops}}\n"}};
  EXPECT_THAT(TextOf("k: 1\n{{include_text('bad.yaml')}}\n", files), HasSubstr("bad.yaml:3:"));
  EXPECT_THAT(TextOf("k: {{include('bad.yaml', 'a')}}\n", files), HasSubstr("bad.yaml:3:"));
  EXPECT_THAT(TextOf("k: 1\n{{include_text('deep.yaml')}}\n", files),
              AllOf(HasSubstr("deep.yaml:3:8: error: 'oops' has no value"),
                    HasSubstr("  z: {{oops}}"), HasSubstr("--set oops=VALUE")));
  EXPECT_THAT(TextOf("q: 0\n{{include_text('twice.yaml')}}\n", files),
              AllOf(HasSubstr("twice.yaml:1:1: error: key 'q' is given twice; the first is at "
                              "top.yaml:1:1"),
                    HasSubstr("twice.yaml:2:1: error: key 'q' is given twice; the first is at "
                              "top.yaml:1:1")));
}

TEST(TemplateTest, PlacesOfNodesAreThoseOfTheirFiles) {
  const TextsAsFiles in_memory(
      std::map<std::string, std::string>{{"in.yaml", "one: 1\ntwo:\n- {three: 3}\n"}});
  TemplateUse use;
  const auto documents = ReadTemplate(
      {"top.yaml", "a: {{1 + 1}}\n{{include_text('in.yaml')}}\nb: {{include('in.yaml', 'two')}}\n"},
      {}, &use);
  ASSERT_TRUE(documents) << Format(documents.error());
  const auto place = [](const Node& node) {
    return fmt::format("{}:{}:{} {}", node.source->name, node.line, node.column, node.SourceLine());
  };
  const Node& top = documents->front();
  EXPECT_EQ(place(*top.Find("a")), "top.yaml:1:4 a: {{1 + 1}}");
  EXPECT_EQ(place(*top.Find("one")), "in.yaml:1:6 one: 1");
  EXPECT_EQ(place(*top.Find("two")->items[0].Find("three")), "in.yaml:3:11 - {three: 3}");
  EXPECT_EQ(place(top.Find("b")->items[0]), "in.yaml:3:3 - {three: 3}");
  EXPECT_EQ(place(top.entries.back().first), "top.yaml:3:1 b: {{include('in.yaml', 'two')}}");
}

// What stands inside is no fault of its own.
TEST(TemplateTest, ABlockThatIsNotReadIsOneError) {
  const auto errors = [](const std::string& text) {
    const std::string said = TextOf(text);
    size_t count = 0;
    for (size_t at = said.find("error:"); at != std::string::npos;
         at = said.find("error:", at + 1)) {
      ++count;
    }
    return fmt::format("{} {}", count, said.substr(0, said.find('\n')));
  };
  const std::string not_read = "' of Jinja2 is not read here";
  EXPECT_EQ(errors("{% for i in [1, 2] %}x{{i}}: {{include('no.yaml')}}\n{% endfor %}a: 1"),
            "1 top.yaml:1:1: error: '{% for %}" + not_read);
  EXPECT_EQ(
      errors(
          "{% for i in x %}{% if i %}{{i}}{% else %}{{j}}{% endif %}{% else %}{{k}}{% endfor %}"),
      "1 top.yaml:1:1: error: '{% for %}" + not_read);
  EXPECT_EQ(errors("{% for i in x %}{% for j in i %}{{j}}{% endfor %}{{i}}{% endfor %}"),
            "1 top.yaml:1:1: error: '{% for %}" + not_read);
  EXPECT_EQ(errors("{% macro m(x) %}{{x}}{% endmacro %}\na: {{y}}"),
            "2 top.yaml:1:1: error: '{% macro %}" + not_read);
  EXPECT_EQ(errors("{% if true %}{% for i in x %}{{i}}{% endif %}a: 1"),
            "1 top.yaml:1:14: error: '{% for %}" + not_read);
  EXPECT_EQ(errors("{% raw %}{% if %}{{x}}{% endraw %}a: 1"),
            "1 top.yaml:1:1: error: '{% raw %}" + not_read);
  EXPECT_EQ(errors("{% set x %}{{y}}{% endset %}a: 1"),
            "1 top.yaml:1:1: error: cannot read this 'set'");
  EXPECT_EQ(errors("{% include 'a.yaml' %}a: {{x}}"),
            "2 top.yaml:1:1: error: '{% include %}" + not_read);
  EXPECT_EQ(errors("a: 1\n{% endfor %}"), "1 top.yaml:2:1: error: 'endfor' without a 'for'");
  // Of a branch that does not count, as in Jinja2, nothing is asked.
  EXPECT_EQ(TextOf("{% if false %}{% for i in x %}{{i}}{% endfor %}{% endif %}a: 1"), "{a: 1}");
}

TEST(TemplateTest, AListOfSeveralFilesStandsWhereItIsIncluded) {
  const TextsAsFiles in_memory(
      std::map<std::string, std::string>{{"one.yaml", "a: 1\n"}, {"two.yaml", "a: 2\n"}});
  TemplateUse use;
  const auto documents =
      ReadTemplate({"top.yaml", "\nlist: {{include_all('*.yaml')}}\n"}, {}, &use);
  ASSERT_TRUE(documents) << Format(documents.error());
  const Node& list = *documents->front().Find("list");
  EXPECT_EQ(Show(list), "[{a: 1}, {a: 2}]");
  EXPECT_EQ(list.source->name, "top.yaml");
  EXPECT_EQ(list.line, 2);
  EXPECT_EQ(list.items[1].source->name, "two.yaml");
}

TEST(TemplateTest, WhatIsNotThereIsComparedWithWhatIs) {
  const std::map<std::string, std::string> files = {{"eyeriss_like.yaml", "a: {{depth}}\n"}};
  EXPECT_THAT(TextOf("{{include_text('eyerisslike.yaml')}}", files),
              HasSubstr("hint: did you mean 'eyeriss_like.yaml'? Looked in '.'"));
  EXPECT_THAT(TextOf("{{add_to_path('nowhere')}}"),
              AllOf(HasSubstr("hint: looked in '.'\n"), Not(HasSubstr("adds folders"))));
  // A 'set' does not reach what is included.
  EXPECT_THAT(TextOf("{% set depth = 3 %}{{include_text('eyeriss_like.yaml')}}", files),
              HasSubstr("eyeriss_like.yaml:1:6: error: 'depth' has no value\n"
                        "  | a: {{depth}}\n"
                        "  |      ^\n"
                        "  hint: a '{% set %}' holds in its own file only, that of 'depth' in "
                        "'top.yaml'; give one with --set depth=VALUE"));
  EXPECT_EQ(TextOf("{{include_text('eyeriss_like.yaml')}}", files, {{"depth", "3"}}), "{a: 3}");
}

TEST(TemplateTest, WhatIsWrongIsSaidAtItsPlace) {
  const std::map<std::string, std::string> files = {{"a.yaml", "p: {q: 1}\n"},
                                                    {"b.yaml", "p: 2\n"}};
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"a: {{x.y}}", "top.yaml:1:7: error: '.' of Jinja2 is not read here"},
      {"{% for x in y %}", "top.yaml:1:1: error: '{% for %}' of Jinja2 is not read here"},
      {"{% macro m() %}", "'{% macro %}' of Jinja2 is not read here"},
      {"a: {{x", "top.yaml:1:4: error: '{{' is not closed"},
      {"b: 1\n{% if 1 %}", "top.yaml:2:1: error: '{% if … %}' is not closed"},
      {"{% endif %}", "'endif' without an 'if'"},
      {"{% if 1 %}{% else %}{% else %}{% endif %}", "'else' without an 'if'"},
      {"{% set x 1 %}", "cannot read this 'set'"},
      {"a: {{1 +}}", "something is missing at the end of the expression"},
      {"a: {{1 / 0}}", "division by zero"},
      {"a: {{9223372036854775807 + 1}}", "the number does not fit into 64 bits"},
      {"a: {{ -9223372036854775807 - 2 }}", "the number does not fit into 64 bits"},
      {"a: {{'x' + 1}}", "'+' needs numbers, found a text and a number"},
      {"a: {{'x' | replace('a', 'b')}}", "the filter 'replace' of Jinja2 is not read here"},
      {"a: {{'x' | join(',')}}", "the filter 'join' of Jinja2 is not read here\n"},
      {"a: {{'x' | int}}", "the filter 'int' of Jinja2 is not read here for a text"},
      {"a: {{include('a.yaml', key='p')}}",
       "top.yaml:1:24: error: arguments by name, 'key=', are not read here"},
      {"a: {{1 is odd}}", "the test 'is odd' of Jinja2 is not read here"},
      {"a: {{range(3)}}", "there is no function 'range' of Timeloop's front end here"},
      {"a: {{inclde('a.yaml')}}", "did you mean 'include'?"},
      {"a: {{include('no.yaml', 'p')}}", "top.yaml:1:6: error: there is no file 'no.yaml'"},
      {"{{add_to_path('nowhere')}}", "there is no folder 'nowhere'"},
      {"a: {{include('a.yaml', 'p.r')}}", "'a.yaml' has no key 'r'"},
      {"a: {{include('b.yaml', 'p.r')}}", "'b.yaml' has no key 'r'"},
      {"a: {{include('*.yaml', 'p')}}", "'*.yaml' stands for 2 files"},
      {"a: {{include()}}", "include() takes a path and the key of what to include"},
      {"a: x{{include('a.yaml', 'p')}}", "an included value stands in the middle of a text"},
      {"a: {{include('a.yaml', 'p')}} x", "text follows an included value in its line"},
      {"a: {{include_text('a.yaml') | upper}}", "include_text() stands alone"},
      {"a: !inserted-value 0 {{1}}", "the tag '!inserted-value' is reserved"},
      {"tokns: {{tokns}}", "'tokns' has no value"},
      {"# {{nothing | foo}}\na: {{1}}", "'nothing' has no value"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_THAT(TextOf(text, files, {{"tokens", "1"}}), HasSubstr(message)) << text;
  }
  EXPECT_THAT(TextOf("a: {{tokns}}", {}, {{"tokens", "1"}}), HasSubstr("did you mean 'tokens'?"));
  // What a text cannot mean where it is put.
  const std::map<std::string, std::string> more = {{"sub/d.yaml", "p:\n  q: 1\n"},
                                                   {"c.yaml", "# a comment\np: {q: 1}\n"}};
  EXPECT_THAT(TextOf("a: {{include_text('sub/d.yaml')}}", more),
              AllOf(HasSubstr("top.yaml:1:6: error: the text of 'sub/d.yaml' cannot stand in the "
                              "middle of a line"),
                    HasSubstr("{{include('sub/d.yaml', 'p')}}")));
  EXPECT_THAT(TextOf("p: {{include_text('c.yaml')}}", more),
              HasSubstr("{{include('c.yaml', 'p')}}"));
  EXPECT_EQ(TextOf("a: {{include_text('c.yaml')}}", more), "{a: ~, p: {q: 1}}");
  // A folder that is not there: what may be in it is not looked for.
  const std::string folder = TextOf("{{add_to_path('nowhere')}}\na: {{include('no.yaml', 'p')}}");
  EXPECT_THAT(folder, HasSubstr("there is no folder 'nowhere'"));
  EXPECT_THAT(folder, Not(HasSubstr("no.yaml")));
  // A path with a value that is empty.
  EXPECT_THAT(TextOf("a: {{include('./' ~ net ~ '/a.yaml', 'p')}}", {}, {{"net", ""}}),
              HasSubstr("hint: 'net' is empty: give it a value, --set net=VALUE"));
  EXPECT_THAT(TextOf("a: {{include(net, 'p')}}", {}, {{"net", ""}}), HasSubstr("'net' is empty"));
  // One error for one cause, and all causes.
  const std::string both = TextOf("{% set a = b %}{{a}}{{a + 1}}\n{{c}}");
  EXPECT_THAT(both, AllOf(HasSubstr("'b' has no value"), HasSubstr("'c' has no value"),
                          Not(HasSubstr("'a' has"))));
}

TEST(TemplateTest, LoopsAndBombsEnd) {
  EXPECT_THAT(TextOf("{{include_text('a')}}",
                     {{"a", "{{include_text('b')}}"}, {"b", "{{include_text('a')}}"}}),
              HasSubstr("b:1:3: error: 'a' includes itself: a → b → a"));
  std::map<std::string, std::string> chain, tree;
  for (int i = 0; i < 30; ++i) {
    const std::string name = fmt::format("f{}", i), next = fmt::format("f{}", i + 1);
    chain[name] = "{{include_text('" + next + "')}}";
    tree[name] = "[{{include('" + next + "')}}, {{include('" + next + "')}}]";
  }
  chain["f30"] = tree["f30"] = "1";
  EXPECT_THAT(TextOf("{{include_text('f0')}}", chain),
              HasSubstr("more than 20 files include each"));
  EXPECT_THAT(TextOf("a: {{include('f15')}}", tree),
              HasSubstr("more than 1000 files are included"));
  std::string doubling = "{% set x = 'ab' %}";
  for (int i = 0; i < 60; ++i) doubling += "{% set x = x ~ x %}";
  EXPECT_THAT(TextOf(doubling + "a: {{x}}"), HasSubstr("a text of more than 1048576 characters"));
  EXPECT_THAT(TextOf("a: {{" + std::string(5000, '(') + "1}}"), HasSubstr("nested too deeply"));
  EXPECT_THAT(TextOf("a: {{1" + std::string(3000, '+') + "1}}"), HasSubstr("nested too deeply"));
  std::string sum = "1";
  for (int i = 0; i < 3000; ++i) sum += "+1";
  EXPECT_THAT(TextOf("a: {{" + sum + "}}"), HasSubstr("the expression is too long"));
}

constexpr const char* kLayer = R"({{include_text('../base.yaml')}}
problem:
  <<<: *problem_base
  name: Linear
  notes: a layer
  instance: {C: {{tokens | default(4)}}, M: 8, HStride: 2}
)";
constexpr const char* kLayerBase = R"(problem_base_ignore: &problem_base
  version: 0.4
  instance: {C: 1, H: 1, W: 1, M: 1, Hstride: 1}
  shape:
    coefficients: [{name: Hstride, default: 1}]
    dimensions: [C, M]
    data_spaces:
    - {name: Weights, projection: [[[C]], [[M]]]}
    - {name: Inputs, projection: [[[C, Hstride]]]}
    - {name: Outputs, projection: [[[M]]], read_write: true}
)";

TEST(ReadTimeloopTemplateTest, ALayerFileWithItsBase) {
  const TextsAsFiles in_memory(std::map<std::string, std::string>{{"base.yaml", kLayerBase}});
  TemplateUse use;
  const auto inputs = ReadTimeloop({{"net/00.yaml", kLayer}}, {}, {{"tokens", "16"}}, &use);
  ASSERT_TRUE(inputs) << Format(inputs.error());
  const Problem& problem = inputs->problem.value();
  EXPECT_EQ(problem.name, "Linear");
  EXPECT_EQ(Operations(problem), 16 * 8);
  EXPECT_EQ(ToString(problem, problem.tensors[TensorId(1)]), "Inputs[C]");  // HStride: misspelt
  EXPECT_THAT(Format(inputs->warnings),
              AllOf(HasSubstr("net/00.yaml:6:48: warning: 'HStride' is ignored"),
                    HasSubstr("did you mean 'Hstride'?"),
                    HasSubstr("base.yaml:3:20: warning: 'H', 'W' are ignored"),
                    HasSubstr("'notes' is ignored")));
}

}  // namespace
}  // namespace inlay::io::timeloop
