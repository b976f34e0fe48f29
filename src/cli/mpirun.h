#pragma once

#include "cli/session.h"
#include "inlay/base/diagnostic.h"

namespace inlay::cli {

// Whether mpirun, or another launcher of MPI, has started this command among others. False inside a
// host process (the Python module): only the command itself joins.
bool StartedByMpi(const Session& session);

// An error if it has started several, and this program was built without MPI.
Diagnostics CheckMpi(const Session& session);

// The threads a process uses where no option gives a number: the processes of one machine share its
// hardware threads evenly.
int DefaultThreads();

}  // namespace inlay::cli
