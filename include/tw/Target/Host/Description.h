// What the compiler knows of a host CPU: vector width, instruction set extensions, cache sizes.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tw::host {

/// One CPU that code can be generated for.
struct Description {
  /// The name asked for: "native" or an LLVM CPU name.
  std::string cpu;
  /// LLVM's name of the CPU whose instruction set and scheduling model are used.
  std::string llvmCpu;
  /// LLVM feature string ("+avx2,-amx-tile"), empty unless `cpu` is "native".
  std::string llvmFeatures;
  /// Instruction set extensions that generated code may use and that the loader checks; LLVM's
  /// names, sorted.
  std::vector<std::string> features;
  /// Bytes of a vector register: 64 with AVX-512 (F, BW, DQ, VL), else 32 (AVX2).
  unsigned vectorBytes = 32;
  /// Architectural vector registers: 32 with AVX-512, else 16.
  unsigned vectorRegisters = 16;

  /// Lanes of 32 bits in a vector register, the width W of the lowering to vectors.
  unsigned lanes() const { return vectorBytes / 4; }
};

/// Resolves a CPU name. Fails with a message (lower case, no full stop, no code) when LLVM does
/// not know the name or the CPU lacks x86-64-v3, the oldest level that is supported.
bool describeCpu(llvm::StringRef cpu, Description &description, std::string &error);

/// `description` as JSON, the format that `--target=@file` reads.
std::string toJson(const Description &description);

} // namespace tw::host
