# Each tests/fuzz/<name>_fuzzer.cc defines LLVMFuzzerTestOneInput for one reader; its inputs are kept
# in tests/fuzz/corpus/<name>/. The fuzz preset links libFuzzer; every other preset links replay.cc,
# which runs the kept corpus once, as test fuzz.<name>.
file(GLOB fuzzers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/*_fuzzer.cc)
foreach(source IN LISTS fuzzers)
  get_filename_component(target ${source} NAME_WE)
  string(REGEX REPLACE "_fuzzer$" "" name ${target})
  set(corpus ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name})
  if(INLAY_FUZZ)
    add_executable(${target} ${source})
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  else()
    add_executable(${target} ${source} ${PROJECT_SOURCE_DIR}/tests/fuzz/replay.cc)
    add_test(NAME fuzz.${name} COMMAND ${target} ${corpus})
    set_tests_properties(fuzz.${name} PROPERTIES LABELS fuzz)
  endif()
  target_link_libraries(${target} PRIVATE inlay_lib)
endforeach()
