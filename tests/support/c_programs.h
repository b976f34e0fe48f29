#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace inlay::testing {

// What C programs print, and how each ends.
struct ProgramRun {
  std::string output;  // of both streams
  int status = -1;     // of the process; -1: it did not end by itself
};

// Compiles the programs with the system's C compiler, as C99 and with all warnings as errors, into
// one file in the folder, and runs each. Empty if they do not compile; what the compiler says is
// then a failure of the test.
std::vector<ProgramRun> RunPrograms(const std::filesystem::path& folder,
                                    const std::vector<std::string>& programs);

}  // namespace inlay::testing
