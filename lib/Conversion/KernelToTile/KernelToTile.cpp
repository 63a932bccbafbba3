// The pass kernel-to-tile: functions that hold one kernel become tile programs.
#include "TilePrinter.h"

#include "tw/Conversion/Passes.h"
#include "tw/Dialect/Tile/Ranges.h"
#include "tw/Schedule/Primitive.h"
#include "tw/Support/Diagnostics.h"

#include "mlir/Dialect/Math/IR/Math.h"

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

/// Marks what shorter code does for: x - m is never positive where m is the maximum of x, and its
/// exponential is a fraction.
void markRanges(kernel::KernelOp kernel) {
  auto isBelowMaximum = [](Value value) {
    auto difference = value.getDefiningOp<arith::SubFOp>();
    auto maximum = difference ? difference.getRhs().getDefiningOp<kernel::ReduceOp>() : nullptr;
    return maximum && maximum.getKind() == arith::AtomicRMWKind::maximumf &&
           maximum->getOperand(0) == difference.getLhs();
  };
  auto mark = UnitAttr::get(kernel.getContext());
  for (Operation &op : kernel.getBody().front()) {
    auto exponential = dyn_cast<math::ExpOp>(op);
    if (!exponential || !isBelowMaximum(exponential.getOperand()))
      continue;
    op.setAttr(tile::notPositiveAttrName, mark);
    for (Operation *user : op.getUsers())
      if (isa<arith::DivFOp>(user) && user->getOperand(0) == exponential.getResult())
        user->setAttr(tile::fractionAttrName, mark);
  }
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
          llvm::any_of(kernel.getSchedule()->getPrimitives(), [](Attribute primitive) {
            return schedule::getPrimitive(primitive).getPhase() == schedule::Phase::Parts;
          })) {
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
      markRanges(kernel);
      schedule::Refusal refusal;
      std::unique_ptr<schedule::LoopTree> tree = schedule::buildLoopTree(kernel, *plan, refusal);
      if (!tree) {
        emitError(refusal.op->getLoc(), Code::T0311) << refusal.text;
        return signalPassFailure();
      }
      if (std::string why = schedule::verifyLoopTree(*tree); !why.empty()) {
        emitError(kernel.getLoc(), Code::T0311)
            << "the loops of the schedule are not right: " << why;
        return signalPassFailure();
      }
      OpBuilder builder(function);
      if (failed(TilePrinter(*tree).print(builder, function.getName())))
        return signalPassFailure();
      function.erase();
    }
  }
};

} // namespace
