#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "inlay/io/timeloop/expression.h"
#include "inlay/io/timeloop/template_expression.h"

namespace inlay::io::timeloop {
namespace {

// Recursive descent; the precedence is Jinja2's. After a fault everything returns at once.
class TemplateParser {
 public:
  explicit TemplateParser(std::string_view text) : text_(text) {}

  std::optional<TemplateExpression> Parse(TemplateFault* fault) {
    Expression whole = Conditional();
    SkipSpace();
    if (!fault_ && at_ < text_.size()) Unexpected();
    if (!fault_) return whole;
    *fault = *std::move(fault_);
    return std::nullopt;
  }

 private:
  using Expression = TemplateExpression;
  using Kind = Expression::Kind;
  static constexpr int kDeepest = 50;  // expressions inside each other
  static constexpr int kMostParts = 1000;

  static bool IsNamePart(char c) { return IsNameStart(c) || IsDigit(c); }

  void Fault(size_t offset, std::string message, std::string hint = kExpandElsewhere) {
    if (!fault_) fault_ = {offset, std::move(message), std::move(hint)};
    at_ = text_.size();
  }
  void Unexpected() {
    SkipSpace();
    if (at_ == text_.size()) {
      Fault(at_, "something is missing at the end of the expression", "");
      return;
    }
    const char c = text_[at_];
    if (c == '.' || c == '[' || c == '{') {
      Fault(at_, fmt::format("'{}' of Jinja2 is not read here: parts of values are not known", c));
    } else {
      Fault(at_, fmt::format("'{}' is unexpected here", text_.substr(at_, 12)));
    }
  }
  void SkipSpace() {
    while (at_ < text_.size() && std::string_view(" \t\n").find(text_[at_]) != std::string::npos) {
      ++at_;
    }
  }
  bool Accept(std::string_view token) {
    SkipSpace();
    const std::string_view rest = text_.substr(at_);
    if (!rest.starts_with(token)) return false;
    const bool is_word = IsNameStart(token.front());
    if (is_word && rest.size() > token.size() && IsNamePart(rest[token.size()])) return false;
    at_ += token.size();
    return true;
  }
  // The first of these operators that stands here.
  template <size_t N>
  std::string AcceptOneOf(const std::array<std::string_view, N>& operators) {
    SkipSpace();
    if (text_.substr(at_).starts_with("**")) return "";
    for (const std::string_view name : operators) {
      if (Accept(name)) return std::string(name);
    }
    return "";
  }

  Expression Make(Kind kind, size_t offset, std::string name, std::vector<Expression> arguments) {
    if (++parts_ > kMostParts) Fault(offset, "the expression is too long", "");
    Expression made;
    made.kind = kind;
    made.offset = offset;
    made.name = std::move(name);
    made.arguments = std::move(arguments);
    return made;
  }

  template <size_t N, typename Next>
  Expression LeftToRight(const std::array<std::string_view, N>& operators, const Next& next) {
    Expression left = next();
    while (!fault_) {
      const std::string name = AcceptOneOf(operators);
      if (name.empty()) break;
      const size_t offset = left.offset;
      Expression right = next();
      left = Make(Kind::kBinary, offset, name, {std::move(left), std::move(right)});
    }
    return left;
  }

  Expression Conditional() {
    if (++depth_ > kDeepest) Fault(at_, "nested too deeply", "");
    Expression value;
    if (!fault_) value = Or();
    while (!fault_ && Accept("if")) {
      const size_t offset = value.offset;
      Expression condition = Or();
      std::vector<Expression> parts = {std::move(condition), std::move(value)};
      if (Accept("else")) parts.push_back(Conditional());
      value = Make(Kind::kIf, offset, "if", std::move(parts));
    }
    --depth_;
    return value;
  }
  Expression Or() {
    return LeftToRight(std::array<std::string_view, 1>{"or"}, [this] { return And(); });
  }
  Expression And() {
    return LeftToRight(std::array<std::string_view, 1>{"and"}, [this] { return Not(); });
  }
  Expression Not() {
    SkipSpace();
    const size_t offset = at_;
    if (!Accept("not")) return Compare();
    if (++depth_ > kDeepest) Fault(at_, "nested too deeply", "");
    std::vector<Expression> operand;
    if (!fault_) operand.push_back(Not());
    --depth_;
    return Make(Kind::kUnary, offset, "not", std::move(operand));
  }
  Expression Compare() {
    static constexpr std::array<std::string_view, 6> kOperators = {
        "==", "!=", "<=", ">=", "<", ">"};
    Expression first = Sum();
    const size_t offset = first.offset;
    std::vector<std::string> operators;
    std::vector<Expression> operands = {std::move(first)};
    while (!fault_) {
      std::string name = AcceptOneOf(kOperators);
      if (name.empty()) break;
      operators.push_back(std::move(name));
      operands.push_back(Sum());
    }
    if (operators.empty()) return std::move(operands.front());
    Expression made = Make(Kind::kCompare, offset, "", std::move(operands));
    made.operators = std::move(operators);
    return made;
  }
  Expression Sum() {
    return LeftToRight(std::array<std::string_view, 2>{"+", "-"}, [this] { return Join(); });
  }
  Expression Join() {
    return LeftToRight(std::array<std::string_view, 1>{"~"}, [this] { return Product(); });
  }
  Expression Product() {
    return LeftToRight(std::array<std::string_view, 4>{"*", "//", "/", "%"},
                       [this] { return Power(); });
  }
  Expression Power() {
    Expression left = Unary();
    while (!fault_ && Accept("**")) {
      const size_t offset = left.offset;
      Expression right = Unary();
      left = Make(Kind::kBinary, offset, "**", {std::move(left), std::move(right)});
    }
    return left;
  }
  Expression Unary() {
    if (++depth_ > kDeepest) Fault(at_, "nested too deeply", "");
    SkipSpace();
    const size_t offset = at_;
    Expression value;
    if (fault_) {
      value = Expression();
    } else if (Accept("-")) {
      value = Make(Kind::kUnary, offset, "-", {Unary()});
    } else if (Accept("+")) {
      value = Unary();
    } else {
      value = Filtered();
    }
    --depth_;
    return value;
  }

