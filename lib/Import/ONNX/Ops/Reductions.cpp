// Reductions, their positions, and running sums.
#include "../Registry.h"

using namespace tw;
using namespace tw::onnx;
using graph::CombineKind;
using graph::ComparePredicate;

namespace {

/// The dimensions to reduce, and whether they stay with size 1.
struct Reduction {
  Shape dims;
  bool keep;
};

} // namespace

/// Axes were an attribute before `sinceInput` and are an input from there on.
static std::optional<Reduction> reduction(NodeImport &n, int64_t sinceInput) {
  int64_t rank = Emitter::rank(n.input(0));
  std::optional<Shape> axes = n.axesOperand(1, sinceInput, rank);
  bool keep = n.integer("keepdims", 1);
  if (n.failed())
    return std::nullopt;
  if (!axes || axes->empty())
    axes = n.integer("noop_with_empty_axes", 0) ? Shape() : indices(rank);
  return Reduction{*axes, keep};
}

template <CombineKind kind> static void importReduce(NodeImport &n) {
  if (auto r = reduction(n, 18))
    n.result(n.emit.reduce(kind, n.input(0), r->dims, r->keep));
}

static void importReduceSum(NodeImport &n) {
  if (auto r = reduction(n, 13))
    n.result(n.emit.sum(n.input(0), r->dims, r->keep));
}

static void importReduceMean(NodeImport &n) {
  if (auto r = reduction(n, 18))
    n.result(n.emit.mean(n.input(0), r->dims, r->keep));
}

static void importReduceL1(NodeImport &n) {
  if (auto r = reduction(n, 18))
    n.result(n.emit.sum(n.emit.abs(n.input(0)), r->dims, r->keep));
}

static Value sumOfSquares(NodeImport &n, const Reduction &r) {
  return n.emit.sum(n.emit.mul(n.input(0), n.input(0)), r.dims, r.keep);
}

/// A function of floats; integers are cut back to what they are.
template <typename OpTy> static Value throughFloat(Emitter &e, Value x) {
  if (e.isFloat(x))
    return e.unary<OpTy>(x);
  return e.cast(e.unary<OpTy>(e.cast(x, e.ops().getF64Type())), e.element(x));
}

static void importReduceL2(NodeImport &n) {
  if (auto r = reduction(n, 18))
    n.result(throughFloat<graph::SqrtOp>(n.emit, sumOfSquares(n, *r)));
}

static void importReduceSumSquare(NodeImport &n) {
  if (auto r = reduction(n, 18))
    n.result(sumOfSquares(n, *r));
}

static void importReduceLogSum(NodeImport &n) {
  if (auto r = reduction(n, 18))
    n.result(throughFloat<graph::LogOp>(n.emit, n.emit.sum(n.input(0), r->dims, r->keep)));
}

/// m + log(sum(exp(x - m))) with m the maximum, or 0 where that is infinite.
static void importReduceLogSumExp(NodeImport &n) {
  Emitter &e = n.emit;
  auto r = reduction(n, 18);
  if (!r)
    return;
  Value x = n.input(0);
  mlir::Type element = e.element(x);
  if (!e.isFloat(x))
    x = e.cast(x, e.ops().getF64Type());
  Value most = e.reduce(CombineKind::Max, x, r->dims, true);
  Value finite = e.compare(ComparePredicate::Lt, e.abs(most), e.limit({}, e.element(x), true));
  Value shift = e.select(finite, most, e.splatLike(most, 0));
  Value sum = e.add(e.log(e.sum(e.exp(e.sub(x, shift)), r->dims, true)), shift);
  if (!r->keep) {
    Shape shape;
    for (auto [i, size] : llvm::enumerate(e.shape(x)))
      if (!llvm::is_contained(r->dims, static_cast<int64_t>(i)))
        shape.push_back(size);
    sum = e.reshape(sum, shape);
  }
  n.result(e.cast(sum, element));
}

template <CombineKind kind> static void importArgReduce(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  int64_t axis = n.axisAttribute("axis", 0, e.rank(x));
  if (n.failed())
    return;
  if (e.size(x, axis) == 0) {
    n.error(Code::T0111) << "dimension " << axis << " of " << shapeText(e.shape(x))
                         << " has no element";
    return;
  }
  bool last = n.integer("select_last_index", 0);
  Value at = e.argReduce(kind, last ? e.flip(x, {axis}) : x, axis);
  if (last)
    at = e.sub(e.splatLike(at, static_cast<double>(e.size(x, axis) - 1)), at);
  n.result(n.integer("keepdims", 1) ? e.unsqueeze(at, axis) : at);
}

static void importCumSum(NodeImport &n) {
  Emitter &e = n.emit;
  std::optional<int64_t> axis = n.constantInteger(1);
  if (!axis)
    return;
  int64_t dim = n.axis(*axis, e.rank(n.input(0)));
  if (!n.failed())
    n.result(e.scan(CombineKind::Add, n.input(0), dim, n.integer("exclusive", 0),
                    n.integer("reverse", 0)));
}

void tw::onnx::addReductions(Registry &r) {
  r.add("ArgMax", 1, {1, 1}, importArgReduce<CombineKind::Max>);
  r.add("ArgMin", 1, {1, 1}, importArgReduce<CombineKind::Min>);
  r.add("CumSum", 11, {2, 2}, importCumSum);
  r.add("ReduceL1", 1, {1, 2}, importReduceL1);
  r.add("ReduceL2", 1, {1, 2}, importReduceL2);
  r.add("ReduceLogSum", 1, {1, 2}, importReduceLogSum);
  r.add("ReduceLogSumExp", 1, {1, 2}, importReduceLogSumExp);
  r.add("ReduceMax", 1, {1, 2}, importReduce<CombineKind::Max>);
  r.add("ReduceMean", 1, {1, 2}, importReduceMean);
  r.add("ReduceMin", 1, {1, 2}, importReduce<CombineKind::Min>);
  r.add("ReduceProd", 1, {1, 2}, importReduce<CombineKind::Mul>);
  r.add("ReduceSum", 1, {1, 2}, importReduceSum);
  r.add("ReduceSumSquare", 1, {1, 2}, importReduceSumSquare);
}
