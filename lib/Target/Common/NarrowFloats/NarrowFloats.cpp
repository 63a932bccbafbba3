// Narrow floats as f32 in registers and integers in memory.
#include "tw/Target/Common/NarrowFloats.h"

#include "tw/Format/Element.h"
#include "tw/Support/ElementTypes.h"
#include "tw/Target/Common/Instructions.h"
#include "tw/Target/Common/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tw {
#define GEN_PASS_DEF_THREADSNARROWFLOATSPASS
#include "tw/Target/Common/Passes.h.inc"
} // namespace tw

using namespace mlir;

namespace {

bool isNarrow(Type type) { return tw::isNarrowFloat(getElementTypeOrSelf(type)); }

/// `element` in the shape of `like`.
Type typeLike(Type like, Type element) {
  auto shaped = dyn_cast<VectorType>(like);
  return shaped ? Type(shaped.clone(element)) : element;
}

/// extf bf16 to f64   ->   extf f32 to f64 (extf bf16 to f32)
LogicalResult extendInTwoSteps(arith::ExtFOp op, PatternRewriter &rewriter) {
  if (!isNarrow(op.getIn().getType()) || !getElementTypeOrSelf(op.getType()).isF64())
    return failure();
  Type f32 = typeLike(op.getType(), rewriter.getF32Type());
  Value wide = arith::ExtFOp::create(rewriter, op.getLoc(), f32, op.getIn());
  rewriter.replaceOpWithNewOp<arith::ExtFOp>(op, op.getType(), wide);
  return success();
}

/// truncf f64 to bf16   ->   truncf f32 to bf16 of the f32 next to it towards 0 whose last bit says
/// that it is not exact (rounding to odd). f32 has more than two bits more than bf16 and f16, so
/// the two roundings are as one (Boldo and Melquiond, "Emulation of a FMA and correctly rounded
/// sums", 2008).
LogicalResult truncateThroughOdd(arith::TruncFOp op, PatternRewriter &rewriter) {
  Value x = op.getIn();
  if (!isNarrow(op.getType()) || !getElementTypeOrSelf(x.getType()).isF64())
    return failure();
  Location loc = op.getLoc();
  Type type = x.getType(), f32 = typeLike(type, rewriter.getF32Type());
  Type i32 = typeLike(type, rewriter.getI32Type());
  auto constant = [&](int32_t value) -> Value {
    TypedAttr attr = rewriter.getI32IntegerAttr(value);
    if (auto shaped = dyn_cast<VectorType>(i32))
      attr = DenseElementsAttr::get(shaped, Attribute(attr));
    return arith::ConstantOp::create(rewriter, loc, attr);
  };
  auto compare = [&](arith::CmpFPredicate predicate, Value a, Value b) -> Value {
    return arith::CmpFOp::create(rewriter, loc, predicate, a, b);
  };
  Value nearest = arith::TruncFOp::create(rewriter, loc, f32, x);
  Value back = arith::ExtFOp::create(rewriter, loc, type, nearest);
  // Away from 0 where it is above a positive x or below a negative one; not where x is NaN.
  Value zero = arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(type));
  Value isNegative = compare(arith::CmpFPredicate::OLT, x, zero);
  Value above = compare(arith::CmpFPredicate::OGT, back, x);
  Value below = compare(arith::CmpFPredicate::OLT, back, x);
  Value away = arith::SelectOp::create(rewriter, loc, isNegative, below, above);
  Value inexact = arith::OrIOp::create(rewriter, loc, above, below);
  Value bits = arith::BitcastOp::create(rewriter, loc, i32, nearest);
  Value one = constant(1), none = constant(0);
  bits = arith::SubIOp::create(rewriter, loc, bits,
                               arith::SelectOp::create(rewriter, loc, away, one, none));
  bits = arith::OrIOp::create(rewriter, loc, bits,
                              arith::SelectOp::create(rewriter, loc, inexact, one, none));
  Value odd = arith::BitcastOp::create(rewriter, loc, f32, bits);
  rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), odd);
  return success();
}

/// LLVM has vectors of bf16 only for CPUs with instructions for them, and elsewhere takes them
/// apart into calls of a library; languages of devices have no bf16 at all.
class IntegerStorage {
public:
  explicit IntegerStorage(FunctionOpInterface function) : function(function) {}

  void convert() {
    function.walk([&](Operation *op) { separate(op); });
    function.walk([&](Operation *op) {
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            argument.setType(stored(argument.getType()));
      if (!kept.contains(op))
        convertResults(op);
    });
    for (Operation *op : useless) {
      op->getResult(0).replaceAllUsesWith(op->getOperand(0));
      op->erase();
    }
    // Local memory of a kernel follows its arguments.
    SmallVector<Type> arguments(function.getFunctionBody().getArgumentTypes());
    arguments.truncate(function.getNumArguments());
    function.setType(
        FunctionType::get(function.getContext(), arguments, function.getResultTypes()));
  }

private:
  FunctionOpInterface function;
  /// Operations whose results stay floats, and bitcasts that became copies.
  llvm::DenseSet<Operation *> kept;
  SmallVector<Operation *> useless;

