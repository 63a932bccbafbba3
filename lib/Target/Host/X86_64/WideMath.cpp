// Functions on 16 lanes of f32 that AVX-512 has better instructions for than arithmetic that every
// target has. Two instructions make the difference:
// vscalefps multiplies by a power of two and rounds once, and vpermps looks up 16 pieces of a
// function at once, so that short polynomials do.
#include "X86_64.h"

#include "tw/Dialect/Tile/Ranges.h"
#include "tw/Support/FastMath.h"

#include "../../Common/Math/Coefficients.h"
#include "../../Common/Math/Functions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>
#include <optional>

using namespace mlir;
using namespace tw::math;

namespace {

constexpr int64_t kLanes = 16;

Value intrinsic(Emitter &e, StringRef name, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(e.builder, e.location, e.type, e.builder.getStringAttr(name),
                                       operands)
      .getResult(0);
}

Value scalar(Emitter &e, int64_t value, unsigned width) {
  return LLVM::ConstantOp::create(e.builder, e.location,
                                  e.builder.getIntegerAttr(e.builder.getIntegerType(width), value));
}

/// p * 2^n for an n that holds an integer; 0 where `isLess`, if given.
Float scale(Float p, Float n, std::optional<Bool> isLess) {
  Emitter &e = *p.e;
  constexpr int64_t currentRounding = 4;
  Value lanes = scalar(e, -1, 16), elsewhere = p.v;
  if (isLess) {
    Value dropped = LLVM::BitcastOp::create(e.builder, e.location, lanes.getType(), isLess->v);
    lanes = LLVM::XOrOp::create(e.builder, e.location, dropped, lanes);
    elsewhere = same(p, 0.0).v;
  }
  return {&e, intrinsic(e, "llvm.x86.avx512.mask.scalef.ps.512",
                        {p.v, n.v, elsewhere, lanes, scalar(e, currentRounding, 32)})};
}

/// table[index mod 16] in every lane.
Float lookup(ArrayRef<float> table, Int index) {
  Emitter &e = *index.e;
  auto type = VectorType::get({kLanes}, e.builder.getF32Type());
  Value values =
      arith::ConstantOp::create(e.builder, e.location, DenseElementsAttr::get(type, table));
  return {&e, intrinsic(e, "llvm.x86.avx512.permvar.sf.512", {values, index.v})};
}

/// 2^(i/16).
constexpr float powersOfTwo[kLanes] = {0x1p0f,        0x1.0b5586p0f, 0x1.172b84p0f, 0x1.2387a6p0f,
                                       0x1.306fep0f,  0x1.3dea64p0f, 0x1.4bfdaep0f, 0x1.5ab07ep0f,
                                       0x1.6a09e6p0f, 0x1.7a1148p0f, 0x1.8ace54p0f, 0x1.9c4918p0f,
                                       0x1.ae89fap0f, 0x1.c199bep0f, 0x1.d5818ep0f, 0x1.ea4afap0f};

/// e^x for an x up to 10^5, and 0 below `least` if there is one, with n the nearest multiple of
/// 1/16 to x / ln 2:
///
///   e^x = 2^floor(n) 2^(n - floor(n)) e^r, r = x - n ln 2, |r| <= ln 2 / 32
///
/// The second factor is looked up, vscalefps takes the first one from n itself.
Float expUpTo(Float x, std::optional<double> least = std::nullopt) {
  // A sum of this size has 16 n in its low bits.
  constexpr double magic = 0x1.8p19;
  Float biased = fma(x, log2e, same(x, magic));
  Float n = biased - magic;
  Float r = fma(n, -ln2F32[1], fma(n, -ln2F32[0], x));
  Float power = lookup(powersOfTwo, toBits(biased));
  Float q = polynomial(r, {1.0, 1.0 / 2, 1.0 / 6});
  std::optional<Bool> isLess;
  if (least)
    isLess = x < *least;
  return scale(fma(power * r, q, power), n, isLess);
}

/// Beyond the bounds the result is 0 or infinity; a NaN stays. An argument that is never positive
/// has one bound, below which its result is no normal number. Zero is scaled there, not a number:
/// results that are smaller than normal ones take some 150 cycles on Intel's CPUs.
Float wideExp(Float x, bool notPositive) {
  constexpr double least = -104;                // e^least is less than half of the least number
  constexpr double leastNormal = -0x1.5d589ep6; // the next number above ln 2^-126
  return notPositive ? expUpTo(x, leastNormal) : expUpTo(select(x > 100.0, 100.0, x), least);
}

/// x p(|x|), p in pieces of equal width. Its constant term is in two parts: the sum of the small
/// one and of the rest of p is small beside the result, so that only the last step rounds it.
Float wideErf(Float x) {
  // From the limit on, erf rounds to 1.
  Float b = clamp(x, -erfPiecesLimit, erfPiecesLimit);
  Float a = abs(b);
  // The integer nearest to a / width, in the low bits of a float of this size.
  constexpr double magic = 0x1.8p23;
  Float biased = fma(a, same(a, 1.0 / erfPiecesWidth), magic);
  Float d = fma(biased - magic, -erfPiecesWidth, a);
  Int piece = toBits(biased);
  constexpr unsigned count = std::size(erfPieces);
  Float p = lookup(erfPieces[count - 1], piece);
  for (unsigned i = count - 1; i-- > 1;)
    p = fma(p, d, lookup(erfPieces[i], piece));
  return copySign(fma(b, lookup(erfPieces[0], piece), b * p), x);
}

/// As in expand-math.
Float wideTanh(Float x) {
  Float a = abs(x), z = a * a;
  Float near = fma(a * z, polynomial(z, tanhF32), a);
  Float far = 1.0 - 2.0 / (expUpTo(select(a < 10.0, a, 10.0) * 2.0) + 1.0);
  Float magnitude = select(a < 0.5625, near, far);
  return select(isNan(x), x, copySign(magnitude, x));
}

/// vrangeps knows the sign of a zero; of a number and a NaN it returns the number.
Float wideExtremum(bool isMax, Float a, Float b, bool noNans) {
  Emitter &e = *a.e;
  constexpr int64_t currentRounding = 4;
  // The lesser or the greater, with its sign (Intel's manual, VRANGEPS).
  constexpr int64_t lesser = 0b0100, greater = 0b0101;
  Value best = intrinsic(e, "llvm.x86.avx512.mask.range.ps.512",
                         {a.v, b.v, scalar(e, isMax ? greater : lesser, 32), a.v, scalar(e, -1, 16),
                          scalar(e, currentRounding, 32)});
  if (noNans)
    return {&e, best};
  Value unordered =
      arith::CmpFOp::create(e.builder, e.location, arith::CmpFPredicate::UNO, a.v, b.v);
  return select(Bool{&e, unordered}, same(a, std::numeric_limits<double>::quiet_NaN()),
                Float{&e, best});
}

} // namespace

Value tw::host::x86_64::emitFunction(Operation *op) {
  using Flags = arith::FastMathFlags;
  if (!isa<mlir::math::ExpOp, mlir::math::ErfOp, mlir::math::TanhOp, arith::MaximumFOp,
           arith::MinimumFOp>(op) ||
      op->getResult(0).getType() != VectorType::get({kLanes}, Float32Type::get(op->getContext())))
    return {};
  OpBuilder builder(op);
  Emitter emitter(builder, op->getLoc(), op->getResult(0).getType());
  Float x{&emitter, op->getOperand(0)};
  if (isa<mlir::math::ExpOp>(op))
    return wideExp(x, op->hasAttr(tile::notPositiveAttrName)).v;
  if (isa<mlir::math::ErfOp>(op))
    return wideErf(x).v;
  if (isa<mlir::math::TanhOp>(op)) // Others have a shorter form with `afn`, too.
    return allows(op, Flags::afn) ? Value() : wideTanh(x).v;
  Float y{&emitter, op->getOperand(1)};
  return wideExtremum(isa<arith::MaximumFOp>(op), x, y, allows(op, Flags::nnan)).v;
}
