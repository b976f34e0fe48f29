#pragma once

#include <vector>

#include "inlay/base/result.h"
#include "inlay/io/file.h"
#include "inlay/io/inputs.h"
#include "inlay/io/timeloop/template.h"
#include "inlay/io/yaml/node.h"

namespace inlay::io {

// Whether these documents are Timeloop's: sections with its names and no 'format' key.
bool LooksLikeTimeloop(const std::vector<Node>& documents);

// Whether a Timeloop file holds tables of energies, components or variables, and neither a problem
// nor an architecture nor a mapping.
bool HoldsPartOfArchitecture(const Source& source);

// Reads Timeloop's problem, architecture (2019, tree 0.2 – 0.4, nodes 0.4), mapping and energy
// tables from files that are merged at their top level. `layers`: the problems that will be mapped,
// as far as they are known, for constraints whose meaning depends on them. Templates take `values`;
// what they ask for is added to `use`, if it is given.
Result<Inputs> ReadTimeloop(const std::vector<Source>& files,
                            const std::vector<Problem>& layers = {},
                            const TemplateValues& values = {}, TemplateUse* use = nullptr);

}  // namespace inlay::io
