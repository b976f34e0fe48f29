#include "inlay/io/timeloop/template_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <utility>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/base/mention.h"
#include "inlay/base/suggest.h"

namespace inlay::io::timeloop {
namespace {

std::optional<int64_t> Difference(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_sub_overflow(a, b, &result)) return std::nullopt;
  return result;
}

class TemplateEvaluator {
 public:
  using Expression = TemplateExpression;
  using Kind = Expression::Kind;
  using Value = TemplateValue;

  explicit TemplateEvaluator(const TemplateScope& scope) : scope_(scope) {}

  Value Evaluate(const Expression& expression) {
    switch (expression.kind) {
      case Kind::kLiteral:
        return expression.literal;
      case Kind::kName:
        return Lookup(expression.name);
      case Kind::kList:
        return ListOf(expression);
      case Kind::kUnary:
        return Unary(expression);
      case Kind::kBinary:
        return Binary(expression);
      case Kind::kCompare:
        return Compare(expression);
      case Kind::kIf:
        return If(expression);
      case Kind::kCall:
        return Call(expression);
      case Kind::kFilter:
        return Filter(expression);
      case Kind::kTest:
        return Test(expression);
    }
    return Wrong();
  }

  // What is Undefined is reported here.
  Value Defined(const Expression& expression) {
    Value value = Evaluate(expression);
    const auto* missing = std::get_if<Value::Undefined>(&value.value);
    if (missing == nullptr) return value;
    std::vector<std::string> names;
    for (const auto& [name, known] : *scope_.variables) names.push_back(name);
    const std::string name = missing->name;
    const auto near = Suggest(name, names);
    (*scope_.variables)[name] = Wrong();
    const std::string file = scope_.set_in(name);
    std::string hint;
    if (!file.empty()) {
      hint = fmt::format("a '{{% set %}}' holds in its own file only, that of '{}' in '{}'; ", name,
                         file);
    } else if (near) {
      hint = fmt::format("did you mean '{}'? Else ", *near);
    }
    return Fault(expression, fmt::format("'{}' has no value", name),
                 hint + "give one with " + Mention("set", name + "=VALUE"));
  }

 private:
  // Joining a text to itself doubles it.
  static constexpr size_t kLongestText = size_t{1} << 20;

  static Value Wrong() { return {Value::Wrong()}; }

  Value Fault(const Expression& at, std::string message, std::string hint = "") {
    scope_.report({at.offset, std::move(message), std::move(hint)});
    return Wrong();
  }

  Value Lookup(const std::string& name) {
    scope_.ask(name);
    const auto found = scope_.variables->find(name);
    return found == scope_.variables->end() ? Value{Value::Undefined{name}} : found->second;
  }

  Value ListOf(const Expression& expression) {
    Value::List items;
    for (const Expression& item : expression.arguments) items.push_back(Defined(item));
    return {std::move(items)};
  }

  Value Call(const Expression& call) {
    Value::List arguments;
    bool wrong = false;
    for (const Expression& argument : call.arguments) {
      arguments.push_back(Defined(argument));
      wrong = wrong || arguments.back().Is<Value::Wrong>();
    }
    return wrong ? Wrong() : scope_.call(call, arguments);
  }

  Value If(const Expression& expression) {
    const Value condition = Defined(expression.arguments[0]);
    if (condition.Is<Value::Wrong>()) return Wrong();
    if (condition.IsTrue()) return Evaluate(expression.arguments[1]);
    return expression.arguments.size() > 2 ? Evaluate(expression.arguments[2])
                                           : Value{std::string()};
  }

  Value Unary(const Expression& expression) {
    Value value = Defined(expression.arguments[0]);
    if (value.Is<Value::Wrong>()) return value;
    if (expression.name == "not") return {!value.IsTrue()};
    if (!value.IsNumber()) {
      return Fault(expression, fmt::format("'-' needs a number, found {}", value.Kind()));
    }
    if (value.Is<double>()) return {-std::get<double>(value.value)};
    const auto negated = Difference(0, std::get<int64_t>(value.value));
    return negated ? Value{*negated} : TooLarge(expression);
  }

