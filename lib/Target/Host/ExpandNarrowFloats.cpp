// The pass expand-narrow-floats: conversions of bf16 and f16 in instructions that every host has,
// and 16-bit integers for what is only moved.
#include "InstructionSet.h"

#include "tw/Target/Common/NarrowFloats.h"
#include "tw/Target/Host/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tw {
#define GEN_PASS_DEF_EXPANDNARROWFLOATSPASS
#include "tw/Target/Host/Passes.h.inc"
} // namespace tw

using namespace mlir;
using tw::host::DotProducts;

namespace {

/// The dot products of bf16 that are calls of an intrinsic of that name; null if none are.
const DotProducts *findDotsOf(StringRef intrinsic) {
  for (const tw::host::InstructionSet *set : tw::host::allInstructionSets())
    for (const DotProducts &dots : set->dots)
      if (!dots.intrinsic.empty() && intrinsic.starts_with(dots.intrinsic))
        return &dots;
  return nullptr;
}

/// The dot products whose sums alone lie in the memory of a load, and those of units like them;
/// null if others do.
const DotProducts *findDotsIn(Value memory) {
  while (Operation *op = memory.getDefiningOp()) {
    if (auto name = op->getAttrOfType<StringAttr>(tw::host::sumsAttrName))
      return tw::host::findDots(name);
    auto view = dyn_cast<ViewLikeOpInterface>(op);
    if (!view)
      return nullptr;
    memory = view.getViewSource();
  }
  return nullptr;
}

/// Whether no lane is denormal: zeros, and what dot instructions of bf16 leave, which give
/// denormals as 0, also where loops and branches carry them. `assumed` are values on whose way this
/// one lies; `dots` becomes one of the instructions.
bool isNeverDenormal(Value x, llvm::SmallDenseSet<Value> &assumed, const DotProducts *&dots) {
  if (matchPattern(x, m_AnyZeroFloat()) || !assumed.insert(x).second)
    return true;
  auto holds = [&](ValueRange values) {
    return llvm::all_of(values, [&](Value value) { return isNeverDenormal(value, assumed, dots); });
  };
  if (auto argument = dyn_cast<BlockArgument>(x)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    OpOperand *initial = loop ? loop.getTiedLoopInit(argument) : nullptr;
    return initial && holds({initial->get(), loop.getTiedLoopYieldedValue(argument)->get()});
  }
  Operation *op = x.getDefiningOp();
  unsigned result = cast<OpResult>(x).getResultNumber();
  if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op)) {
    const DotProducts *own = findDotsOf(call.getIntrin());
    dots = own ? own : dots;
    return own;
  }
  if (auto load = dyn_cast<vector::LoadOp>(op)) {
    const DotProducts *own = findDotsIn(load.getBase());
    dots = own ? own : dots;
    return own;
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return holds({loop.getInitArgs()[result], loop.getYieldedValues()[result]});
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return holds({branch.thenYield().getOperand(result), branch.elseYield().getOperand(result)});
  return false;
}

/// truncf f32 to bf16 of what is never denormal   ->   an instruction that takes denormals as 0.
/// What may be denormal is converted in eight instructions instead.
LogicalResult truncateDots(arith::TruncFOp op, PatternRewriter &rewriter) {
  auto type = dyn_cast<VectorType>(op.getType());
  llvm::SmallDenseSet<Value> assumed;
  const DotProducts *dots = nullptr;
  if (!type || !type.getElementType().isBF16() ||
      !getElementTypeOrSelf(op.getIn().getType()).isF32() ||
      !isNeverDenormal(op.getIn(), assumed, dots) || !dots || !dots->truncateSums)
    return failure();
  Value narrow = dots->truncateSums(rewriter, op.getLoc(), op.getIn());
  if (!narrow)
    return failure();
  rewriter.replaceOp(op, narrow);
  return success();
}

class ExpandNarrowFloatsPass : public tw::impl::ExpandNarrowFloatsPassBase<ExpandNarrowFloatsPass> {
public:
  using ExpandNarrowFloatsPassBase::ExpandNarrowFloatsPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add(truncateDots, /*benefit=*/2);
    tw::narrow::populateConversions(patterns, {.f16 = true, .bf16 = false});
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    getOperation()->walk([](func::FuncOp function) { tw::narrow::storeAsIntegers(function); });
  }
};

} // namespace
