// What a program that embeds the compiler is told while passes run, and how it stops them.
#pragma once

#include "tw/Support/MemoryLimit.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/LLVM.h"

#include <atomic>
#include <functional>
#include <optional>
#include <thread>

namespace tw {

/// Any may be empty. Called by the thread that compiles; of what its workers do they are not told.
struct Hooks {
  /// Before and after each pass: its name in pipelines, empty where it has none, and the op that it
  /// runs on.
  std::function<void(llvm::StringRef pass, llvm::StringRef op)> beforePass, afterPass;
  /// Asked before each pass, and before each kernel's schedules are proposed and its code is made.
  /// True ends the compilation, which then fails without a diagnostic.
  std::function<bool()> cancelled;
  /// Looked at where `cancelled` is asked, and where memory of note is allocated. What goes beyond
  /// it ends as if it were cancelled, after an error that says so.
  MemoryLimit memory;
};

/// Lets the passes of a context tell the hooks, while it lives. Once it is cancelled passes,
/// KernelActions and AllocationActions, of all threads, do nothing and errors, which follow from
/// that, are not reported; whoever runs passes asks here before going on.
class HookScope {
public:
  HookScope(mlir::MLIRContext &context, const Hooks &hooks);
  ~HookScope();
  HookScope(const HookScope &) = delete;
  HookScope &operator=(const HookScope &) = delete;

  /// Asks, until the answer is true; other threads than that which made this know of the answer.
  /// Beyond the limit of memory it is true, too, which is reported.
  bool isCancelled();

private:
  void handle(llvm::function_ref<void()> run, const mlir::tracing::Action &action);
  /// Whether there is room for so many bytes more, which something there is about to take; reports.
  bool hasRoom(mlir::Location location, uint64_t bytes) const;

  mlir::MLIRContext &context;
  const Hooks &hooks;
  bool active;
  std::thread::id thread = std::this_thread::get_id();
  std::atomic<bool> cancelled = false;
  std::optional<mlir::ScopedDiagnosticHandler> handler;
};

} // namespace tw
