#pragma once

#include "cli/session.h"
#include "inlay/base/diagnostic.h"

namespace inlay::cli {

// Whether mpirun, or another launcher of MPI, has started this command among others. What runs
// within somebody else's process never joins.
bool StartedByMpi(const Session& session);

// An error if it has started several, and this program was built without MPI.
Diagnostics CheckMpi(const Session& session);

// How many threads a process uses if nobody says it: those of a machine share its threads.
int DefaultThreads();

}  // namespace inlay::cli
