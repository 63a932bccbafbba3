// Division of many vectors by one number: a division of vectors takes ten times as long as a
// product.
//
// With y + z the reciprocal of b, z what rounding y left out, q = fma(a, y, a z) is within one unit
// in the last place of a / b, r = a - q b is exact and fma(r, y, q) is a / b correctly rounded (P.
// Markstein, "Computation of elementary functions on the IBM RISC System/6000 processor", 1990,
// theorem 8.1), as long as nothing on the way leaves the range of normal numbers. A test of the
// divisor and of the smallest and largest dividend sees to that; else the vectors are divided.
//
// Dividends that are known to lie between 0 and 1 are not tested, and q is the quotient: its error
// is that of its last rounding but for 2^-20 units, and at most one unit where a z is denormal.
#include "Parts.h"

#include "tw/Dialect/Tile/Ranges.h"
#include "tw/Support/FastMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tw::host;

namespace {

/// Divisors up to 2^20 either way and dividends up to 2^100: quotients stay above 2^-126, and r,
/// which is a multiple of 2^-47 times a dividend, above the least denormal.
constexpr double kMostDivisor = 0x1p20, kMostDividend = 0x1p100;

class Divider {
public:
  Divider(OpBuilder &builder, Location location, unsigned lanes)
      : builder(builder), location(location), lanes(lanes) {}

  /// As many dividends to each divisor.
  SmallVector<Value> divide(ArrayRef<Value> dividends, ArrayRef<Value> divisors, bool fractions) {
    Value one = constant(1.0, 1), condition;
    SmallVector<Value> high, low;
    for (Value divisor : divisors) {
      high.push_back(arith::DivFOp::create(builder, location, one, divisor));
      Value rest = math::FmaOp::create(
          builder, location, arith::NegFOp::create(builder, location, high.back()), divisor, one);
      low.push_back(arith::MulFOp::create(builder, location, rest, high.back()));
      // A negative divisor of fractions might get the sign of a zero wrong.
      Value magnitude =
          fractions ? divisor : math::AbsFOp::create(builder, location, divisor).getResult();
      Value between = isBetween(magnitude, kMostDivisor);
      condition =
          condition ? arith::AndIOp::create(builder, location, condition, between) : between;
    }
    if (!fractions)
      condition = arith::AndIOp::create(builder, location, condition, areBetween(dividends));
    SmallVector<Type> types(dividends.size(), dividends.front().getType());
    auto choice = scf::IfOp::create(builder, location, types, condition, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(choice.thenBlock());
    size_t perDivisor = dividends.size() / divisors.size();
    SmallVector<Value> quotients;
    for (auto [i, a] : llvm::enumerate(dividends)) {
      Value b = splat(divisors[i / perDivisor]), y = splat(high[i / perDivisor]);
      Value small = arith::MulFOp::create(builder, location, a, splat(low[i / perDivisor]));
      Value q = math::FmaOp::create(builder, location, a, y, small);
      if (!fractions) {
        Value r = math::FmaOp::create(builder, location,
                                      arith::NegFOp::create(builder, location, q), b, a);
        q = math::FmaOp::create(builder, location, r, y, q);
      }
      quotients.push_back(q);
    }
    scf::YieldOp::create(builder, location, quotients);
    builder.setInsertionPointToStart(choice.elseBlock());
    quotients.clear();
    for (auto [i, a] : llvm::enumerate(dividends))
      quotients.push_back(
          arith::DivFOp::create(builder, location, a, splat(divisors[i / perDivisor])));
    scf::YieldOp::create(builder, location, quotients);
    return SmallVector<Value>(choice.getResults());
  }

private:
  Value constant(double value, unsigned count) {
    return splatConstant(builder, location, builder.getF32FloatAttr(value), count);
  }
  Value splat(Value scalar) { return tw::host::splat(builder, location, scalar, lanes); }

  Value compare(arith::CmpFPredicate predicate, Value a, Value b) {
    return arith::CmpFOp::create(builder, location, predicate, a, b);
  }

  Value isBetween(Value magnitude, double most) {
    unsigned count = isa<VectorType>(magnitude.getType()) ? lanes : 1;
    return arith::AndIOp::create(
        builder, location, compare(arith::CmpFPredicate::OGE, magnitude, constant(1 / most, count)),
        compare(arith::CmpFPredicate::OLE, magnitude, constant(most, count)));
  }

  /// Whether the magnitudes of all lanes lie between the bounds or are NaN, which stays NaN.
  Value areBetween(ArrayRef<Value> dividends) {
    Value least, most;
    for (Value dividend : dividends) {
      Value a = math::AbsFOp::create(builder, location, dividend);
      auto pick = [&](arith::CmpFPredicate predicate, Value old) -> Value {
        if (!old)
          return a;
        return arith::SelectOp::create(builder, location, compare(predicate, a, old), a, old);
      };
      least = pick(arith::CmpFPredicate::OLT, least);
      most = pick(arith::CmpFPredicate::OGT, most);
    }
    Value inside = arith::AndIOp::create(
        builder, location,
        compare(arith::CmpFPredicate::OGE, least, constant(1 / kMostDividend, lanes)),
        compare(arith::CmpFPredicate::OLE, most, constant(kMostDividend, lanes)));
    return vector::ReductionOp::create(builder, location, vector::CombiningKind::AND, inside);
  }

  OpBuilder &builder;
  Location location;
  unsigned lanes;
};

class DivisionPattern : public OpConversionPattern<arith::DivFOp> {
public:
  DivisionPattern(const TypeConverter &converter, const Parts &parts, bool exact,
                  MLIRContext *context)
      : OpConversionPattern(converter, context, /*benefit=*/2), parts(parts), exact(exact) {}

