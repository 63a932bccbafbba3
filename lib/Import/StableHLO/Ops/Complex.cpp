// Complex numbers as two tensors, of real and of imaginary parts: what they are made of and give,
// and ops of their own. Those that move elements or add them run once for each part, and products
// once for each pair of parts, by the rules for real numbers.
#include "../Functions.h"
#include "../Registry.h"

#include <cmath>
#include <complex>
#include <numbers>

using namespace tw;
using namespace tw::stablehlo;
using namespace mlir;
using P = graph::ComparePredicate;

namespace {

struct Complex {
  Value re, im;
};

/// The formulas.
struct ComplexEmitter {
  Emitter &e;

  Value zero(Value like) { return e.splatLike(like, 0); }
  Complex add(Complex a, Complex b) { return {e.add(a.re, b.re), e.add(a.im, b.im)}; }
  Complex sub(Complex a, Complex b) { return {e.sub(a.re, b.re), e.sub(a.im, b.im)}; }
  Complex mul(Complex a, Complex b) {
    return {e.sub(e.mul(a.re, b.re), e.mul(a.im, b.im)),
            e.add(e.mul(a.re, b.im), e.mul(a.im, b.re))};
  }
  Complex scale(Complex a, Value by) { return {e.mul(a.re, by), e.mul(a.im, by)}; }

  /// |a| without overflow of squares: the greater part times sqrt(1 + (the lesser over it)^2).
  Value abs(Complex a) {
    Value x = e.abs(a.re), y = e.abs(a.im);
    Value most = e.maximum(x, y), least = e.minimum(x, y);
    Value part = e.div(least, e.select(e.compare(P::Eq, most, 0.0), e.splatLike(most, 1), most));
    Value size = e.mul(most, e.sqrt(e.add(e.mul(part, part), 1.0)));
    Value infinite = e.limit(Emitter::shape(most), Emitter::element(most), /*greatest=*/true);
    return e.select(e.compare(P::Eq, most, infinite), infinite, size);
  }

  /// a / b, by the greater part of b (R. Smith, CACM 5, 1962).
  Complex div(Complex a, Complex b) {
    Value isWide = e.compare(P::Ge, e.abs(b.re), e.abs(b.im));
    Value large = e.select(isWide, b.re, b.im), small = e.select(isWide, b.im, b.re);
    Value ratio = e.div(small, large);
    Value denominator = e.add(large, e.mul(small, ratio));
    // With b.re the greater one: (a.re + a.im r) / d, (a.im - a.re r) / d; else (a.re r + a.im) /
    // d, (a.im r - a.re) / d.
    Value x = e.select(isWide, a.re, a.im), y = e.select(isWide, a.im, a.re);
    Value re = e.div(e.add(x, e.mul(y, ratio)), denominator);
    Value im = e.div(e.sub(y, e.mul(x, ratio)), denominator);
    return {re, e.select(isWide, im, e.neg(im))};
  }

  Complex exp(Complex a) {
    Value size = e.exp(a.re);
    return {e.mul(size, e.unary<graph::CosOp>(a.im)), e.mul(size, e.unary<graph::SinOp>(a.im))};
  }
  Complex log(Complex a) { return {e.log(abs(a)), emitAtan2(e, a.im, a.re)}; }

  /// With a real part that is not negative.
  Complex sqrt(Complex a) {
    Value root = e.sqrt(e.mul(e.add(abs(a), e.abs(a.re)), 0.5));
    Value isZero = e.compare(P::Eq, root, 0.0);
    Value other = e.div(e.mul(e.abs(a.im), 0.5), e.select(isZero, e.splatLike(root, 1), root));
    Value isLeft = e.compare(P::Lt, a.re, 0.0);
    Value im = e.select(isLeft, root, other);
    return {e.select(isLeft, other, root), e.select(emitIsNegative(e, a.im), e.neg(im), im)};
  }
  Complex reciprocal(Complex a) { return div({e.splatLike(a.re, 1), zero(a.re)}, a); }

  /// exp(b log a); 0 to any power but 0 is 0.
  Complex pow(Complex a, Complex b) {
    Complex power = exp(mul(b, log(a)));
    Value isZero = e.binary<graph::AndOp>(e.compare(P::Eq, a.re, 0.0), e.compare(P::Eq, a.im, 0.0));
    Value toZero = e.binary<graph::AndOp>(e.compare(P::Eq, b.re, 0.0), e.compare(P::Eq, b.im, 0.0));
    Value atZero = e.cast(toZero, Emitter::element(a.re));
    return {e.select(isZero, atZero, power.re), e.select(isZero, zero(a.re), power.im)};
  }