  Value TooLarge(const Expression& at) { return Fault(at, "the number does not fit into 64 bits"); }

  Value Binary(const Expression& expression) {
    const std::string& name = expression.name;
    Value left = Defined(expression.arguments[0]);
    if (left.Is<Value::Wrong>()) return left;
    // As in Python, their value is that of one of the operands.
    if (name == "and") return left.IsTrue() ? Defined(expression.arguments[1]) : left;
    if (name == "or") return left.IsTrue() ? left : Defined(expression.arguments[1]);
    Value right = Defined(expression.arguments[1]);
    if (right.Is<Value::Wrong>()) return right;
    if (name == "~") return Join(expression, left, right);
    const bool texts = left.Is<std::string>() && right.Is<std::string>();
    if (name == "+" && texts) return Join(expression, left, right);
    if (!left.IsNumber() || !right.IsNumber()) {
      return NeedsNumbers(expression, name, left, right,
                          name == "+" ? "texts are joined by '~'" : "");
    }
    return Arithmetic(expression, left, right);
  }

  Value NeedsNumbers(const Expression& at, const std::string& name, const Value& left,
                     const Value& right, std::string hint = "") {
    return Fault(
        at, fmt::format("'{}' needs numbers, found {} and {}", name, left.Kind(), right.Kind()),
        std::move(hint));
  }

  // As in Python, 'a < b < c' is 'a < b and b < c': up to the first that does not hold.
  Value Compare(const Expression& expression) {
    Value left = Defined(expression.arguments[0]);
    for (size_t i = 0; i < expression.operators.size(); ++i) {
      if (left.Is<Value::Wrong>()) return left;
      Value right = Defined(expression.arguments[i + 1]);
      if (right.Is<Value::Wrong>()) return right;
      const std::string& name = expression.operators[i];
      const bool orders = name[0] == '<' || name[0] == '>';
      const auto order = left.Order(right);
      if (orders && !order) return NeedsNumbers(expression, name, left, right);
      if (!(orders ? Holds(name, *order) : left.Equals(right) == (name == "=="))) return {false};
      left = std::move(right);
    }
    return {true};
  }

  static bool Holds(const std::string& name, std::partial_ordering order) {
    if (name == "<") return std::is_lt(order);
    if (name == "<=") return std::is_lteq(order);
    if (name == ">") return std::is_gt(order);
    return std::is_gteq(order);
  }

  Value Join(const Expression& at, const Value& left, const Value& right) {
    Value joined{left.Text() + right.Text()};
    joined.located = left.located;
    if (std::get<std::string>(joined.value).size() > kLongestText) {
      return Fault(at, fmt::format("a text of more than {} characters", kLongestText));
    }
    return joined;
  }

  Value Arithmetic(const Expression& expression, const Value& left, const Value& right) {
    const std::string& name = expression.name;
    const bool divides = name == "/" || name == "//" || name == "%";
    if (divides && right.Number() == 0) return Fault(expression, "division by zero");
    if (left.Is<int64_t>() && right.Is<int64_t>() && name != "/") {
      const auto whole = Whole(name, std::get<int64_t>(left.value), std::get<int64_t>(right.value));
      if (name != "**" || std::get<int64_t>(right.value) >= 0) {
        return whole ? Value{*whole} : TooLarge(expression);
      }
    }
    const double result = Real(name, left.Number(), right.Number());
    return std::isfinite(result) ? Value{result} : TooLarge(expression);
  }

