#pragma once

#include <string>
#include <string_view>

#include "inlay/io/schema/type.h"

namespace inlay::io {

// The type as a JSON Schema (draft-07, which VS Code's YAML plug-in checks and completes by),
// indented, ending with a newline.
std::string ToJsonSchema(const Type& type, std::string_view title, std::string_view description);

}  // namespace inlay::io