  Value sin(Value x) { return e.unary<graph::SinOp>(x); }
  Value cos(Value x) { return e.unary<graph::CosOp>(x); }
  Value sinh(Value x) { return e.unary<graph::SinhOp>(x); }
  Value cosh(Value x) { return e.unary<graph::CoshOp>(x); }
  Complex sine(Complex a) { return {e.mul(sin(a.re), cosh(a.im)), e.mul(cos(a.re), sinh(a.im))}; }
  Complex cosine(Complex a) {
    return {e.mul(cos(a.re), cosh(a.im)), e.neg(e.mul(sin(a.re), sinh(a.im)))};
  }
  /// (sinh 2x + i sin 2y) / (cosh 2x + cos 2y), which is a sign from |x| = 20 on.
  Complex tanh(Complex a) {
    Value x = e.mul(e.clamp(a.re, -20.0, 20.0), 2.0), y = e.mul(a.im, 2.0);
    Value denominator = e.add(cosh(x), cos(y));
    return {e.div(sinh(x), denominator), e.div(sin(y), denominator)};
  }
  Complex tan(Complex a) {
    // -i tanh(i a)
    Complex turned = tanh({e.neg(a.im), a.re});
    return {turned.im, e.neg(turned.re)};
  }
  Complex logistic(Complex a) {
    Complex there = exp({e.neg(a.re), e.neg(a.im)});
    return reciprocal({e.add(there.re, 1.0), there.im});
  }
  /// log(1 + a): half of log1p(2 x + x^2 + y^2) is exact near 0.
  Complex logOnePlus(Complex a) {
    Value x = e.mul(a.re, e.add(a.re, 2.0));
    return {e.mul(emitLog1p(e, e.add(x, e.mul(a.im, a.im))), 0.5),
            emitAtan2(e, a.im, e.add(a.re, 1.0))};
  }
  /// exp(a) - 1: (exp(x) - 1) cos y - 2 sin(y / 2)^2.
  Complex expMinusOne(Complex a) {
    Value half = sin(e.mul(a.im, 0.5));
    return {e.sub(e.mul(emitExpm1(e, a.re), cos(a.im)), e.mul(e.mul(half, half), 2.0)),
            e.mul(e.exp(a.re), sin(a.im))};
  }
  Complex sign(Complex a) {
    Value size = abs(a), safe = e.select(e.compare(P::Eq, size, 0.0), e.splatLike(size, 1), size);
    return {e.div(a.re, safe), e.div(a.im, safe)};
  }
};

/// Discrete Fourier transforms along the last dimension.
class Fourier {
public:
  Fourier(OpImport &op, bool isInverse) : op(op), e(op.emit), sign(isInverse ? 1 : -1) {}

  /// Without the inverse's factor. The transform of a b points is one of a, factors, and one of b
  /// (Cooley and Tukey, 1965); of a prime number of points it is a product.
  Complex run(Complex x) {
    int64_t n = Emitter::size(x.re, Emitter::rank(x.re) - 1), a = divide(n);
    if (a == 1)
      return multiply(x, n);
    int64_t b = n / a;
    Shape split(Emitter::shape(x.re));
    split.back() = a;
    split.push_back(b);
    auto swap = [&](Complex z) {
      Shape order = importer::indices(int64_t(split.size()));
      std::swap(order[order.size() - 1], order[order.size() - 2]);
      return Complex{e.permute(z.re, order), e.permute(z.im, order)};
    };
    Complex columns = run(swap({e.reshape(x.re, split), e.reshape(x.im, split)}));
    ComplexEmitter z{e};
    Complex rows = run(swap(z.mul(columns, factors(b, a, n, x.re))));
    Complex turned = swap(rows);
    return {e.reshape(turned.re, Emitter::shape(x.re)), e.reshape(turned.im, Emitter::shape(x.re))};
  }

private:
  /// Points that a product with a matrix transforms at once.
  static constexpr int64_t kDirect = 64, kMostDirect = 4096;

  /// The divisor next to the root, 1 where the whole is transformed at once.
  int64_t divide(int64_t n) {
    if (n <= kDirect)
      return 1;
    int64_t best = 1;
    for (int64_t a = 2; a * a <= n; ++a)
      if (n % a == 0)
        best = a;
    return best;
  }

  /// exp(sign 2 pi i j k / n) of rows x columns.
  Complex factors(int64_t rows, int64_t columns, int64_t n, Value like) {
    SmallVector<double> re, im;
    for (int64_t j = 0; j < rows; ++j)
      for (int64_t k = 0; k < columns; ++k) {
        double angle = 2 * std::numbers::pi * double(j * k % n) / double(n);
        re.push_back(std::cos(angle));
        im.push_back(double(sign) * std::sin(angle));
      }
    Type element = Emitter::element(like);
    return {e.floats({rows, columns}, element, re), e.floats({rows, columns}, element, im)};
  }

