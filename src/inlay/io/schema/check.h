#pragma once

#include <cstddef>
#include <iterator>
#include <string>

#include "inlay/base/diagnostic.h"
#include "inlay/io/schema/type.h"
#include "inlay/io/yaml/node.h"

namespace inlay::io {

// The most errors collected for one file: more do not help its author, and a hostile file could
// cause millions.
inline constexpr size_t kMostErrors = 200;

// Reports everything in which the value of a key differs from its type: wrong forms, unknown keys
// (with the nearest known one), missing keys, texts that do not parse. Code that builds something
// from the value afterwards can skip silently over what does not fit: it has been reported. Adds
// nothing once there are kMostErrors.
void Check(const Node& key, const Node& value, const Type& type, Diagnostics* diagnostics);

// An error at a place inside a scalar. Falls back to the scalar's start where its text is not
// written in the file as it is (folded lines, escapes).
Diagnostic ErrorInside(const Node& scalar, const TextError& error);

// "a, b or c"
template <typename Names>
std::string JoinOr(const Names& names) {
  std::string text;
  size_t i = 0;
  for (const auto& name : names) {
    if (i > 0) text += i + 1 == std::size(names) ? " or " : ", ";
    text += name;
    ++i;
  }
  return text;
}

}  // namespace inlay::io
