# The flags of our own code, as one interface library. Debian's headers lie in the compiler's system
# directories, so the warnings never reach them.
add_library(inlay_flags INTERFACE)
file(RELATIVE_PATH to_source ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR})
target_compile_options(inlay_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Wold-style-cast -Woverloaded-virtual -Wimplicit-fallthrough -Wextra-semi
  # No path of the building machine ends up in the binary, and ccache can share debug builds.
  -fdebug-prefix-map=${PROJECT_SOURCE_DIR}=.
  # __FILE__ is src/inlay/..., with ccache (relative paths) and without.
  -fmacro-prefix-map=${to_source}= -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(inlay_flags INTERFACE -Wduplicated-cond -Wlogical-op
    -Wzero-as-null-pointer-constant
    # g++ 12 reports the inlined insides of std::string and std::vector (GCC bugs 105651, 105762);
    # the sanitizers look for the same faults without guessing.
    -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread
    # With -O3 also what std::optional and std::variant hold (GCC bug 80635).
    $<$<CONFIG:Release>:-Wno-maybe-uninitialized>
    -fpch-preprocess)  # lets ccache cache what uses a precompiled header
else()
  target_compile_options(inlay_flags INTERFACE -Wno-string-conversion)  # INLAY_CHECK(!"reason")
endif()

if(INLAY_SANITIZE)
  target_compile_options(inlay_flags INTERFACE
    -fsanitize=${INLAY_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # Checks before every use of a pointer double what g++ takes to compile, and the address sanitizer
  # stops at the same faults; the fuzzers have them all.
  if(INLAY_SANITIZE_LESS)
    target_compile_options(inlay_flags INTERFACE -fno-sanitize=${INLAY_SANITIZE_LESS})
  endif()
  target_link_options(inlay_flags INTERFACE -fsanitize=${INLAY_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # The instrumentation itself defeats g++'s flow analysis; the plain builds keep this warning.
    target_compile_options(inlay_flags INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()

# Heavy and stable headers that nearly every file reads. A file still includes what it uses: the
# tidy and fuzz presets build without precompiled headers and notice when it does not.
set(inlay_std_headers
  <algorithm> <array> <cstdint> <filesystem> <functional> <map> <memory> <optional> <set> <span>
  <string> <string_view> <unordered_map> <utility> <variant> <vector>
  <fmt/format.h> <tl/expected.hpp>)
