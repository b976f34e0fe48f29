// In place of crew.cc and company.cc where there is no MPI.
#include "inlay/study/mpi/company.h"
#include "inlay/study/mpi/crew.h"

namespace inlay::study::mpi {

bool IsBuiltIn() { return false; }
std::unique_ptr<Crew> Join() { return nullptr; }
std::unique_ptr<Company> JoinCompany() { return nullptr; }

}  // namespace inlay::study::mpi
