# Who shares a study's points, or a search: src/inlay/study/mpi, the only code that sees MPI, or none.cc in its place.
if(INLAY_MPI)
  find_package(MPI REQUIRED COMPONENTS C)
  add_library(inlay_crew STATIC src/inlay/study/mpi/company.cc src/inlay/study/mpi/crew.cc
              src/inlay/study/mpi/mail.cc)
  target_link_libraries(inlay_crew PRIVATE MPI::MPI_C)
  target_compile_definitions(inlay_crew PRIVATE OMPI_SKIP_MPICXX)  # its C++ interface is long dead
else()
  add_library(inlay_crew STATIC src/inlay/study/mpi/none.cc)
endif()
inlay_shareable(inlay_crew)
target_link_libraries(inlay_crew PUBLIC inlay_lib)
