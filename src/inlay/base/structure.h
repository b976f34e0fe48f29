#pragma once

// What a header needs to declare that its structs and enums have tables: `Structure` is complete in
// fields.h, which only the files with the tables, and those that use them, include.

#include <string>
#include <variant>
#include <vector>

#include "inlay/base/enum_names.h"

namespace inlay {

struct Structure;

// Whether native files have values of a type in a syntax of its own, which io knows
// (io/native/keys.cc), instead of by the fields of a struct.
template <typename T>
inline constexpr bool kHasOwnSyntax = false;

using NumberOrText = std::variant<double, std::string>;
using OptionValue = std::variant<bool, int64_t, std::string, std::vector<std::string>>;

}  // namespace inlay
