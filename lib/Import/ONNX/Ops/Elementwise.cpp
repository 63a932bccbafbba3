// Arithmetic and mathematical functions, element by element.
#include "../Quantized.h"
#include "../Registry.h"
#include "../TensorData.h"

using namespace tw;
using namespace tw::onnx;
using graph::ComparePredicate;

/// Functions on floats only: their tgraph ops take nothing else.
template <typename OpTy> static void importFloatUnary(NodeImport &n) {
  if (!Emitter::isFloat(n.input(0))) {
    n.error(Code::T0107) << "the input has the element type " << Emitter::element(n.input(0))
                         << ", expected a float";
    return;
  }
  n.result(n.emit.unary<OpTy>(n.input(0)));
}

template <typename OpTy> static void importBinary(NodeImport &n) {
  n.result(n.emit.binary<OpTy>(n.input(0), n.alignedOperand()));
}

template <typename OpTy> static void importVariadic(NodeImport &n) {
  Value result = n.input(0);
  for (size_t i = 1; i < n.count(); ++i)
    result = n.emit.binary<OpTy>(result, n.input(i));
  n.result(result);
}

static void importMean(NodeImport &n) {
  importVariadic<graph::AddOp>(n);
  n.result(n.emit.div(n.allResults().front(), static_cast<double>(n.count())));
}

static void importIdentity(NodeImport &n) { n.result(n.input(0)); }

static void importIsNan(NodeImport &n) {
  n.result(n.emit.compare(ComparePredicate::Ne, n.input(0), n.input(0)));
}

static void importIsInf(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  Value high = e.compare(ComparePredicate::Eq, x, e.limit({}, e.element(x), true));
  Value low = e.compare(ComparePredicate::Eq, x, e.limit({}, e.element(x), false));
  bool positive = n.integer("detect_positive", 1), negative = n.integer("detect_negative", 1);
  if (positive && negative)
    n.result(e.binary<graph::OrOp>(high, low));
  else
    n.result(positive ? high : negative ? low : e.splat(e.shape(x), e.i1(), 0));
}

/// The operand's value if it is one number for all elements.
static std::optional<double> uniformExponent(NodeImport &n) {
  mlir::DenseElementsAttr value = n.known(n.input(1));
  if (!value)
    return std::nullopt;
  if (auto floating = llvm::dyn_cast<mlir::FloatType>(value.getElementType()))
    return value.getSplatValue<mlir::FloatAttr>().getValueAsDouble();
  return static_cast<double>(value.getSplatValue<llvm::APInt>().getSExtValue());
}

static void importPow(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0), y = n.alignedOperand();
  bool keepsShape = e.rank(y) <= e.rank(x) && elementCount(e.shape(y)) == 1;
  std::optional<double> exponent = keepsShape ? uniformExponent(n) : std::nullopt;
  if (exponent && e.isFloat(x)) {
    if (*exponent == 1)
      return n.result(x);
    if (*exponent == 2)
      return n.result(e.mul(x, x));
    if (*exponent == 3)
      return n.result(e.mul(e.mul(x, x), x));
  }
  mlir::Type element = e.element(x);
  if (e.isFloat(y) && !e.isFloat(x))
    return n.result(e.cast(e.binary<graph::PowOp>(e.cast(x, e.element(y)), y), element));
  n.result(e.binary<graph::PowOp>(x, e.cast(y, element)));
}

static void importMod(NodeImport &n) {
  if (n.integer("fmod", 0))
    importBinary<graph::RemOp>(n);
  else
    importBinary<graph::ModOp>(n);
}

static void importBitShift(NodeImport &n) {
  if (n.choice("direction", "", {"LEFT", "RIGHT"}) == "LEFT")
    importBinary<graph::ShlOp>(n);
  else
    importBinary<graph::ShrOp>(n);
}

static void importClip(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0), low = n.input(1), high = n.input(2);
  if (n.opset < 11) {
    if (n.hasAttribute("min"))
      low = e.splat({}, e.element(x), n.floating("min", 0));
    if (n.hasAttribute("max"))
      high = e.splat({}, e.element(x), n.floating("max", 0));
  }
  if (low && high)
    x = e.clamp(x, low, high);
  else if (low)
    x = e.maximum(x, low);
  else if (high)
    x = e.minimum(x, high);
  n.result(x);
}

/// The element type for an ONNX data type that a node asks for; reports if there is none.
static mlir::Type targetElement(NodeImport &n, int64_t type) {
  mlir::Type element = elementType(n.emit.ops().getContext(), static_cast<int32_t>(type));
  if (!element)
    n.unsupported("type " + dataTypeName(static_cast<int32_t>(type)), "that element type",
                  "float32, float64, integers or bool");
  return element;
}

