// What the compiler knows of a host CPU: its instruction set, registers, rates and caches.
#pragma once

#include "tw/Target/Host/HostTraits.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tw::host {

struct InstructionSet;

/// One CPU that code can be generated for.
struct Description {
  /// The name asked for: "native", that of any CPU of an instruction set, an LLVM CPU name, or
  /// "@file.json".
  std::string cpu;
  /// Never null once the CPU is resolved.
  const InstructionSet *set = nullptr;
  /// LLVM's name of the CPU whose instruction set and scheduling model are used.
  std::string llvmCpu;
  /// LLVM feature string ("+fma,-sha"): what differs from `llvmCpu`.
  std::string llvmFeatures;
  /// Instruction set extensions that generated code may use and that the loader checks; LLVM's
  /// names, sorted.
  std::vector<std::string> features;
  /// Numbers for strategies, and where each is from, by its name: "row of znver3: [uops]",
  /// "system", "measured 2026-11-24", "instruction set", "file".
  schedule::HostTraits traits;
  std::map<std::string, std::string> sources;

  /// Lanes of 32 bits in a vector register, the width W of the lowering to vectors.
  unsigned lanes() const { return unsigned(traits.lanes); }
  /// Names of the dot products that code is made of, as the option `dots` of tile-to-vector has
  /// them.
  llvm::SmallVector<std::string> dots() const;
  /// The matrix units that code is made for, by name.
  llvm::SmallVector<std::string> units() const;
};

/// Resolves a CPU: "native", the name of any CPU of an instruction set, a CPU name of LLVM's, in
/// the order of the instruction sets, or "@" and the path of a file in the format of toJson. Rates
/// come from a table of CPUs, conservative ones of its level for a CPU that is not in it; of
/// native, threads, pages and caches from the operating system, and what measureHost has kept.
/// Fails with a message (lower case, no full stop, no code) when LLVM does not know the name, the
/// CPU lacks the oldest level of its instruction set that is supported, or the file is not as it
/// must be.
bool describeCpu(llvm::StringRef cpu, Description &description, std::string &error);

/// Measures this machine, within a minute, and keeps what native is described by from then on;
/// `note` hears which numbers stay those of the table, and why. With fewer `samples` of each loop
/// it is faster and less sure. Fails with a message where nothing can be timed or kept.
bool measureHost(unsigned samples, llvm::function_ref<void(const std::string &)> note,
                 std::string &error);

/// `description` as JSON, the format that `--target=host:@file` reads: "target" is "host", "cpu"
/// LLVM's name of the CPU, "features" what code may use, and all fields of HostTraits by their
/// names, each {"value", "unit", "source"}. A file may leave out all but "cpu", whose values then
/// hold, and have a value alone for a field.
std::string toJson(const Description &description);

} // namespace tw::host
