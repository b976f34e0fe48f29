# The processes that share a study's points, or a search: src/inlay/study/mpi, the only code that sees MPI, or without_mpi.cc.
if(INLAY_MPI)
  find_package(MPI REQUIRED COMPONENTS C)
  add_library(inlay_mpi STATIC src/inlay/study/mpi/mpi_search_group.cc src/inlay/study/mpi/mpi_workers.cc
              src/inlay/study/mpi/messages.cc)
  target_link_libraries(inlay_mpi PRIVATE MPI::MPI_C)
  target_compile_definitions(inlay_mpi PRIVATE OMPI_SKIP_MPICXX)  # its C++ interface is long dead
else()
  add_library(inlay_mpi STATIC src/inlay/study/mpi/without_mpi.cc)
endif()
inlay_shareable(inlay_mpi)
target_link_libraries(inlay_mpi PUBLIC inlay_lib)
