// Conversions between f32 and floats of 8 bits, and f16, as arithmetic on their bits: nothing has
// instructions for all of them, and LLVM has no such types.
#include "tw/Target/Common/NarrowFloats.h"

#include "tw/Format/Element.h"
#include "tw/Support/ElementTypes.h"
#include "tw/Target/Common/Instructions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <bit>
#include <cmath>

using namespace mlir;

namespace {

bool isSmall(Type type, bool alsoF16) {
  Type element = getElementTypeOrSelf(type);
  return tw::isNarrowFloat(element) &&
         (element.getIntOrFloatBitWidth() == 8 || (alsoF16 && element.isF16()));
}

/// What the bits of a small float mean, and ops on 32-bit integers and floats in the shape of one
/// value.
class Converter {
public:
  Converter(PatternRewriter &rewriter, Operation *op, Type small)
      : rewriter(rewriter), loc(op->getLoc()), small(small) {
    const llvm::fltSemantics &semantics =
        cast<FloatType>(getElementTypeOrSelf(small)).getFloatSemantics();
    auto bitsOf = [](const APFloat &value) {
      return int32_t(value.bitcastToAPInt().getZExtValue());
    };
    width = APFloat::getSizeInBits(semantics);
    mantissaBits = APFloat::semanticsPrecision(semantics) - 1;
    leastExponent = APFloat::semanticsMinExponent(semantics);
    sign = 1 << (width - 1);
    beyond = bitsOf(APFloat::getLargest(semantics)) + 1;
    quietNaN = bitsOf(APFloat::getQNaN(semantics));
  }

  /// The bits are moved to where f32 has them, and the bias of the exponent corrected. Of denormals
  /// the difference of two normal numbers is taken, so that it does not matter what a device makes
  /// of denormals of f32.
  Value extend(Value x) {
    Value bits = make<arith::ExtUIOp>(likeSmall(32), make<arith::BitcastOp>(likeSmall(width), x));
    Value negative = shiftLeft(make<arith::AndIOp>(bits, integer(sign)), 32 - width);
    Value size = make<arith::AndIOp>(bits, integer(sign - 1));
    Value shifted = shiftLeft(size, 23 - mantissaBits);
    int32_t rebias = (126 + leastExponent) * (1 << 23), least = rebias + (1 << 23);
    Value normal = make<arith::AddIOp>(shifted, integer(rebias));
    Value denormal = make<arith::SubFOp>(toFloat(make<arith::AddIOp>(shifted, integer(least))),
                                         real(std::bit_cast<float>(least)));
    Value isDenormal =
        make<arith::CmpIOp>(arith::CmpIPredicate::ult, size, integer(1 << mantissaBits));
    Value rebiased = make<arith::SelectOp>(isDenormal, toBits(denormal), normal);
    Value result;
    if (beyond < sign) {
      Value isLarge = make<arith::CmpIOp>(arith::CmpIPredicate::uge, size, integer(beyond));
      Value special = make<arith::OrIOp>(shifted, integer(0x7f800000));
      result = make<arith::SelectOp>(isLarge, special, rebiased);
      return toFloat(make<arith::OrIOp>(result, negative));
    }
    Value isNaN = make<arith::CmpIOp>(arith::CmpIPredicate::eq, bits, integer(sign));
    result = make<arith::OrIOp>(rebiased, negative);
    return toFloat(make<arith::SelectOp>(isNaN, integer(0x7fc00000), result));
  }

  /// Normal numbers are rounded by an addition to the bits that carries into what is kept;
  /// denormals by that of a number whose last place is the least denormal.
  Value truncate(Value x) {
    Value bits = toBits(x);
    Value size = make<arith::AndIOp>(bits, integer(0x7fffffff));
    Value negative =
        make<arith::AndIOp>(make<arith::ShRUIOp>(bits, integer(32 - width)), integer(sign));
    int dropped = 23 - mantissaBits;
    Value last = make<arith::AndIOp>(make<arith::ShRUIOp>(size, integer(dropped)), integer(1));
    int32_t rebias = (1 - leastExponent - 127) * (1 << 23);
    Value rounded = make<arith::AddIOp>(
        make<arith::AddIOp>(size, integer(rebias + (1 << (dropped - 1)) - 1)), last);
    Value normal = make<arith::ShRUIOp>(rounded, integer(dropped));
    float magic = std::ldexp(1.0f, leastExponent + dropped);
    Value denormal = make<arith::SubIOp>(toBits(make<arith::AddFOp>(toFloat(size), real(magic))),
                                         integer(std::bit_cast<int32_t>(magic)));
    float leastNormal = std::ldexp(1.0f, leastExponent);
    Value isDenormal = make<arith::CmpIOp>(arith::CmpIPredicate::ult, size,
                                           integer(std::bit_cast<int32_t>(leastNormal)));
    Value result = make<arith::SelectOp>(isDenormal, denormal, normal);
    result = make<arith::MinUIOp>(result, integer(beyond));
    Value isNaN = make<arith::CmpIOp>(arith::CmpIPredicate::ugt, size, integer(0x7f800000));
    result = make<arith::SelectOp>(isNaN, integer(quietNaN), result);
    Value isZero;
    if (beyond == sign)
      isZero = make<arith::CmpIOp>(arith::CmpIPredicate::eq, result, integer(0));
    result = make<arith::OrIOp>(result, negative);
    if (isZero)
      result = make<arith::SelectOp>(isZero, integer(0), result);
    return make<arith::BitcastOp>(small, make<arith::TruncIOp>(likeSmall(width), result));
  }

private:
  PatternRewriter &rewriter;
  Location loc;
  Type small;
  int width, mantissaBits, leastExponent;
  /// Bits of the small float; what follows the largest number is infinity, or the least NaN. Where
  /// that is the sign alone, there is no -0.
  int32_t sign, beyond, quietNaN;

