#include "inlay/io/timeloop/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inlay::io::timeloop {
namespace {

using ::testing::HasSubstr;

class ExpressionTest : public ::testing::Test {
 protected:
  ExpressionTest()
      : outer_(Parse("{a: 12, b: a * 2, word-bits: 8, loop: loop + 1, name: glb, list: [1]}")),
        inner_(Parse("{a: 5}")) {
    scope_.Push(outer_);
  }
  static Node Parse(const std::string& yaml) { return ParseYaml({"f", yaml}).value().at(0); }
  static Node Text(const std::string& text) {
    Node node = Parse("x");
    node.text = text;
    return node;
  }
  double Value(const std::string& text) {
    const auto value = EvaluateNumber(Text(text), "x", scope_, &used_);
    return value ? *value : -1e99;
  }
  std::string Fault(const std::string& text) {
    const auto value = EvaluateNumber(Text(text), "x", scope_);
    return value ? "no fault" : value.error().front().message;
  }

  Node outer_, inner_;
  Scope scope_;
  std::set<const Node*> used_;
};

TEST_F(ExpressionTest, Computes) {
  EXPECT_EQ(Value("12 * 34"), 408);
  EXPECT_EQ(Value("1 + 2 * 3 - 4 / 2"), 5);
  EXPECT_EQ(Value("(1 + 2) * 3"), 9);
  EXPECT_EQ(Value("7 // 2"), 3);
  EXPECT_EQ(Value("-7 // 2"), -4);
  EXPECT_EQ(Value("7 % 4"), 3);
  EXPECT_EQ(Value("-7 % 4"), 1);
  EXPECT_EQ(Value("2 ** 10"), 1024);
  EXPECT_EQ(Value("-2 ** 2"), -4);
  EXPECT_EQ(Value("2 ** -1"), 0.5);
  EXPECT_EQ(Value("1e-9 * 1e9"), 1);
  EXPECT_EQ(Value("max(1, ceil(log2(9)), min(2, 3))"), 4);
  EXPECT_EQ(Value("floor(2.7) + round(2.7) + int(2.7) + abs(-1) + sqrt(16)"), 12);
}

TEST_F(ExpressionTest, LooksUpNamesNearestFirst) {
  EXPECT_EQ(Value("b + 1"), 25);
  EXPECT_EQ(Value("word_bits"), 8);
  scope_.Push(inner_);
  EXPECT_EQ(Value("a"), 5);
  EXPECT_EQ(Value("b"), 10);
}

TEST_F(ExpressionTest, RemembersWhatWasUsed) {
  Value("b");
  EXPECT_EQ(used_.size(), 2U);  // b, and the a that it stands for
}

TEST_F(ExpressionTest, SaysWhatIsWrong) {
  EXPECT_THAT(Fault("1 +"), HasSubstr("something is missing at the end"));
  EXPECT_THAT(Fault("c + 1"), HasSubstr("'c' is not known here"));
  EXPECT_THAT(Fault("1 / (a - 12)"), HasSubstr("division by zero"));
  EXPECT_THAT(Fault("(1"), HasSubstr("no closing ')'"));
  EXPECT_THAT(Fault("1 2"), HasSubstr("'2' is unexpected"));
  EXPECT_THAT(Fault("sin(1)"), HasSubstr("there is no function 'sin' of 1 argument"));
  EXPECT_THAT(Fault("name"), HasSubstr("'glb' is not known here"));
  EXPECT_THAT(Fault("list"), HasSubstr("'list' is not a number"));
  EXPECT_THAT(Fault("nan"), HasSubstr("'nan' is not known here"));
  EXPECT_THAT(Fault("1e308 * 10"), HasSubstr("not a finite number"));
}

TEST_F(ExpressionTest, EndsWhateverTheInput) {
  EXPECT_THAT(Fault("loop"), HasSubstr("nested too deeply"));
  EXPECT_THAT(Fault(std::string(100000, '(')), HasSubstr("nested too deeply"));
  EXPECT_THAT(Fault(std::string(100000, '-') + "1"), HasSubstr("nested too deeply"));
  std::string doubling = "{x0: 1";
  for (int i = 1; i < 45; ++i) {
    doubling +=
        ", x" + std::to_string(i) + ": x" + std::to_string(i - 1) + " + x" + std::to_string(i - 1);
  }
  const Node names = Parse(doubling + "}");
  scope_.Push(names);
  EXPECT_THAT(Fault("x44"), HasSubstr("nested too deeply"));
  EXPECT_EQ(Value("x10"), 1024);
}

TEST_F(ExpressionTest, InsistsOnWholeNumbers) {
  EXPECT_EQ(EvaluateInt(Text("a * 2"), "x", scope_).value(), 24);
  EXPECT_EQ(EvaluateInt(Text("9223372036854775807"), "x", scope_).value(), INT64_MAX);
  const auto half = EvaluateInt(Text("a / 8"), "x", scope_);
  ASSERT_FALSE(half.has_value());
  EXPECT_THAT(half.error().front().message, HasSubstr("x must be a whole number, found 1.5"));
}

}  // namespace
}  // namespace inlay::io::timeloop
