#pragma once

#include <optional>

#include "inlay/core/problem.h"
#include "inlay/io/timeloop/expression.h"
#include "inlay/io/timeloop/fields.h"
#include "inlay/io/yaml/node.h"

namespace inlay::io::timeloop {

// The section `problem`: a shape, inline or named, and an instance of it. `shape`: one that stands
// beside, for a problem without its own; may be null. Nothing if it has errors.
std::optional<Problem> ReadProblem(const Node& section, const Node* shape, const Scope& scope,
                                   Report* report);

}  // namespace inlay::io::timeloop
