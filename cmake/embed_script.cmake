# Run by inlay_embed: writes OUTPUT, a .cc that holds the files named in LIST (relative to ROOT).
set(chunk_bytes 15000)  # adjacent literals are joined by the compiler; the standard asks for 65,536

file(READ ${LIST} files)
set(entries "")
list(LENGTH files count)
foreach(path IN LISTS files)
  file(READ ${ROOT}/${path} text)
  string(FIND "${text}" ")inlay\"" clash)
  if(NOT clash EQUAL -1)
    message(FATAL_ERROR "${path}: cannot embed a file that contains )inlay\"")
  endif()
  string(LENGTH "${text}" left)
  set(start 0)
  set(literal "")
  while(left GREATER 0)
    string(SUBSTRING "${text}" ${start} ${chunk_bytes} chunk)
    string(APPEND literal " R\"inlay(${chunk})inlay\"")
    math(EXPR start "${start} + ${chunk_bytes}")
    math(EXPR left "${left} - ${chunk_bytes}")
  endwhile()
  string(APPEND entries "    {\"${path}\"sv, \"\"${literal}sv},\n")
endforeach()

file(WRITE ${OUTPUT} "// Generated from library/ by cmake/embed_script.cmake. Do not edit.
#include \"inlay/io/library/embedded.h\"

#include <array>
#include <span>
#include <string_view>

namespace inlay::io {
namespace {

using std::string_view_literals::operator\"\"sv;

constexpr std::array<EmbeddedFile, ${count}> kFiles = {{
${entries}}};

}  // namespace

std::span<const EmbeddedFile> EmbeddedFiles() { return kFiles; }

}  // namespace inlay::io
")
