// ptxas, NVIDIA's assembler, where there is one: PTX in, machine code and what it costs out.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace tw::ptx {

/// What ptxas -v says of a kernel, for one thread but for `localBytes`.
struct KernelCost {
  uint32_t registers = 0;
  /// Bytes of the stack frame, and stored to and loaded from it for lack of registers.
  uint32_t stack = 0, spillStores = 0, spillLoads = 0;
  /// Static local memory of a program.
  uint32_t localBytes = 0;
  /// Why it is slower than its code says, as where products that should run beside each other run
  /// one after another; empty if it is not.
  std::string loss;
};

struct Assembly {
  std::string cubin;
  std::map<std::string, KernelCost> kernels;
};

/// The path of ptxas: what TENSORWRIGHT_PTXAS names (set but empty: none), else the first of PATH,
/// CUDA_HOME/bin and /usr/local/cuda/bin that has one. Empty if there is none.
std::string findAssembler();

enum class AssemblerResult { Done, UnknownChip, Failed };

/// Assembles `text` for `chip` with the ptxas at `path`, mul and add never fused. UnknownChip if
/// that ptxas is too old or too new for the chip or for the version of the PTX; Failed sets `error`
/// to its words.
AssemblerResult assemble(llvm::StringRef path, llvm::StringRef text, llvm::StringRef chip,
                         unsigned optLevel, Assembly &assembly, std::string &error);

/// A kernel that needs more memory of a kind ("shared", "local") than the chip has.
struct Excess {
  std::string kernel, kind;
  uint64_t needed, available;
};

/// Why ptxas refused, if that is why.
std::optional<Excess> parseExcess(llvm::StringRef words);

/// Reads the report of `ptxas -v`. Public for its test.
std::map<std::string, KernelCost> parseReport(llvm::StringRef report);

} // namespace tw::ptx
