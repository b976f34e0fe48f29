#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace inlay::emit {

// Lines of C, indented by their depth in blocks.
class CText {
 public:
  void Line(std::string_view line);
  // A comment of one line, whatever names are in it.
  void Comment(std::string_view text);
  // A head such as "for (...)" and the brace of its block; at the end of a block its brace.
  void Open(std::string_view head);
  void Else();
  void Close();
  void Blank();
  // Lines that are indented from column 0.
  void Append(std::string_view text) { text_ += text; }

  int depth() const { return depth_; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  int depth_ = 0;
};

// Identifiers of a program or of a function in it, none twice.
class CNames {
 public:
  CNames();  // those of C, of its headers and of the prelude are taken
  // An identifier as like the name as C allows; with a number behind it where that one is taken.
  std::string Unique(std::string_view name);
  // A variable inside functions has this name: it is not given out here, but may be in Local().
  void Avoid(const std::string& name) { avoided_.insert(name); }
  // For names inside a function.
  CNames Local() const;

 private:
  std::set<std::string, std::less<>> taken_, avoided_;
};

// A name as part of an identifier: letters, digits and _ stay, other characters become _.
std::string IdentifierPart(std::string_view name);
// A string literal of any text.
std::string CString(std::string_view text);
// "a && b"; `if_none` where there are no terms.
std::string AllOf(const std::vector<std::string>& terms, std::string_view if_none = "1");

// "(number) * base + digit": a number with one more digit; the digit alone where there is no
// number.
std::string WithDigit(const std::string& number, int64_t base, const std::string& digit);

// The text without declarations of constants ("const range x = ...;") that it does not use.
std::string WithoutUnused(std::string_view text);

// Definitions that programs share: types and functions. Of the functions those that the text uses,
// directly or through others.
std::string PreludeFor(std::string_view text);

}  // namespace inlay::emit
