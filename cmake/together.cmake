# inlay_compile_together(TARGET SOURCES...): the files of a folder are compiled together, up to ten at
# a time. Headers are then read once and templates instantiated once, which halves the CPU time of a
# build from nothing and the time that clang-tidy takes. The preset fuzz compiles every file by itself,
# and notices what a file forgets to include.
option(INLAY_TOGETHER "Compile the files of a folder together" ON)

function(inlay_compile_together target)
  if(NOT INLAY_TOGETHER)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  list(SORT ARGN)
  foreach(source IN LISTS ARGN)
    get_filename_component(folder ${source} DIRECTORY)
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR}/src ${folder})
    string(MAKE_C_IDENTIFIER ${folder} group)
    if(NOT DEFINED count_${group})
      set(count_${group} 0)
    endif()
    math(EXPR number "${count_${group}} / 10")
    math(EXPR count_${group} "${count_${group}} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group}_${number})
  endforeach()
endfunction()
