// What a program that embeds the compiler is told while passes run, and how it stops them.
#pragma once

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/LLVM.h"

#include <functional>
#include <optional>

namespace tw {

/// Any may be empty. Called by the thread that compiles.
struct Hooks {
  /// Before and after each pass: its name in pipelines, empty where it has none, and the op that it
  /// runs on.
  std::function<void(llvm::StringRef pass, llvm::StringRef op)> beforePass, afterPass;
  /// Asked before each pass and each chip's code. True ends the compilation, which then fails
  /// without a diagnostic.
  std::function<bool()> cancelled;
};

/// Lets the passes of a context tell the hooks, while it lives. Once it is cancelled passes do
/// nothing and errors, which follow from that, are not reported; whoever runs passes asks here
/// before going on.
class HookScope {
public:
  HookScope(mlir::MLIRContext &context, const Hooks &hooks);
  ~HookScope();
  HookScope(const HookScope &) = delete;
  HookScope &operator=(const HookScope &) = delete;

  /// Asks, until the answer is true.
  bool isCancelled();

private:
  mlir::MLIRContext &context;
  const Hooks &hooks;
  bool active, cancelled = false;
  std::optional<mlir::ScopedDiagnosticHandler> handler;
};

} // namespace tw