  // x | filter | filter(…), x is test.
  Expression Filtered() {
    Expression value = Primary();
    while (!fault_) {
      const size_t offset = value.offset;
      if (Accept("|")) {
        std::string name = Name("a filter");
        std::vector<Expression> arguments = {std::move(value)};
        if (Accept("(")) Arguments(&arguments);
        value = Make(Kind::kFilter, offset, std::move(name), std::move(arguments));
      } else if (Accept("is")) {
        const bool negated = Accept("not");
        value = Make(Kind::kTest, offset, Name("a test"), {std::move(value)});
        if (negated) value = Make(Kind::kUnary, offset, "not", {std::move(value)});
      } else {
        break;
      }
    }
    return value;
  }

  std::string Name(const char* what) {
    SkipSpace();
    const size_t begin = at_;
    while (at_ < text_.size() && IsNamePart(text_[at_])) ++at_;
    if (at_ == begin) Fault(at_, fmt::format("the name of {} is missing", what), "");
    return std::string(text_.substr(begin, at_ - begin));
  }

  // Up to the closing bracket.
  void Arguments(std::vector<Expression>* arguments, std::string_view closing = ")") {
    if (Accept(closing)) return;
    while (!fault_) {
      SkipSpace();
      const size_t begin = at_;
      arguments->push_back(Conditional());
      if (Accept(closing)) return;
      if (!fault_ && arguments->back().kind == Kind::kName && text_.substr(at_).starts_with("=")) {
        Fault(begin,
              fmt::format("arguments by name, '{}=', are not read here", arguments->back().name),
              "give the values alone, in their order: include('f.yaml', 'key')");
      }
      if (!Accept(",")) Unexpected();
      if (Accept(closing)) return;  // a comma at the end
    }
  }

  Expression Primary() {
    SkipSpace();
    const size_t offset = at_;
    if (at_ == text_.size()) {
      Unexpected();
      return {};
    }
    const char c = text_[at_];
    if (Accept("(")) {
      Expression inner = Conditional();
      if (!fault_ && !Accept(")")) Fault(at_, "no closing ')'", "");
      return inner;
    }
    if (Accept("[")) {
      std::vector<Expression> items;
      Arguments(&items, "]");
      return Make(Kind::kList, offset, "", std::move(items));
    }
    if (c == '\'' || c == '"') return TextLiteral();
    if (IsDigit(c) || c == '.') return NumberLiteral();
    if (!IsNameStart(c)) {
      Unexpected();
      return {};
    }
    return NameOrCall(offset);
  }

  Expression NameOrCall(size_t offset) {
    std::string name = Name("a value");
    const auto literal = [&](TemplateValue value) {
      Expression made = Make(Kind::kLiteral, offset, "", {});
      made.literal = std::move(value);
      return made;
    };
    if (name == "true" || name == "True") return literal({true});
    if (name == "false" || name == "False") return literal({false});
    if (name == "none" || name == "None") return literal({});
    if (!Accept("(")) return Make(Kind::kName, offset, std::move(name), {});
    std::vector<Expression> arguments;
    Arguments(&arguments);
    return Make(Kind::kCall, offset, std::move(name), std::move(arguments));
  }

  Expression TextLiteral() {
    const size_t begin = at_;
    const char quote = text_[at_++];
    std::string text;
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
        const char escaped = text_[++at_];
        text += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped;
      } else {
        text += text_[at_];
      }
      ++at_;
    }
    if (at_ == text_.size()) {
      Fault(begin, fmt::format("no closing {}", quote), "");
      return {};
    }
    ++at_;
    Expression made = Make(Kind::kLiteral, begin, "", {});
    made.literal.value = std::move(text);
    return made;
  }

  Expression NumberLiteral() {
    const size_t begin = at_;
    const char* first = text_.data() + at_;
    const char* last = text_.data() + text_.size();
    Expression made = Make(Kind::kLiteral, begin, "", {});
    double number = 0;
    const auto [end, error] = std::from_chars(first, last, number);
    int64_t whole = 0;
    const auto [whole_end, whole_error] = std::from_chars(first, last, whole);
    if (error != std::errc() || (end < last && IsNameStart(*end))) {
      Fault(begin, fmt::format("'{}' is not a number", text_.substr(begin, 12)), "");
      return made;
    }
    if (whole_error == std::errc() && whole_end == end) {
      made.literal.value = whole;
    } else {
      made.literal.value = number;
    }
    at_ = static_cast<size_t>(end - text_.data());
    return made;
  }

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  int parts_ = 0;
  std::optional<TemplateFault> fault_;
};

}  // namespace

std::optional<TemplateExpression> ParseTemplateExpression(std::string_view text,
                                                          TemplateFault* fault) {
  return TemplateParser(text).Parse(fault);
}

}  // namespace inlay::io::timeloop
