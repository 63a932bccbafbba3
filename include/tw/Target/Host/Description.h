// What the compiler knows of a host CPU: its instruction set, registers, rates and caches.
#pragma once

#include "tw/Target/Host/HostTraits.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace tw::host {

enum class Architecture { X86, AArch64 };

/// One CPU that code can be generated for.
struct Description {
  /// The name asked for: "native", "aarch64", an LLVM CPU name, or "@file.json".
  std::string cpu;
  Architecture architecture = Architecture::X86;
  /// LLVM's name of the CPU whose instruction set and scheduling model are used.
  std::string llvmCpu;
  /// LLVM feature string ("+avx2,-amx-tile"): what differs from `llvmCpu`.
  std::string llvmFeatures;
  /// Instruction set extensions that generated code may use and that the loader checks; LLVM's
  /// names, sorted.
  std::vector<std::string> features;
  /// Numbers for strategies.
  schedule::HostTraits traits;

  /// Lanes of 32 bits in a vector register, the width W of the lowering to vectors.
  unsigned lanes() const { return unsigned(traits.lanes); }
  /// LLVM's triple of the architecture.
  llvm::StringRef triple() const;
};

/// Resolves a CPU: "native", "aarch64" (any Armv8.2-A), a CPU name of LLVM's, x86-64 before AArch64
/// ones, or "@" and the path of a file in the format of toJson. Rates come from a table of CPUs,
/// conservative ones of its level for a CPU that is not in it; native reads the caches from the
/// machine. Fails with a message (lower case, no full stop, no code) when LLVM does not know the
/// name, the CPU lacks x86-64-v3 or Armv8-A with vectors, the oldest levels that are supported, or
/// the file is not as it must be.
bool describeCpu(llvm::StringRef cpu, Description &description, std::string &error);

/// `description` as JSON, the format that `--target=host:@file` reads: "target" is "host", "cpu"
/// LLVM's name of the CPU, "features" what code may use, and all fields of HostTraits by their
/// names. A file may leave out all but "cpu", whose values then hold.
std::string toJson(const Description &description);

} // namespace tw::host
