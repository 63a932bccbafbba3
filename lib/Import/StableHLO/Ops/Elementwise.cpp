// Elementwise ops that are ops of tgraph, or a few of them.
#include "../Registry.h"

using namespace tw;
using namespace tw::stablehlo;
using namespace mlir;
using P = graph::ComparePredicate;

template <typename Op> static void importUnary(OpImport &op) {
  op.result(op.emit.unary<Op>(op.operand(0)));
}
template <typename Op> static void importBinary(OpImport &op) {
  op.result(op.emit.binary<Op>(op.operand(0), op.operand(1)));
}

/// The integer type of the same width.
static Type withSign(Type element, bool isUnsigned) {
  return IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth(),
                          isUnsigned ? IntegerType::Unsigned : IntegerType::Signless);
}

/// A shift of numbers that count as unsigned, or as signed.
template <bool isUnsigned> static void importShiftRight(OpImport &op) {
  Emitter &e = op.emit;
  Value x = op.operand(0), amount = op.operand(1);
  Type element = Emitter::element(x);
  if (!isa<IntegerType>(element) || element != Emitter::element(amount)) {
    op.error(Code::T0107) << "expected integers of one type, found " << element << " and "
                          << Emitter::element(amount);
    return;
  }
  if (element.isInteger(1))
    return op.result(e.binary<graph::ShrOp>(x, amount));
  Type as = withSign(element, isUnsigned);
  op.result(e.cast(e.binary<graph::ShrOp>(e.cast(x, as), e.cast(amount, as)), element));
}

/// Floats as integers of the same order, in which -0 is less than 0 and NaN lie at the ends.
static Value toOrdered(Emitter &e, Value x) {
  Type bits = withSign(Emitter::element(x), false);
  unsigned width = bits.getIntOrFloatBitWidth();
  Value raw = e.make<graph::BitcastOp>(RankedTensorType::get(Emitter::shape(x), bits), x);
  if (!raw)
    return {};
  auto max =
      DenseElementsAttr::get(RankedTensorType::get({}, bits), APInt::getSignedMaxValue(width));
  Value flipped = e.binary<graph::XorOp>(raw, e.constant(max));
  return e.select(e.compare(P::Lt, raw, 0), flipped, raw);
}

static void importCompare(OpImport &op) {
  StringRef text = op.text("comparison_direction");
  std::optional<P> predicate = llvm::StringSwitch<std::optional<P>>(text)
                                   .Case("EQ", P::Eq)
                                   .Case("NE", P::Ne)
                                   .Case("LT", P::Lt)
                                   .Case("LE", P::Le)
                                   .Case("GT", P::Gt)
                                   .Case("GE", P::Ge)
                                   .Default(std::nullopt);
  if (!predicate) {
    op.error(Code::T0108) << "expected EQ, NE, LT, LE, GT or GE as direction, found '" << text
                          << "'";
    return;
  }
  Value a = op.operand(0), b = op.operand(1);
  if (op.text("compare_type") == "TOTALORDER" && Emitter::isFloat(a)) {
    if (Emitter::element(a).getIntOrFloatBitWidth() <= 8)
      return op.unsupported("a total order of " +
                                Twine(Emitter::element(a).getIntOrFloatBitWidth()) + " bits",
                            "their bits", "floats of 16 bits and more");
    a = toOrdered(op.emit, a), b = toOrdered(op.emit, b);
  }
  op.result(op.emit.compare(*predicate, a, b));
}

static void importSelect(OpImport &op) {
  op.result(op.emit.select(op.operand(0), op.operand(1), op.operand(2)));
}

static void importClamp(OpImport &op) {
  Emitter &e = op.emit;
  Value low = op.operand(0), x = op.operand(1), high = op.operand(2);
  if (!Emitter::rank(x) && (Emitter::rank(low) || Emitter::rank(high)))
    x = e.expand(x, Emitter::rank(low) ? Emitter::shape(low) : Emitter::shape(high));
  op.result(e.clamp(x, low, high));
}

static void importConvert(OpImport &op) {
  op.result(op.emit.cast(op.operand(0), op.resultType().getElementType()));
}

static void importIsFinite(OpImport &op) {
  Emitter &e = op.emit;
  Value x = op.operand(0);
  if (!Emitter::isFloat(x)) {
    op.error(Code::T0107) << "expected floats, found " << Emitter::element(x);
    return;
  }
  op.result(e.compare(P::Lt, e.abs(x), e.limit({}, Emitter::element(x), /*greatest=*/true)));
}

template <bool positive, bool negative> static void importIsInf(OpImport &op) {
  Emitter &e = op.emit;
  Value x = op.operand(0);
  if (!Emitter::isFloat(x)) {
    op.error(Code::T0107) << "expected floats, found " << Emitter::element(x);
    return;
  }
  Value y = positive && negative ? e.abs(x) : x;
  op.result(e.compare(P::Eq, y, e.limit({}, Emitter::element(x), positive)));
}

static void importRoundAway(OpImport &op) {
  Emitter &e = op.emit;
  Value x = op.operand(0), size = e.abs(x), below = e.floor(size);
  // What is added is exact; 0.5 to the whole is not.
  Value up = e.compare(P::Ge, e.sub(size, below), 0.5);
  Value rounded = e.select(up, e.add(below, 1.0), below);
  op.result(e.select(e.compare(P::Lt, x, 0), e.neg(rounded), rounded));
}

