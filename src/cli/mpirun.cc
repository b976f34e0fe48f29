#include "cli/mpirun.h"

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "inlay/base/parallel.h"
#include "inlay/study/mpi/mpi_workers.h"

namespace inlay::cli {
namespace {

// How many processes there are, here or on all machines; 0: none.
int CountFrom(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? 0 : std::atoi(text);
}

}  // namespace

bool StartedByMpi(const Session& session) {
  return session.OwnsProcess() &&
         (CountFrom("OMPI_COMM_WORLD_SIZE") > 0 || CountFrom("PMI_SIZE") > 0 ||
          std::getenv("PMIX_RANK") != nullptr);
}

Diagnostics CheckMpi(const Session& session) {
  const int processes = std::max(CountFrom("OMPI_COMM_WORLD_SIZE"), CountFrom("PMI_SIZE"));
  if (!session.OwnsProcess() || processes <= 1 || study::mpi::IsBuiltIn()) return {};
  return {MakeError({}, "this inlay was built without MPI",
                    "build it with 'cmake --preset mpi'; a study can be run in shards instead")};
}

int DefaultThreads() {
  const auto machine = static_cast<int>(std::thread::hardware_concurrency());
  const int share = machine / std::max(1, CountFrom("OMPI_COMM_WORLD_LOCAL_SIZE"));
  return std::clamp(share, 1, HardwareThreads());  // a process may be bound to a few
}

}  // namespace inlay::cli
