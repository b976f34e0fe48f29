#pragma once

#include <cstddef>
#include <string_view>

namespace inlay {

// Takes one code point off the front of a UTF-8 text that is not empty; a byte that starts none is
// taken as itself.
char32_t TakeCodePoint(std::string_view* text);

// Length of the sequence at the start of a text that is not empty; 0 if it is broken (overlong
// forms, surrogates and what lies beyond U+10FFFF are broken).
size_t Utf8Length(std::string_view text);

}  // namespace inlay
