#pragma once

#include "inlay/base/diagnostic.h"

namespace inlay::cli {

// Whether mpirun, or another launcher of MPI, has started this process among others.
bool StartedByMpi();

// An error if it has started several, and this program was built without MPI.
Diagnostics CheckMpi();

// How many threads a process uses if nobody says it: those of a machine share its threads.
int DefaultThreads();

}  // namespace inlay::cli
