#pragma once

#include <optional>
#include <vector>

#include "cli/command.h"
#include "cli/deliver_result.h"
#include "inlay/core/fused_result.h"
#include "inlay/io/load.h"
#include "inlay/run/common.h"

namespace inlay::cli {

// What `eval` and `walk` share.

std::vector<Argument> CaseArguments();

// mapping.yaml, and map.txt in Timeloop's look.
std::vector<OutputFile> MappingFiles(const io::Case& input);

// Writes and prints what was found about the fused mapping of the case, with fused.yaml, the tree,
// and with `emits` the program of it.
ExitCode DeliverFused(const run::Outcome<FusedEvalResult>& result, const io::Case& input,
                      bool emits, std::optional<OutputFolder>* folder, Session* session);

}  // namespace inlay::cli
