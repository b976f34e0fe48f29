# inlay_embed(<folder> <output.cc>)
# Generates the definition of inlay::io::EmbeddedFiles() (inlay/io/library/embedded.h) from every
# .yaml file below <folder>.
function(inlay_embed folder output)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/${folder}
       ${PROJECT_SOURCE_DIR}/${folder}/*.yaml)
  list(SORT files)  # by bytes, the order that embedded.h promises
  list(TRANSFORM files PREPEND ${PROJECT_SOURCE_DIR}/${folder}/ OUTPUT_VARIABLE inputs)
  # The list goes through a file that only changes when it does: a command line would be too short
  # for hundreds of names, and a removed file must rebuild the output too.
  file(CONFIGURE OUTPUT ${output}.list CONTENT "${files}" @ONLY)
  set(script ${PROJECT_SOURCE_DIR}/cmake/embed_script.cmake)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -D ROOT=${PROJECT_SOURCE_DIR}/${folder} -D LIST=${output}.list
            -D OUTPUT=${output} -P ${script}
    DEPENDS ${inputs} ${output}.list ${script}
    COMMENT "Embedding ${folder}/"
    VERBATIM)
  # The standard asks compilers for 65,536 characters in a literal; g++ and clang have no limit.
  set_source_files_properties(${output} PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
endfunction()

# inlay_embed_page(<page.html> <output.cc>)
# Generates the definition of inlay::report::PageTemplate() (inlay/report/html.h).
function(inlay_embed_page page output)
  set(script ${PROJECT_SOURCE_DIR}/cmake/embed_page_script.cmake)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -D PAGE=${PROJECT_SOURCE_DIR}/${page} -D OUTPUT=${output} -P ${script}
    DEPENDS ${PROJECT_SOURCE_DIR}/${page} ${script}
    COMMENT "Embedding ${page}"
    VERBATIM)
  set_source_files_properties(${output} PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
endfunction()
