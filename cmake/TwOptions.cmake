# Options and flags that hold for every target of the tree.
option(TW_BUILD_COMPILER "Build the compiler (needs LLVM and MLIR 22)" ON)
option(TW_BUILD_TESTS "Build the unit tests and configure the lit suite" ON)
option(TW_GPU_TARGETS "Build the targets opencl, vulkan, cuda and amd of the compiler, and the drivers of the first two" ON)
option(TW_FRONTENDS "Build the importer of StableHLO, and what builds programs: the front end of C++, C and Python" ON)
set(TW_UNITY 1 CACHE STRING "Sources of the compiler that are compiled as one")
set(TW_SANITIZE "" CACHE STRING "Value for -fsanitize=, empty for none")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 99)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1")
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g1")
include(GNUInstallDirs)
set(CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")

# Same source, same bytes, whatever the build folder is called.
add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}=. -ffile-prefix-map=${PROJECT_BINARY_DIR}=build)
add_compile_options(-Wall -Wextra -Werror -Wno-unused-parameter)
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>)
add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wnon-virtual-dtor>)

if(TW_SANITIZE)
  add_compile_options(-fsanitize=${TW_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TW_SANITIZE})
endif()

find_program(TW_MOLD mold)
find_program(TW_LLD NAMES ld.lld-22 ld.lld)
if(TW_MOLD)
  add_link_options(-fuse-ld=mold)
elseif(TW_LLD)
  add_link_options(-fuse-ld=lld)
endif()
if(NOT TW_SANITIZE)
  add_link_options(-Wl,-z,defs)
endif()

# What the tools that compile allocate memory with, where it is there: IR is millions of small pieces.
find_library(TW_TCMALLOC NAMES tcmalloc_minimal libtcmalloc_minimal.so.4)

# The cache of compiled modules tells builds of the compiler apart by it.
add_link_options(-Wl,--build-id=sha1)

find_program(TW_CCACHE ccache)
if(TW_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${TW_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_C_COMPILER_LAUNCHER})
endif()
