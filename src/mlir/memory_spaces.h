#pragma once

#include "mlir/planning.h"
#include "mlir/translate.h"

namespace inlay::plugin {

// Gives every allocated buffer that the plan has in one memory at one address, from its first write
// to its last use, and never copies, this memory's space: the number of the memory, from 1 in the
// machine's order. The types of views follow. A buffer that leaves the function or goes where its
// type is fixed keeps the space it has, with a remark; so does, without one, what the plan keeps
// off chip or moves.
void SetMemorySpaces(const Translation& translation, const NamedPlan& plan,
                     const std::vector<std::string>& memories);

}  // namespace inlay::plugin
