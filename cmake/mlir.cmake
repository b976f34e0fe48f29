# The MLIR pass plugin, libInlayMLIR.so, from src/mlir: only where INLAY_MLIR asks for it. It links no
# MLIR library: the compiler that loads it (mlir-opt-19) has the symbols.
if(NOT INLAY_MLIR)
  return()
endif()

set(INLAY_LLVM_ROOT /usr/lib/llvm-19 CACHE PATH "Where MLIR 19 is installed")
find_path(INLAY_MLIR_INCLUDE mlir/Tools/Plugins/PassPlugin.h REQUIRED NO_DEFAULT_PATH
          PATHS ${INLAY_LLVM_ROOT}/include)
find_program(INLAY_MLIR_OPT NAMES mlir-opt-19 mlir-opt REQUIRED
             HINTS ${INLAY_LLVM_ROOT}/bin)
# For the tests alone, which run what was planned.
find_program(INLAY_MLIR_RUNNER NAMES mlir-cpu-runner-19 mlir-cpu-runner REQUIRED
             HINTS ${INLAY_LLVM_ROOT}/bin)
find_library(INLAY_MLIR_LIBRARY mlir_c_runner_utils REQUIRED HINTS ${INLAY_LLVM_ROOT}/lib)
mark_as_advanced(INLAY_MLIR_INCLUDE INLAY_MLIR_OPT INLAY_MLIR_RUNNER INLAY_MLIR_LIBRARY)

inlay_sources(mlir_sources mlir_tests src/mlir)
add_library(InlayMLIR MODULE ${mlir_sources})
target_include_directories(InlayMLIR SYSTEM PRIVATE ${INLAY_MLIR_INCLUDE})
target_link_libraries(InlayMLIR PRIVATE inlay_lib)
# What MLIR knows by the address of a symbol (its types, interfaces and traits) has to be the
# compiler's own: these symbols stay visible, and ours are hidden from it.
target_link_options(InlayMLIR PRIVATE -Wl,--exclude-libs,ALL)
# As LLVM is built. Only planning.cc meets the library, which throws.
list(FILTER mlir_sources EXCLUDE REGEX "/planning\\.cc$")
set_source_files_properties(${mlir_sources} PROPERTIES COMPILE_OPTIONS -fno-exceptions)
include(GNUInstallDirs)
install(TARGETS InlayMLIR LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
