// window, reduce, arg_reduce, scan.
//===---------------------------------------------------------------------------------------===//
#include "Combine.h"

using namespace mlir;
using namespace tw::graph;
using namespace tw::interp;

namespace {

/// Combined values, one per element of the result, until they are rounded.
template <typename T> struct Accumulators {
  Accumulators(RankedTensorType type, CombineKind kind)
      : result(Tensor::allocate(type)), kind(kind),
        values(size_t(type.getNumElements()), Store{identityOf<T>(kind)}) {}
  void add(int64_t at, T x) { values[at].value = combine<T>(kind, values[at].value, Wide<T>(x)); }
  Tensor finish() {
    llvm::transform(values, result.elements<T>().begin(), [](Store s) { return T(s.value); });
    return result;
  }

private:
  // std::vector<bool> has no elements.
  struct Store {
    Wide<T> value;
  };
  Tensor result;
  CombineKind kind;
  std::vector<Store> values;
};

template <typename T> Tensor reduce(ReduceOp op, const Tensor &x) {
  Accumulators<T> sums(resultType(op), op.getKind());
  SmallVector<int64_t> own = getRowMajorStrides(resultType(op).getShape()), strides;
  for (int64_t dim = 0, kept = 0; dim < int64_t(x.getShape().size()); ++dim)
    strides.push_back(llvm::is_contained(op.getDims(), dim) ? 0 : own[kept++]);
  ArrayRef<T> in = x.elements<T>();
  forEachPoint<2>(x.getShape(), {getRowMajorStrides(x.getShape()), strides}, {0, 0},
                  [&](auto at) { sums.add(at[1], in[at[0]]); });
  return sums.finish();
}

template <typename T> Tensor window(WindowOp op, const Tensor &x) {
  Accumulators<T> sums(resultType(op), op.getKind());
  ArrayRef<int64_t> out = resultType(op).getShape(), in = x.getShape();
  SmallVector<int64_t> inStrides = getRowMajorStrides(in), outStrides = getRowMajorStrides(out);
  ArrayRef<T> elements = x.elements<T>();
  // For each place in the window, the part of the result for which it lies inside the operand.
  int64_t places = 1;
  for (int64_t size : op.getWindow())
    places *= size;
  for (int64_t place = 0; place < places; ++place) {
    SmallVector<int64_t> shape(in.size()), steps(in.size());
    int64_t from = 0, to = 0, rest = place;
    for (int64_t d = int64_t(in.size()) - 1; d >= 0; --d) {
      int64_t stride = op.getStrides()[d], size = op.getWindow()[d];
      int64_t shift = rest % size * op.getDilations()[d] - op.getPadLow()[d];
      rest /= size;
      int64_t first = 0, end = out[d];
      while (first < end && first * stride + shift < 0)
        ++first;
      while (first < end && (end - 1) * stride + shift >= in[d])
        --end;
      shape[d] = end - first;
      steps[d] = stride * inStrides[d];
      from += (first * stride + shift) * inStrides[d];
      to += first * outStrides[d];
    }
    forEachPoint<2>(shape, {steps, outStrides}, {from, to},
                    [&](auto at) { sums.add(at[1], elements[at[0]]); });
  }
  return sums.finish();
}

/// Lines along one dimension: `outer` * `inner` of them, of `count` elements `inner` apart.
struct Lines {
  Lines(ArrayRef<int64_t> shape, int64_t dim) : count(shape[dim]) {
    for (int64_t size : shape.take_front(dim))
      outer *= size;
    for (int64_t size : shape.drop_front(dim + 1))
      inner *= size;
  }
  template <typename F> void forEach(F body) const {
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t i = 0; i < inner; ++i)
        body(o * count * inner + i);
  }
  int64_t outer = 1, count, inner = 1;
};

template <typename T> Tensor argReduce(ArgReduceOp op, const Tensor &x) {
  Tensor result = Tensor::allocate(resultType(op));
  bool isMax = op.getKind() == CombineKind::Max;
  ArrayRef<T> in = x.elements<T>();
  int64_t *out = result.elements<int64_t>().data();
  Lines lines(x.getShape(), op.getDim());
  auto isNan = [](T value) { return value != value; };
  lines.forEach([&](int64_t start) {
    int64_t best = 0;
    for (int64_t i = 1; i < lines.count; ++i) {
      T value = in[start + i * lines.inner], held = in[start + best * lines.inner];
      bool wins = isMax ? value > held : value < held;
      if (!isNan(held) && (wins || isNan(value)))
        best = i;
    }
    *out++ = best;
  });
  return result;
}

template <typename T> Tensor scan(ScanOp op, const Tensor &x) {
  Tensor result = Tensor::allocate(resultType(op));
  ArrayRef<T> in = x.elements<T>();
  auto out = result.elements<T>();
  Lines lines(x.getShape(), op.getDim());
  lines.forEach([&](int64_t start) {
    Wide<T> running = identityOf<T>(op.getKind());
    for (int64_t i = 0; i < lines.count; ++i) {
      int64_t at = start + (op.getReverse() ? lines.count - 1 - i : i) * lines.inner;
      Wide<T> next = combine<T>(op.getKind(), running, Wide<T>(in[at]));
      out[at] = T(op.getExclusive() ? running : next);
      running = next;
    }
  });
  return result;
}

} // namespace

template <typename T> static Tensor evaluateOn(Operation *op, const Tensor &x) {
  if (auto reduction = dyn_cast<ReduceOp>(op))
    return reduce<T>(reduction, x);
  if (auto sliding = dyn_cast<WindowOp>(op))
    return window<T>(sliding, x);
  if (auto where = dyn_cast<ArgReduceOp>(op))
    return argReduce<T>(where, x);
  return scan<T>(cast<ScanOp>(op), x);
}

Tensor tw::interp::evaluateReduction(Operation *op, ArrayRef<Tensor> x) {
  if (!isa<ReduceOp, WindowOp, ArgReduceOp, ScanOp>(op))
    return Tensor();
  return visitElementType(x[0].getElementType(), [&](auto tag) {
    return evaluateOn<typename decltype(tag)::type>(op, x[0]);
  });
}
