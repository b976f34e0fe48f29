# Run by inlay_embed_page: writes OUTPUT, a .cc that holds the text of PAGE.
file(READ ${PAGE} text)
string(FIND "${text}" ")inlay\"" clash)
if(NOT clash EQUAL -1)
  message(FATAL_ERROR "${PAGE}: cannot embed a file that contains )inlay\"")
endif()

file(WRITE ${OUTPUT} "// Generated from web/report by cmake/embed_page_script.cmake. Do not edit.
#include \"inlay/report/html.h\"

namespace inlay::report {

std::string_view PageTemplate() { return R\"inlay(${text})inlay\"; }

}  // namespace inlay::report
")
