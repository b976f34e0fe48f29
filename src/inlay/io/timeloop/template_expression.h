#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inlay/io/timeloop/template_value.h"

namespace inlay::io::timeloop {

// An expression of a template: the part of Jinja2's that Timeloop's files use. Texts, numbers,
// lists, names, calls of functions, ~ + - * / // % **, comparisons, and, or, not, `x if c else y`,
// `x | default(y)` and a few more filters, `x is defined`.
struct TemplateExpression {
  enum class Kind { kLiteral, kName, kList, kUnary, kBinary, kCompare, kIf, kCall, kFilter, kTest };
  Kind kind = Kind::kLiteral;
  size_t offset = 0;      // in the text that the expression was parsed from
  std::string name;       // of the name, function, filter, test or operator
  TemplateValue literal;  // kLiteral
  // kCompare: 'a < b < c' has one operator less than arguments.
  std::vector<std::string> operators;
  // kIf: condition, then, else (may be absent). kFilter and kTest: what it is applied to is first.
  std::vector<TemplateExpression> arguments;
};

struct TemplateFault {
  size_t offset = 0;
  std::string message, hint;
};

// What says what is the matter with anything of Jinja2 that is not read.
inline constexpr const char* kExpandElsewhere =
    "expand it with Timeloop's front end and give the parsed-processed-input.yaml that it writes";

// Parses the whole text; none: there is a fault.
std::optional<TemplateExpression> ParseTemplateExpression(std::string_view text,
                                                          TemplateFault* fault);

// What an expression can ask for.
struct TemplateScope {
  // A name that has no value, and was reported, becomes Wrong here.
  std::map<std::string, TemplateValue, std::less<>>* variables = nullptr;
  // A call of a function with values; reports its own faults and then returns Wrong.
  std::function<TemplateValue(const TemplateExpression& call, const TemplateValue::List& arguments)>
      call;
  std::function<void(const std::string& name)> ask;  // called with every name that is looked up
  // The file that sets a name for itself alone; "" if none does.
  std::function<std::string(const std::string& name)> set_in;
  std::function<void(TemplateFault fault)> report;
};

// The value; may be Undefined. Wrong after a fault, which was reported.
TemplateValue EvaluateTemplate(const TemplateExpression& expression, const TemplateScope& scope);

// The same where a value is needed: a name without one is a fault.
TemplateValue EvaluateDefined(const TemplateExpression& expression, const TemplateScope& scope);

}  // namespace inlay::io::timeloop
