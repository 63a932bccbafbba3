// The pass kernel-to-tile: functions that hold one kernel become tile programs.
#include "Emitter.h"

#include "tw/Conversion/Passes.h"
#include "tw/Support/Diagnostics.h"

namespace tw {
#define GEN_PASS_DEF_KERNELTOTILEPASS
#include "tw/Conversion/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;

namespace {

/// The kernel of a function `(operands) -> results` that holds nothing else.
kernel::KernelOp getOnlyKernel(func::FuncOp function) {
  if (function.isExternal() || !function.getBody().hasOneBlock())
    return {};
  Block &body = function.getBody().front();
  if (!llvm::hasNItems(body, 2))
    return {};
  auto kernel = dyn_cast<kernel::KernelOp>(body.front());
  if (!kernel || !llvm::equal(kernel.getOperands(), body.getArguments()) ||
      !llvm::equal(body.getTerminator()->getOperands(), kernel.getResults()))
    return {};
  return kernel;
}

struct KernelToTile : public tw::impl::KernelToTilePassBase<KernelToTile> {
  using KernelToTilePassBase::KernelToTilePassBase;

  void runOnOperation() override {
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      kernel::KernelOp kernel = getOnlyKernel(function);
      if (!kernel) {
        emitError(function.getLoc(), Code::T0311)
            << "expected function '" << function.getName()
            << "' to hold one kernel that takes its arguments and gives its results; run "
               "kernel-to-launch "
               "first";
        return signalPassFailure();
      }
      if (kernel.getSchedule() &&
          llvm::any_of(kernel.getSchedule()->getPrimitives(), llvm::IsaPred<kernel::RfactorAttr>)) {
        emitError(kernel.getLoc(), Code::T0311)
            << "partial results of a reduction need kernels of their own: run kernel-stage-global "
               "first";
        return signalPassFailure();
      }
      FailureOr<schedule::Plan> plan = schedule::makePlan(kernel);
      if (failed(plan))
        return signalPassFailure();
      if (llvm::any_of(plan->staged, [](const auto &staged) { return staged.global; })) {
        emitError(kernel.getLoc(), Code::T0311)
            << "a value staged at kernel global needs a kernel of its own: run kernel-stage-global "
               "first";
        return signalPassFailure();
      }
      OpBuilder builder(function);
      if (failed(TileEmitter(kernel, *plan).emit(builder, function.getName())))
        return signalPassFailure();
      function.erase();
    }
  }
};

} // namespace
