// The context behind the C API: an MLIR context with everything registered, and diagnostics to a
// sink.
#pragma once

#include "tw-c/Compiler.h"
#include "tw/Interpreter/Tensor.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/FileResolver.h"
#include "tw/Support/SizedStruct.h"

#include "tw/Pipeline/Compiler.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include "llvm/Support/FormatVariadic.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

struct TwcContext {
  explicit TwcContext(const TwcOptions &options);

  /// For the call that begins.
  tw::MemoryLimit limitMemory() const { return tw::MemoryLimit(memoryLimit); }

  /// That make code; 0: one per core. MLIR's passes over kernels are too short for threads.
  uint32_t threads;
  uint64_t memoryLimit;
  mlir::MLIRContext mlir;
  /// The caller, and each module.
  unsigned references = 1;
};

struct TwcBlob {
  std::vector<uint8_t> bytes;
};

template <>
inline constexpr uint32_t tw::knownSizes<TwcOptions>[] = {offsetof(TwcOptions, memoryLimit),
                                                          sizeof(TwcOptions)};
template <>
inline constexpr uint32_t tw::knownSizes<TwcInput>[] = {offsetof(TwcInput, import),
                                                        sizeof(TwcInput)};
template <>
inline constexpr uint32_t tw::knownSizes<TwcCompileOptions>[] = {
    offsetof(TwcCompileOptions, moduleFolder), offsetof(TwcCompileOptions, hooks),
    sizeof(TwcCompileOptions)};

namespace tw {

/// Sends the diagnostics of a context to a sink while it lives.
class DiagnosticForwarder {
public:
  DiagnosticForwarder(mlir::MLIRContext &context, TwcSink sink);

  /// What a call that fails returns: what its first error stands for.
  TwcCode getFailure() const { return failure; }
  bool hasFailed() const { return failed; }

private:
  TwcCode failure = TWC_FAILED;
  bool failed = false;
  mlir::ScopedDiagnosticHandler handler;
};

/// What an error with this code means to a caller.
TwcCode getResult(Code code);

/// One error of our own to a sink.
void report(TwcSink sink, llvm::StringRef code, llvm::StringRef message);

/// Structs of a size that no release has had are refused.
template <typename T>
llvm::LogicalResult checkSize(const T &record, llvm::StringRef name, TwcSink sink) {
  if (hasKnownSize(record))
    return llvm::success();
  report(sink, "T0506",
         llvm::formatv("{0} has size {1}, expected {2}", name, record.size, sizeof(T)).str());
  return llvm::failure();
}

void releaseContext(TwcContext *context);

TwcBlob *makeBlob(llvm::StringRef text);

/// The caller's options, whose strings and functions stay the caller's, and whether a hook has
/// cancelled.
struct CallOptions {
  CompileOptions compile;
  bool cancelled = false;
};
/// Null after an error.
std::unique_ptr<CallOptions> readOptions(const TwcContext *context, const TwcCompileOptions *caller,
                                         TwcSink sink);

/// What a failed call returns.
TwcCode getFailure(const DiagnosticForwarder &forwarder, const CallOptions &options);

/// A program, and what its files are found through.
struct ReadProgram {
  mlir::OwningOpRef<mlir::ModuleOp> program;
  std::shared_ptr<FileResolver> files;
};
TwcCode readInput(TwcContext *context, const TwcInput *given, const MemoryLimit &memory,
                  TwcSink sink, const DiagnosticForwarder &forwarder, ReadProgram &read);

/// The table, in the parts that the files of this folder fill.
void fillModules(TwcApi &api);
void fillBuild(TwcApi &api);

/// Borrows the caller's tensors under the expected types, or says what does not fit.
/// A complex one is a tensor of floats with one more dimension where `isComplex` says so.
llvm::LogicalResult borrow(llvm::ArrayRef<mlir::Type> expected,
                           llvm::function_ref<bool(unsigned)> isComplex, const TwcTensor *tensors,
                           size_t count, llvm::StringRef what, TwcSink sink,
                           llvm::SmallVectorImpl<interp::Tensor> &result);

/// TwcApi::checkKernel.
TwcCode checkKernel(TwcContext *context, const TwcKernelRun *run, TwcSink sink,
                    TwcKernelCheck *checks);

TwcCode compileProgram(TwcContext *context, mlir::ModuleOp program, FileResolver &files,
                       CallOptions &options, const DiagnosticForwarder &forwarder, TwcBlob **module,
                       TwcBlob **report);
TwcCode interpretProgram(mlir::ModuleOp program, FileResolver &files, const MemoryLimit &memory,
                         const TwcTensor *arguments, size_t argumentCount, TwcTensor *results,
                         size_t resultCount, TwcSink sink, const DiagnosticForwarder &forwarder);

} // namespace tw
