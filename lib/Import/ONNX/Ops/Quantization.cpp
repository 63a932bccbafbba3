// Quantised numbers.
#include "../Quantized.h"
#include "../Registry.h"
#include "../TensorData.h"

#include <cmath>

using namespace tw;
using namespace tw::onnx;

std::pair<double, double> tw::onnx::integerRange(mlir::Type element) {
  unsigned width = element.getIntOrFloatBitWidth();
  if (element.isUnsignedInteger())
    return {0, std::ldexp(1.0, static_cast<int>(width)) - 1};
  double half = std::ldexp(1.0, static_cast<int>(width) - 1);
  return {-half, half - 1};
}

Value tw::onnx::centered(NodeImport &n, Value x, Value zeroPoint, bool row) {
  Emitter &e = n.emit;
  mlir::Type i32 = e.ops().getI32Type();
  Value wide = e.cast(x, i32);
  if (!zeroPoint || !wide)
    return wide;
  zeroPoint = e.cast(zeroPoint, i32);
  if (row && e.rank(zeroPoint) == 1 && e.rank(x) > 1 && e.size(zeroPoint, 0) != 1)
    zeroPoint = e.unsqueeze(zeroPoint, 1);
  if (elementCount(e.shape(zeroPoint)) == 1)
    zeroPoint = e.reshape(zeroPoint, {});
  return e.sub(wide, zeroPoint);
}

Value tw::onnx::castTo(Emitter &e, Value x, mlir::Type element, bool saturates) {
  auto narrow = llvm::dyn_cast_or_null<mlir::FloatType>(element);
  if (!x || !narrow || narrow.getWidth() != 8 || !saturates || e.element(x) == element)
    return e.cast(x, element);
  // Limits of one float of 8 bits are no numbers of another.
  if (!e.isFloat(x) || e.element(x).getIntOrFloatBitWidth() == 8)
    x = e.cast(x, e.ops().getF32Type());
  double most = llvm::APFloat::getLargest(narrow.getFloatSemantics()).convertToDouble();
  return e.cast(e.clamp(x, -most, most), element);
}

Value tw::onnx::quantized(Emitter &e, Value x, Value scale, Value zeroPoint, mlir::Type element) {
  Value steps = e.round(e.div(x, scale));
  if (zeroPoint)
    steps = e.add(steps, e.cast(zeroPoint, e.element(steps)));
  auto [least, most] = integerRange(element);
  return e.cast(e.clamp(steps, least, most), element);
}

Value tw::onnx::requantized(NodeImport &n, Value x, Value scale, Value zeroPoint) {
  Emitter &e = n.emit;
  if (!x || !scale || !zeroPoint)
    return {};
  if (elementCount(e.shape(scale)) == 1)
    scale = e.reshape(scale, {});
  Value scaled = e.round(e.mul(e.cast(x, e.element(scale)), scale));
  mlir::Type element = e.element(zeroPoint);
  if (elementCount(e.shape(zeroPoint)) == 1)
    zeroPoint = e.reshape(zeroPoint, {});
  scaled = e.add(scaled, e.cast(zeroPoint, e.element(scaled)));
  auto [least, most] = integerRange(element);
  return e.cast(e.clamp(scaled, least, most), element);
}

namespace {

/// Whole numbers (in a float type), or floats of 8 bits, and what they are multiplied by: one
/// number, or a vector.
struct Steps {
  Value steps, scale;
};

} // namespace

/// Whether `x` is a number of 8 bits at most, as it is or, an integer, less a zero point of such.
static bool isNarrow(Value x) {
  if (Emitter::element(x).getIntOrFloatBitWidth() == 8)
    return true;
  if (auto sub = x.getDefiningOp<graph::SubOp>())
    return !Emitter::isFloat(x) && isNarrow(sub.getLhs());
  if (auto cast = x.getDefiningOp<graph::CastOp>(); cast && !Emitter::isFloat(cast.getInput()))
    x = cast.getInput();
  return !Emitter::isFloat(x) && Emitter::element(x).getIntOrFloatBitWidth() <= 8;
}

/// Whether a scale may be multiplied behind a sum of steps: neither is a sum of infinite steps
/// then, nor does one overflow or vanish that the other scale brings back. Sums of 2^31 products of
/// floats of 8 bits are below 2^63, and none of their terms is below 2^-34.
static bool isPlain(const llvm::APFloat &scale) {
  double size = std::abs(scale.convertToDouble());
  return size == 0 || (size >= 0x1p-64 && size <= 0x1p+64);
}

/// What importDequantizeLinear made, taken apart, if its scale varies along dimension `dim` at
/// most.
static std::optional<Steps> takeApart(Emitter &e, Value x, int64_t dim) {
  auto mul = x.getDefiningOp<graph::MulOp>();
  auto cast = mul ? mul.getLhs().getDefiningOp<graph::CastOp>() : graph::CastOp();
  if (!cast || !(e.element(x).isF32() || e.element(x).isF64()) || !isNarrow(cast.getInput()))
    return std::nullopt;
  Value scale = mul.getRhs();
  if (auto expand = scale.getDefiningOp<graph::ExpandOp>())
    scale = expand.getInput();
  mlir::DenseElementsAttr known;
  if (mlir::matchPattern(scale, mlir::m_Constant(&known))) {
    if (!llvm::all_of(known.getValues<llvm::APFloat>(), isPlain))
      return std::nullopt;
    if (known.isSplat())
      return Steps{
          cast, e.splat({}, e.element(x), known.getSplatValue<llvm::APFloat>().convertToDouble())};
  }
  for (auto [i, size] : llvm::enumerate(e.shape(scale)))
    if (size != 1 && static_cast<int64_t>(i) != dim)
      return std::nullopt;
  if (elementCount(e.shape(scale)) == 1)
    return Steps{cast, e.reshape(scale, {})};
  return Steps{cast, e.reshape(scale, {elementCount(e.shape(scale))})};
}

