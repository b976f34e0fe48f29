#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inlay/base/diagnostic.h"
#include "inlay/io/file.h"

namespace inlay::io::scalesim {

// A piece of a line without the blanks around it. Views into the source, which must outlive it.
struct Field {
  std::string_view text;
  int line = 0, column = 0;  // of its first character, from 1
  std::string_view whole_line;
};

// Every line of a text, blank ones included; blanks (a carriage return among them) are cut off at
// both ends.
std::vector<Field> LinesOf(const Source& source);

// The pieces between the separators; one more than there are separators.
std::vector<Field> Split(const Field& field, char separator);

// The part [begin, end) of a field, trimmed.
Field Part(const Field& field, size_t begin, size_t end = std::string_view::npos);

bool EqualsIgnoringCase(std::string_view a, std::string_view b);

// Digits only, at least one, within 64 bits.
std::optional<int64_t> AsWholeNumber(std::string_view text);

Diagnostic ErrorAt(const Source& source, const Field& field, std::string message,
                   std::string hint = "");
Diagnostic WarningAt(const Source& source, const Field& field, std::string message,
                     std::string hint = "");

}  // namespace inlay::io::scalesim
