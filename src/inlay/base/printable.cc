#include "inlay/base/printable.h"

#include <algorithm>

#include "inlay/base/utf8.h"

namespace inlay {

bool IsControl(char32_t code) { return code < 0x20 || (code >= 0x7F && code < 0xA0); }

namespace {

std::string Replace(std::string_view text, std::string_view stays) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    const std::string_view character = text.substr(0, std::max<size_t>(length, 1));
    std::string_view rest = text;
    const bool control = IsControl(TakeCodePoint(&rest));
    const bool keep = length > 0 && (!control || stays.find(character) != std::string_view::npos);
    out += keep ? character : "?";
    text.remove_prefix(character.size());
  }
  return out;
}

// Where the part of a text ends that has so many characters.
size_t EndOf(std::string_view text, size_t characters) {
  std::string_view rest = text;
  for (size_t i = 0; i < characters && !rest.empty(); ++i) TakeCodePoint(&rest);
  return text.size() - rest.size();
}

}  // namespace

std::string QuotableLine(std::string_view line) {
  return std::string(line.size() <= kLongestQuotedLine ? line : std::string_view());
}

std::string Printable(std::string_view text) { return Replace(text, ""); }

std::string PrintableLines(std::string_view text) { return Replace(text, "\n\t"); }

std::string PrintableName(std::string_view name, size_t longest) {
  const size_t end = EndOf(name, longest);
  return Printable(name.substr(0, end)) + (end < name.size() ? "..." : "");
}

std::string PrintableSentence(std::string_view sentence) {
  std::string out;
  while (!sentence.empty()) {
    size_t end = std::min(sentence.find_first_of(" '"), sentence.size());
    out += PrintableName(sentence.substr(0, end));
    sentence.remove_prefix(end);
    if (sentence.empty()) break;
    end = sentence.front() == '\'' ? sentence.find('\'', 1) : std::string_view::npos;
    const bool quoted = end != std::string_view::npos && end > kLongestName;
    out += sentence.front();
    if (quoted) out += PrintableName(sentence.substr(1, end - 1));
    sentence.remove_prefix(quoted ? end : 1);
    if (!quoted) continue;
    out += sentence.front();
    sentence.remove_prefix(1);
  }
  return out;
}

}  // namespace inlay
