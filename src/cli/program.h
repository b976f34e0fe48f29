#pragma once

#include <string>
#include <vector>

namespace inlay::cli {

// The whole program: finds the command, runs it, turns everything that can happen into an exit
// code. Throws nothing.
int RunProgram(const std::vector<std::string>& words);

}  // namespace inlay::cli
