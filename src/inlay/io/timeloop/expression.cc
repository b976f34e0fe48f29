#include "inlay/io/timeloop/expression.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "inlay/io/timeloop/fields.h"

namespace inlay::io::timeloop {
namespace {

constexpr int kDeepest = 50;       // parentheses, and names that stand for expressions
constexpr int kMostSteps = 10000;  // names that stand for expressions of names … grow fast

// A recursive-descent evaluator of one expression. After a fault everything returns 0 and the first
// fault is kept.
class Evaluator {
 public:
  Evaluator(std::string_view text, const Scope& scope, std::set<const Node*>* used, int* steps,
            int depth = 0)
      : rest_(text), scope_(scope), used_(used), steps_(steps), depth_(depth) {}

  std::optional<double> Run() {
    const double value = Sum();
    SkipSpace();
    if (!rest_.empty()) Fault(fmt::format("'{}' is unexpected", rest_.substr(0, 20)));
    if (fault_.empty() && !std::isfinite(value)) Fault("the result is not a finite number");
    if (!fault_.empty()) return std::nullopt;
    return value;
  }
  const std::string& fault() const { return fault_; }

 private:
  void Fault(std::string fault) {
    if (fault_.empty()) fault_ = std::move(fault);
    rest_ = {};
  }
  void SkipSpace() {
    rest_.remove_prefix(std::min(rest_.size(), rest_.find_first_not_of(" \t\n")));
  }
  bool Accept(std::string_view token) {
    SkipSpace();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  bool Peek(std::string_view token) {
    SkipSpace();
    return rest_.starts_with(token);
  }

  double Sum() {
    double value = Product();
    while (fault_.empty()) {
      if (Accept("+")) {
        value += Product();
      } else if (Accept("-")) {
        value -= Product();
      } else {
        break;
      }
    }
    return value;
  }

  double Product() {
    double value = Unary();
    while (fault_.empty()) {
      if (!Peek("**") && Accept("*")) {
        value *= Unary();
      } else if (Accept("//")) {
        value = std::floor(value / Divisor());
      } else if (Accept("/")) {
        value /= Divisor();
      } else if (Accept("%")) {
        const double divisor = Divisor();
        value -= std::floor(value / divisor) * divisor;
      } else {
        break;
      }
    }
    return value;
  }

  double Divisor() {
    const double divisor = Unary();
    if (divisor == 0) Fault("division by zero");
    return divisor;
  }

  double Unary() {
    if (++depth_ > kDeepest || ++*steps_ > kMostSteps) Fault("nested too deeply");
    double value = 0;
    if (!fault_.empty()) {
      value = 0;
    } else if (Accept("-")) {
      value = -Unary();
    } else if (Accept("+")) {
      value = Unary();
    } else {
      value = Primary();
      if (Accept("**")) value = std::pow(value, Unary());
    }
    --depth_;
    return value;
  }

  double Primary() {
    if (Accept("(")) {
      const double value = Sum();
      if (!Accept(")")) Fault("no closing ')'");
      return value;
    }
    if (rest_.empty()) {
      Fault("something is missing at the end");
      return 0;
    }
    if (IsNameStart(rest_.front())) return NameOrCall();
    double value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc() || !(IsDigit(rest_.front()) || rest_.front() == '.')) {
      Fault(fmt::format("'{}' is unexpected", rest_.substr(0, 20)));
      return 0;
    }
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return value;
  }

  double NameOrCall() {
    size_t length = 0;
    while (length < rest_.size() && (IsNameStart(rest_[length]) || IsDigit(rest_[length])))
      ++length;
    const std::string_view name = rest_.substr(0, length);
    rest_.remove_prefix(length);
    if (Accept("(")) return Call(name);
    const Node* node = scope_.Find(name);
    if (node == nullptr) {
      Fault(fmt::format("'{}' is not known here", name));
      return 0;
    }
    if (used_ != nullptr) used_->insert(node);
    if (!node->IsScalar()) {
      Fault(fmt::format("'{}' is not a number", name));
      return 0;
    }
    Evaluator inner(node->text, scope_, used_, steps_, depth_ + 1);
    const auto value = inner.Run();
    if (!value) Fault(inner.fault());
    return value.value_or(0);
  }

  double Call(std::string_view function) {
    std::vector<double> arguments = {Sum()};
    while (fault_.empty() && Accept(",")) arguments.push_back(Sum());
    if (!Accept(")")) Fault("no closing ')'");
    const double first = arguments.front();
    if (arguments.size() == 1) {
      if (function == "ceil") return std::ceil(first);
      if (function == "floor") return std::floor(first);
      if (function == "round") return std::nearbyint(first);
      if (function == "abs") return std::abs(first);
      if (function == "int") return std::trunc(first);
      if (function == "sqrt") return std::sqrt(first);
      if (function == "log2") return std::log2(first);
    }
    if (function == "min" || function == "max") {
      double result = first;
      for (const double x : arguments) {
        result = function == "min" ? std::min(result, x) : std::max(result, x);
      }
      return result;
    }
    Fault(fmt::format("there is no function '{}' of {} argument{}", function, arguments.size(),
                      arguments.size() == 1 ? "" : "s"));
    return 0;
  }

  std::string_view rest_;
  const Scope& scope_;
  std::set<const Node*>* used_;
  int* steps_;
  int depth_;
  std::string fault_;
};

}  // namespace

void Scope::Push(const Node& mapping) { mappings_.push_back(&mapping); }

const Node* Scope::Find(std::string_view name) const {
  for (auto mapping = mappings_.rbegin(); mapping != mappings_.rend(); ++mapping) {
    for (const auto& [key, value] : (*mapping)->entries) {
      if (Normalise(key.text) == name) return &value;
    }
  }
  return nullptr;
}

Result<double> EvaluateNumber(const Node& node, std::string_view what, const Scope& scope,
                              std::set<const Node*>* used) {
  if (!node.IsScalar()) return AsDouble(node, what);
  int steps = 0;
  Evaluator evaluator(node.text, scope, used, &steps);
  if (const auto value = evaluator.Run()) return *value;
  return Fail(node.Error(fmt::format("{} must be a number or an expression, found '{}': {}", what,
                                     node.text.substr(0, 60), evaluator.fault())));
}

Result<int64_t> EvaluateInt(const Node& node, std::string_view what, const Scope& scope,
                            std::set<const Node*>* used) {
  Node plain = node;
  plain.quoted = false;
  if (auto whole = AsInt(plain, what)) return whole;
  const auto value = EvaluateNumber(node, what, scope, used);
  if (!value) return Fail(value.error());
  constexpr double kLargest = 9007199254740992;  // 2^53: beyond it a double is not exact
  if (std::trunc(*value) != *value || std::abs(*value) > kLargest) {
    return Fail(node.Error(fmt::format("{} must be a whole number, found {}", what, *value)));
  }
  return static_cast<int64_t>(*value);
}

}  // namespace inlay::io::timeloop
