#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace inlay::io::timeloop {

// A value that an expression in a template has.
struct TemplateValue {
  struct None {
    bool operator==(const None&) const = default;
  };
  struct Undefined {  // a name without a value
    std::string name;
  };
  struct Wrong {};  // of an expression with an error, which was reported
  using List = std::vector<TemplateValue>;
  std::variant<None, Undefined, Wrong, bool, int64_t, double, std::string, List> value = None();
  // A path from where the program runs. Others are from the folder of the template.
  bool located = false;

  template <typename T>
  bool Is() const {
    return std::holds_alternative<T>(value);
  }
  bool IsNumber() const { return Is<int64_t>() || Is<double>(); }
  double Number() const;     // of a number
  std::string Text() const;  // as Jinja2 writes it
  bool IsTrue() const;       // not empty, not 0, not false
  // As in Python: true and false are equal to 1 and 0.
  bool Equals(const TemplateValue& other) const;
  // Of two numbers, true and false among them, or two texts; else none.
  std::optional<std::partial_ordering> Order(const TemplateValue& other) const;
  const char* Kind() const;  // "a number"
};

// What is given for a name on the command line: a number, true, false, or a text.
TemplateValue ParseTemplateValue(std::string_view text);

}  // namespace inlay::io::timeloop
