// Composite ops: registration, verification, decomposition into simpler ops.
#include "ShapeInference.h"
#include "tw/Dialect/Graph/Create.h"

#include <numbers>

using namespace mlir;
using namespace tw;
using namespace tw::graph;

#define GET_OP_CLASSES
#include "tw/Dialect/Graph/CompositeOps.cpp.inc"

void GraphDialect::registerCompositeOps() {
  addOperations<
#define GET_OP_LIST
#include "tw/Dialect/Graph/CompositeOps.cpp.inc"
      >();
}

LogicalResult SoftmaxOp::verify() {
  return ShapeChecker(*this).dims("dim", int64_t(getDim()), getType().getRank());
}

LogicalResult LogSoftmaxOp::verify() {
  return ShapeChecker(*this).dims("dim", int64_t(getDim()), getType().getRank());
}

LogicalResult LayerNormOp::verify() {
  ShapeChecker check(*this);
  Shape shape = *getShape(getType());
  if (failed(check.dims("dims", getDims(), shape.size())))
    return failure();
  if (getDims().empty() || !llvm::is_sorted(getDims()))
    return check.error(
        Code::T0204, "expected at least one dimension in dims, ascending, found [",
        llvm::join(llvm::map_range(getDims(), [](int64_t d) { return llvm::itostr(d); }), ", "),
        "]");
  Shape normalised;
  for (int64_t dim : getDims())
    normalised.push_back(shape[dim]);
  Type expected = getTensorType(normalised, getType().getElementType());
  std::pair<StringRef, Value> parameters[] = {{"scale", getScale()}, {"bias", getBias()}};
  for (auto [name, value] : parameters)
    if (value && value.getType() != expected)
      return check.error(Code::T0208, "expected ", name, " of type ", expected, ", found ",
                         value.getType());
  return success();
}

LogicalResult BatchNormOp::verify() {
  ShapeChecker check(*this);
  Shape shape = *getShape(getType());
  if (shape.size() < 2)
    return check.error(Code::T0208, "expected an operand of rank 2 or more, found rank ",
                       shape.size());
  Type expected = getTensorType(shape[1], getType().getElementType());
  if (getScale().getType() != expected)
    return check.error(Code::T0208, "expected parameters of type ", expected,
                       ", one per channel, found ", getScale().getType());
  return success();
}

namespace {
// Emits ops on tensors of one type.
struct Parts {
  OpBuilder &builder;
  Location loc;
  RankedTensorType type;

  template <typename Op> Value create(ValueRange operands) {
    return Op::create(builder, loc, type, operands, ArrayRef<NamedAttribute>{})->getResult(0);
  }
  Value splat(double value) { return graph::splat(builder, loc, type, value); }

  // The combination along `dims`, repeated along them.
  Value reduced(CombineKind kind, Value x, ArrayRef<int64_t> dims) {
    Value result = ReduceOp::create(builder, loc, kind, x, dims);
    return repeated(result, dims);
  }
  // `x` without `dims`, repeated along them.
  Value repeated(Value x, ArrayRef<int64_t> dims) {
    SmallVector<int64_t> others;
    for (int64_t dim = 0; dim != type.getRank(); ++dim)
      if (!llvm::is_contained(dims, dim))
        others.push_back(dim);
    return broadcast(builder, loc, x, others, type);
  }
};
} // namespace

SmallVector<Value> ReluOp::decompose(OpBuilder &builder) {
  Parts p{builder, getLoc(), getType()};
  return {p.create<MaximumOp>({getInput(), p.splat(0)})};
}

SmallVector<Value> SigmoidOp::decompose(OpBuilder &builder) {
  Parts p{builder, getLoc(), getType()};
  Value one = p.splat(1);
  Value exp = p.create<ExpOp>(p.create<NegOp>(getInput()));
  return {p.create<DivOp>({one, p.create<AddOp>({one, exp})})};
}

