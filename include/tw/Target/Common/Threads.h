// What targets share that turn thread form (see Gpu.h) into code with LLVM.
#pragma once

#include "tw/Target/Target.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Module.h"

namespace tw::threads {

/// One kernel in thread form.
struct Kernel {
  std::string name;
  mlir::Location location;
  uint64_t programs = 0;
  /// Threads of a program.
  uint32_t group = 0;
  /// Of all its local buffers, each rounded up to 16.
  uint32_t localBytes = 0;
  /// Buffers, then scalars of 64 bits, then maps of tensors.
  uint32_t arguments = 0;
  /// As ArtefactEntry says.
  std::string units = {};
  /// Its last arguments.
  std::vector<format::TensorMap> maps = {};
};

/// What a chip allows.
struct Limits {
  llvm::StringRef chip;
  uint32_t maxThreads = 1024;
  uint64_t localBytes = 0;
};

/// Kernels on the way to code: `module` holds nothing but llvm.func and llvm.mlir.global, in the
/// llvm dialect and that of the vendor.
struct Lowered {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<Kernel> kernels;
};

/// Lowers the kernels of `module`, which is not changed: its `ttile.func`s with `tiles` and then
/// `threads`, or its gpu.module with `threads` alone. Errors are diagnostics.
mlir::FailureOr<Lowered> lower(mlir::ModuleOp module, const Limits &limits,
                               llvm::function_ref<void(mlir::OpPassManager &)> tiles,
                               llvm::function_ref<void(mlir::OpPassManager &)> threads);

/// Adds to a pipeline on modules what precedes a vendor's conversion: math expanded and in the llvm
/// dialect, local memory placed, no structured control flow. Kernels with more than
/// `staticLocalBytes` of local memory get it as one external array, whose size the launch gives.
void buildToConversion(mlir::OpPassManager &passes, uint64_t staticLocalBytes);

/// Functions that vendors' instructions compute of f32; see GpuTraits::native.
inline constexpr llvm::StringLiteral nativeFunctions[] = {"math.exp2", "math.log2"};

/// Adds to a pipeline on modules what follows a vendor's conversion.
void buildAfterConversion(mlir::OpPassManager &passes);

/// A type converter for bare pointers and 64-bit indices; global memory is space 1, local memory 3.
class TypeConverter : public mlir::LLVMTypeConverter {
public:
  explicit TypeConverter(mlir::MLIRContext *context);
};

/// Converts a gpu.module with the vendor's `patterns` for the gpu dialect and upstream's for all
/// others. On failure reports the first op of a kernel that has none.
mlir::LogicalResult convertToLLVM(mlir::gpu::GPUModuleOp module, const TypeConverter &converter,
                                  mlir::RewritePatternSet &&patterns);

/// Compiles for one machine: translates, calls `prepare` for every kernel's function, optimises and
/// generates code of the given kind. Errors are diagnostics, at the kernel's location where it is
/// known.
struct CodeOptions {
  llvm::StringRef triple;
  std::string cpu, features;
  unsigned optLevel = 3;
  llvm::CodeGenFileType type = llvm::CodeGenFileType::AssemblyFile;
};
mlir::FailureOr<std::string>
generateCode(Lowered &lowered, const CodeOptions &options,
             llvm::function_ref<void(llvm::Function &, const Kernel &)> prepare);

/// ", without its own schedule it is #tkernel.schedule<...>"; empty where that is what it has.
std::string suggestSchedule(const Kernel &kernel, const TargetOptions &options);

/// Warns, where registers did not suffice for the kernel, of what `who` says went to memory.
void warnOfSpills(const Kernel &kernel, const ArtefactEntry &entry, llvm::StringRef who,
                  const TargetOptions &options);

/// The entries of an artefact without what only an assembler knows.
std::vector<ArtefactEntry> makeEntries(const Lowered &lowered, uint32_t subgroup);

} // namespace tw::threads
