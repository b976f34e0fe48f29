#pragma once

#include <string>
#include <vector>

#include "cli/output_folder.h"
#include "inlay/core/architecture.h"
#include "inlay/core/map_result.h"
#include "inlay/core/network.h"

namespace inlay::cli {

// mapping.yaml, map.txt and, where Timeloop can express it, timeloop-mapping.yaml with the problem
// in timeloop-problem.yaml, of every layer that has a mapping; of several layers each in
// layers/NAME. In the mapspace `padded` the problem is the padded one, and mapping.yaml holds it as
// well, because its bounds are larger. With `emits` the mapping is there as a program, too.
std::vector<OutputFile> LayerFiles(const Network& network, const Architecture& architecture,
                                   const std::vector<LayerAnswer>& answers, bool emits = false);

// What mapping.yaml says. A problem whose bounds were rounded up comes before the mapping, with a
// comment that says why.
std::string MappingText(const Problem& asked_for, const Problem& computed,
                        const Architecture& architecture, const Mapping& mapping);

// Names of folders for the layers: what file systems and shells dislike replaced, none twice.
std::vector<std::string> FolderNames(const Network& network);

}  // namespace inlay::cli
