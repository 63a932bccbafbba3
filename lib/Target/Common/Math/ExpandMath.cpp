// The pass expand-math: which operation becomes which function, and in which precision.
//
// It runs after tiles became vectors and before structured control flow is lowered: some expansions
// hold loops and branches. f32 is computed in f32 where that is exact enough and common in networks
// (exp, log, tanh, erf), and through f64 elsewhere.
#include "Functions.h"

#include "tw/Dialect/Tile/Ranges.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Target/Common/Math.h"
#include "tw/Target/Common/Passes.h"

#include "llvm/ADT/STLExtras.h"

namespace tw {
#define GEN_PASS_DEF_EXPANDMATHPASS
#include "tw/Target/Common/Passes.h.inc"
} // namespace tw

using namespace mlir;
using tw::math::Emitter;
using tw::math::Float;

namespace {

using Unary = Float (*)(Float);
using Binary = Float (*)(Float, Float);
using Approximate = Float (*)(Float, arith::FastMathFlags);

struct Expansion {
  tw::math::ErrorBound bound;
  Unary unary;
  Binary binary;
  /// f32 has a version of its own; else it goes through f64.
  bool nativeF32;
  /// For operands that are marked as not positive, if there is a shorter form.
  Unary notPositive = nullptr;
  /// Of f32, for operations with `afn`, if there is a shorter form.
  Approximate approximate = nullptr;
  /// For results that are only added to constants which hide denormal numbers.
  Unary added = nullptr;
};

Float rsqrt(Float x) { return 1.0 / sqrt(x); }

// Bounds are the largest errors seen on six million points each, rounded up.
constexpr Expansion expansions[] = {
    {{"math.exp", 1.5, 1.5},
     tw::math::exp,
     nullptr,
     true,
     tw::math::expNotPositive,
     nullptr,
     tw::math::expAdded},
    {{"math.exp2", 1.5, 1.5}, tw::math::exp2, nullptr, true},
    {{"math.expm1", 1, 2}, tw::math::expm1, nullptr, false},
    {{"math.log", 1.5, 1.5, 1.5}, tw::math::log, nullptr, true, nullptr, tw::math::approximateLog},
    {{"math.log2", 2, 2}, tw::math::log2, nullptr, true},
    {{"math.log10", 1, 2.5}, tw::math::log10, nullptr, false},
    {{"math.log1p", 1, 2}, tw::math::log1p, nullptr, false},
    {{"math.sin", 1, 1}, tw::math::sin, nullptr, false},
    {{"math.cos", 1, 1}, tw::math::cos, nullptr, false},
    {{"math.tan", 1, 3}, tw::math::tan, nullptr, false},
    {{"math.asin", 1, 1.5}, tw::math::asin, nullptr, false},
    {{"math.acos", 1, 2}, tw::math::acos, nullptr, false},
    {{"math.atan", 1, 2}, tw::math::atan, nullptr, false},
    {{"math.sinh", 1, 2}, tw::math::sinh, nullptr, false},
    {{"math.cosh", 1, 2}, tw::math::cosh, nullptr, false},
    {{"math.tanh", 2, 2, 6}, tw::math::tanh, nullptr, true, nullptr, tw::math::approximateTanh},
    {{"math.asinh", 1, 3}, tw::math::asinh, nullptr, false},
    {{"math.acosh", 1, 3}, tw::math::acosh, nullptr, false},
    {{"math.atanh", 1, 3}, tw::math::atanh, nullptr, false},
    {{"math.erf", 2, 2, 7}, tw::math::erf, nullptr, true, nullptr, tw::math::approximateErf},
    {{"math.rsqrt", 1.5, 1.5}, rsqrt, nullptr, true},
    {{"math.powf", 1, 2}, nullptr, tw::math::pow, false},
    {{"arith.remf", 0, 0}, nullptr, tw::math::remainder, true},
};

/// Operations of math that code generation has instructions for.
bool isKept(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp, math::CountLeadingZerosOp,
             math::CountTrailingZerosOp, math::CtPopOp, math::FloorOp, math::FmaOp,
             math::IsFiniteOp, math::IsInfOp, math::IsNaNOp, math::IsNormalOp, math::RoundEvenOp,
             math::SqrtOp, math::TruncOp>(op);
}

arith::FastMathFlags getFlags(Operation *op) {
  auto known = dyn_cast<arith::ArithFastMathInterface>(op);
  auto flags = known ? known.getFastMathFlagsAttr() : arith::FastMathFlagsAttr();
  return flags ? flags.getValue() : arith::FastMathFlags::none;
}

bool allows(Operation *op, arith::FastMathFlags flags) {
  return bitEnumContainsAll(getFlags(op), flags);
}

/// Whether a short form of f32 will do.
bool isApproximate(Operation *op) {
  return allows(op, arith::FastMathFlags::afn) &&
         getElementTypeOrSelf(op->getResult(0).getType()).isF32();
}

/// Whether a sum with the constant has the same bits for all other terms that are below twice the
/// least normal number.
bool hidesDenormals(Value constant) {
  Attribute value;
  if (!matchPattern(constant, m_Constant(&value)))
    return false;
  if (auto dense = dyn_cast<SplatElementsAttr>(value))
    value = dense.getSplatValue<Attribute>();
  auto number = dyn_cast<FloatAttr>(value);
  if (!number || !number.getValue().isFiniteNonZero())
    return false;
  const llvm::fltSemantics &semantics = number.getValue().getSemantics();
  int bits = int(llvm::APFloat::semanticsPrecision(semantics));
  return ilogb(number.getValue()) > llvm::APFloat::semanticsMinExponent(semantics) + 1 + bits;
}

/// Whether nobody sees the denormal ones among the results.
bool isAdded(Operation *op) {
  return llvm::all_of(op->getUses(), [](OpOperand &use) {
    return isa<arith::AddFOp>(use.getOwner()) &&
           hidesDenormals(use.getOwner()->getOperand(1 - use.getOperandNumber()));
  });
}

// addf(mulf(a, b), c), both `contract`  ->  fma(a, b, c); differences likewise.
void contract(Operation *op) {
  using Flags = arith::FastMathFlags;
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  if (!allows(op, Flags::contract) || !(element.isF32() || element.isF64()))
    return;
  OpBuilder builder(op);
  for (unsigned i : {0u, 1u}) {
    auto product = op->getOperand(i).getDefiningOp<arith::MulFOp>();
    if (!product || !product->hasOneUse() || !allows(product, Flags::contract))
      continue;
    Value a = product.getLhs(), b = product.getRhs(), c = op->getOperand(1 - i);
    if (isa<arith::SubFOp>(op)) {
      Value &negated = i == 0 ? c : a;
      negated = arith::NegFOp::create(builder, op->getLoc(), negated);
    }
    Value fused = ::mlir::math::FmaOp::create(builder, op->getLoc(), a, b, c,
                                              getFlags(op) & getFlags(product));
    op->getResult(0).replaceAllUsesWith(fused);
    op->erase();
    product.erase();
    return;
  }
}

// exp(s * c - m), not positive, `reassoc`  ->  exp2(fma(s, c log2(e), -(m log2(e)))), where rows
// share m.
void foldPower(math::ExpOp op) {
  using Flags = arith::FastMathFlags;
  constexpr double log2e = 1.4426950408889634;
  auto difference = op.getOperand().getDefiningOp<arith::SubFOp>();
  if (!op->hasAttr(tw::tile::notPositiveAttrName) || !isApproximate(op) || !difference ||
      !difference->hasOneUse() || !allows(op, Flags::reassoc | Flags::contract) ||
      !allows(difference, Flags::reassoc | Flags::contract))
    return;
  OpBuilder builder(op);
  Location location = op.getLoc();
  Type type = op.getType();
  auto constant = [&](double value) -> Value {
    TypedAttr one = builder.getF32FloatAttr(float(value));
    if (auto vector = dyn_cast<VectorType>(type))
      one = DenseElementsAttr::get(vector, Attribute(one));
    return arith::ConstantOp::create(builder, location, one);
  };
  Value base = difference.getLhs();
  double factor = log2e;
  auto product = base.getDefiningOp<arith::MulFOp>();
  FloatAttr known;
  if (product && allows(product, Flags::reassoc | Flags::contract) &&
      matchPattern(product.getRhs(), m_Constant(&known))) {
    base = product.getLhs();
    factor *= known.getValueAsDouble();
  }
  Value shift = arith::MulFOp::create(builder, location, difference.getRhs(), constant(log2e));
  shift = arith::NegFOp::create(builder, location, shift);
  Value power = ::mlir::math::FmaOp::create(builder, location, base, constant(factor), shift);
  Value result = ::mlir::math::Exp2Op::create(builder, location, power, getFlags(op));
  op.replaceAllUsesWith(result);
  op.erase();
  difference.erase();
  if (product && product->use_empty())
    product.erase();
}

// maximumf, `nnan` and `nsz`  ->  maxnumf, one instruction; minima likewise.
void simplifyExtremum(Operation *op) {
  using Flags = arith::FastMathFlags;
  if (!allows(op, Flags::nnan | Flags::nsz))
    return;
  OpBuilder builder(op);
  Value a = op->getOperand(0), b = op->getOperand(1), result;
  if (isa<arith::MaximumFOp>(op))
    result = arith::MaxNumFOp::create(builder, op->getLoc(), a, b, getFlags(op));
  else
    result = arith::MinNumFOp::create(builder, op->getLoc(), a, b, getFlags(op));
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

Value expand(const Expansion &expansion, Operation *op) {
  OpBuilder builder(op);
  Emitter emitter(builder, op->getLoc(), op->getResult(0).getType());
  Emitter wide(builder, op->getLoc(), emitter.shaped(builder.getF64Type()));
  bool through = !emitter.isF64() && !expansion.nativeF32;
  SmallVector<Float, 2> operands;
  for (Value operand : op->getOperands()) {
    Float value{&emitter, operand};
    operands.push_back(through ? widen(wide, value) : value);
  }
  if (expansion.approximate && isApproximate(op))
    return expansion.approximate(operands[0], getFlags(op)).v;
  Unary unary = op->hasAttr(tw::tile::notPositiveAttrName) ? expansion.notPositive : nullptr;
  if (!unary && expansion.added && isAdded(op))
    unary = expansion.added;
  if (!unary)
    unary = expansion.unary;
  Float result = unary ? unary(operands[0]) : expansion.binary(operands[0], operands[1]);
  return through ? narrow(emitter, result).v : result.v;
}

class ExpandMathPass : public tw::impl::ExpandMathPassBase<ExpandMathPass> {
public:
  using ExpandMathPassBase::ExpandMathPassBase;

  void runOnOperation() override {
    if (llvm::is_contained(native, "math.exp2"))
      getOperation()->walk([](::mlir::math::ExpOp op) { foldPower(op); });
    getOperation()->walk([](Operation *op) {
      if (isa<arith::AddFOp, arith::SubFOp>(op))
        contract(op);
      else if (isa<arith::MaximumFOp, arith::MinimumFOp>(op))
        simplifyExtremum(op);
    });
    Expansion exponential{{"math.exp", 0, 0},  nullptr, nullptr, true, nullptr,
                          tw::math::expByPower};
    Expansion fraction{{"math.exp", 0, 0},       nullptr, nullptr, true, nullptr,
                       tw::math::fractionByPower};
    Expansion logarithm{{"math.log", 0, 0}, nullptr, nullptr, true, nullptr, tw::math::logByPower};
    SmallVector<std::pair<const Expansion *, Operation *>> work;
    WalkResult walk = getOperation()->walk([&](Operation *op) {
      const Expansion *expansion = llvm::find_if(expansions, [&](const Expansion &candidate) {
        return candidate.bound.operation == op->getName().getStringRef();
      });
      bool known = expansion != std::end(expansions);
      if (known && isApproximate(op)) {
        StringRef name = op->getName().getStringRef();
        if (llvm::is_contained(native, name))
          return WalkResult::advance();
        if (isa<math::ExpOp>(op) && llvm::is_contained(native, "math.exp2"))
          expansion = op->hasAttr(tw::tile::notPositiveAttrName) ? &fraction : &exponential;
        if (isa<math::LogOp>(op) && llvm::is_contained(native, "math.log2"))
          expansion = &logarithm;
      }
      if (!known && (!isa<math::MathDialect>(op->getDialect()) || isKept(op)))
        return WalkResult::advance();
      Type type = op->getResult(0).getType();
      Type element = getElementTypeOrSelf(type);
      if (!known || !(element.isF32() || element.isF64()) || !isNative(type)) {
        tw::emitOpError(op, tw::Code::T0405)
            << "has no expansion for " << type
            << ", expected f32 or f64, a scalar or a vector of one dimension";
        return WalkResult::interrupt();
      }
      work.push_back({expansion, op});
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return signalPassFailure();
    for (auto [expansion, op] : work) {
      op->getResult(0).replaceAllUsesWith(expand(*expansion, op));
      op->erase();
    }
  }

private:
  static bool isNative(Type type) {
    auto vector = dyn_cast<VectorType>(type);
    return vector ? vector.getRank() == 1 && !vector.isScalable() : isa<FloatType>(type);
  }
};

} // namespace

ArrayRef<tw::math::ErrorBound> tw::math::errorBounds() {
  static const SmallVector<ErrorBound> bounds =
      llvm::map_to_vector(expansions, [](const Expansion &expansion) { return expansion.bound; });
  return bounds;
}
