# The Python package, <build>/python/inlay: the extension _inlay from src/python, beside the files of
# src/python/inlay and the type stub that they write. The folder is there once all of the package is:
# Python takes an empty one for a module. Debian's interpreter unless another one is named
# (-D Python3_EXECUTABLE=...): what comes first on the path need not have headers or pybind11.
if(NOT DEFINED Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python3_EXECUTABLE /usr/bin/python3)
endif()
if(NOT INLAY_SHARED)
  return()
endif()

find_package(Python3 REQUIRED COMPONENTS Interpreter Development.Module)
set(PYBIND11_NOPYTHON ON)  # it would look for an interpreter of its own
find_package(pybind11 2.10 REQUIRED CONFIG)

set(INLAY_PYTHON_FOLDER ${PROJECT_BINARY_DIR}/python)
set(package ${INLAY_PYTHON_FOLDER}/inlay)
set(unfinished ${INLAY_PYTHON_FOLDER}.new)
inlay_sources(python_sources python_tests src/python)
Python3_add_library(inlay_python MODULE WITH_SOABI ${python_sources})
target_link_libraries(inlay_python PRIVATE inlay_lib inlay_cli CLI11::CLI11 pybind11::headers)
inlay_shareable(inlay_python)
set_target_properties(inlay_python PROPERTIES OUTPUT_NAME _inlay)
target_link_options(inlay_python PRIVATE -Wl,--exclude-libs,ALL)

file(GLOB package_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/python/inlay/*)
list(FILTER package_files EXCLUDE REGEX "__pycache__")
add_custom_command(
  OUTPUT ${package}/__init__.pyi
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${unfinished}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${unfinished}/inlay
  COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_FILE:inlay_python> ${package_files} ${unfinished}/inlay
  COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${unfinished} PYTHONDONTWRITEBYTECODE=1
          ${Python3_EXECUTABLE} -m inlay._stubs > ${unfinished}/inlay/__init__.pyi
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${INLAY_PYTHON_FOLDER}
  COMMAND ${CMAKE_COMMAND} -E rename ${unfinished} ${INLAY_PYTHON_FOLDER}
  DEPENDS inlay_python ${package_files}
  COMMENT "Making the Python package"
  VERBATIM)
add_custom_target(inlay_python_package ALL DEPENDS ${package}/__init__.pyi)
