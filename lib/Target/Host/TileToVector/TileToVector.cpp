// The pass tile-to-vector: a one-to-many conversion of tiles to scalars and 1-D vectors.
//
// It runs at the border of the host target and needs nothing but legal tile form; canonicalization
// and CSE after it merge what parts have in common.
#include "Parts.h"

#include "../BlockAccess.h"
#include "Scratch.h"

#include "tw/Dialect/Tile/Tile.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Target/Host/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
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
/// Its symbols come after that. A program with local buffers takes its scratch memory as a last
/// argument, and that of its team and the team itself after it.
class FuncPattern : public OpConversionPattern<tw::tile::FuncOp> {
public:
  FuncPattern(const TypeConverter &converter,
              const llvm::DenseMap<Operation *, ScratchPlan> &scratch, MLIRContext *context)
      : OpConversionPattern(converter, context), scratch(scratch) {}

private:
  const llvm::DenseMap<Operation *, ScratchPlan> &scratch;

  LogicalResult matchAndRewrite(tw::tile::FuncOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Block &block = op.getBody().front();
    TypeConverter::SignatureConversion signature(block.getNumArguments());
    if (failed(getTypeConverter()->convertSignatureArgs(block.getArgumentTypes(), signature)))
      return failure();
    ScratchBytes bytes = scratch.at(op).bytes;
    bool hasTeam = op.hasTeam();
    if (bytes.own)
      signature.addInputs(MemRefType::get({bytes.own}, rewriter.getI8Type()));
    if (bytes.shared)
      signature.addInputs(MemRefType::get({bytes.shared}, rewriter.getI8Type()));
    if (hasTeam)
      signature.addInputs(LLVM::LLVMPointerType::get(rewriter.getContext()));
    auto type = rewriter.getFunctionType(signature.getConvertedTypes(), {});
    auto function = func::FuncOp::create(rewriter, op.getLoc(), op.getSymName(), type);
    function->setAttr(gridAttribute, rewriter.getDenseI64ArrayAttr(op.getGrid()));
    for (auto [name, attribute] : {std::pair(symbolsAttribute, Attribute(op.getSymbolsAttr())),
                                   {gridSizesAttribute, Attribute(op.getGridSizesAttr())},
                                   {gridStepsAttribute, Attribute(op.getGridStepsAttr())}})
      if (attribute)
        function->setAttr(name, attribute);
    noteStreams(op, function);
    auto setNoAlias = [&](unsigned argument) {
      function.setArgAttr(argument, LLVM::LLVMDialect::getNoAliasAttrName(),
                          rewriter.getUnitAttr());
    };
    // Results overlap nothing, and inputs are only read. But other threads of a team write results
    // too.
    for (unsigned i = 0; i < op.getNumBuffers(); ++i)
      if (!hasTeam || !op.isResult(i))
        setNoAlias(i);
    for (auto [attribute, given] :
         {std::pair(scratchAttribute, bytes.own != 0),
          std::pair(sharedAttribute, bytes.shared != 0), std::pair(teamAttribute, hasTeam)})
      if (given)
        function->setAttr(attribute, rewriter.getUnitAttr());
    unsigned next = type.getNumInputs() - hasTeam;
    for (int64_t size : {bytes.shared, bytes.own})
      if (size)
        function.setArgAttr(--next, LLVM::LLVMDialect::getAlignAttrName(),
                            rewriter.getI64IntegerAttr(64));
    if (bytes.own)
      setNoAlias(next);
    rewriter.inlineRegionBefore(op.getBody(), function.getBody(), function.end());
    if (failed(rewriter.convertRegionTypes(&function.getBody(), *getTypeConverter(), &signature)))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};

/// ttile.alloc : memref<4x16xf32, ..>   ->   memref.view %scratch[%offset][] : .. to memref<64xf32>
class AllocPattern : public OpConversionPattern<tw::tile::AllocOp> {
public:
  AllocPattern(const TypeConverter &converter,
               const llvm::DenseMap<Operation *, ScratchPlan::Place> &places, MLIRContext *context)
      : OpConversionPattern(converter, context), places(places) {}

  LogicalResult matchAndRewrite(tw::tile::AllocOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto function = op->getParentOfType<func::FuncOp>();
    if (!function)
      return rewriter.notifyMatchFailure(op, "the function is not converted yet");
    ScratchPlan::Place place = places.at(op);
    LastArguments given(function);
    Value offset = arith::ConstantIndexOp::create(rewriter, op.getLoc(), place.offset);
    auto type = MemRefType::get({op.getNumElements()},
                                memoryElement(op.getMemory().getType().getElementType()));
    Attribute sums = op->getAttr(sumsAttrName);
    auto view = rewriter.replaceOpWithNewOp<memref::ViewOp>(
        op, type, place.isShared ? given.shared : given.own, offset, ValueRange());
    if (sums)
      view->setAttr(sumsAttrName, sums);
    return success();
  }

private:
  const llvm::DenseMap<Operation *, ScratchPlan::Place> &places;
};

class ReturnPattern : public OpConversionPattern<tw::tile::ReturnOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tw::tile::ReturnOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<func::ReturnOp>(op);
    return success();
  }
};

void finish(func::FuncOp function) {
  expandExtrema(function);
  chooseStreams(function);
}

