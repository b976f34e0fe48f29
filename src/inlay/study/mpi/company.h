#pragma once

#include <memory>

#include "inlay/codesign/company.h"

namespace inlay::study::mpi {

// The processes that mpirun started together, for one search; at most once in a process. The first
// leads. Null if it was built without MPI.
std::unique_ptr<Company> JoinCompany();

}  // namespace inlay::study::mpi
