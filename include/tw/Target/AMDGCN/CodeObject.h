// HSA code objects: linking one, and reading what it says of its kernels.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <map>
#include <string>

namespace tw::amdgcn {

/// The metadata of one kernel, from the note of the code object (AMDGPUUsage, "Code Object V5
/// Metadata").
struct KernelMetadata {
  /// Threads of a program at most, and of a subgroup.
  uint32_t group = 0, subgroup = 0;
  /// Static local memory of a program.
  uint32_t localBytes = 0;
  /// Scratch memory of a thread in bytes.
  uint32_t scratchBytes = 0;
  /// Registers of a subgroup that hold one value per thread, of both kinds, and one value for all.
  uint32_t vectorRegisters = 0, accumulatorRegisters = 0, scalarRegisters = 0;
  /// Registers saved for lack of others; scalar ones go to vector registers first.
  uint32_t vectorSpills = 0, scalarSpills = 0;
  /// Arguments that the launch passes: hidden ones are not counted.
  uint32_t arguments = 0;
};

/// Links one relocatable object to a code object. On failure returns false and sets `error`.
bool linkCodeObject(llvm::StringRef object, std::string &codeObject, std::string &error);

/// Reads the kernels' metadata by name. On failure returns false and sets `error`.
bool readMetadata(llvm::StringRef codeObject, std::map<std::string, KernelMetadata> &kernels,
                  std::string &error);

} // namespace tw::amdgcn
