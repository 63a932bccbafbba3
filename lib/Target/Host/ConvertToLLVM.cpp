// From arith, math, vector, memref, affine, scf and func to the llvm dialect in one conversion.
#include "tw/Target/Host/Passes.h"

#include "tw/Support/FastMath.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMInterface.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

#include <map>

using namespace mlir;
using tw::allows;

namespace tw {
#define GEN_PASS_DEF_HOSTTOLLVMPASS
#include "tw/Target/Host/Passes.h.inc"
} // namespace tw

namespace {

// maximumf a, b  ->  p = a > b ? a : b; q = b > a ? b : a; ord(a, b) ? p & q : NaN
//
// One instruction gives p and one q, which differ in the sign of a zero alone: the conjunction of
// the bits is +0 if one of them is, for minima the disjunction -0. Upstream's expansion gives
// either zero.
template <typename Op, bool isMax> struct ExpandExtremum : OpRewritePattern<Op> {
  explicit ExpandExtremum(MLIRContext *context) : OpRewritePattern<Op>(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    using P = arith::CmpFPredicate;
    Location at = op.getLoc();
    Type type = op.getType(), element = getElementTypeOrSelf(type);
    auto floating = dyn_cast<FloatType>(element);
    if (!floating)
      return rewriter.notifyMatchFailure(op, "is not of floats");
    Type bits = rewriter.getIntegerType(floating.getWidth());
    if (auto vector = dyn_cast<VectorType>(type))
      bits = vector.clone(bits);
    auto better = [&](Value a, Value b) {
      Value wins = arith::CmpFOp::create(rewriter, at, isMax ? P::OGT : P::OLT, a, b);
      Value result = arith::SelectOp::create(rewriter, at, wins, a, b);
      return arith::BitcastOp::create(rewriter, at, bits, result).getResult();
    };
    Value a = op.getLhs(), b = op.getRhs(), p = better(a, b), q = better(b, a), both;
    if (isMax)
      both = arith::AndIOp::create(rewriter, at, p, q);
    else
      both = arith::OrIOp::create(rewriter, at, p, q);
    TypedAttr nan = rewriter.getFloatAttr(element, APFloat::getQNaN(floating.getFloatSemantics()));
    if (auto vector = dyn_cast<VectorType>(type))
      nan = DenseElementsAttr::get(vector, Attribute(nan));
    Value ordered = arith::CmpFOp::create(rewriter, at, P::ORD, a, b);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, ordered,
                                                 arith::BitcastOp::create(rewriter, at, type, both),
                                                 arith::ConstantOp::create(rewriter, at, nan));
    return success();
  }
};

// maxnumf a, b `nnan`  ->  a > b ? a : b, one instruction. Upstream's expansion looks for NaN.
template <typename Op, bool isMax> struct ExpandNumberExtremum : OpRewritePattern<Op> {
  explicit ExpandNumberExtremum(MLIRContext *context)
      : OpRewritePattern<Op>(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!allows(op, arith::FastMathFlags::nnan))
      return rewriter.notifyMatchFailure(op, "may be of NaN");
    Value wins = arith::CmpFOp::create(
        rewriter, op.getLoc(), isMax ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT,
        op.getLhs(), op.getRhs());
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, wins, op.getLhs(), op.getRhs());
    return success();
  }
};

/// Indices of a block that differ by a constant alone are sums with one of them:
///
///   %a = affine.apply (d0 * 56 + 1)(%i)   ->   %0 = affine.apply (d0 * 56)(%i)
///   %b = affine.apply (d0 * 56 + 2)(%i)        %a = %0 + 1;  %b = %0 + 2
///
/// A tile is hundreds of accesses beside each other, which would be products and sums of their own
/// in every conversion and pass from here on.
class SharedIndices {
public:
  explicit SharedIndices(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block))
      if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
        share(apply);
  }

private:
  /// By map and operands.
  std::map<std::vector<const void *>, Value> known;
  llvm::DenseMap<int64_t, Value> constants;

  Value &find(AffineMap map, ValueRange operands) {
    std::vector<const void *> key{map.getAsOpaquePointer()};
    for (Value operand : operands)
      key.push_back(operand.getAsOpaquePointer());
    return known[key];
  }

  void share(affine::AffineApplyOp apply) {
    AffineMap map = apply.getAffineMap();
    auto sum = dyn_cast<AffineBinaryOpExpr>(map.getResult(0));
    auto constant = sum && sum.getKind() == AffineExprKind::Add
                        ? dyn_cast<AffineConstantExpr>(sum.getRHS())
                        : AffineConstantExpr();
    if (!constant) {
      Value &same = find(map, apply.getMapOperands());
      if (same) {
        apply.replaceAllUsesWith(same);
        apply.erase();
      } else {
        same = apply;
      }
      return;
    }
    OpBuilder builder(apply);
    auto rest = AffineMap::get(map.getNumDims(), map.getNumSymbols(), sum.getLHS());
    Value &base = find(rest, apply.getMapOperands());
    if (!base)
      base = affine::AffineApplyOp::create(builder, apply.getLoc(), rest, apply.getMapOperands());
    Value &offset = constants[constant.getValue()];
    if (!offset)
      offset = arith::ConstantIndexOp::create(builder, apply.getLoc(), constant.getValue());
    apply.replaceAllUsesWith(
        arith::AddIOp::create(builder, apply.getLoc(), base, offset).getResult());
    apply.erase();
  }
};

class HostToLLVMPass : public tw::impl::HostToLLVMPassBase<HostToLLVMPass> {
public:
  using HostToLLVMPassBase::HostToLLVMPassBase;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    getOperation()->walk([](Block *block) { SharedIndices{*block}; });
    RewritePatternSet expansions(context);
    populateAffineToStdConversionPatterns(expansions);
    arith::populateArithExpandOpsPatterns(expansions);
    expansions
        .add<ExpandExtremum<arith::MaximumFOp, true>, ExpandExtremum<arith::MinimumFOp, false>,
             ExpandNumberExtremum<arith::MaxNumFOp, true>,
             ExpandNumberExtremum<arith::MinNumFOp, false>>(context);
    // Divisions have a unit of their own. LLVM would make an estimate and three operations of them,
    // on the units that functions keep busy: a sigmoid of vectors took 1.17 times as long.
    getOperation()->walk(
        [](arith::DivFOp division) { division.setFastmath(arith::FastMathFlags::none); });
    walkAndApplyPatterns(getOperation(), std::move(expansions));

    LowerToLLVMOptions options(context);
    options.useBarePtrCallConv = true;
    LLVMTypeConverter converter(context, options);
    RewritePatternSet patterns(context);
    populateSCFToControlFlowConversionPatterns(patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    populateMathToLLVMConversionPatterns(converter, patterns);
    populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    populateFuncToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    ub::populateUBToLLVMConversionPatterns(converter, patterns);
    LLVMConversionTarget target(*context);
    target.addLegalOp<ModuleOp>();
    if (failed(applyFullConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
