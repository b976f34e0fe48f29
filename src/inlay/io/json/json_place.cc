#include "inlay/io/json/json_place.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "inlay/base/printable.h"

namespace inlay::io {
namespace {

// A value of the text, and where it is said to be.
struct Found {
  size_t place;  // of its key, or its own
  size_t value;
};

// Goes through valid JSON, without making values of it; at the end of a text it stays there.
class Walker {
 public:
  explicit Walker(std::string_view text) : text_(text) {}

  size_t Start() const { return Blanks(0); }

  // One step of the path, which is cut off its front.
  std::optional<Found> Step(size_t value, std::string_view* path) const {
    if (path->starts_with('.')) path->remove_prefix(1);
    if (At(value) == '{') return Member(value, path);
    if (At(value) == '[' && path->starts_with('[')) return Item(value, path);
    return std::nullopt;
  }

 private:
  char At(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

  size_t Blanks(size_t i) const {
    return std::min(text_.find_first_not_of(" \t\r\n", i), text_.size());
  }

  // Behind the text that starts at i.
  size_t String(size_t i) const {
    for (++i; i < text_.size() && text_[i] != '"'; ++i) {
      if (text_[i] == '\\') ++i;
    }
    return std::min(i + 1, text_.size());
  }

  // Behind the value that starts at i.
  size_t Value(size_t i) const {
    int depth = 0;
    while (i < text_.size()) {
      const char c = text_[i];
      if (depth == 0 && (c == ',' || c == ']' || c == '}')) return i;
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      i = c == '"' ? String(i) : i + 1;
    }
    return i;
  }

  // The member whose key begins the path; the longest, for a key may hold dots.
  std::optional<Found> Member(size_t value, std::string_view* path) const {
    std::optional<Found> found;
    size_t longest = 0;
    for (size_t i = Blanks(value + 1); At(i) == '"'; i = Blanks(i + 1)) {
      const size_t end = String(i);
      const std::string_view key = text_.substr(i + 1, end - i - 2);
      const size_t of_key = Blanks(Blanks(end) + 1);  // behind the colon
      const std::string_view rest = path->substr(std::min(key.size(), path->size()));
      const bool whole = rest.empty() || rest.front() == '.' || rest.front() == '[';
      if (path->starts_with(key) && whole && (!found || key.size() >= longest)) {
        found = {i, of_key};
        longest = key.size();
      }
      i = Blanks(Value(of_key));
      if (At(i) != ',') break;
    }
    path->remove_prefix(longest);
    return found;
  }

  std::optional<Found> Item(size_t value, std::string_view* path) const {
    size_t number = 0;
    const char* end = path->data() + path->size();
    const auto [behind, fault] = std::from_chars(path->data() + 1, end, number);
    if (fault != std::errc() || behind == end || *behind != ']') return std::nullopt;
    path->remove_prefix(static_cast<size_t>(behind - path->data()) + 1);
    size_t i = Blanks(value + 1);
    for (; number > 0; --number) {
      i = Blanks(Value(i));
      if (At(i) != ',') return std::nullopt;
      i = Blanks(i + 1);
    }
    if (At(i) == ']') return std::nullopt;
    return Found{i, i};
  }

  std::string_view text_;
};

}  // namespace

SourcePlace PlaceAt(const Source& source, size_t offset) {
  const std::string_view text = source.text;
  const std::string_view before = text.substr(0, offset);
  const auto line = static_cast<int>(1 + std::count(before.begin(), before.end(), '\n'));
  const size_t end = before.rfind('\n');
  const size_t start = end == std::string_view::npos ? 0 : end + 1;
  return {{source.name, line, static_cast<int>(before.size() - start) + 1},
          QuotableLine(LineOf(source, line))};
}

SourcePlace PlaceOfPath(const Source& source, std::string_view path) {
  const Walker walker(source.text);
  Found at{walker.Start(), walker.Start()};
  while (!path.empty()) {
    const auto next = walker.Step(at.value, &path);
    if (!next) break;
    at = *next;
  }
  return PlaceAt(source, at.place);
}

SourcePlace PlaceOfNextError(const Source& source, std::string_view path,
                             const Diagnostics& before) {
  if (before.size() < kMostPrintedErrors) return PlaceOfPath(source, path);
  return {{source.name, 0, 0}, ""};
}

Diagnostic MakeErrorAt(const SourcePlace& place, std::string message, std::string hint) {
  Diagnostic error = MakeError(place.location, std::move(message), std::move(hint));
  error.source_line = place.line;
  return error;
}

}  // namespace inlay::io
