// Division of many vectors by one number: a division of vectors takes ten times as long as a
// product.
//
// With y + z the reciprocal of b, z what rounding y left out, q = fma(a, y, a z) is within one unit
// in the last place of a / b, r = a - q b is exact and fma(r, y, q) is a / b correctly rounded (P.
// Markstein, "Computation of elementary functions on the IBM RISC System/6000 processor", 1990,
// theorem 8.1), as long as nothing on the way leaves the range of normal numbers. A test of the
// divisor and of the smallest and largest dividend sees to that; else the vectors are divided.
#include "Parts.h"

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

  SmallVector<Value> divide(ArrayRef<Value> dividends, Value divisor) {
    Value one = constant(1.0, 1);
    Value high = arith::DivFOp::create(builder, location, one, divisor);
    Value rest = math::FmaOp::create(builder, location,
                                     arith::NegFOp::create(builder, location, high), divisor, one);
    Value low = arith::MulFOp::create(builder, location, rest, high);
    Value condition = arith::AndIOp::create(
        builder, location,
        isBetween(math::AbsFOp::create(builder, location, divisor), kMostDivisor),
        areBetween(dividends));
    SmallVector<Type> types(dividends.size(), dividends.front().getType());
    auto choice = scf::IfOp::create(builder, location, types, condition, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(choice.thenBlock());
    Value b = splat(divisor), y = splat(high), z = splat(low);
    SmallVector<Value> quotients;
    for (Value a : dividends) {
      Value small = arith::MulFOp::create(builder, location, a, z);
      Value q = math::FmaOp::create(builder, location, a, y, small);
      Value r =
          math::FmaOp::create(builder, location, arith::NegFOp::create(builder, location, q), b, a);
      quotients.push_back(math::FmaOp::create(builder, location, r, y, q));
    }
    scf::YieldOp::create(builder, location, quotients);
    builder.setInsertionPointToStart(choice.elseBlock());
    b = splat(divisor);
    quotients.clear();
    for (Value a : dividends)
      quotients.push_back(arith::DivFOp::create(builder, location, a, b));
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
  DivisionPattern(const TypeConverter &converter, const Parts &parts, MLIRContext *context)
      : OpConversionPattern(converter, context, /*benefit=*/2), parts(parts) {}

  LogicalResult matchAndRewrite(arith::DivFOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto tile = dyn_cast<RankedTensorType>(op.getType());
    // With fewer vectors the test costs what it saves.
    constexpr unsigned kLeastVectors = 2;
    if (!tile || !tile.getElementType().isF32() || parts.lanes(tile) < 4 ||
        parts.perRow(tile) < kLeastVectors)
      return rewriter.notifyMatchFailure(op, "not several vectors of f32");
    SmallVector<Value> divisors;
    for (Value part : adaptor.getRhs()) {
      auto broadcast = part.getDefiningOp<vector::BroadcastOp>();
      if (!broadcast || isa<VectorType>(broadcast.getSource().getType()))
        return rewriter.notifyMatchFailure(op, "the divisor is not one number to a row");
      divisors.push_back(broadcast.getSource());
    }
    Divider divider(rewriter, op.getLoc(), parts.lanes(tile));
    SmallVector<Value> dividends(adaptor.getLhs()), results;
    size_t perRow = parts.perRow(tile);
    for (size_t row = 0; row < dividends.size(); row += perRow)
      results.append(divider.divide(ArrayRef(dividends).slice(row, perRow), divisors[row]));
    rewriter.replaceOpWithMultiple(op, SmallVector<SmallVector<Value>>{results});
    return success();
  }

private:
  const Parts parts;
};

} // namespace

void tw::host::populateDivisionPatterns(const TileTypeConverter &converter, const Parts &parts,
                                        RewritePatternSet &patterns) {
  patterns.add<DivisionPattern>(converter, parts, patterns.getContext());
}
