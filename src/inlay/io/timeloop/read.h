#pragma once

#include <vector>

#include "inlay/base/result.h"
#include "inlay/io/file.h"
#include "inlay/io/inputs.h"
#include "inlay/io/yaml/node.h"

namespace inlay::io {

// Whether these documents are Timeloop's: sections with its names and no 'format' key.
bool LooksLikeTimeloop(const std::vector<Node>& documents);

// Whether a text that is not valid YAML may be one of Timeloop's Jinja2 templates; ReadTimeloop
// then says what to do about it.
bool LooksLikeTimeloopTemplate(const Source& source);

// Reads Timeloop's problem, architecture (2019, tree 0.2 – 0.4, nodes 0.4), mapping and energy
// tables from files that are merged at their top level. `layers`: the problems that will be mapped,
// as far as they are known, for constraints whose meaning depends on them.
Result<Inputs> ReadTimeloop(const std::vector<Source>& files,
                            const std::vector<Problem>& layers = {});

}  // namespace inlay::io
