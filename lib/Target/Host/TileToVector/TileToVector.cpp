// The pass tile-to-vector: a one-to-many conversion of tiles to scalars and 1-D vectors.
//
// It runs at the border of the host target and needs nothing but legal tile form; canonicalisation
// and CSE after it merge what parts have in common.
#include "Parts.h"

#include "tw/Dialect/Tile/Tile.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Target/Host/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

namespace tw {
#define GEN_PASS_DEF_TILETOVECTORPASS
#include "tw/Target/Host/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw::host;

namespace {

/// ttile.func @k(%x: memref<4x8xf32>) results(..) grid(%i = 4)
///   -> func.func @k(%x: memref<32xf32>, .., %i: index) attributes {tw.grid = array<i64: 4>}
class FuncPattern : public OpConversionPattern<tw::tile::FuncOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tw::tile::FuncOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Block &block = op.getBody().front();
    TypeConverter::SignatureConversion signature(block.getNumArguments());
    if (failed(getTypeConverter()->convertSignatureArgs(block.getArgumentTypes(), signature)))
      return failure();
    auto type = rewriter.getFunctionType(signature.getConvertedTypes(), {});
    auto function = func::FuncOp::create(rewriter, op.getLoc(), op.getSymName(), type);
    function->setAttr(gridAttribute, rewriter.getDenseI64ArrayAttr(op.getGrid()));
    // Results overlap nothing, and inputs are only read.
    for (unsigned i = 0; i < op.getNumBuffers(); ++i)
      function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), rewriter.getUnitAttr());
    rewriter.inlineRegionBefore(op.getBody(), function.getBody(), function.end());
    if (failed(rewriter.convertRegionTypes(&function.getBody(), *getTypeConverter(), &signature)))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};

class ReturnPattern : public OpConversionPattern<tw::tile::ReturnOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tw::tile::ReturnOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<func::ReturnOp>(op);
    return success();
  }
};

class TileToVectorPass : public tw::impl::TileToVectorPassBase<TileToVectorPass> {
public:
  using TileToVectorPassBase::TileToVectorPassBase;

  void runOnOperation() override {
    if (lanes == 0 || !llvm::isPowerOf2_32(lanes)) {
      tw::emitError(getOperation().getLoc(), tw::Code::T0408)
          << "expected lanes to be a power of two, found " << lanes.getValue();
      return signalPassFailure();
    }
    auto found = getOperation().walk([](tw::tile::AllocOp op) {
      tw::emitError(op.getLoc(), tw::Code::T0421)
          << "a program of one thread has no local memory: leave 'stage' out of schedules for the "
             "host";
      return WalkResult::interrupt();
    });
    if (found.wasInterrupted())
      return signalPassFailure();
    Parts parts(lanes);
    TileTypeConverter converter(parts);
    RewritePatternSet patterns(&getContext());
    ConversionTarget target(getContext());
    patterns.add<FuncPattern, ReturnPattern>(converter, &getContext());
    populateAccessPatterns(converter, parts, patterns);
    populateComputePatterns(converter, parts, patterns);
    populateReducePatterns(converter, parts, patterns);
    scf::populateSCFStructuralTypeConversions(converter, patterns);
    scf::populateSCFStructuralTypeConversionTarget(converter, target);
    target.addIllegalDialect<tw::tile::TileDialect>();
    // Host programs and graphs beside the kernels keep their tensors.
    target.markUnknownOpDynamicallyLegal([](Operation *op) {
      if (!op->getParentOfType<tw::tile::FuncOp>() && !op->getParentOfType<func::FuncOp>())
        return true;
      auto isTile = [](Type type) { return isa<RankedTensorType>(type); };
      return llvm::none_of(op->getOperandTypes(), isTile) &&
             llvm::none_of(op->getResultTypes(), isTile);
    });
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
