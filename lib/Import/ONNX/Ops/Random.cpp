// Operators that draw random numbers: words of Philox by a key and a counter, the same at each run.
#include "../Registry.h"
#include "../TensorData.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/xxhash.h"

using namespace tw;
using namespace tw::onnx;
using graph::CombineKind;
using graph::ComparePredicate;
using graph::RandomKind;

/// Numbers of a type that is f32 or f64. The key is the attribute `seed`, or where there is none
/// made of the name of the node's result, so that nodes have other numbers.
static Value draw(NodeImport &n, RandomKind kind, ShapeRef shape, mlir::Type element) {
  Emitter &e = n.emit;
  if (!llvm::isa<mlir::func::FuncOp>(e.ops().getInsertionBlock()->getParentOp())) {
    n.unsupported("inside of a loop or a branch", "a state that is carried",
                  "the numbers as an input of the model");
    return {};
  }
  uint32_t key = n.hasAttribute("seed") ? llvm::bit_cast<uint32_t>(float(n.floating("seed", 0)))
                                        : uint32_t(llvm::xxh3_64bits(n.node.outputs.front()));
  if (n.failed() || !e.checkShape(shape))
    return {};
  auto word = mlir::IntegerType::get(element.getContext(), 64, mlir::IntegerType::Unsigned);
  auto drawn = graph::RandomKindAttr::get(element.getContext(), kind);
  return e.make<graph::RandomOp>(mlir::RankedTensorType::get(shape, element), drawn,
                                 e.splat({}, word, double(key)), e.splat({}, word, 0));
}

/// What numbers of this type are computed in.
static mlir::Type drawnType(Emitter &e, mlir::Type type) {
  return type && type.isF64() ? type : e.f32();
}

/// The type of the attribute `dtype`, or `fallback`.
static mlir::Type resultType(NodeImport &n, mlir::Type fallback) {
  if (!n.hasAttribute("dtype"))
    return fallback;
  int64_t number = n.integer("dtype", 0);
  mlir::Type type = elementType(n.emit.ops().getContext(), int32_t(number));
  if (!type && !n.failed())
    n.error(Code::T0107) << "attribute 'dtype' is " << number << ", which is no type of numbers";
  return type;
}

/// The largest number of the type that is below `end`.
static double largestBelow(double end, mlir::FloatType type) {
  bool isInexact;
  llvm::APFloat number(end);
  number.convert(type.getFloatSemantics(), llvm::APFloat::rmTowardNegative, &isInexact);
  if (!isInexact)
    number.next(/*nextDown=*/true);
  number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &isInexact);
  return number.convertToDouble();
}

static void importNumbers(NodeImport &n, RandomKind kind, ShapeRef shape, mlir::Type fallback) {
  Emitter &e = n.emit;
  mlir::Type type = resultType(n, fallback);
  if (!n.failed() && !llvm::isa<mlir::FloatType>(type))
    n.error(Code::T0107) << "expected floats, found " << type;
  bool isNormal = kind == RandomKind::Normal;
  double low = isNormal ? n.floating("mean", 0) : n.floating("low", 0);
  double scale = isNormal ? n.floating("scale", 1) : n.floating("high", 1) - low;
  if (n.failed())
    return;
  mlir::Type computed = drawnType(e, type);
  Value drawn = draw(n, kind, shape, computed);
  if (!drawn)
    return;
  Value number = e.add(e.mul(drawn, scale), low);
  // A sum, or fewer bits, may round up to the end, which is not among the numbers.
  if (!isNormal && scale > 0 && (low != 0 || type != computed))
    number = e.minimum(
        number, e.splatLike(number, largestBelow(low + scale, llvm::cast<mlir::FloatType>(type))));
  n.result(e.cast(number, type));
}

template <RandomKind kind> static void importShaped(NodeImport &n) {
  std::optional<Shape> shape = n.integers("shape");
  if (!shape)
    return n.failed() ? void() : n.missing("shape");
  importNumbers(n, kind, *shape, n.emit.f32());
}

template <RandomKind kind> static void importLike(NodeImport &n) {
  mlir::Type own = n.emit.element(n.input(0));
  importNumbers(n, kind, n.emit.shape(n.input(0)),
                llvm::isa<mlir::FloatType>(own) ? own : n.emit.f32());
}

/// 1 with the probability that the input has there.
static void importBernoulli(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  mlir::Type type = resultType(n, e.element(x)), computed = drawnType(e, e.element(x));
  if (!e.isFloat(x))
    n.error(Code::T0107) << "expected probabilities as floats, found " << e.element(x);
  if (n.failed())
    return;
  Value drawn = draw(n, RandomKind::Uniform, e.shape(x), computed);
  if (drawn)
    n.result(e.cast(e.compare(ComparePredicate::Lt, drawn, e.cast(x, computed)), type));
}

/// [B, samples]: classes of which [B, C] has the logarithms of the weights. Each sample is the
/// class that comes first where each comes after an exponentially distributed time, its weight the
/// rate.
static void importMultinomial(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  int64_t samples = n.integer("sample_size", 1);
  mlir::Type type = resultType(n, e.ops().getI32Type());
  if (!e.isFloat(x) || e.rank(x) != 2)
    n.error(Code::T0111) << "expected floats [B, C], found " << e.type(x);
  else if (e.size(x, 1) == 0 || samples < 0)
    n.error(Code::T0111) << "cannot draw " << samples << " samples from " << e.size(x, 1)
                         << " classes";
  if (!n.failed() && !type.isSignlessInteger(32) && !type.isSignlessInteger(64))
    n.error(Code::T0107) << "expected int32 or int64 as dtype, found " << type;
  if (n.failed())
    return;
  mlir::Type computed = drawnType(e, e.element(x));
  Value drawn = draw(n, RandomKind::Uniform, {e.size(x, 0), samples, e.size(x, 1)}, computed);
  if (!drawn)
    return;
  // log(weight / time), time = -log(u)
  Value time = e.log(e.neg(e.log(drawn)));
  Value score = e.sub(e.unsqueeze(e.cast(x, computed), 1), time);
  n.result(e.cast(e.argReduce(CombineKind::Max, score, 2), type));
}

void tw::onnx::addRandom(Registry &r) {
  r.add("Bernoulli", 15, {1, 1}, importBernoulli);
  r.add("Multinomial", 7, {1, 1}, importMultinomial);
  r.add("RandomNormal", 1, {0, 0}, importShaped<RandomKind::Normal>);
  r.add("RandomNormalLike", 1, {1, 1}, importLike<RandomKind::Normal>);
  r.add("RandomUniform", 1, {0, 0}, importShaped<RandomKind::Uniform>);
  r.add("RandomUniformLike", 1, {1, 1}, importLike<RandomKind::Uniform>);
}
