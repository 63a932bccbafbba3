# Install rules and the CMake package. Components: runtime (no LLVM), compiler.
include(CMakePackageConfigHelpers)
install(DIRECTORY include/twrt DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT runtime OPTIONAL)
if(TW_BUILD_COMPILER)
  install(DIRECTORY include/tw include/tw-c DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT compiler OPTIONAL
          FILES_MATCHING PATTERN "*.h" PATTERN "*.td")
  install(DIRECTORY ${PROJECT_BINARY_DIR}/include/tw DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT compiler
          FILES_MATCHING PATTERN "*.inc")
endif()
