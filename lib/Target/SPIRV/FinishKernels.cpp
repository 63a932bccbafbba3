// The pass spirv-finish-kernels: what floating point means, and nothing but a spirv.module.
#include "tw/Support/Diagnostics.h"
#include "tw/Target/SPIRV/Environment.h"
#include "tw/Target/SPIRV/Passes.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"

namespace tw {
#define GEN_PASS_DEF_SPIRVFINISHKERNELSPASS
#include "tw/Target/SPIRV/Passes.h.inc"
} // namespace tw

using namespace mlir;

namespace {

/// Operations that a driver may merge with others or reorder unless told otherwise: arithmetic, and
/// comparisons, which together with a select can become a minimum that drops NaNs.
bool isContractible(Operation *op) {
  return isa<spirv::FAddOp, spirv::FSubOp, spirv::FMulOp, spirv::FDivOp, spirv::FNegateOp,
             spirv::FRemOp, spirv::FModOp, spirv::GLFmaOp, spirv::FOrdEqualOp,
             spirv::FOrdNotEqualOp, spirv::FOrdLessThanOp, spirv::FOrdLessThanEqualOp,
             spirv::FOrdGreaterThanOp, spirv::FOrdGreaterThanEqualOp, spirv::FUnordEqualOp,
             spirv::FUnordNotEqualOp, spirv::FUnordLessThanOp, spirv::FUnordLessThanEqualOp,
             spirv::FUnordGreaterThanOp, spirv::FUnordGreaterThanEqualOp>(op);
}

/// Widths of the floating-point types that a function computes with.
SmallVector<int32_t> getFloatWidths(spirv::FuncOp function) {
  llvm::SmallSetVector<int32_t, 2> widths;
  function.walk([&](Operation *op) {
    auto note = [&](Type type) {
      if (auto floating = dyn_cast<FloatType>(getElementTypeOrSelf(type)))
        widths.insert(floating.getWidth());
    };
    llvm::for_each(op->getOperandTypes(), note);
    llvm::for_each(op->getResultTypes(), note);
  });
  SmallVector<int32_t> sorted(widths.getArrayRef());
  llvm::sort(sorted);
  return sorted;
}

/// What a loop gives lies in variables, which upstream's conversion stores in its iterations alone:
/// where there is none they hold what the loop begins with. Stores are in the order of the values
/// that go round.
LogicalResult storeInitial(spirv::LoopOp loop) {
  auto enter = cast<spirv::BranchOp>(loop.getEntryBlock()->getTerminator());
  auto repeat = cast<spirv::BranchOp>(loop.getContinueBlock()->getTerminator());
  OpBuilder builder(loop);
  unsigned next = 0;
  for (auto store : loop.getContinueBlock()->getOps<spirv::StoreOp>()) {
    if (!store.getPtr().getDefiningOp<spirv::VariableOp>())
      continue;
    while (next < repeat->getNumOperands() && repeat->getOperand(next) != store.getValue())
      ++next;
    if (next == repeat->getNumOperands())
      return tw::emitOpError(store, tw::Code::T0443)
             << "stores in a loop what does not go round in it";
    spirv::StoreOp::create(builder, loop.getLoc(), store.getPtr(), enter->getOperand(next++));
  }
  return success();
}

class SpirvFinishKernelsPass : public tw::impl::SpirvFinishKernelsPassBase<SpirvFinishKernelsPass> {
public:
  using SpirvFinishKernelsPassBase::SpirvFinishKernelsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<spirv::ModuleOp> made;
    module.walk([&](spirv::ModuleOp op) { made.push_back(op); });
    for (spirv::ModuleOp op : made)
      op->moveBefore(module.getBody(), module.getBody()->end());
    for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
      if (isa<gpu::GPUModuleOp>(op))
        op.erase();
    module->removeAttr(gpu::GPUDialect::getContainerModuleAttrName());

    spirv::TargetEnv environment(spirv::lookupTargetEnvOrDefault(module));
    // Outer loops first: what is stored before an inner one stands in them.
    auto initial = module.walk<WalkOrder::PreOrder>(
        [](spirv::LoopOp loop) { return WalkResult(storeInitial(loop)); });
    if (initial.wasInterrupted())
      return signalPassFailure();
    for (spirv::ModuleOp op : made)
      for (auto function : llvm::to_vector(op.getOps<spirv::FuncOp>()))
        finish(op, function, environment.allows(spirv::Capability::Shader));
  }

private:
  void finish(spirv::ModuleOp module, spirv::FuncOp function, bool shader) {
    for (NamedAttribute attribute : llvm::to_vector(function->getDiscardableAttrs()))
      if (attribute.getName() != spirv::getEntryPointABIAttrName())
        function->removeDiscardableAttr(attribute.getName());
    if (shader)
      function.walk([](Operation *op) {
        if (isContractible(op))
          op->setAttr(spirv::SPIRVDialect::getAttributeName(spirv::Decoration::NoContraction),
                      UnitAttr::get(op->getContext()));
      });
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    auto mode = [&](spirv::ExecutionMode which, ArrayRef<int32_t> parameters) {
      spirv::ExecutionModeOp::create(builder, function.getLoc(), function, which, parameters);
    };
    if (!shader)
      return mode(spirv::ExecutionMode::ContractionOff, {});
    for (int32_t width : getFloatWidths(function)) {
      mode(spirv::ExecutionMode::SignedZeroInfNanPreserve, width);
      mode(spirv::ExecutionMode::RoundingModeRTE, width);
    }
  }
};

} // namespace
