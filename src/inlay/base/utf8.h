#pragma once

#include <string_view>

namespace inlay {

// Takes one code point off the front of a UTF-8 text that is not empty; a byte that starts none is
// taken as itself.
char32_t TakeCodePoint(std::string_view* text);

}  // namespace inlay
