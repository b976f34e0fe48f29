#include "inlay/io/yaml/quote.h"

#include <fmt/format.h>

#include <cstdint>

#include "inlay/base/printable.h"
#include "inlay/base/utf8.h"

namespace inlay::io {

std::string DoubleQuoted(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const std::string_view before = text;
    const char32_t code = TakeCodePoint(&text);
    if (IsControl(code)) {
      quoted += fmt::format("\\x{:02x}", static_cast<uint32_t>(code));
      continue;
    }
    if (code == U'"' || code == U'\\') quoted += '\\';
    quoted += before.substr(0, before.size() - text.size());
  }
  return quoted + "\"";
}

}  // namespace inlay::io