SmallVector<Value> GeluOp::decompose(OpBuilder &builder) {
  Parts p{builder, getLoc(), getType()};
  Value x = getInput(), inner;
  if (getKind() == GeluKind::Erf) {
    inner = p.create<ErfOp>(p.create<MulOp>({x, p.splat(1 / std::numbers::sqrt2)}));
  } else {
    Value cube = p.create<MulOp>({p.create<MulOp>({x, x}), x});
    Value sum = p.create<AddOp>({x, p.create<MulOp>({cube, p.splat(0.044715)})});
    double factor = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
    inner = p.create<TanhOp>(p.create<MulOp>({sum, p.splat(factor)}));
  }
  Value half = p.create<MulOp>({x, p.splat(0.5)});
  return {p.create<MulOp>({half, p.create<AddOp>({inner, p.splat(1)})})};
}

SmallVector<Value> SoftmaxOp::decompose(OpBuilder &builder) {
  Parts p{builder, getLoc(), getType()};
  int64_t dim = getDim();
  Value shifted = p.create<SubOp>({getInput(), p.reduced(CombineKind::Max, getInput(), dim)});
  Value exp = p.create<ExpOp>(shifted);
  return {p.create<DivOp>({exp, p.reduced(CombineKind::Add, exp, dim)})};
}

SmallVector<Value> LogSoftmaxOp::decompose(OpBuilder &builder) {
  Parts p{builder, getLoc(), getType()};
  int64_t dim = getDim();
  Value shifted = p.create<SubOp>({getInput(), p.reduced(CombineKind::Max, getInput(), dim)});
  Value sum = ReduceOp::create(builder, getLoc(), CombineKind::Add, p.create<ExpOp>(shifted), dim);
  return {p.create<SubOp>({shifted, p.repeated(LogOp::create(builder, getLoc(), sum), dim)})};
}

// Means and the reciprocal of the deviation are taken on the reduced shape, so that only the shift
// and the scale touch every element.
SmallVector<Value> LayerNormOp::decompose(OpBuilder &builder) {
  Shape shape = *getShape(getType());
  double known = 1;
  SmallVector<Dim> settled; // by a call
  for (int64_t dim : getDims())
    if (shape[dim].isStatic())
      known *= shape[dim].getConstant();
    else
      settled.push_back(shape[dim]);
  Parts p{builder, getLoc(), getType()};
  auto mean = [&](Value x) {
    Value sum = ReduceOp::create(builder, getLoc(), CombineKind::Add, x, getDims());
    Parts small{builder, getLoc(), cast<RankedTensorType>(sum.getType())};
    Value count = small.splat(known);
    auto scalar = RankedTensorType::get({}, small.type.getElementType());
    for (const Dim &dim : settled) {
      auto size = DimsAttr::get(builder.getContext(), ArrayRef<Dim>(dim));
      Value number = SizeOp::create(builder, getLoc(), scalar, size);
      count = small.create<MulOp>({count, broadcast(builder, getLoc(), number, {}, small.type)});
    }
    return std::pair(small, small.create<DivOp>({sum, count}));
  };
  Value centred = p.create<SubOp>({getInput(), p.repeated(mean(getInput()).second, getDims())});
  auto [small, variance] = mean(p.create<MulOp>({centred, centred}));
  Value shifted = small.create<AddOp>({variance, small.splat(getEps().convertToDouble())});
  Value factor = small.create<RsqrtOp>(shifted);
  Value result = p.create<MulOp>({centred, p.repeated(factor, getDims())});
  if (getScale())
    result = p.create<MulOp>({result, broadcast(builder, getLoc(), getScale(), getDims(), p.type)});
  if (getBias())
    result = p.create<AddOp>({result, broadcast(builder, getLoc(), getBias(), getDims(), p.type)});
  return {result};
}

SmallVector<Value> BatchNormOp::decompose(OpBuilder &builder) {
  Parts small{builder, getLoc(), getScale().getType()}, p{builder, getLoc(), getType()};
  Value shifted = small.create<AddOp>({getVariance(), small.splat(getEps().convertToDouble())});
  Value factor = small.create<DivOp>({getScale(), small.create<SqrtOp>(shifted)});
  Value offset = small.create<SubOp>({getBias(), small.create<MulOp>({getMean(), factor})});
  Value scaled = p.create<MulOp>({getInput(), broadcast(builder, getLoc(), factor, 1, p.type)});
  return {p.create<AddOp>({scaled, broadcast(builder, getLoc(), offset, 1, p.type)})};
}
