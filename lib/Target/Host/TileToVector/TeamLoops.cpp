// Loops that a team shares: each thread runs a fixed, contiguous share of the iterations, then
// waits for the others.
//
// scf.forall (%i) in (12) { .. } {mapping = [#ttile.team]}
//   -> scf.for %i = 12 * member / members to 12 * (member + 1) / members { .. }
//      barrier(state)
//
// The barrier is a call through a pointer in the launch, since images import nothing. Memory that
// the team shares, results included, is not `noalias`: the call may change it.
#include "Parts.h"
#include "Scratch.h"

#include "tw/Format/HostAbi.h"
#include "tw/Target/Host/Passes.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cstddef>

using namespace mlir;
using namespace tw::host;

namespace {

class TeamLoopPattern : public OpConversionPattern<scf::ForallOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(scf::ForallOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto function = op->getParentOfType<func::FuncOp>();
    if (!function)
      return rewriter.notifyMatchFailure(op, "the function is not converted yet");
    Location location = op.getLoc();
    Value team = LastArguments(function).team;
    auto toValues = [&](ArrayRef<int64_t> fixed, ValueRange dynamic) {
      return getValueOrCreateConstantIndexOp(rewriter, location,
                                             getMixedValues(fixed, dynamic, rewriter));
    };
    SmallVector<Value> lower = toValues(op.getStaticLowerBound(), adaptor.getDynamicLowerBound());
    SmallVector<Value> upper = toValues(op.getStaticUpperBound(), adaptor.getDynamicUpperBound());
    SmallVector<Value> step = toValues(op.getStaticStep(), adaptor.getDynamicStep());
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(rewriter, location, value);
    };
    Value zero = constant(0), one = constant(1), total = one;
    SmallVector<Value> counts;
    for (auto [low, high, by] : llvm::zip(lower, upper, step)) {
      Value points = rewriter.createOrFold<arith::SubIOp>(location, high, low);
      points = rewriter.createOrFold<arith::MaxSIOp>(location, points, zero);
      counts.push_back(rewriter.createOrFold<arith::CeilDivUIOp>(location, points, by));
      total = rewriter.createOrFold<arith::MulIOp>(location, total, counts.back());
    }
    auto number = [&](size_t offset) -> Value {
      Value loaded = loadField(rewriter, location, team, offset, rewriter.getI32Type());
      return arith::IndexCastUIOp::create(rewriter, location, rewriter.getIndexType(), loaded);
    };
    Value member = number(offsetof(TwrtHostTeam, member));
    Value members = number(offsetof(TwrtHostTeam, members));
    auto firstOf = [&](Value share) -> Value {
      Value product = arith::MulIOp::create(rewriter, location, total, share);
      return arith::DivUIOp::create(rewriter, location, product, members);
    };
    Value begin = firstOf(member);
    Value end = firstOf(arith::AddIOp::create(rewriter, location, member, one));
    auto loop = scf::ForOp::create(rewriter, location, begin, end, one);
    if (Attribute annotation = op->getAttr(loopAttribute))
      loop->setAttr(loopAttribute, annotation);
    rewriter.setInsertionPoint(loop.getBody()->getTerminator());
    SmallVector<Value> indices(counts.size());
    Value rest = loop.getInductionVar();
    for (size_t d = counts.size(); d-- > 0;) {
      Value index = rest;
      if (d > 0) {
        index = arith::RemUIOp::create(rewriter, location, rest, counts[d]);
        rest = arith::DivUIOp::create(rewriter, location, rest, counts[d]);
      }
      index = rewriter.createOrFold<arith::MulIOp>(location, index, step[d]);
      indices[d] = rewriter.createOrFold<arith::AddIOp>(location, index, lower[d]);
    }
    rewriter.eraseOp(op.getTerminator());
    rewriter.inlineBlockBefore(op.getBody(), loop.getBody()->getTerminator(), indices);
    rewriter.setInsertionPoint(op);
    Type pointer = team.getType();
    Value barrier = loadField(rewriter, location, team, offsetof(TwrtHostTeam, barrier), pointer);
    Value state = loadField(rewriter, location, team, offsetof(TwrtHostTeam, state), pointer);
    auto type =
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(rewriter.getContext()), {pointer});
    LLVM::CallOp::create(rewriter, location, type, ValueRange{barrier, state});
    rewriter.eraseOp(op);
    return success();
  }

  static Value loadField(OpBuilder &builder, Location location, Value from, size_t offset,
                         Type type) {
    Value place = LLVM::GEPOp::create(builder, location, from.getType(), builder.getI8Type(), from,
                                      ArrayRef<LLVM::GEPArg>{int32_t(offset)});
    return LLVM::LoadOp::create(builder, location, type, place);
  }
};

} // namespace

void tw::host::populateTeamPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<TeamLoopPattern>(converter, patterns.getContext());
}
