// The context behind the C API: an MLIR context with everything registered, and diagnostics to a
// sink.
#pragma once

#include "tw-c/Compiler.h"
#include "tw/Support/Diagnostics.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <memory>
#include <string>
#include <vector>

struct TwcContext {
  explicit TwcContext(uint32_t threads);

  /// That make code; 0: one per core. MLIR's passes over kernels are too short for threads.
  uint32_t threads;
  mlir::MLIRContext mlir;
};

struct TwcBlob {
  std::vector<uint8_t> bytes;
};

namespace tw {

/// Sends the diagnostics of a context to a sink while it lives.
class DiagnosticForwarder {
public:
  DiagnosticForwarder(mlir::MLIRContext &context, TwcSink sink);

  /// What a call that fails returns: what its first error stands for.
  TwcCode getFailure() const { return failure; }

private:
  TwcCode failure = TWC_FAILED;
  bool failed = false;
  mlir::ScopedDiagnosticHandler handler;
};

/// What an error with this code means to a caller.
TwcCode getResult(Code code);

/// One error of our own to a sink.
void report(TwcSink sink, llvm::StringRef code, llvm::StringRef message);

} // namespace tw
