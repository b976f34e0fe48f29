# cmake --install: the command with its manual and completions, the C interface as a CMake package
# (find_package(Inlay), target Inlay::inlay), the Python package; and the same as a .deb (cpack).
include(GNUInstallDirs)
install(TARGETS inlay)
if(NOT INLAY_SHARED)
  return()
endif()
include(CMakePackageConfigHelpers)

install(TARGETS inlay_capi EXPORT InlayTargets)
install(FILES src/capi/inlay.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Inlay)
install(EXPORT InlayTargets NAMESPACE Inlay:: DESTINATION ${package_folder} FILE InlayConfig.cmake)
write_basic_package_version_file(${generated}/InlayConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${generated}/InlayConfigVersion.cmake DESTINATION ${package_folder})

# Texts that the command itself writes, from the declarations of its options.
set(texts "")
# inlay_text(<file> <folder below share> <words>...)
function(inlay_text file folder)
  set(output ${PROJECT_BINARY_DIR}/share/${folder}/${file})
  get_filename_component(output_folder ${output} DIRECTORY)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${output_folder}
    COMMAND inlay ${ARGN} > ${output}
    DEPENDS inlay
    VERBATIM)
  install(FILES ${output} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder})
  set(texts ${texts} ${output} PARENT_SCOPE)
endfunction()
inlay_text(inlay.1 man/man1 --help-man)
inlay_text(inlay bash-completion/completions --completion bash)
inlay_text(_inlay zsh/site-functions --completion zsh)
inlay_text(_inlay zsh/vendor-completions --completion zsh)  # where Debian's zsh looks in /usr
inlay_text(inlay.fish fish/vendor_completions.d --completion fish)
add_custom_target(inlay_texts ALL DEPENDS ${texts})

install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/inlay RENAME copyright)
install(FILES NOTICE CHANGELOG.md README.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/inlay)

# Where Debian's python3 looks in /usr. Elsewhere, use pip.
install(DIRECTORY ${INLAY_PYTHON_FOLDER}/inlay DESTINATION lib/python3/dist-packages
        PATTERN __pycache__ EXCLUDE)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The Inlay authors <inlay@invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "${PROJECT_DESCRIPTION}
 The command inlay with its manual and completions, the planner as a C library
 with a CMake package, and the Python module inlay.")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS python3)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/debian/prerm)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
