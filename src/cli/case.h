#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/deliver.h"
#include "inlay/core/result.h"
#include "inlay/io/load.h"

namespace inlay::cli {

// What `eval` and `walk` share: their arguments, and what they do before and after the counting.

std::vector<Argument> CaseArguments();
std::vector<Option> CaseOptions();  // --problem, --arch, --mapping

// The case, checked: the mapping fits. Otherwise it has been said why not, and the code is set.
std::optional<io::Case> LoadFittingCase(const Invocation& invocation, Session* session,
                                        ExitCode* code);

// A result with everything but its cost filled in.
EvalResult ResultFor(const io::Case& input, std::string_view command, const OptionValues& options);

// mapping.yaml, and map.txt in Timeloop's look.
std::vector<OutputFile> MappingFiles(const io::Case& input);

// A fault of an evaluation, as an error without a place.
Diagnostics FaultToError(const Fault& fault);

}  // namespace inlay::cli