  static Type stored(Type type) {
    if (!isNarrow(type))
      return type;
    Type bits =
        IntegerType::get(type.getContext(), getElementTypeOrSelf(type).getIntOrFloatBitWidth());
    if (auto vector = dyn_cast<VectorType>(type))
      return vector.clone(bits);
    if (auto memory = dyn_cast<MemRefType>(type))
      return MemRefType::get(memory.getShape(), bits, memory.getLayout(), memory.getMemorySpace());
    return isa<FloatType>(type) ? bits : type;
  }

  void separate(Operation *op) {
    OpBuilder builder(op);
    Location loc = op->getLoc();
    if (isa<arith::ExtFOp, LLVM::CallIntrinsicOp>(op))
      for (OpOperand &operand : op->getOpOperands()) {
        Value x = operand.get();
        if (!isNarrow(x.getType()))
          continue;
        Value bits = arith::BitcastOp::create(builder, loc, stored(x.getType()), x);
        auto again = arith::BitcastOp::create(builder, loc, x.getType(), bits);
        kept.insert(again);
        operand.set(again);
      }
    if (isa<arith::TruncFOp, LLVM::CallIntrinsicOp>(op) && op->getNumResults() == 1 &&
        isNarrow(op->getResult(0).getType())) {
      builder.setInsertionPointAfter(op);
      Value x = op->getResult(0);
      kept.insert(op);
      auto bits = arith::BitcastOp::create(builder, loc, stored(x.getType()), x);
      Value again = arith::BitcastOp::create(builder, loc, x.getType(), bits);
      x.replaceAllUsesExcept(again, bits);
    }
  }

  void convertResults(Operation *op) {
    for (Value result : op->getResults())
      result.setType(stored(result.getType()));
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      if (auto scalar = dyn_cast<FloatAttr>(constant.getValue());
          scalar && isNarrow(scalar.getType()))
        constant.setValueAttr(
            IntegerAttr::get(constant.getType(), scalar.getValue().bitcastToAPInt()));
      auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
      if (elements && isNarrow(elements.getElementType()))
        constant.setValueAttr(elements.bitcast(getElementTypeOrSelf(constant.getType())));
    }
    if (isa<arith::BitcastOp>(op) && op->getOperand(0).getType() == op->getResult(0).getType())
      useless.push_back(op);
  }
};

class ThreadsNarrowFloatsPass
    : public tw::impl::ThreadsNarrowFloatsPassBase<ThreadsNarrowFloatsPass> {
public:
  using ThreadsNarrowFloatsPassBase::ThreadsNarrowFloatsPassBase;

  void runOnOperation() override {
    if (!tw::narrow::hasAny(getOperation()))
      return;
    OpPassManager extend(ModuleOp::getOperationName());
    tw::narrow::buildExtension(extend, &getContext());
    RewritePatternSet patterns(&getContext());
    tw::narrow::populateConversions(
        patterns, {.f16 = f16, .bf16 = bf16, .smallFloats = tw::getInstructions(chip).smallFloats});
    if (failed(runPipeline(extend, getOperation())) ||
        failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    getOperation()->walk([](gpu::GPUFuncOp function) { tw::narrow::storeAsIntegers(function); });
  }
};

} // namespace

bool tw::narrow::hasAny(Operation *root) {
  auto found = root->walk([](Operation *op) {
    bool narrow = llvm::any_of(op->getResultTypes(), isNarrow);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        narrow |= llvm::any_of(block.getArgumentTypes(), isNarrow);
    return narrow ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found.wasInterrupted();
}

void tw::narrow::buildExtension(OpPassManager &passes, MLIRContext *context) {
  arith::ArithEmulateUnsupportedFloatsOptions narrow;
  for (const tw::format::ElementInfo &info : tw::format::elementTypes) {
    Type type = tw::getElementType(context, info.type);
    if (type && tw::isNarrowFloat(type))
      narrow.sourceTypeStrs.push_back(std::string(info.name));
  }
  narrow.targetTypeStr = "f32";
  passes.addPass(arith::createArithEmulateUnsupportedFloats(narrow));
  passes.addPass(math::createMathExtendToSupportedTypes());
}

void tw::narrow::populateConversions(RewritePatternSet &patterns, Conversions native) {
  patterns.add(extendInTwoSteps);
  patterns.add(truncateThroughOdd);
  if (!native.bf16)
    arith::populateExpandBFloat16Patterns(patterns);
  populateSmallFloats(patterns, native);
}

void tw::narrow::storeAsIntegers(FunctionOpInterface function) {
  IntegerStorage(function).convert();
}