  Complex multiply(Complex x, int64_t n) {
    if (n > kMostDirect) {
      op.unsupported("a length with a prime factor above " + Twine(kMostDirect),
                     "products with that many points", "lengths of smaller factors");
      return {};
    }
    if (n <= 1)
      return x;
    std::string letters;
    for (int64_t dim = 0; dim + 1 < Emitter::rank(x.re); ++dim)
      letters += char('A' + dim);
    std::string spec = letters + "j,jk->" + letters + "k";
    Complex w = factors(n, n, n, x.re);
    auto product = [&](Value a, Value b) { return e.contract(spec, a, b); };
    return {e.sub(product(x.re, w.re), product(x.im, w.im)),
            e.add(product(x.re, w.im), product(x.im, w.re))};
  }

  OpImport &op;
  Emitter &e;
  int64_t sign;
};

} // namespace

static Complex partsOf(OpImport &op, size_t i) { return {op.operand(i), op.imaginary(i)}; }

template <Complex (ComplexEmitter::*function)(Complex)> static void importComplex1(OpImport &op) {
  ComplexEmitter emitter{op.emit};
  Complex result = (emitter.*function)(partsOf(op, 0));
  op.result(0, result.re, result.im);
}

template <Complex (ComplexEmitter::*function)(Complex, Complex)>
static void importComplex2(OpImport &op) {
  ComplexEmitter emitter{op.emit};
  Complex result = (emitter.*function)(partsOf(op, 0), partsOf(op, 1));
  op.result(0, result.re, result.im);
}

static void importComplexParts(OpImport &op) { op.result(0, op.operand(0), op.operand(1)); }
static void importReal(OpImport &op) { op.result(op.operand(0)); }
static void importImaginary(OpImport &op) { op.result(op.imaginary(0)); }
static void importComplexAbs(OpImport &op) {
  op.result(ComplexEmitter{op.emit}.abs(partsOf(op, 0)));
}
static void importComplexRsqrt(OpImport &op) {
  ComplexEmitter emitter{op.emit};
  Complex result = emitter.reciprocal(emitter.sqrt(partsOf(op, 0)));
  op.result(0, result.re, result.im);
}

static void importComplexConstant(OpImport &op) {
  auto dense = dyn_cast_or_null<DenseElementsAttr>(op.attribute("value"));
  RankedTensorType type = op.resultType();
  if (!dense || !isa<ComplexType>(dense.getElementType()) ||
      !isa<FloatType>(type.getElementType())) {
    op.error(Code::T0108) << "expected complex floats as 'value'";
    return;
  }
  SmallVector<APFloat> re, im;
  if (dense.isSplat()) {
    auto value = dense.getSplatValue<std::complex<APFloat>>();
    re.push_back(value.real()), im.push_back(value.imag());
  } else {
    for (std::complex<APFloat> value : dense.getValues<std::complex<APFloat>>())
      re.push_back(value.real()), im.push_back(value.imag());
  }
  op.result(0, op.emit.constant(DenseElementsAttr::get(type, re)),
            op.emit.constant(DenseElementsAttr::get(type, im)));
}

/// Of complex or real numbers, to complex ones.
static void importComplexConvert(OpImport &op) {
  Type element = op.resultType().getElementType();
  Value re = op.emit.cast(op.operand(0), element);
  op.result(0, re, op.emit.cast(op.imaginary(0), element));
}

static void importComplexCompare(OpImport &op) {
  Emitter &e = op.emit;
  StringRef direction = op.text("comparison_direction");
  Complex a = partsOf(op, 0), b = partsOf(op, 1);
  if (direction == "EQ")
    return op.result(
        e.binary<graph::AndOp>(e.compare(P::Eq, a.re, b.re), e.compare(P::Eq, a.im, b.im)));
  if (direction == "NE")
    return op.result(
        e.binary<graph::OrOp>(e.compare(P::Ne, a.re, b.re), e.compare(P::Ne, a.im, b.im)));
  op.error(Code::T0108) << "expected EQ or NE as direction of complex numbers, found '" << direction
                        << "'";
}

/// Along one of the last dimensions, brought to the end.
template <typename Run> static Complex alongDim(Emitter &e, Complex x, int64_t dim, Run run) {
  Shape order = importer::indices(Emitter::rank(x.re));
  std::swap(order[dim], order.back());
  Complex done = run({e.permute(x.re, order), e.permute(x.im, order)});
  return {e.permute(done.re, order), e.permute(done.im, order)};
}

/// The second half of n points from the first: the conjugates in reverse.
static Complex mirror(Emitter &e, Complex x, int64_t n) {
  int64_t dim = Emitter::rank(x.re) - 1, m = Emitter::size(x.re, dim);
  auto other = [&](Value part) { return e.flip(e.sliceDim(part, dim, 1, n - m), {dim}); };
  if (n == m)
    return x;
  return {e.concat({x.re, other(x.re)}, dim), e.concat({x.im, e.neg(other(x.im))}, dim)};
}

