#pragma once

// Private to io: which commands write results, and the tables of these.

#include <span>
#include <string_view>
#include <vector>

#include "inlay/base/fields.h"

namespace inlay::io {

struct ResultKind {
  std::vector<std::string_view> commands;  // that write it
  const ValueType* type;                   // its struct
  const ValueType* list = nullptr;         // of several, side by side; null: never
  bool has_page = true;                    // `inlay report` shows it
  std::string_view flag = {};              // with which the command writes it instead of its other
  std::string_view mark = {};              // a key that the command's other results do not have
};

// In the order of the schema.
std::span<const ResultKind> ResultKinds();

}  // namespace inlay::io