Value tw::onnx::productOfSteps(NodeImport &n, Value a, Value b, int64_t dimB, int64_t dim,
                               llvm::function_ref<Value(Value, Value)> product) {
  Emitter &e = n.emit;
  std::optional<Steps> left, right;
  if (a && b) {
    left = takeApart(e, a, /*dim=*/-1);
    right = takeApart(e, b, dimB);
  }
  if (!left || !right)
    return product(a, b);
  Value sum = product(left->steps, right->steps);
  if (!sum)
    return {};
  // One after the other: the product of two scales may be no normal number where both are.
  for (Value scale : {left->scale, right->scale})
    sum = e.mul(sum, e.rank(scale) ? e.along(scale, dim, e.rank(sum)) : scale);
  return sum;
}

/// Scale and zero point: one for all, one per element of an axis, or one per block along it.
static Value alignedParameter(NodeImport &n, Value x, Value parameter) {
  Emitter &e = n.emit;
  if (!parameter || e.rank(parameter) == 0)
    return parameter;
  if (elementCount(e.shape(parameter)) == 1)
    return e.reshape(parameter, {});
  int64_t axis = n.axisAttribute("axis", 1, e.rank(x));
  if (n.failed())
    return {};
  if (e.rank(parameter) == 1)
    return e.along(parameter, axis, e.rank(x));
  int64_t block = n.integer("block_size", 0);
  if (block < 1 || e.rank(parameter) != e.rank(x)) {
    n.error(Code::T0111) << "scale or zero point has the shape " << shapeText(e.shape(parameter))
                         << ", the input " << shapeText(e.shape(x));
    return {};
  }
  Shape apart(e.shape(parameter)), merged(e.shape(parameter));
  apart.insert(apart.begin() + axis + 1, block);
  merged[axis] *= block;
  Value repeated = e.reshape(e.expand(e.unsqueeze(parameter, axis + 1), apart), merged);
  return e.sliceDim(repeated, axis, 0, std::min(e.size(x, axis), merged[axis]));
}

static void importQuantizeLinear(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0), scale = alignedParameter(n, x, n.input(1));
  mlir::Type element = e.ops().getIntegerType(8, /*isSigned=*/false);
  if (n.has(2))
    element = e.element(n.input(2));
  else if (n.integer("output_dtype", 0))
    element = elementType(e.ops().getContext(), static_cast<int32_t>(n.integer("output_dtype", 0)));
  bool isFloat8 =
      llvm::isa_and_nonnull<mlir::FloatType>(element) && element.getIntOrFloatBitWidth() == 8;
  if (!element || !(llvm::isa<mlir::IntegerType>(element) || isFloat8))
    return n.unsupported("16-bit float or 4-bit results", "that element type",
                         "int8, uint8 or float8");
  if (!e.isFloat(x))
    x = e.cast(x, e.element(scale));
  if (isFloat8) {
    Value steps = e.div(x, scale);
    if (Value zero = n.has(2) ? alignedParameter(n, x, n.input(2)) : Value())
      steps = e.add(steps, e.cast(zero, e.element(steps)));
    return n.result(castTo(e, steps, element, n.integer("saturate", 1) != 0));
  }
  n.result(quantized(e, x, scale, alignedParameter(n, x, n.input(2)), element));
}

static void importDequantizeLinear(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0), scale = alignedParameter(n, x, n.input(1));
  if (!scale)
    return;
  Value centre = x;
  mlir::DenseElementsAttr zero;
  bool isZero = n.has(2) && mlir::matchPattern(n.input(2), mlir::m_Constant(&zero)) &&
                zero.isSplat() && e.isFloat(x) && zero.getSplatValue<llvm::APFloat>().isPosZero();
  if (n.has(2) && !isZero) {
    // Of floats of 8 bits differences are exact in f32.
    mlir::Type exact = e.isFloat(x) ? mlir::Type(e.ops().getF32Type()) : e.ops().getI32Type();
    centre = e.sub(e.cast(x, exact), e.cast(alignedParameter(n, x, n.input(2)), exact));
  }
  n.result(e.mul(e.cast(centre, e.element(scale)), scale));
}

static void importDynamicQuantizeLinear(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  Shape all = indices(e.rank(x));
  mlir::Type ui8 = e.ops().getIntegerType(8, /*isSigned=*/false);
  Value most = e.maximum(e.reduce(graph::CombineKind::Max, x, all), 0);
  Value least = e.minimum(e.reduce(graph::CombineKind::Min, x, all), 0);
  Value scale = e.div(e.sub(most, least), 255);
  Value zero = e.cast(e.round(e.clamp(e.neg(e.div(least, scale)), 0, 255)), ui8);
  n.result(0, quantized(e, x, scale, zero, ui8));
  n.result(1, scale);
  n.result(2, zero);
}

void tw::onnx::addQuantization(Registry &r) {
  r.add("DequantizeLinear", 10, {2, 3}, importDequantizeLinear);
  r.add("DynamicQuantizeLinear", 11, {1, 1}, importDynamicQuantizeLinear, {1, 3});
  r.add("QuantizeLinear", 10, {2, 3}, importQuantizeLinear);
}
