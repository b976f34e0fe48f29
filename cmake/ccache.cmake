# Compile through ccache where it is installed. The settings travel with the launcher, not with the
# user's shell, so that every checkout and every way of calling ninja shares one cache:
# - base_dir makes paths below the checkout relative before they are hashed;
# - the sloppiness is what ccache asks for in order to cache precompiled headers.
find_program(INLAY_CCACHE ccache)
mark_as_advanced(INLAY_CCACHE)
if(INLAY_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      ${INLAY_CCACHE})
endif()
