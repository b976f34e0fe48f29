# Run by inlay_embed: writes OUTPUT, a .cc that holds the files named in LIST (relative to ROOT).
file(READ ${LIST} files)
set(entries "")
list(LENGTH files count)
foreach(path IN LISTS files)
  file(READ ${ROOT}/${path} text)
  string(FIND "${text}" ")inlay\"" clash)
  if(NOT clash EQUAL -1)
    message(FATAL_ERROR "${path}: cannot embed a file that contains )inlay\"")
  endif()
  string(APPEND entries "    {\"${path}\", R\"inlay(${text})inlay\"sv},\n")
endforeach()

file(WRITE ${OUTPUT} "// Generated from library/ by cmake/embed_script.cmake. Do not edit.
#include \"inlay/io/library/embedded.h\"

#include <array>
#include <span>
#include <string_view>

namespace inlay::io {
namespace {

using namespace std::string_view_literals;  // a length that no compiler has to count

constexpr std::array<EmbeddedFile, ${count}> kFiles = {{
${entries}}};

}  // namespace

std::span<const EmbeddedFile> EmbeddedFiles() { return kFiles; }

}  // namespace inlay::io
")