  template <typename Op, typename... Arguments> Value make(Arguments &&...arguments) {
    return Op::create(rewriter, loc, std::forward<Arguments>(arguments)...);
  }
  Type like(Type element) {
    auto shaped = dyn_cast<VectorType>(small);
    return shaped ? Type(shaped.clone(element)) : element;
  }
  Type likeSmall(unsigned bits) { return like(rewriter.getIntegerType(bits)); }
  Value constant(TypedAttr value) {
    if (auto shaped = dyn_cast<VectorType>(like(value.getType())))
      value = DenseElementsAttr::get(shaped, Attribute(value));
    return make<arith::ConstantOp>(value);
  }
  Value integer(int32_t value) { return constant(rewriter.getI32IntegerAttr(value)); }
  Value real(double value) { return constant(rewriter.getF32FloatAttr(float(value))); }
  Value shiftLeft(Value x, int by) { return make<arith::ShLIOp>(x, integer(by)); }
  Value toFloat(Value x) { return make<arith::BitcastOp>(like(rewriter.getF32Type()), x); }
  Value toBits(Value x) { return make<arith::BitcastOp>(likeSmall(32), x); }
};

Type likeF32(Type type) {
  Type f32 = Float32Type::get(type.getContext());
  auto shaped = dyn_cast<VectorType>(type);
  return shaped ? Type(shaped.clone(f32)) : f32;
}

/// The chip's instructions for a scalar of this type; null if it has none.
const tw::SmallFloat *findInstructions(ArrayRef<tw::SmallFloat> own, Type type) {
  auto found = llvm::find_if(
      own, [&](const tw::SmallFloat &small) { return tw::getElement(type) == small.type; });
  return found == own.end() ? nullptr : &*found;
}

/// To a float of 16 bits through f32, which is exact.
struct ExpandExtension : OpRewritePattern<arith::ExtFOp> {
  ExpandExtension(MLIRContext *context, tw::narrow::Conversions native)
      : OpRewritePattern(context), native(native) {}
  tw::narrow::Conversions native;

  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const override {
    Type type = op.getType(), small = op.getIn().getType();
    if (!isSmall(small, !native.f16) || getElementTypeOrSelf(type).isF64())
      return failure();
    Value wide;
    if (const tw::SmallFloat *own = findInstructions(native.smallFloats, small)) {
      Value byte =
          arith::BitcastOp::create(rewriter, op.getLoc(), rewriter.getI8Type(), op.getIn());
      wide = own->extend(rewriter, op.getLoc(), byte);
    } else {
      wide = Converter(rewriter, op, small).extend(op.getIn());
    }
    if (type != wide.getType())
      wide = arith::TruncFOp::create(rewriter, op.getLoc(), type, wide);
    rewriter.replaceOp(op, wide);
    return success();
  }
};

/// From a float of 16 bits through f32, which holds it.
struct ExpandTruncation : OpRewritePattern<arith::TruncFOp> {
  ExpandTruncation(MLIRContext *context, tw::narrow::Conversions native)
      : OpRewritePattern(context), native(native) {}
  tw::narrow::Conversions native;

  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    if (!isSmall(op.getType(), !native.f16) || getElementTypeOrSelf(x.getType()).isF64())
      return failure();
    if (Type f32 = likeF32(x.getType()); x.getType() != f32)
      x = arith::ExtFOp::create(rewriter, op.getLoc(), f32, x);
    const tw::SmallFloat *own = findInstructions(native.smallFloats, op.getType());
    if (own && own->truncate) {
      Value byte = own->truncate(rewriter, op.getLoc(), x);
      rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), byte);
      return success();
    }
    rewriter.replaceOp(op, Converter(rewriter, op, op.getType()).truncate(x));
    return success();
  }
};

} // namespace

void tw::narrow::populateSmallFloats(RewritePatternSet &patterns, Conversions native) {
  patterns.add<ExpandExtension, ExpandTruncation>(patterns.getContext(), native);
}
