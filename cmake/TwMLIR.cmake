# Finds LLVM, MLIR and LLD 22 and prepares table generation.
#
# Debian's version file accepts the same major.minor only, so no version is asked for here and
# the major is checked by hand.
find_package(MLIR REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "found LLVM ${LLVM_VERSION} in ${LLVM_DIR}, need LLVM 22: "
    "install libmlir-22-dev llvm-22-dev mlir-22-tools liblld-22-dev, or set MLIR_DIR to its lib/cmake/mlir")
endif()
if(NOT TARGET MLIR OR NOT TARGET LLVM)
  message(FATAL_ERROR "the shared libraries MLIR and LLVM are missing from ${MLIR_DIR}: "
    "static and shared MLIR in one process duplicate type ids, so only the shared ones are linked")
endif()
find_package(LLD REQUIRED CONFIG HINTS ${LLVM_DIR}/../lld)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
set(TW_TABLEGEN_INCLUDES -I${PROJECT_SOURCE_DIR}/include)