  LogicalResult matchAndRewrite(arith::DivFOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto tile = dyn_cast<RankedTensorType>(op.getType());
    if (!tile || !tile.getElementType().isF32() || parts.lanes(tile) < 4)
      return rewriter.notifyMatchFailure(op, "not vectors of f32");
    SmallVector<Value> divisors;
    size_t perRow = parts.perRow(tile);
    bool isLoop = true;
    for (auto [i, part] : llvm::enumerate(adaptor.getRhs())) {
      auto broadcast = part.getDefiningOp<vector::BroadcastOp>();
      if (!broadcast || isa<VectorType>(broadcast.getSource().getType()))
        return rewriter.notifyMatchFailure(op, "the divisor is not one number to a row");
      if (i % perRow == 0)
        divisors.push_back(broadcast.getSource());
      isLoop &= broadcast.getSource().getParentBlock() != op->getBlock();
    }
    // With fewer vectors the reciprocal or the test costs what it saves.
    constexpr size_t kLeastVectors = 2;
    SmallVector<Value> dividends(adaptor.getLhs());
    if (tw::allows(op, arith::FastMathFlags::arcp)) {
      rewriter.replaceOpWithMultiple(op, SmallVector<SmallVector<Value>>{multiply(
                                             rewriter, op.getLoc(), dividends, divisors, tile)});
      return success();
    }
    bool fractions = !exact && op->hasAttr(tw::tile::fractionAttrName);
    if (isLoop ? !fractions && dividends.size() < kLeastVectors : perRow < kLeastVectors)
      return rewriter.notifyMatchFailure(op, "too few vectors");
    Divider divider(rewriter, op.getLoc(), parts.lanes(tile));
    SmallVector<Value> results = divider.divide(dividends, divisors, fractions);
    rewriter.replaceOpWithMultiple(op, SmallVector<SmallVector<Value>>{results});
    return success();
  }

private:
  /// By the reciprocal of each divisor.
  SmallVector<Value> multiply(OpBuilder &builder, Location location, ArrayRef<Value> dividends,
                              ArrayRef<Value> divisors, RankedTensorType tile) const {
    Value one = splatConstant(builder, location, builder.getF32FloatAttr(1), 1);
    SmallVector<Value> reciprocals, quotients;
    for (Value divisor : divisors)
      reciprocals.push_back(tw::host::splat(builder, location,
                                            arith::DivFOp::create(builder, location, one, divisor),
                                            parts.lanes(tile)));
    for (auto [i, dividend] : llvm::enumerate(dividends))
      quotients.push_back(
          arith::MulFOp::create(builder, location, dividend, reciprocals[i / parts.perRow(tile)]));
    return quotients;
  }

  const Parts parts;
  bool exact;
};

} // namespace

void tw::host::populateDivisionPatterns(const TileTypeConverter &converter, const Parts &parts,
                                        bool exact, RewritePatternSet &patterns) {
  patterns.add<DivisionPattern>(converter, parts, exact, patterns.getContext());
}
