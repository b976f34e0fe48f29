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
    const std::string_view before = text;
    const char32_t code = TakeCodePoint(&text);
    const std::string_view character = before.substr(0, before.size() - text.size());
    const bool keep = !IsControl(code) || stays.find(character) != std::string_view::npos;
    out += keep ? character : "?";
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
