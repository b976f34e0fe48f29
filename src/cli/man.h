#pragma once

#include <string>

namespace inlay::cli {

// The manual page inlay(1), made of the commands' records; what `inlay --help-man` prints.
std::string ManPage();

}  // namespace inlay::cli