static void importSquare(OpImport &op) { op.result(op.emit.mul(op.operand(0), op.operand(0))); }

/// Bits that are 1, of integers that count as unsigned in 32 or 64 bits.
static Value countOnes(Emitter &e, Value x) {
  Type element = Emitter::element(x);
  auto constant = [&](uint64_t bits) {
    unsigned width = element.getIntOrFloatBitWidth();
    return e.constant(
        DenseElementsAttr::get(RankedTensorType::get({}, element), APInt(64, bits).trunc(width)));
  };
  auto shifted = [&](Value v, uint64_t n) { return e.binary<graph::ShrOp>(v, constant(n)); };
  auto masked = [&](Value v, uint64_t mask) { return e.binary<graph::AndOp>(v, constant(mask)); };
  x = e.sub(x, masked(shifted(x, 1), 0x5555555555555555));
  x = e.add(masked(x, 0x3333333333333333), masked(shifted(x, 2), 0x3333333333333333));
  x = masked(e.add(x, shifted(x, 4)), 0x0f0f0f0f0f0f0f0f);
  return shifted(e.mul(x, constant(0x0101010101010101)), element.getIntOrFloatBitWidth() - 8);
}

template <bool leadingZeros> static void importBitCount(OpImport &op) {
  Emitter &e = op.emit;
  Value x = op.operand(0);
  auto element = dyn_cast<IntegerType>(Emitter::element(x));
  if (!element) {
    op.error(Code::T0107) << "expected integers, found " << Emitter::element(x);
    return;
  }
  unsigned width = element.getWidth();
  if (width == 1)
    return op.result(leadingZeros ? e.unary<graph::NotOp>(x) : x);
  Type wide = IntegerType::get(element.getContext(), std::max(width, 32u), IntegerType::Unsigned);
  Value bits = e.cast(e.cast(x, withSign(element, true)), wide);
  if (leadingZeros)
    for (unsigned n = 1; n < width; n *= 2)
      bits = e.binary<graph::OrOp>(bits, e.binary<graph::ShrOp>(bits, e.splat({}, wide, n)));
  Value ones = countOnes(e, bits);
  if (leadingZeros)
    ones = e.sub(e.splat({}, wide, width), ones);
  op.result(e.cast(ones, element));
}

void tw::stablehlo::addElementwise(Registry &registry) {
  auto add = [&](llvm::StringRef name, Import import) {
    registry.addElementwise(("stablehlo." + name).str(), import);
  };
  add("add", importBinary<graph::AddOp>);
  add("subtract", importBinary<graph::SubOp>);
  add("multiply", importBinary<graph::MulOp>);
  add("divide", importBinary<graph::DivOp>);
  add("remainder", importBinary<graph::RemOp>);
  add("power", importBinary<graph::PowOp>);
  add("maximum", importBinary<graph::MaximumOp>);
  add("minimum", importBinary<graph::MinimumOp>);
  add("and", importBinary<graph::AndOp>);
  add("or", importBinary<graph::OrOp>);
  add("xor", importBinary<graph::XorOp>);
  add("shift_left", importBinary<graph::ShlOp>);
  add("shift_right_logical", importShiftRight<true>);
  add("shift_right_arithmetic", importShiftRight<false>);
  add("not", importUnary<graph::NotOp>);
  add("negate", importUnary<graph::NegOp>);
  add("abs", importUnary<graph::AbsOp>);
  add("sign", importUnary<graph::SignOp>);
  add("exponential", importUnary<graph::ExpOp>);
  add("log", importUnary<graph::LogOp>);
  add("logistic", importUnary<graph::SigmoidOp>);
  add("sqrt", importUnary<graph::SqrtOp>);
  add("rsqrt", importUnary<graph::RsqrtOp>);
  add("sine", importUnary<graph::SinOp>);
  add("cosine", importUnary<graph::CosOp>);
  add("tan", importUnary<graph::TanOp>);
  add("tanh", importUnary<graph::TanhOp>);
  add("floor", importUnary<graph::FloorOp>);
  add("ceil", importUnary<graph::CeilOp>);
  add("round_nearest_even", importUnary<graph::RoundOp>);
  add("round_nearest_afz", importRoundAway);
  add("is_finite", importIsFinite);
  add("compare", importCompare);
  add("select", importSelect);
  add("clamp", importClamp);
  add("convert", importConvert);
  add("popcnt", importBitCount<false>);
  add("count_leading_zeros", importBitCount<true>);
  auto addChlo = [&](llvm::StringRef name, Import import) {
    registry.addElementwise(("chlo." + name).str(), import);
  };
  addChlo("asin", importUnary<graph::AsinOp>);
  addChlo("acos", importUnary<graph::AcosOp>);
  addChlo("atan", importUnary<graph::AtanOp>);
  addChlo("sinh", importUnary<graph::SinhOp>);
  addChlo("cosh", importUnary<graph::CoshOp>);
  addChlo("tan", importUnary<graph::TanOp>);
  addChlo("asinh", importUnary<graph::AsinhOp>);
  addChlo("acosh", importUnary<graph::AcoshOp>);
  addChlo("atanh", importUnary<graph::AtanhOp>);
  addChlo("erf", importUnary<graph::ErfOp>);
  addChlo("square", importSquare);
  addChlo("is_inf", importIsInf<true, true>);
  addChlo("is_pos_inf", importIsInf<true, false>);
  addChlo("is_neg_inf", importIsInf<false, true>);
}
