// Quantised tensors: integers, whose scales and zero points stand in their types. Ops that move
// elements move the integers; others compute with the numbers that these stand for, as StableHLO
// defines them.
#include "../Quantized.h"
#include "../Registry.h"

#include <cmath>

using namespace tw;
using namespace tw::stablehlo;
using namespace mlir;

namespace {

/// What a type says, per tensor (one scale and zero point) or along a dimension.
struct Parameters {
  SmallVector<double> scales, zeroPoints;
  std::optional<int64_t> dim;
  quant::QuantizedType type;
};

} // namespace

static std::optional<Parameters> parametersOf(OpImport &op, Type type) {
  auto tensor = cast<RankedTensorType>(type);
  Parameters found;
  if (auto one = dyn_cast<quant::UniformQuantizedType>(tensor.getElementType())) {
    found.type = one;
    found.scales = {one.getScale()};
    found.zeroPoints = {double(one.getZeroPoint())};
    return found;
  }
  auto each = cast<quant::UniformQuantizedPerAxisType>(tensor.getElementType());
  found.type = each;
  found.scales = llvm::to_vector(each.getScales());
  found.zeroPoints = llvm::map_to_vector(each.getZeroPoints(), [](int64_t n) { return double(n); });
  found.dim = each.getQuantizedDimension();
  if (*found.dim < 0 || *found.dim >= tensor.getRank() ||
      tensor.getDimSize(unsigned(*found.dim)) != int64_t(found.scales.size())) {
    op.error(Code::T0111) << "expected a scale for each element along dimension " << *found.dim
                          << ", found " << found.scales.size() << " for " << type;
    return std::nullopt;
  }
  return found;
}

/// One number for all, or one for each element along the dimension.
static Value parameter(Emitter &e, ArrayRef<double> numbers, const Parameters &of, Type element,
                       int64_t rank) {
  if (!of.dim)
    return e.splat({}, element, numbers.front());
  return e.along(e.vector(element, numbers), *of.dim, rank);
}

Value tw::stablehlo::dequantized(OpImport &op, Value x, Type type) {
  Emitter &e = op.emit;
  std::optional<Parameters> of = parametersOf(op, type);
  if (!of || !x)
    return {};
  Type expressed = of->type.getExpressedType();
  // Zero points are taken off exactly: differences of integers of 8 bits need 9.
  Type wide = IntegerType::get(expressed.getContext(),
                               of->type.getStorageTypeIntegralWidth() < 32 ? 32 : 64);
  int64_t rank = Emitter::rank(x);
  Value steps = e.cast(x, wide);
  if (llvm::any_of(of->zeroPoints, [](double n) { return n != 0; }))
    steps = e.sub(steps, parameter(e, of->zeroPoints, *of, wide, rank));
  return e.mul(e.cast(steps, expressed), parameter(e, of->scales, *of, expressed, rank));
}

Value tw::stablehlo::quantized(OpImport &op, Value x, Type type) {
  Emitter &e = op.emit;
  std::optional<Parameters> of = parametersOf(op, type);
  if (!of || !x)
    return {};
  int64_t rank = Emitter::rank(x);
  x = e.cast(x, of->type.getExpressedType());
  Type expressed = Emitter::element(x);
  Value steps = e.round(e.div(x, parameter(e, of->scales, *of, expressed, rank)));
  steps = e.add(steps, parameter(e, of->zeroPoints, *of, expressed, rank));
  steps =
      e.clamp(steps, double(of->type.getStorageTypeMin()), double(of->type.getStorageTypeMax()));
  return e.cast(steps, cast<RankedTensorType>(partTypeOf(type)).getElementType());
}

/// By then the operand is the numbers, and the result becomes integers behind it.
static void importThrough(OpImport &op) {
  if (!isQuantizedType(op.op.getOperand(0).getType()) &&
      !isQuantizedType(op.op.getResult(0).getType())) {
    op.error(Code::T0107) << "expected a tensor of '!quant.uniform' as operand or result, found "
                          << op.op.getOperand(0).getType() << " and "
                          << op.op.getResult(0).getType();
    return;
  }
  op.result(op.emit.cast(op.operand(0), op.resultType().getElementType()));
}

void tw::stablehlo::addQuantization(Registry &registry) {
  registry.add("stablehlo.uniform_quantize", importThrough);
  registry.add("stablehlo.uniform_dequantize", importThrough);
  for (StringRef name : {"broadcast",
                         "broadcast_in_dim",
                         "concatenate",
                         "constant",
                         "dynamic_slice",
                         "dynamic_update_slice",
                         "gather",
                         "pad",
                         "reshape",
                         "reverse",
                         "select",
                         "slice",
                         "transpose",
                         "case",
                         "if",
                         "optimization_barrier",
                         "while",
                         "bitcast_convert",
                         "composite",
                         "dynamic_broadcast_in_dim",
                         "dynamic_gather",
                         "dynamic_pad",
                         "dynamic_reshape",
                         "get_dimension_size",
                         "real_dynamic_slice",
                         "set_dimension_size",
                         "sort",
                         "torch_index_select"})
    registry.setQuantized(("stablehlo." + name).str(), QuantizedForm::Integers);
  // Larger integers are larger numbers.
  registry.setQuantized("chlo.top_k", QuantizedForm::Integers);
  for (StringRef name : {"uniform_quantize",
                         "uniform_dequantize",
                         "abs",
                         "add",
                         "atan2",
                         "batch_norm_inference",
                         "cbrt",
                         "ceil",
                         "clamp",
                         "compare",
                         "convolution",
                         "cosine",
                         "divide",
                         "dot",
                         "dot_general",
                         "exponential",
                         "exponential_minus_one",
                         "floor",
                         "log",
                         "log_plus_one",
                         "logistic",
                         "maximum",
                         "minimum",
                         "map",
                         "multiply",
                         "negate",
                         "power",
                         "reduce",
                         "reduce_precision",
                         "reduce_window",
                         "remainder",
                         "round_nearest_afz",
                         "round_nearest_even",
                         "rsqrt",
                         "scatter",
                         "select_and_scatter",
                         "sign",
                         "sine",
                         "sqrt",
                         "subtract",
                         "tan",
                         "tanh"})
    registry.setQuantized(("stablehlo." + name).str(), QuantizedForm::Numbers);
}
