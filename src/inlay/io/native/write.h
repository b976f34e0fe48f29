#pragma once

#include <string>
#include <string_view>

namespace inlay::io {

// The lines that every document begins with, down to the name if there is one.
std::string DocumentStart(std::string_view kind, std::string_view name);

}  // namespace inlay::io
