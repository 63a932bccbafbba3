// The host artefact: one flat image of read-only data and code, made in memory from a module of
// the llvm dialect by LLVM's code generator and lld.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tw::host {

/// What code is generated for.
struct CodegenOptions {
  /// What describeCpu takes: a CPU name of LLVM's, "native" for the machine that compiles,
  /// "@file.json".
  std::string cpu = "native";
  /// 0 to 3, as clang's -O.
  unsigned optLevel = 3;
};

/// One kernel of an image: the byte offset of a `TwrtHostKernel` from the image's first byte.
struct ImageEntry {
  std::string name;
  uint64_t offset = 0;
  /// As codegen::SpillCounts.
  int64_t spills = 0, loopSpills = 0;
};

/// Milliseconds that steps took, in their order, summed over threads.
using StepTimes = std::vector<std::pair<llvm::StringLiteral, double>>;

/// Read-only data, zeros up to a multiple of 64 KiB, code. Position independent at any address
/// that is a multiple of 64 KiB: no relocations, imports, or writable data.
struct Image {
  std::vector<uint8_t> bytes;
  /// Where code starts: a multiple of 64 KiB. Before it everything may be mapped read-only.
  uint64_t textOffset = 0;
  /// In the order of the kernels asked for.
  std::vector<ImageEntry> entries;
  /// Names of instruction set extensions that the code may use, sorted; the loader checks each.
  std::vector<std::string> features;
  StepTimes milliseconds;
};

/// The object of one kernel and what it uses, not linked.
struct KernelObject {
  std::string code;
  /// As codegen::SpillCounts.
  int64_t spills = 0, loopSpills = 0;
};

/// A kernel in a module of the llvm dialect that holds nothing but it and what it uses.
struct KernelModule {
  mlir::ModuleOp module;
  /// Empty where there is no kernel.
  std::string symbol;
  /// What errors call it.
  llvm::StringRef name;
};

/// Compiles each kernel to an object of its own, in which everything else is internal. The same
/// kernel and options give the same bytes in every process, by any number of workers. Errors are
/// diagnostics at the kernel's location. Who has made an object calls `finish` with the kernel's
/// number, on its own thread: nothing else looks at the kernel's module from then on.
mlir::FailureOr<std::vector<KernelObject>>
compileToObjects(llvm::ArrayRef<KernelModule> kernels, const CodegenOptions &options,
                 StepTimes &times,
                 llvm::function_ref<void(size_t, const KernelObject &)> finish = {});

/// Links objects, each of the function in `symbols`, for the CPU of the options. Safe to call from
/// several threads with distinct contexts: the linker runs under one lock.
mlir::FailureOr<Image> linkToImage(mlir::Location location,
                                   llvm::ArrayRef<const KernelObject *> objects,
                                   llvm::ArrayRef<std::string> symbols,
                                   const CodegenOptions &options);

/// Compiles `module` (llvm dialect only) and keeps the functions named in `kernels` callable;
/// everything else becomes internal: both of the above.
mlir::FailureOr<Image> compileToImage(mlir::ModuleOp module, llvm::ArrayRef<std::string> kernels,
                                      const CodegenOptions &options);

/// The code as text for an assembler, or as an object that is not linked, whatever it would need:
/// for people to look at, on any machine.
mlir::FailureOr<std::string> compileToCode(mlir::ModuleOp module,
                                           llvm::ArrayRef<std::string> kernels,
                                           const CodegenOptions &options, bool assembly);

} // namespace tw::host
