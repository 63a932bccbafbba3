// Elementwise functions that tgraph has no op for. Those of f16 and bf16 are computed in f32.
#include "../Functions.h"
#include "../Registry.h"

#include <numbers>

using namespace tw;
using namespace tw::stablehlo;
using namespace mlir;
using P = graph::ComparePredicate;

namespace {

using Function = Value (*)(Emitter &, Value);
using Function2 = Value (*)(Emitter &, Value, Value);

/// The float type that a function of `x` is computed in; reports what is no float.
Type computed(OpImport &op, Value x) {
  if (!Emitter::isFloat(x)) {
    op.error(Code::T0107) << "expected floats, found " << Emitter::element(x);
    return {};
  }
  Type element = Emitter::element(x);
  return element.getIntOrFloatBitWidth() < 32 ? op.emit.f32() : element;
}

template <Function function> void importFunction(OpImport &op) {
  Value x = op.operand(0);
  if (Type in = computed(op, x))
    op.result(op.emit.cast(function(op.emit, op.emit.cast(x, in)), Emitter::element(x)));
}

template <Function2 function> void importFunction2(OpImport &op) {
  Value x = op.operand(0), y = op.operand(1);
  Type in = computed(op, x);
  if (in && op.emit.broadcast({&x, &y}) && op.emit.sameElement(x, y))
    op.result(op.emit.cast(function(op.emit, op.emit.cast(x, in), op.emit.cast(y, in)),
                           Emitter::element(x)));
}

bool isDouble(Value x) { return x && Emitter::element(x).isF64(); }

Value constant(Emitter &e, Value x, double value) {
  return e.splat({}, Emitter::element(x), value);
}

/// Horner's rule, the highest power first.
Value polynomial(Emitter &e, Value x, ArrayRef<double> coefficients) {
  Value sum = constant(e, x, coefficients.front());
  for (double next : coefficients.drop_front())
    sum = e.add(e.mul(sum, x), next);
  return sum;
}

/// Clenshaw's rule, as cephes has it.
Value chebyshev(Emitter &e, Value x, ArrayRef<double> coefficients) {
  Value b0 = constant(e, x, 0), b1 = b0, b2 = b0;
  for (double next : coefficients) {
    b2 = b1;
    b1 = b0;
    b0 = e.add(e.sub(e.mul(x, b1), b2), next);
  }
  return e.mul(e.sub(b0, b2), 0.5);
}

// Kahan: the rounding errors of exp and log cancel.
Value log1p(Emitter &e, Value x) {
  Value y = e.add(x, 1.0);
  Value exact = e.mul(e.log(y), e.div(x, e.sub(y, 1.0)));
  Value isPlain = e.binary<graph::OrOp>(
      e.compare(P::Eq, y, 1.0), e.compare(P::Eq, y, std::numeric_limits<double>::infinity()));
  return e.select(isPlain, x, exact);
}

Value expm1(Emitter &e, Value x) {
  Value y = e.exp(x), low = e.sub(y, 1.0);
  Value exact = e.mul(low, e.div(x, e.log(y)));
  Value isPlain = e.binary<graph::OrOp>(
      e.compare(P::Eq, low, -1.0), e.compare(P::Eq, y, std::numeric_limits<double>::infinity()));
  return e.select(e.compare(P::Eq, y, 1.0), x, e.select(isPlain, low, exact));
}

/// A power, and a step of Newton's.
Value cbrt(Emitter &e, Value x) {
  Value size = e.abs(x);
  Value y = e.binary<graph::PowOp>(size, 1.0 / 3);
  Value square = e.mul(y, y);
  Value better = e.sub(y, e.div(e.sub(e.mul(square, y), size), e.mul(square, 3.0)));
  // 0, infinities and NaN have no step; nor have numbers whose square does.
  Value isPlain =
      e.binary<graph::OrOp>(e.compare(P::Le, square, 1e-30), e.compare(P::Ge, square, 1e30));
  Value root =
      e.select(e.binary<graph::OrOp>(isPlain, e.compare(P::Ne, better, better)), y, better);
  return e.select(e.compare(P::Lt, x, 0.0), e.neg(root),
                  e.select(e.compare(P::Eq, x, 0.0), x, root));
}

/// Whether the bit of the sign is set, of -0 and NaN too.
Value isNegative(Emitter &e, Value x) {
  if (!x)
    return x;
  Type bits = IntegerType::get(x.getContext(), Emitter::element(x).getIntOrFloatBitWidth());
  return e.compare(
      P::Lt, e.make<graph::BitcastOp>(RankedTensorType::get(Emitter::shape(x), bits), x), 0.0);
}

Value atan2(Emitter &e, Value y, Value x) {
  Value a = e.abs(y), b = e.abs(x);
  Value quotient = e.div(e.minimum(a, b), e.maximum(a, b));
  // 0 / 0 stands for 0, an infinity by another one for 1.
  quotient = e.select(e.compare(P::Eq, e.maximum(a, b), 0.0), constant(e, x, 0), quotient);
  Value bothInfinite = e.compare(P::Eq, e.minimum(a, b), std::numeric_limits<double>::infinity());
  quotient = e.select(bothInfinite, constant(e, x, 1), quotient);
  Value angle = e.unary<graph::AtanOp>(quotient);
  angle =
      e.select(e.compare(P::Gt, a, b), e.sub(constant(e, x, std::numbers::pi / 2), angle), angle);
  angle = e.select(isNegative(e, x), e.sub(constant(e, x, std::numbers::pi), angle), angle);
  Value isNan = e.binary<graph::OrOp>(e.compare(P::Ne, x, x), e.compare(P::Ne, y, y));
  angle = e.select(isNegative(e, y), e.neg(angle), angle);
  return e.select(isNan, e.add(x, y), angle);
}

// M. Giles, Approximating the erfinv function, GPU Computing Gems 2, 2011.
Value erfInv(Emitter &e, Value x) {
  Value w = e.neg(log1p(e, e.neg(e.mul(x, x)))), p;
  if (isDouble(x)) {
    p = e.select(
        e.compare(P::Lt, w, 6.25),
        polynomial(
            e, e.sub(w, 3.125),
            {-3.6444120640178196996e-21, -1.685059138182016589e-19,  1.2858480715256400167e-18,
             1.115787767802518096e-17,   -1.333171662854620906e-16,  2.0972767875968561637e-17,
             6.6376381343583238325e-15,  -4.0545662729752068639e-14, -8.1519341976054721522e-14,
             2.6335093153082322977e-12,  -1.2975133253453532498e-11, -5.4154120542946279317e-11,
             1.051212273321532285e-09,   -4.1126339803469836976e-09, -2.9070369957882005086e-08,
             4.2347877827932403518e-07,  -1.3654692000834678645e-06, -1.3882523362786468719e-05,
             0.0001867342080340571352,   -0.00074070253416626697512, -0.0060336708714301490533,
             0.24015818242558961693,     1.6536545626831027356}),
        e.select(
            e.compare(P::Lt, w, 16.0),
            polynomial(
                e, e.sub(e.sqrt(w), 3.25),
                {2.2137376921775787049e-09, 9.0756561938885390979e-08, -2.7517406297064545428e-07,
                 1.8239629214389227755e-08, 1.5027403968909827627e-06, -4.013867526981545969e-06,
                 2.9234449089955446044e-06, 1.2475304481671778723e-05, -4.7318229009055733981e-05,
                 6.8284851459573175448e-05, 2.4031110387097893999e-05, -0.0003550375203628474796,
                 0.00095328937973738049703, -0.0016882755560235047313, 0.0024914420961078508066,
                 -0.0037512085075692412107, 0.005370914553590063617, 1.0052589676941592334,
                 3.0838856104922207635}),
            polynomial(
                e, e.sub(e.sqrt(w), 5.0),
                {-2.7109920616438573243e-11, -2.5556418169965252055e-10, 1.5076572693500548083e-09,
                 -3.7894654401267369937e-09, 7.6157012080783393804e-09, -1.4960026627149240478e-08,
                 2.9147953450901080826e-08, -6.7711997758452339498e-08, 2.2900482228026654717e-07,
                 -9.9298272942317002539e-07, 4.5260625972231537039e-06, -1.9681778105531670567e-05,
                 7.5995277030017761139e-05, -0.00021503011930044477347, -0.00013871931833623122026,
                 1.0103004648645343977, 4.8499064014085844221})));
  } else {
    p = e.select(
        e.compare(P::Lt, w, 5.0),
        polynomial(e, e.sub(w, 2.5),
                   {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
                    -0.00125372503, -0.00417768164, 0.246640727, 1.50140941}),
        polynomial(e, e.sub(e.sqrt(w), 3.0),
                   {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                    -0.0076224613, 0.00943887047, 1.00167406, 2.83297682}));
  }
  Value isEnd = e.compare(P::Eq, e.abs(x), 1.0);
  return e.mul(x, e.select(isEnd, constant(e, x, std::numeric_limits<double>::infinity()), p));
}

// S. Moshier, cephes.
Value erfc(Emitter &e, Value x) {
  Value size = e.abs(x), gauss = e.exp(e.neg(e.mul(x, x))), tail;
  if (isDouble(x)) {
    Value near = e.div(
        polynomial(e, size,
                   {2.46196981473530512524e-10, 5.64189564831068821977e-1, 7.46321056442269912687,
                    4.86371970985681366614e1, 1.96520832956077098242e2, 5.26445194995477358631e2,
                    9.34528527171957607540e2, 1.02755188689515710272e3, 5.57535335369399327526e2}),
        polynomial(e, size,
                   {1.0, 1.32281951154744992508e1, 8.67072140885989742329e1,
                    3.54937778888819891062e2, 9.75708501743205489753e2, 1.82390916687909736289e3,
                    2.24633760818710981792e3, 1.65666309194161350182e3, 5.57535340817727675546e2}));
    Value far = e.div(
        polynomial(e, size,
                   {5.64189583547755073984e-1, 1.27536670759978104416, 5.01905042251180477414,
                    6.16021097993053585195, 7.40974269950448939160, 2.97886665372100240670}),
        polynomial(e, size,
                   {1.0, 2.26052863220117276590, 9.39603524938001434673, 1.20489539808096656605e1,
                    1.70814450747565897222e1, 9.60896809063285878198, 3.36907645100081516050}));
    tail = e.mul(gauss, e.select(e.compare(P::Lt, size, 8.0), near, far));
  } else {
    Value inverse = e.div(constant(e, x, 1), size), square = e.mul(inverse, inverse);
    Value near = polynomial(e, square,
                            {2.326819970068386e-2, -1.387039388740657e-1, 3.687424674597105e-1,
                             -5.824733027278666e-1, 6.210004621745983e-1, -4.944515323274145e-1,
                             3.404879937665872e-1, -2.741127028184656e-1, 5.638259427386472e-1});
    Value far = polynomial(e, square,
                           {-1.047766399936249e+1, 1.297719955372516e+1, -7.495518717768503,
                            2.921019019210786, -1.015265279202700, 4.218463358204948e-1,
                            -2.820767439740514e-1, 5.641895067754075e-1});
    tail = e.mul(e.mul(gauss, inverse), e.select(e.compare(P::Lt, size, 2.0), near, far));
  }
  tail = e.select(e.compare(P::Eq, gauss, 0.0), gauss, tail);
  Value outer = e.select(e.compare(P::Lt, x, 0.0), e.sub(constant(e, x, 2), tail), tail);
  Value inner = e.sub(constant(e, x, 1), e.unary<graph::ErfOp>(x));
  return e.select(e.compare(P::Lt, size, 1.0), inner, outer);
}

// C. Lanczos, A precision approximation of the gamma function, 1964, with g = 7.
constexpr double lanczos[] = {
    676.520368121885098567009190444019, -1259.13921672240287047156078755283,
    771.3234287776530788486528258894,   -176.61502916214059906584551354,
    12.507343278686904814458936853,     -0.13857109526572011689554707,
    9.984369578019570859563e-6,         1.50563273514931155834e-7};
constexpr double lanczosBase = 0.99999999999980993227684700473478;

/// log(z + 7.5)
Value logOfShifted(Emitter &e, Value z) { return e.add(log1p(e, e.div(z, 7.5)), std::log(7.5)); }

Value lgamma(Emitter &e, Value x) {
  Value isLow = e.compare(P::Lt, x, 0.5);
  Value z = e.select(isLow, e.neg(x), e.sub(x, 1.0));
  Value sum = constant(e, x, lanczosBase);
  for (auto [i, coefficient] : llvm::enumerate(lanczos))
    sum = e.add(sum, e.div(constant(e, x, coefficient), e.add(z, double(i + 1))));
  Value t = e.add(z, 7.5), logT = logOfShifted(e, z);
  Value y = e.add(e.add(e.mul(e.sub(e.add(z, 0.5), e.div(t, logT)), logT),
                        0.5 * std::log(2 * std::numbers::pi)),
                  e.log(sum));
  // Reflected; what is left of pi * x is small.
  Value size = e.abs(x), fraction = e.sub(size, e.floor(size));
  Value reduced =
      e.select(e.compare(P::Gt, fraction, 0.5), e.sub(constant(e, x, 1), fraction), fraction);
  Value sine = e.log(e.unary<graph::SinOp>(e.mul(reduced, std::numbers::pi)));
  Value infinity = constant(e, x, std::numeric_limits<double>::infinity());
  Value isFinite = e.compare(P::Lt, e.abs(sine), infinity);
  Value reflected = e.select(
      isFinite, e.sub(e.sub(constant(e, x, std::log(std::numbers::pi)), sine), y), e.neg(sine));
  return e.select(e.compare(P::Eq, size, infinity), infinity, e.select(isLow, reflected, y));
}

Value digamma(Emitter &e, Value x) {
  Value isLow = e.compare(P::Lt, x, 0.5);
  Value z = e.select(isLow, e.neg(x), e.sub(x, 1.0));
  Value above = constant(e, x, 0), below = constant(e, x, lanczosBase);
  for (auto [i, coefficient] : llvm::enumerate(lanczos)) {
    Value at = e.add(z, double(i + 1)), part = e.div(constant(e, x, coefficient), at);
    above = e.sub(above, e.div(part, at));
    below = e.add(below, part);
  }
  Value t = e.add(z, 7.5);
  Value y = e.sub(e.add(logOfShifted(e, z), e.div(above, below)), e.div(constant(e, x, 7), t));
  Value whole = e.floor(x), reduced = e.add(x, e.abs(e.floor(e.add(x, 0.5))));
  Value angle = e.mul(reduced, std::numbers::pi);
  Value cotangent =
      e.div(e.mul(e.unary<graph::CosOp>(angle), std::numbers::pi), e.unary<graph::SinOp>(angle));
  Value isPole = e.binary<graph::AndOp>(e.compare(P::Le, x, 0.0), e.compare(P::Eq, x, whole));
  return e.select(isPole, constant(e, x, std::numeric_limits<double>::quiet_NaN()),
                  e.select(isLow, e.sub(y, cotangent), y));
}

/// The sum of (q + k)^-x over k from 0 (Hurwitz), by Euler's and Maclaurin's formula from k = 10.
Value zeta(Emitter &e, Value x, Value q) {
  constexpr int terms = 10;
  // B(2j) / (2j)!
  constexpr double bernoulli[] = {1.0 / 12,          -1.0 / 720,
                                  1.0 / 30240,       -1.0 / 1209600,
                                  1.0 / 47900160,    -691.0 / 1307674368000,
                                  1.0 / 74724249600, -3617.0 / 10670622842880000};
  Value power = e.neg(x), sum = constant(e, x, 0);
  for (int k = 0; k < terms; ++k)
    sum = e.add(sum, e.binary<graph::PowOp>(e.add(q, double(k)), power));
  Value a = e.add(q, double(terms)), last = e.binary<graph::PowOp>(a, power);
  sum = e.add(sum, e.add(e.div(e.mul(last, a), e.sub(x, 1.0)), e.mul(last, 0.5)));
  Value factor = x, square = e.mul(a, a);
  last = e.div(last, a);
  for (auto [j, b] : llvm::enumerate(bernoulli)) {
    sum = e.add(sum, e.mul(e.mul(factor, last), b));
    double next = 2 * double(j) + 1;
    factor = e.mul(e.mul(factor, e.add(x, next)), e.add(x, next + 1));
    last = e.div(last, square);
  }
  Value infinity = constant(e, x, std::numeric_limits<double>::infinity()),
        nan = constant(e, x, std::numeric_limits<double>::quiet_NaN());
  Value isLow = e.compare(P::Le, q, 0.0);
  Value isPole = e.binary<graph::AndOp>(isLow, e.compare(P::Eq, q, e.floor(q)));
  Value isNone = e.binary<graph::OrOp>(
      e.compare(P::Lt, x, 1.0), e.binary<graph::AndOp>(isLow, e.compare(P::Ne, x, e.floor(x))));
  sum = e.select(e.binary<graph::OrOp>(isPole, e.compare(P::Eq, x, 1.0)), infinity, sum);
  return e.select(isNone, nan, sum);
}

Value polygamma(Emitter &e, Value n, Value x) {
  Value next = e.add(n, 1.0), half = e.mul(n, 0.5);
  Value isEven = e.compare(P::Eq, half, e.floor(half));
  Value size = e.mul(e.exp(lgamma(e, next)), zeta(e, next, x));
  Value signedSize = e.select(isEven, e.neg(size), size);
  Value isOrder = e.binary<graph::AndOp>(e.compare(P::Eq, n, e.floor(n)), e.compare(P::Ge, n, 0.0));
  Value result = e.select(e.compare(P::Eq, n, 0.0), digamma(e, x), signedSize);
  return e.select(isOrder, result, constant(e, x, std::numeric_limits<double>::quiet_NaN()));
}

// S. Moshier, cephes, in single precision.
void importBesselI1e(OpImport &op) {
  Emitter &e = op.emit;
  Value operand = op.operand(0);
  if (isDouble(operand))
    return op.unsupported("f64", "a longer series", "f32");
  Type in = computed(op, operand);
  if (!in)
    return;
  Value x = e.cast(operand, in), size = e.abs(x);
  Value near = e.mul(
      size,
      chebyshev(e, e.sub(e.mul(size, 0.5), 2.0),
                {9.38153738649577178388e-9, -4.44505912879632808065e-8, 2.00329475355213526229e-7,
                 -8.56872026469545474066e-7, 3.47025130813767847674e-6, -1.32731636560394358279e-5,
                 4.78156510755005422638e-5, -1.61760815825896745588e-4, 5.12285956168575772895e-4,
                 -1.51357245063125314899e-3, 4.15642294431288815669e-3, -1.05640848946261981558e-2,
                 2.47264490306265168283e-2, -5.29459812080949914269e-2, 1.02643658689847095384e-1,
                 -1.76416518357834055153e-1, 2.52587186443633654823e-1}));
  Value far = e.div(
      chebyshev(e, e.sub(e.div(constant(e, x, 32), size), 2.0),
                {-3.83538038596423702205e-9, -2.63146884688951950684e-8, -2.51223623787020892529e-7,
                 -3.88256480887769039346e-6, -1.10588938762623716291e-4, -9.76109749136146840777e-3,
                 7.78576235018280120474e-1}),
      e.sqrt(size));
  Value y = e.select(e.compare(P::Le, size, 8.0), near, far);
  op.result(e.cast(e.select(e.compare(P::Lt, x, 0.0), e.neg(y), y), Emitter::element(operand)));
}

/// The bits of floats as unsigned integers.
struct Bits {
  Bits(Emitter &e, Value x)
      : e(e), floats(x.getType()), width(Emitter::element(x).getIntOrFloatBitWidth()),
        type(IntegerType::get(x.getContext(), width, IntegerType::Unsigned)) {}

