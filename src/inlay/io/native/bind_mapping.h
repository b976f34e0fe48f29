#pragma once

#include <vector>

#include "inlay/base/result.h"
#include "inlay/core/mapping.h"
#include "inlay/io/native/mapping_line.h"
#include "inlay/io/yaml/node.h"

namespace inlay::io {

// The lines of a mapping and their places: line i is root.items[i].
struct WrittenMapping {
  Node root;
  std::vector<MappingLine> lines;
};

// Looks the names up, checks every range that is written against the one that the outer loops give,
// the order of the levels and of the loops in each, and the form of the whole (core's Validate).
// Reports all errors, each at its line, up to kMostErrors; not those that only follow from others,
// and nothing for the broken lines themselves, which must have been reported.
Result<Mapping> BindMapping(const WrittenMapping& written, const Problem& problem,
                            const Architecture& architecture);

}  // namespace inlay::io
