# Install rules and the CMake package. Components: runtime (no LLVM), compiler.
include(CMakePackageConfigHelpers)
set(TW_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Tensorwright)

# tw_install_component(<component> <target>...): the targets that are there, exported as Tensorwright::<target>.
function(tw_install_component component)
  set(present "")
  foreach(target ${ARGN})
    if(TARGET ${target})
      list(APPEND present ${target})
    endif()
  endforeach()
  if(present)
    install(TARGETS ${present} EXPORT Tensorwright-${component}
      LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component}
      INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
    install(EXPORT Tensorwright-${component} NAMESPACE Tensorwright:: DESTINATION ${TW_PACKAGE_DIR}
      COMPONENT ${component})
  endif()
endfunction()

tw_install_component(runtime twrt)
install(FILES LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
install(DIRECTORY include/twrt DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT runtime OPTIONAL)
if(TW_BUILD_COMPILER)
  tw_install_component(compiler tensorwright TensorwrightC)
  # What headers include: no descriptions of tables, no definitions, no folders of the build.
  install(DIRECTORY include/tw include/tw-c DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT compiler OPTIONAL
          FILES_MATCHING PATTERN "*.h" PATTERN "*.def")
  install(DIRECTORY ${PROJECT_BINARY_DIR}/include/tw DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT compiler
          FILES_MATCHING PATTERN "*.h.inc" PATTERN "*_generated.h" PATTERN CMakeFiles EXCLUDE PATTERN Registry EXCLUDE)
endif()

configure_package_config_file(cmake/TensorwrightConfig.cmake.in ${PROJECT_BINARY_DIR}/TensorwrightConfig.cmake
  INSTALL_DESTINATION ${TW_PACKAGE_DIR} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/TensorwrightConfigVersion.cmake
  COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/TensorwrightConfig.cmake ${PROJECT_BINARY_DIR}/TensorwrightConfigVersion.cmake
  DESTINATION ${TW_PACKAGE_DIR} COMPONENT runtime)
