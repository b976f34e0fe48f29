#pragma once

#include <cstddef>
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace inlay::io {

// What is wrong inside one scalar; `offset` counts bytes from the start of its text. The reader
// turns it into file:line:col.
struct TextError {
  size_t offset = 0;
  std::string message;
  std::string hint;
};

template <typename T>
using Parsed = tl::expected<T, TextError>;

inline tl::unexpected<TextError> TextFail(size_t offset, std::string message,
                                          std::string hint = "") {
  return tl::unexpected<TextError>({offset, std::move(message), std::move(hint)});
}

}  // namespace inlay::io
