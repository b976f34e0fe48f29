# bench/*.cc: micro-benchmarks, one binary; bench/run.sh runs it. Sanitized builds leave it out.
file(GLOB benches CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.cc)
if(benches AND NOT INLAY_FUZZ)
  find_package(benchmark REQUIRED)
  add_executable(inlay_bench ${benches} ${PROJECT_SOURCE_DIR}/tests/support/fused_case.cc)
  if(INLAY_SANITIZE OR INLAY_MLIR OR INLAY_MPI)
    set_target_properties(inlay_bench PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  target_include_directories(inlay_bench PRIVATE ${PROJECT_SOURCE_DIR})  # "bench/..."
  target_link_libraries(inlay_bench PRIVATE inlay_lib benchmark::benchmark)
endif()