static void importFft(OpImport &op) {
  Emitter &e = op.emit;
  StringRef kind = op.has("type") ? op.text("type") : op.text("fft_type");
  Shape lengths = op.has("length") ? op.integers("length") : op.integers("fft_length");
  Complex x = partsOf(op, 0);
  int64_t rank = Emitter::rank(x.re), count = int64_t(lengths.size());
  bool isHalf = kind == "IRFFT", isInverse = isHalf || kind == "IFFT";
  if (op.failed())
    return;
  bool fits = llvm::is_contained({"FFT", "IFFT", "RFFT", "IRFFT"}, kind) && count <= rank &&
              count >= 1 && rank < 20;
  for (auto [i, length] : llvm::enumerate(lengths)) {
    bool isLast = int64_t(i) + 1 == count;
    int64_t size = fits ? Emitter::size(x.re, rank - count + int64_t(i)) : 0;
    fits &= length >= 1 && size == (isHalf && isLast ? length / 2 + 1 : length);
  }
  if (!fits) {
    op.error(Code::T0108) << "expected FFT, IFFT, RFFT or IRFFT with the sizes of the last "
                             "dimensions, found '"
                          << kind << "' and " << importer::shapeText(lengths) << " of "
                          << x.re.getType();
    return;
  }
  Fourier fourier(op, isInverse);
  double points = 1;
  for (int64_t i = count - 1; i >= 0; --i) {
    // Of half of the points, the last dimension comes last.
    int64_t dim = rank - count + (isHalf ? (i + count - 1) % count : i);
    int64_t n = lengths[size_t(dim - (rank - count))];
    bool isLast = dim == rank - 1;
    points *= double(n);
    x = alongDim(e, x, dim, [&](Complex z) {
      if (isHalf && isLast)
        z = mirror(e, z, n);
      z = fourier.run(z);
      if (kind != "RFFT" || !isLast || !z.re || !z.im)
        return z;
      return Complex{e.sliceDim(z.re, rank - 1, 0, n / 2 + 1),
                     e.sliceDim(z.im, rank - 1, 0, n / 2 + 1)};
    });
    if (op.failed())
      return;
  }
  if (isInverse)
    x = ComplexEmitter{e}.scale(x, e.splatLike(x.re, 1 / points));
  if (isHalf)
    op.result(x.re);
  else
    op.result(0, x.re, x.im);
}

void tw::stablehlo::addComplex(Registry &registry) {
  auto own = [&](StringRef name, Import import) { registry.addComplex(name, import); };
  own("stablehlo.complex", importComplexParts);
  own("stablehlo.real", importReal);
  own("stablehlo.imag", importImaginary);
  own("stablehlo.constant", importComplexConstant);
  own("stablehlo.convert", importComplexConvert);
  own("stablehlo.compare", importComplexCompare);
  own("stablehlo.abs", importComplexAbs);
  own("stablehlo.fft", importFft);
  own("stablehlo.divide", importComplex2<&ComplexEmitter::div>);
  own("stablehlo.power", importComplex2<&ComplexEmitter::pow>);
  own("stablehlo.exponential", importComplex1<&ComplexEmitter::exp>);
  own("stablehlo.exponential_minus_one", importComplex1<&ComplexEmitter::expMinusOne>);
  own("stablehlo.log", importComplex1<&ComplexEmitter::log>);
  own("stablehlo.log_plus_one", importComplex1<&ComplexEmitter::logOnePlus>);
  own("stablehlo.logistic", importComplex1<&ComplexEmitter::logistic>);
  own("stablehlo.sqrt", importComplex1<&ComplexEmitter::sqrt>);
  own("stablehlo.rsqrt", importComplexRsqrt);
  own("stablehlo.sine", importComplex1<&ComplexEmitter::sine>);
  own("stablehlo.cosine", importComplex1<&ComplexEmitter::cosine>);
  own("stablehlo.tan", importComplex1<&ComplexEmitter::tan>);
  own("stablehlo.tanh", importComplex1<&ComplexEmitter::tanh>);
  own("stablehlo.sign", importComplex1<&ComplexEmitter::sign>);
  for (StringRef name : {"add", "subtract", "negate", "select", "broadcast_in_dim", "broadcast",
                         "reshape", "transpose", "slice", "reverse", "concatenate", "pad",
                         "dynamic_slice", "dynamic_update_slice", "gather", "optimization_barrier"})
    registry.setComplex(("stablehlo." + name).str(), ComplexForm::ByPart);
  for (StringRef name : {"multiply", "dot_general", "dot", "convolution"})
    registry.setComplex(("stablehlo." + name).str(), ComplexForm::Product);
}