static void importCast(NodeImport &n) {
  static constexpr std::pair<llvm::StringLiteral, DataType> names[] = {
      {"FLOAT", DataType::Float},   {"UINT8", DataType::Uint8},   {"INT8", DataType::Int8},
      {"UINT16", DataType::Uint16}, {"INT16", DataType::Int16},   {"INT32", DataType::Int32},
      {"INT64", DataType::Int64},   {"BOOL", DataType::Bool},     {"FLOAT16", DataType::Float16},
      {"DOUBLE", DataType::Double}, {"UINT32", DataType::Uint32}, {"UINT64", DataType::Uint64}};
  if (!n.hasAttribute("to"))
    return n.missing("to");
  int64_t to = 0;
  if (n.opset < 6) {
    llvm::StringRef text = n.text("to", "");
    for (const auto &[name, type] : names)
      if (text == name)
        to = static_cast<int64_t>(type);
  } else {
    to = n.integer("to", 0);
  }
  if (mlir::Type element = targetElement(n, to))
    n.result(castTo(n.emit, n.input(0), element, n.integer("saturate", 1) != 0));
}

static void importCastLike(NodeImport &n) {
  n.result(castTo(n.emit, n.input(0), Emitter::element(n.input(1)), n.integer("saturate", 1) != 0));
}

void tw::onnx::addElementwise(Registry &r) {
  r.add("Abs", 1, {1, 1}, importUnary<graph::AbsOp>);
  r.add("Acos", 7, {1, 1}, importFloatUnary<graph::AcosOp>);
  r.add("Acosh", 9, {1, 1}, importFloatUnary<graph::AcoshOp>);
  r.add("Add", 1, {2, 2}, importBinary<graph::AddOp>);
  r.add("Asin", 7, {1, 1}, importFloatUnary<graph::AsinOp>);
  r.add("Asinh", 9, {1, 1}, importFloatUnary<graph::AsinhOp>);
  r.add("Atan", 7, {1, 1}, importFloatUnary<graph::AtanOp>);
  r.add("Atanh", 9, {1, 1}, importFloatUnary<graph::AtanhOp>);
  r.add("BitShift", 11, {2, 2}, importBitShift);
  r.add("BitwiseAnd", 18, {2, 2}, importBinary<graph::AndOp>);
  r.add("BitwiseNot", 18, {1, 1}, importUnary<graph::NotOp>);
  r.add("BitwiseOr", 18, {2, 2}, importBinary<graph::OrOp>);
  r.add("BitwiseXor", 18, {2, 2}, importBinary<graph::XorOp>);
  r.add("Cast", 1, {1, 1}, importCast);
  r.add("CastLike", 15, {2, 2}, importCastLike);
  r.add("Ceil", 1, {1, 1}, importFloatUnary<graph::CeilOp>);
  r.add("Clip", 1, {1, 1}, importClip);
  r.add("Clip", 11, {1, 3}, importClip);
  r.add("Cos", 7, {1, 1}, importFloatUnary<graph::CosOp>);
  r.add("Cosh", 9, {1, 1}, importFloatUnary<graph::CoshOp>);
  r.add("Div", 1, {2, 2}, importBinary<graph::DivOp>);
  r.add("Erf", 9, {1, 1}, importFloatUnary<graph::ErfOp>);
  r.add("Exp", 1, {1, 1}, importFloatUnary<graph::ExpOp>);
  r.add("Floor", 1, {1, 1}, importFloatUnary<graph::FloorOp>);
  r.add("Identity", 1, {1, 1}, importIdentity);
  r.add("IsInf", 10, {1, 1}, importIsInf);
  r.add("IsNaN", 9, {1, 1}, importIsNan);
  r.add("Log", 1, {1, 1}, importFloatUnary<graph::LogOp>);
  r.add("Max", 1, {1, anyNumber}, importVariadic<graph::MaximumOp>);
  r.add("Mean", 1, {1, anyNumber}, importMean);
  r.add("Min", 1, {1, anyNumber}, importVariadic<graph::MinimumOp>);
  r.add("Mod", 10, {2, 2}, importMod);
  r.add("Mul", 1, {2, 2}, importBinary<graph::MulOp>);
  r.add("Neg", 1, {1, 1}, importUnary<graph::NegOp>);
  r.add("Pow", 1, {2, 2}, importPow);
  r.add("Reciprocal", 1, {1, 1}, importFloatUnary<graph::ReciprocalOp>);
  r.add("Round", 11, {1, 1}, importFloatUnary<graph::RoundOp>);
  r.add("Sign", 9, {1, 1}, importUnary<graph::SignOp>);
  r.add("Sin", 7, {1, 1}, importFloatUnary<graph::SinOp>);
  r.add("Sinh", 9, {1, 1}, importFloatUnary<graph::SinhOp>);
  r.add("Sqrt", 1, {1, 1}, importFloatUnary<graph::SqrtOp>);
  r.add("Sub", 1, {2, 2}, importBinary<graph::SubOp>);
  r.add("Sum", 1, {1, anyNumber}, importVariadic<graph::AddOp>);
  r.add("Tan", 7, {1, 1}, importFloatUnary<graph::TanOp>);
}