  static std::optional<int64_t> Whole(const std::string& name, int64_t a, int64_t b) {
    if (name == "+") return CheckedAdd(a, b);
    if (name == "-") return Difference(a, b);
    if (name == "*") return CheckedMultiply(a, b);
    if (name == "**") {
      std::optional<int64_t> power = 1;
      for (int64_t i = 0; i < b && power; ++i) {
        if (a == 0 || a == 1) return b == 0 ? 1 : a;
        if (a == -1) return b % 2 == 0 ? 1 : -1;
        power = CheckedMultiply(*power, a);
      }
      return power;
    }
    if (b == -1) return name == "%" ? std::optional<int64_t>(0) : Difference(0, a);
    const int64_t rest = a % b;
    const bool below = rest != 0 && (rest < 0) != (b < 0);  // rounding goes down
    if (name == "//") return a / b - (below ? 1 : 0);
    return below ? rest + b : rest;
  }

  static double Real(const std::string& name, double a, double b) {
    if (name == "+") return a + b;
    if (name == "-") return a - b;
    if (name == "*") return a * b;
    if (name == "**") return std::pow(a, b);
    if (name == "/") return a / b;
    const double quotient = std::floor(a / b);
    return name == "//" ? quotient : a - quotient * b;
  }

  static bool IsKnownFilter(const std::string& name) {
    return name == "int" || name == "string" || name == "lower" || name == "upper";
  }

  Value Filter(const Expression& expression) {
    const std::string& name = expression.name;
    if (name == "default" || name == "d") return Default(expression);
    Value value = Defined(expression.arguments[0]);
    if (value.Is<Value::Wrong>()) return value;
    const bool alone = expression.arguments.size() == 1;
    if (name == "int" && alone && value.IsNumber()) return Truncated(expression, value.Number());
    if (name == "string" && alone) return {value.Text()};
    if ((name == "lower" || name == "upper") && alone && value.Is<std::string>()) {
      Value changed = value;
      for (char& c : std::get<std::string>(changed.value)) {
        if (name == "lower" && c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        if (name == "upper" && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
      }
      return changed;
    }
    return Fault(expression,
                 fmt::format("the filter '{}' of Jinja2 is not read here{}", name,
                             IsKnownFilter(name)
                                 ? alone ? fmt::format(" for {}", value.Kind()) : " with arguments"
                                 : ""),
                 fmt::format("read are default(…), int, string, lower and upper; for others, {}",
                             kExpandElsewhere));
  }

  Value Default(const Expression& expression) {
    const size_t count = expression.arguments.size();
    if (count < 2 || count > 3) {
      return Fault(expression, "default needs the value to take, 'x | default(256)'");
    }
    Value value = Evaluate(expression.arguments[0]);
    const bool also_if_empty = count == 3 && Defined(expression.arguments[2]).IsTrue();
    const bool missing = value.Is<Value::Undefined>() || (also_if_empty && !value.IsTrue());
    return missing ? Defined(expression.arguments[1]) : value;
  }

  Value Truncated(const Expression& at, double number) {
    constexpr double kLargest = 9007199254740992;  // 2^53: beyond it a double is not exact
    if (!(std::abs(number) <= kLargest)) return TooLarge(at);
    return {static_cast<int64_t>(std::trunc(number))};
  }

  Value Test(const Expression& expression) {
    Value value = Evaluate(expression.arguments[0]);
    if (value.Is<Value::Wrong>()) return value;
    const bool defined = !value.Is<Value::Undefined>();
    if (expression.name == "defined") return {defined};
    if (expression.name == "undefined") return {!defined};
    if (expression.name == "none") return {value.Is<Value::None>()};
    return Fault(expression,
                 fmt::format("the test 'is {}' of Jinja2 is not read here", expression.name),
                 fmt::format("read are 'is defined', 'is undefined' and 'is none'; for others, {}",
                             kExpandElsewhere));
  }

  const TemplateScope& scope_;
};

}  // namespace

TemplateValue EvaluateTemplate(const TemplateExpression& expression, const TemplateScope& scope) {
  return TemplateEvaluator(scope).Evaluate(expression);
}

TemplateValue EvaluateDefined(const TemplateExpression& expression, const TemplateScope& scope) {
  return TemplateEvaluator(scope).Defined(expression);
}

}  // namespace inlay::io::timeloop
