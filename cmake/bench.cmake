# bench/*.cc: micro-benchmarks, one binary; bench/run.sh runs it. Not part of the default build.
file(GLOB benches CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.cc)
if(benches AND NOT INLAY_FUZZ)
  find_package(benchmark REQUIRED)
  add_executable(inlay_bench EXCLUDE_FROM_ALL ${benches})
  target_include_directories(inlay_bench PRIVATE ${PROJECT_SOURCE_DIR})  # "bench/..."
  target_link_libraries(inlay_bench PRIVATE inlay_lib benchmark::benchmark)
endif()
