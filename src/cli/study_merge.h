#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace inlay::cli {

// `inlay study merge DIR... -o DIR`.
ExitCode MergeStudies(const Invocation& invocation, Session* session);

// What the folder of a study may hold when it is claimed: nothing, or the files of an earlier run.
std::vector<std::string> FilesOfAStudy(bool resume);

}  // namespace inlay::cli
