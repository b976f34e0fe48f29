#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/deliver_result.h"
#include "inlay/core/fused_problem.h"

namespace inlay::cli {

// --emit of commands whose result is a mapping.

Option EmitOption();
// Whether programs were asked for.
bool EmitsProgram(const OptionValues& options);
// Whether `programs` of them have a place to go; if not, says so.
bool CanEmit(const OptionValues& options, size_t programs, Session* session);

// Whether the nodes can be written as a program; if not, says so.
bool CanEmit(const OptionValues& options, const FusedProblem& problem, Session* session);

// As a file in the folder of -o.
OutputFile ProgramFile(std::string text);
// Where there is no folder, the first program of the files is printed instead of the summary.
void PrintProgram(const std::optional<OutputFolder>& folder, Delivery* delivery);

}  // namespace inlay::cli
