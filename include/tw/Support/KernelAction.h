// What is done for one kernel at a time and takes long, as actions of MLIR: a handler of the
// context's actions may refuse each.
#pragma once

#include "mlir/IR/Action.h"
#include "mlir/IR/MLIRContext.h"

namespace tw {

class KernelAction : public mlir::tracing::ActionImpl<KernelAction> {
public:
  using ActionImpl::ActionImpl;
  static constexpr llvm::StringLiteral tag = "tw-kernel";
  static constexpr llvm::StringLiteral desc = "Proposes schedules of a kernel, or makes its code";
};

/// Whether `work` was done, and not refused. Any thread.
inline bool runForKernel(mlir::MLIRContext &context, llvm::function_ref<void()> work) {
  bool isDone = false;
  auto run = [&] {
    work();
    isDone = true;
  };
  context.executeAction<KernelAction>(run, {});
  return isDone;
}

} // namespace tw