  Value of(Value x) {
    return e.make<graph::BitcastOp>(RankedTensorType::get(Emitter::shape(x), type), x);
  }
  Value back(Value bits) { return bits ? e.make<graph::BitcastOp>(floats, bits) : bits; }
  Value number(uint64_t bits) {
    return e.constant(
        DenseElementsAttr::get(RankedTensorType::get({}, type), APInt(64, bits).trunc(width)));
  }

  Emitter &e;
  Type floats;
  unsigned width;
  IntegerType type;
};

bool hasBits(OpImport &op, Value x) {
  if (!Emitter::isFloat(x)) {
    op.error(Code::T0107) << "expected floats, found " << Emitter::element(x);
    return false;
  }
  if (Emitter::element(x).getIntOrFloatBitWidth() >= 16)
    return true;
  op.unsupported("floats of 8 bits", "their bits", "floats of 16 bits and more");
  return false;
}

void importReducePrecision(OpImport &op) {
  Emitter &e = op.emit;
  Value x = op.operand(0);
  int64_t exponent = op.integer("exponent_bits"), mantissa = op.integer("mantissa_bits");
  if (op.failed() || !hasBits(op, x))
    return;
  const llvm::fltSemantics &semantics = cast<FloatType>(Emitter::element(x)).getFloatSemantics();
  Bits bits(e, x);
  unsigned hasMantissa = APFloat::semanticsPrecision(semantics) - 1,
           hasExponent = bits.width - 1 - hasMantissa;
  if (exponent < 1 || mantissa < 0 || exponent > 64 || mantissa > 64) {
    op.error(Code::T0108) << "expected at least 1 bit of exponent and 0 of mantissa, found "
                          << exponent << " and " << mantissa;
    return;
  }
  Value y = bits.of(x);
  if (mantissa < int64_t(hasMantissa)) {
    uint64_t cut = hasMantissa - uint64_t(mantissa), lowest = uint64_t(1) << cut;
    Value odd =
        e.binary<graph::ShrOp>(e.binary<graph::AndOp>(y, bits.number(lowest)), bits.number(cut));
    y = e.add(y, e.add(odd, bits.number((lowest >> 1) - 1)));
    y = e.binary<graph::AndOp>(y, bits.number(~(lowest - 1)));
  }
  if (exponent < int64_t(hasExponent)) {
    uint64_t bias = (uint64_t(1) << (hasExponent - 1)) - 1,
             reduced = (uint64_t(1) << (exponent - 1)) - 1,
             all = ((uint64_t(1) << hasExponent) - 1) << hasMantissa;
    Value at = e.binary<graph::AndOp>(y, bits.number(all));
    Value sign = e.binary<graph::AndOp>(y, bits.number(uint64_t(1) << (bits.width - 1)));
    Value isOver = e.compare(P::Gt, at, bits.number((bias + reduced) << hasMantissa));
    Value isUnder = e.compare(P::Le, at, bits.number((bias - reduced) << hasMantissa));
    y = e.select(isOver, e.binary<graph::OrOp>(sign, bits.number(all)), y);
    y = e.select(isUnder, sign, y);
  }
  op.result(e.select(e.compare(P::Ne, x, x), x, bits.back(y)));
}

void importNextAfter(OpImport &op) {
  Emitter &e = op.emit;
  Value x = op.operand(0), y = op.operand(1);
  if (!e.broadcast({&x, &y}) || !e.sameElement(x, y) || !hasBits(op, x))
    return;
  Bits bits(e, x);
  Value sign = bits.number(uint64_t(1) << (bits.width - 1)), one = bits.number(1);
  Value at = bits.of(x);
  // Away from zero the bits count up.
  Value isAway = e.binary<graph::XorOp>(e.compare(P::Gt, y, x), e.compare(P::Lt, x, 0.0));
  Value moved = e.select(isAway, e.add(at, one), e.sub(at, one));
  Value least = e.binary<graph::OrOp>(e.binary<graph::AndOp>(bits.of(y), sign), one);
  moved = e.select(e.compare(P::Eq, x, 0.0), least, moved);
  Value isNan = e.binary<graph::OrOp>(e.compare(P::Ne, x, x), e.compare(P::Ne, y, y));
  Value result = e.select(e.compare(P::Eq, x, y), y, bits.back(moved));
  op.result(e.select(isNan, e.add(x, y), result));
}

} // namespace

