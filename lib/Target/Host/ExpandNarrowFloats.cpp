// The pass expand-narrow-floats: conversions of bf16 and f16 in instructions that every host has,
// and 16-bit integers for what is only moved.
#include "ExpandSmallFloats.h"
#include "InstructionSet.h"

#include "tw/Support/ElementTypes.h"
#include "tw/Target/Host/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tw {
#define GEN_PASS_DEF_EXPANDNARROWFLOATSPASS
#include "tw/Target/Host/Passes.h.inc"
} // namespace tw

using namespace mlir;
using tw::host::DotProducts;

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

/// The dot products of bf16 that are calls of an intrinsic of that name; null if none are.
const DotProducts *findDotsOf(StringRef intrinsic) {
  for (const tw::host::InstructionSet *set : tw::host::allInstructionSets())
    for (const DotProducts &dots : set->dots)
      if (!dots.intrinsic.empty() && intrinsic.starts_with(dots.intrinsic))
        return &dots;
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

/// Replaces narrow floats by integers in the types of a kernel's values: LLVM has vectors of bf16
/// only for CPUs with instructions for them, and elsewhere takes them apart into calls of a
/// library. Every operation that is left moves elements, but for conversions of f16 and the
/// operands of intrinsics: values on their way there keep their type and come from, or go into, a
/// bitcast.
class IntegerStorage {
public:
  explicit IntegerStorage(func::FuncOp function) : function(function) {}

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
    function.setFunctionType(FunctionType::get(
        function.getContext(), function.getBody().getArgumentTypes(), function.getResultTypes()));
  }

private:
  func::FuncOp function;
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

class ExpandNarrowFloatsPass : public tw::impl::ExpandNarrowFloatsPassBase<ExpandNarrowFloatsPass> {
public:
  using ExpandNarrowFloatsPassBase::ExpandNarrowFloatsPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add(extendInTwoSteps);
    patterns.add(truncateThroughOdd);
    patterns.add(truncateDots, /*benefit=*/2);
    arith::populateExpandBFloat16Patterns(patterns);
    tw::host::populateExpandSmallFloats(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    getOperation()->walk([](func::FuncOp function) { IntegerStorage(function).convert(); });
  }
};

} // namespace
