#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "inlay/base/result.h"

namespace inlay::cli {

// Checks what follows the command's name against its record: unknown and repeated flags, missing
// and wrong values, too few and too many arguments. All faults of values at once.
Result<Invocation> ParseInvocation(const Command& command, const std::vector<std::string>& words);

}  // namespace inlay::cli
