# Tests: unit_tests from the *_test.cc beside the code, <label>_tests from each folder tests/<label>,
# and the checks of the sources themselves (label lint). Fuzzers: see fuzz.cmake.
if(INLAY_FUZZ)
  return()
endif()

find_package(GTest REQUIRED)
find_package(rapidcheck REQUIRED)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
include(GoogleTest)

# tests/support/*.cc: what several test programs share. ONNX's own library writes models for them.
find_library(INLAY_ONNX onnx REQUIRED)
mark_as_advanced(INLAY_ONNX)
file(GLOB support_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/support/*.cc)
if(support_sources)
  add_library(inlay_test_support STATIC ${support_sources})
  target_include_directories(inlay_test_support PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(inlay_test_support PUBLIC inlay_lib
    PRIVATE ${INLAY_ONNX} ${INLAY_ONNX_PROTO} protobuf::libprotobuf)
endif()

# inlay_add_tests(<label> <source>...)
function(inlay_add_tests label)
  set(target ${label}_tests)
  add_executable(${target} ${ARGN})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})  # "tests/support/..."
  target_link_libraries(${target} PRIVATE inlay_lib GTest::gmock GTest::gtest_main rapidcheck
    nlohmann_json::nlohmann_json yaml-cpp CLI11::CLI11)
  if(TARGET inlay_test_support)
    target_link_libraries(${target} PRIVATE inlay_test_support)
  endif()
  if(TARGET inlay_cli)
    target_link_libraries(${target} PRIVATE inlay_cli)
  endif()
  if(TARGET inlay)
    add_dependencies(${target} inlay)  # INLAY_BINARY exists when the test runs
  endif()
  get_property(first GLOBAL PROPERTY inlay_first_tests)
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE ${inlay_std_headers} <gtest/gtest.h>
                              <gmock/gmock.h>)
    set_property(GLOBAL PROPERTY inlay_first_tests ${target})
  endif()
  gtest_discover_tests(${target}
    TEST_PREFIX ${label}.
    DISCOVERY_TIMEOUT 120
    PROPERTIES LABELS ${label})
endfunction()

if(lib_tests OR cli_tests)
  inlay_add_tests(unit ${lib_tests} ${cli_tests})
endif()
file(GLOB folders CONFIGURE_DEPENDS LIST_DIRECTORIES true RELATIVE ${PROJECT_SOURCE_DIR}/tests
     ${PROJECT_SOURCE_DIR}/tests/*)
list(REMOVE_ITEM folders fuzz support mlir browser cluster bare)
foreach(label IN LISTS folders)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${label}/*.cc)
  if(sources)
    inlay_add_tests(${label} ${sources})
  endif()
endforeach()

# The C interface, from C.
add_executable(capi_test ${PROJECT_SOURCE_DIR}/tests/capi/capi_test.c)
target_include_directories(capi_test PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(capi_test PRIVATE inlay_capi)
target_compile_options(capi_test PRIVATE -Wall -Wextra -Wpedantic)
if(INLAY_SANITIZE)
  target_link_options(capi_test PRIVATE -fsanitize=${INLAY_SANITIZE})
endif()
set_target_properties(capi_test PROPERTIES LINKER_LANGUAGE CXX C_STANDARD 99 C_EXTENSIONS OFF)
add_test(NAME capi COMMAND capi_test)
set_tests_properties(capi PROPERTIES LABELS capi)

# Other people's solvers, to compare with; nothing that ships links them.
find_package(PkgConfig REQUIRED)
pkg_check_modules(ipopt REQUIRED IMPORTED_TARGET ipopt)
target_link_libraries(oracle_tests PRIVATE PkgConfig::ipopt)

# Text cases that drive the command: tests/<label>/cases/*.txt, and the guides' examples.
set(golden ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/golden_update)
file(GLOB cases CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*/cases/*.txt
     ${PROJECT_SOURCE_DIR}/docs/guide/*.md ${PROJECT_SOURCE_DIR}/docs/reference/exact-semantics.md
     ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md)
list(FILTER cases EXCLUDE REGEX "/docs/guide/python\\.md$")  # tests/python runs its examples
if(NOT INLAY_MLIR)
  list(FILTER cases EXCLUDE REGEX "/docs/guide/mlir\\.md$")
endif()
if(INLAY_SANITIZE STREQUAL "thread")  # whose runtime writes a file before main, which ulimit -f 0 ends
  list(FILTER cases EXCLUDE REGEX "/full-disk\\.txt$")
endif()
foreach(case IN LISTS cases)
  get_filename_component(name ${case} NAME_WE)
  set(label guide)
  if(case MATCHES "/tests/([^/]+)/cases/")
    set(label ${CMAKE_MATCH_1})
  endif()
  add_test(NAME ${label}.${name} COMMAND ${golden} --check --binary $<TARGET_FILE:inlay> ${case})
  set_tests_properties(${label}.${name} PROPERTIES LABELS ${label})
endforeach()
add_test(NAME golden_update.self_test COMMAND ${golden}_test.py)

# inlay_script_tests(<label> [<environment>...]): each tests/<label>/<name>_test.py is the test
# <label>.<name>; one that ends with 77 says why it cannot run here.
function(inlay_script_tests label)
  file(GLOB scripts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${label}/*_test.py)
  foreach(script IN LISTS scripts)
    get_filename_component(name ${script} NAME_WE)
    string(REGEX REPLACE "_test$" "" name ${name})
    add_test(NAME ${label}.${name} COMMAND ${Python3_EXECUTABLE} -B ${script})
    set_tests_properties(${label}.${name} PROPERTIES LABELS ${label} SKIP_RETURN_CODE 77
                         ENVIRONMENT "INLAY_BINARY=$<TARGET_FILE:inlay>;${ARGN}")
  endforeach()
endfunction()

# Limits of time and memory on large inputs: meaningless where a sanitizer takes both.
if(NOT INLAY_SANITIZE)
  inlay_script_tests(load)
  set_tests_properties(load.limits PROPERTIES RUN_SERIAL ON)  # it measures
endif()

# The MLIR plugin, with the real mlir-opt, and its guide.
if(INLAY_MLIR)
  inlay_script_tests(mlir INLAY_MLIR_PLUGIN=$<TARGET_FILE:InlayMLIR>
    INLAY_MLIR_OPT=${INLAY_MLIR_OPT} INLAY_MLIR_RUNNER=${INLAY_MLIR_RUNNER}
    INLAY_MLIR_LIBRARY=${INLAY_MLIR_LIBRARY})
  set_tests_properties(guide.mlir PROPERTIES LABELS mlir
    ENVIRONMENT LD_LIBRARY_PATH=$<TARGET_FILE_DIR:InlayMLIR>)
else()
  add_test(NAME mlir COMMAND ${CMAKE_COMMAND} -E false)
  set_tests_properties(mlir PROPERTIES LABELS mlir SKIP_RETURN_CODE 1)  # see ./test.sh --mlir
endif()

# The page's types of results are those of the program.
add_test(NAME web.result_types COMMAND sh -c
  "'$<TARGET_FILE:inlay>' schema result --typescript | diff '${PROJECT_SOURCE_DIR}/web/report/src/result_types.ts' -")
set_tests_properties(web.result_types PROPERTIES LABELS unit)

# The report page: built again and compared with what is checked in, then driven in a real browser.
find_program(INLAY_NODE NAMES node nodejs)
find_program(INLAY_NPM npm)
find_program(INLAY_CHROMIUM NAMES chromium chromium-browser)
mark_as_advanced(INLAY_NODE INLAY_NPM INLAY_CHROMIUM)
if(INLAY_NODE AND INLAY_NPM AND INLAY_CHROMIUM)
  set(web ${PROJECT_SOURCE_DIR}/web/report)
  add_test(NAME web.packages COMMAND ${PROJECT_SOURCE_DIR}/tools/web_packages.sh)
  set_tests_properties(web.packages PROPERTIES LABELS browser FIXTURES_SETUP web)
  add_test(NAME web.types COMMAND ${INLAY_NODE} ${web}/node_modules/typescript/bin/tsc --noEmit -p ${web})
  add_test(NAME web.template COMMAND ${INLAY_NODE} ${web}/build.mjs --check)
  set(browser_tests web.types web.template)
  file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/browser/*.test.mjs)
  foreach(page IN LISTS pages)
    get_filename_component(name ${page} NAME_WE)
    add_test(NAME browser.${name} COMMAND ${INLAY_NODE} --test ${page})
    set_tests_properties(browser.${name} PROPERTIES
      ENVIRONMENT "INLAY_BINARY=$<TARGET_FILE:inlay>;INLAY_CHROMIUM=${INLAY_CHROMIUM}")
    list(APPEND browser_tests browser.${name})
  endforeach()
  set_tests_properties(${browser_tests} PROPERTIES LABELS browser FIXTURES_REQUIRED web)
else()
  add_test(NAME browser COMMAND ${CMAKE_COMMAND} -E false)
  set_tests_properties(browser PROPERTIES LABELS browser SKIP_RETURN_CODE 1)  # tools/setup.sh --test
endif()

# A private Slurm and mpirun, one after the other.
if(INLAY_MPI)
  inlay_script_tests(cluster)
  get_property(tests DIRECTORY PROPERTY TESTS)
  list(FILTER tests INCLUDE REGEX "^cluster\\.")
  set_tests_properties(${tests} PROPERTIES RUN_SERIAL ON)
else()
  add_test(NAME cluster COMMAND ${CMAKE_COMMAND} -E false)
  set_tests_properties(cluster PROPERTIES LABELS cluster SKIP_RETURN_CODE 1)  # ./test.sh --cluster
endif()

# Takes a whole machine, and root.
add_test(NAME bare COMMAND ${CMAKE_COMMAND} -E false)
set_tests_properties(bare PROPERTIES LABELS bare SKIP_RETURN_CODE 1)  # ./test.sh --bare

# The Python package and what is installed.
if(INLAY_SHARED)
  foreach(label python package)
    inlay_script_tests(${label} PYTHONPATH=${INLAY_PYTHON_FOLDER} INLAY_BUILD=${PROJECT_BINARY_DIR})
  endforeach()
endif()

add_test(NAME layers COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/check_layers.py)
add_test(NAME layers.self_test
         COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/check_layers_test.py)
add_test(NAME docs COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/check_docs.py)
add_test(NAME docs.self_test
         COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/tools/check_docs_test.py)
add_test(NAME words COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/check_words.py)
add_test(NAME words.self_test
         COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/tools/check_words_test.py)
add_test(NAME tidy.self_test
         COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/tools/tidy_cached_test.py)
add_test(NAME scripts COMMAND ${PROJECT_SOURCE_DIR}/tools/check_scripts.sh)
set_tests_properties(scripts PROPERTIES LABELS lint)
add_test(NAME format COMMAND ${PROJECT_SOURCE_DIR}/tools/check_format.sh)
set_tests_properties(golden_update.self_test layers layers.self_test tidy.self_test
                     docs docs.self_test words words.self_test format
                     PROPERTIES LABELS lint)
set_tests_properties(format PROPERTIES SKIP_RETURN_CODE 77)  # clang-format is not installed
