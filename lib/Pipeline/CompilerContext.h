// The context behind the C API: an MLIR context with everything registered, and diagnostics to a
// sink.
#pragma once

#include "tw-c/Compiler.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <string>
#include <vector>

struct TwcContext {
  explicit TwcContext(uint32_t threads);

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

private:
  mlir::ScopedDiagnosticHandler handler;
};

/// One error of our own to a sink.
void report(TwcSink sink, llvm::StringRef code, llvm::StringRef message);

} // namespace tw
