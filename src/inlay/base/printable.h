#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace inlay {

// DEL and those from U+0080 to U+009F are some, too.
bool IsControl(char32_t code);

// Names come from files, and a terminal interprets control characters: below, '?' stands for every
// control character, and for every byte that is no UTF-8.

inline constexpr size_t kLongestName = 200;       // characters, in what is printed
inline constexpr size_t kMostPrintedErrors = 50;  // printed one by one; the same limit for warnings

// A line of a file as it may be quoted below a message: nothing where it is too long for that, so
// that many errors in a long line do not keep as many copies of it.
inline constexpr size_t kLongestQuotedLine = 160;  // bytes
std::string QuotableLine(std::string_view line);

// A line or a part of it: newlines are control characters too.
std::string Printable(std::string_view text);

// A text of many lines: newlines and tabs stay.
std::string PrintableLines(std::string_view text);

// A name, cut after `longest` characters, with "..." for the rest.
std::string PrintableName(std::string_view name, size_t longest = kLongestName);

// A sentence in which what is quoted, and every word, is cut as a name is.
std::string PrintableSentence(std::string_view sentence);

}  // namespace inlay
