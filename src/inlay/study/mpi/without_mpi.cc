// In place of mpi_workers.cc and mpi_search_group.cc where there is no MPI.
#include "inlay/study/mpi/mpi_search_group.h"
#include "inlay/study/mpi/mpi_workers.h"

namespace inlay::study::mpi {

bool IsBuiltIn() { return false; }
std::unique_ptr<MpiWorkers> JoinWorkers() { return nullptr; }
std::unique_ptr<SearchGroup> JoinSearchGroup() { return nullptr; }

}  // namespace inlay::study::mpi