void tw::stablehlo::addSpecialFunctions(Registry &registry) {
  registry.addElementwise("stablehlo.log_plus_one", importFunction<log1p>);
  registry.addElementwise("stablehlo.exponential_minus_one", importFunction<expm1>);
  registry.addElementwise("stablehlo.cbrt", importFunction<cbrt>);
  registry.addElementwise("stablehlo.atan2", importFunction2<atan2>);
  registry.addElementwise("stablehlo.reduce_precision", importReducePrecision);
  registry.addElementwise("chlo.erf_inv", importFunction<erfInv>);
  registry.addElementwise("chlo.erfc", importFunction<erfc>);
  registry.addElementwise("chlo.lgamma", importFunction<lgamma>);
  registry.addElementwise("chlo.digamma", importFunction<digamma>);
  registry.addElementwise("chlo.zeta", importFunction2<zeta>);
  registry.addElementwise("chlo.polygamma", importFunction2<polygamma>);
  registry.addElementwise("chlo.bessel_i1e", importBesselI1e);
  registry.addElementwise("chlo.next_after", importNextAfter);
}

Value tw::stablehlo::emitAtan2(Emitter &e, Value y, Value x) { return atan2(e, y, x); }
Value tw::stablehlo::emitIsNegative(Emitter &e, Value x) { return isNegative(e, x); }
Value tw::stablehlo::emitLog1p(Emitter &e, Value x) { return log1p(e, x); }
Value tw::stablehlo::emitExpm1(Emitter &e, Value x) { return expm1(e, x); }
