#pragma once

#include <vector>

#include "cli/output_folder.h"
#include "inlay/codesign/codesign.h"
#include "inlay/core/codesign_result.h"

namespace inlay::cli {

// The designs of an answer, in names and texts.
std::vector<ArchitectureResult> ArchitecturesOf(const CodesignTask& task,
                                                const CodesignAnswer& answer);

// The answer of another method beside the one of `answer`.
ComparedMethod ComparedTo(const CodesignAnswer& answer, const CodesignTask& task,
                          const CodesignAnswer& other);

// architecture.yaml and the mappings of every design; of several each in architectures/N, from 1.
std::vector<OutputFile> FilesOf(const CodesignTask& task, const std::vector<Design>& designs);

}  // namespace inlay::cli