/// Whether the loop runs loops that copy to local memory, and does nothing else.
bool isAroundCopies(LoopLikeOpInterface loop) {
  bool hasLoop = false;
  auto result = loop.getLoopRegions().front()->front().walk([&](Operation *op) {
    hasLoop |= isa<scf::ForOp>(op);
    auto store = dyn_cast<tw::tile::StoreOp>(op);
    bool computes = !isa<tw::tile::LoadOp, arith::ConstantOp>(op) &&
                    llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
    bool copies =
        store ? tw::tile::isLocal(cast<MemRefType>(store.getDestination().getType())) : !computes;
    return copies ? WalkResult::advance() : WalkResult::interrupt();
  });
  return hasLoop && !result.wasInterrupted();
}

/// Loops around products keep their accumulators in registers as the schedule counts them: the code
/// generator does not unroll them, which would keep operands of several steps as well. Nor does it
/// unroll loops around those that copy, which would be code without being faster.
void keepRolled(tw::tile::FuncOp program) {
  Attribute annotation = getRolled(program.getContext());
  program.walk([&](tw::tile::MmaOp product) {
    for (auto loop = product->getParentOfType<LoopLikeOpInterface>(); loop;
         loop = loop->getParentOfType<LoopLikeOpInterface>())
      loop->setAttr(loopAttribute, annotation);
  });
  program.walk([&](LoopLikeOpInterface loop) {
    if (isAroundCopies(loop))
      loop->setAttr(loopAttribute, annotation);
  });
}

/// What comes in front of a scan is for threads that share a row.
LogicalResult checkScans(tw::tile::FuncOp program) {
  WalkResult result = program.walk([](tw::tile::ScanOp scan) {
    if (!scan.getBefore())
      return WalkResult::advance();
    tw::emitError(scan.getLoc(), tw::Code::T0420)
        << "'ttile.scan' has 'from', which threads that share a row begin from, and a program of "
           "the host is one thread: leave it out and combine it with the result";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

class TileToVectorPass : public tw::impl::TileToVectorPassBase<TileToVectorPass> {
public:
  using TileToVectorPassBase::TileToVectorPassBase;

  void runOnOperation() override {
    if (lanes == 0 || !llvm::isPowerOf2_32(lanes)) {
      tw::emitError(getOperation().getLoc(), tw::Code::T0408)
          << "expected lanes to be a power of two, found " << lanes.getValue();
      return signalPassFailure();
    }
    llvm::SmallVector<const tw::host::DotProducts *> instructions;
    for (const std::string &name : dots) {
      instructions.push_back(tw::host::findDots(name));
      if (!instructions.back()) {
        tw::emitError(getOperation().getLoc(), tw::Code::T0408)
            << "no instruction set has dot products '" << name << "', expected "
            << llvm::join(tw::host::getDotNames(), ", ");
        return signalPassFailure();
      }
    }
    FailureOr<SmallVector<const MatrixUnit *>> found = findUnits(getOperation().getLoc(), units);
    if (failed(found))
      return signalPassFailure();
    llvm::DenseMap<Operation *, ScratchPlan> scratch;
    llvm::DenseMap<Operation *, ScratchPlan::Place> places;
    for (auto program : getOperation().getOps<tw::tile::FuncOp>()) {
      if (int64_t warps = program.getWarps().value_or(1); warps > 1) {
        tw::emitError(program.getLoc(), tw::Code::T0420)
            << "'" << program.getSymName() << "' has " << warps
            << " warps, a program of the host is one thread: leave 'warps' out of its schedule";
        return signalPassFailure();
      }
      if (failed(checkScans(program)))
        return signalPassFailure();
      ScratchPlan &plan = scratch.try_emplace(program, program).first->second;
      places.insert(plan.places.begin(), plan.places.end());
      keepRolled(program);
      if (!found->empty())
        configureUnits(program, *found->front());
    }
    Parts parts(lanes, longest, masks, dearMasks);
    TileTypeConverter converter(parts);
    RewritePatternSet patterns(&getContext());
    ConversionTarget target(getContext());
    patterns.add<FuncPattern>(converter, scratch, &getContext());
    patterns.add<AllocPattern>(converter, places, &getContext());
    patterns.add<ReturnPattern>(converter, &getContext());
    populateAccessPatterns(converter, parts, patterns);
    populateComputePatterns(converter, parts, patterns);
    populateDivisionPatterns(converter, parts, exactDivision, patterns);
    populateMmaPatterns(converter, parts, instructions, patterns);
    populateBlockPatterns(converter, *found, patterns);
    populateReducePatterns(converter, parts, patterns);
    populateScanPatterns(converter, parts, patterns);
    populateTeamPatterns(converter, patterns);
    scf::populateSCFStructuralTypeConversions(converter, patterns);
    scf::populateSCFStructuralTypeConversionTarget(converter, target);
    target.addIllegalDialect<tw::tile::TileDialect>();
    target.addIllegalOp<scf::ForallOp>();
    // Host programs and graphs beside the kernels keep their tensors.
    target.markUnknownOpDynamicallyLegal([](Operation *op) {
      if (!op->getParentOfType<tw::tile::FuncOp>() && !op->getParentOfType<func::FuncOp>())
        return true;
      auto isTile = [](Type type) { return isa<RankedTensorType>(type); };
      return llvm::none_of(op->getOperandTypes(), isTile) &&
             llvm::none_of(op->getResultTypes(), isTile);
    });
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && function->hasAttr(gridAttribute))
        finish(function);
  }
};

} // namespace

Attribute tw::host::getRolled(MLIRContext *context) {
  auto unroll = LLVM::LoopUnrollAttr::get(context, /*disable=*/BoolAttr::get(context, true), {}, {},
                                          {}, {}, {}, {});
  return LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, unroll, {}, {}, {}, {}, {}, {}, {}, {},
                                       {}, {}, {});
}
