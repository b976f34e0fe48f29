#pragma once

#include <memory>

#include "inlay/codesign/search_group.h"

namespace inlay::study::mpi {

// The processes that mpirun started together, for one search; at most once in a process. The first
// leads. Null if it was built without MPI.
std::unique_ptr<SearchGroup> JoinSearchGroup();

}  // namespace inlay::study::mpi
