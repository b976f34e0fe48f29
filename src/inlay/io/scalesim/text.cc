#include "inlay/io/scalesim/text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

#include "inlay/base/printable.h"

namespace inlay::io::scalesim {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";

Diagnostic At(Diagnostic diagnostic, const Source& source, const Field& field) {
  diagnostic.location = {source.name, field.line, field.column};
  diagnostic.source_line = QuotableLine(field.whole_line);
  return diagnostic;
}

}  // namespace

Field Part(const Field& field, size_t begin, size_t end) {
  begin = std::min(begin, field.text.size());
  end = std::clamp(end, begin, field.text.size());
  while (begin < end && kBlanks.find(field.text[begin]) != std::string_view::npos) ++begin;
  while (begin < end && kBlanks.find(field.text[end - 1]) != std::string_view::npos) --end;
  return {field.text.substr(begin, end - begin), field.line, field.column + static_cast<int>(begin),
          field.whole_line};
}

std::vector<Field> Split(const Field& field, char separator) {
  std::vector<Field> parts;
  size_t begin = 0;
  while (true) {
    const size_t end = field.text.find(separator, begin);
    parts.push_back(Part(field, begin, end));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::vector<Field> LinesOf(const Source& source) {
  std::vector<Field> lines;
  const std::string_view text = source.text;
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view whole = text.substr(begin, end - begin);
    if (!whole.empty() && whole.back() == '\r') whole.remove_suffix(1);
    lines.push_back(Part({whole, static_cast<int>(lines.size()) + 1, 1, whole}, 0));
    begin = end + 1;
  }
  return lines;
}

bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

std::optional<int64_t> AsWholeNumber(std::string_view text) {
  if (text.empty() || text.front() == '-') return std::nullopt;
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end) return std::nullopt;
  return value;
}

Diagnostic ErrorAt(const Source& source, const Field& field, std::string message,
                   std::string hint) {
  return At(MakeError({}, std::move(message), std::move(hint)), source, field);
}

Diagnostic WarningAt(const Source& source, const Field& field, std::string message,
                     std::string hint) {
  return At(MakeWarning({}, std::move(message), std::move(hint)), source, field);
}

}  // namespace inlay::io::scalesim
