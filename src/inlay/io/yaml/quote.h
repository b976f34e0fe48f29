#pragma once

#include <string>
#include <string_view>

namespace inlay::io {

// A YAML scalar in double quotes that reads back as this text, with escapes for control characters:
// what is written may be shown by a terminal, which obeys them.
std::string DoubleQuoted(std::string_view text);

}  // namespace inlay::io
