#pragma once

#include <vector>

#include "cli/command.h"
#include "cli/deliver_result.h"
#include "inlay/io/load.h"

namespace inlay::cli {

// What `eval` and `walk` share.

std::vector<Argument> CaseArguments();

// mapping.yaml, and map.txt in Timeloop's look.
std::vector<OutputFile> MappingFiles(const io::Case& input);

}  // namespace inlay::cli
