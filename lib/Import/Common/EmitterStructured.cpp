// Emits the structured tgraph ops: contractions, windows, reductions, gathers, composites.
#include "EmitterInfer.h"

#include "tw/Dialect/Graph/TransposedConvolution.h"

using namespace tw;
using namespace tw::importer;
using namespace mlir;

Value Emitter::contract(llvm::StringRef spec, Value a, Value b) {
  if (!a || !b || !sameElement(a, b))
    return {};
  return infer<graph::ContractOp>(a.getType(), spec, a, b);
}

Value Emitter::conv(Value x, Value w, ShapeRef strides, ShapeRef dilations, ShapeRef low,
                    ShapeRef high, int64_t groups) {
  if (!x || !w || !sameElement(x, w))
    return {};
  return infer<graph::ConvOp>(x.getType(), x, w, strides, dilations, low, high, groups);
}

Value Emitter::transposedConv(Value x, Value w, ShapeRef sizes, ShapeRef strides,
                              ShapeRef dilations, ShapeRef low, int64_t groups) {
  if (!x || !w || !sameElement(x, w))
    return {};
  Shape result{size(x, 0), size(w, 1) * groups};
  result.append(sizes.begin(), sizes.end());
  Value y;
  if (elementCount(shape(x)) && elementCount(shape(w)) && elementCount(result))
    y = graph::buildTransposedConvolution(builder, loc, x, w, sizes, strides, dilations, low,
                                          groups);
  return y ? y : splat(result, element(x), 0);
}

Value Emitter::window(graph::CombineKind kind, Value x, ShapeRef window, ShapeRef strides,
                      ShapeRef dilations, ShapeRef low, ShapeRef high) {
  if (!x)
    return x;
  return infer<graph::WindowOp>(x.getType(), kind, x, window, strides, dilations, low, high);
}

Value Emitter::reduce(graph::CombineKind kind, Value x, ShapeRef dims, bool keep) {
  if (!x || dims.empty())
    return x;
  if (!hasDims(x, dims))
    return {};
  Shape sorted(dims);
  llvm::sort(sorted);
  Value result = infer<graph::ReduceOp>(x.getType(), kind, x, ShapeRef(sorted));
  if (!keep)
    return result;
  Shape kept(shape(x));
  for (int64_t dim : dims)
    kept[dim] = 1;
  return reshape(result, kept);
}

Value Emitter::mean(Value x, ShapeRef dims, bool keep) {
  if (!x)
    return x;
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= size(x, dim);
  return div(sum(x, dims, keep), static_cast<double>(count));
}

Value Emitter::argReduce(graph::CombineKind kind, Value x, int64_t dim) {
  if (!x || !hasDims(x, dim))
    return {};
  return infer<graph::ArgReduceOp>(x.getType(), kind, x, dim);
}

Value Emitter::scan(graph::CombineKind kind, Value x, int64_t dim, bool exclusive, bool reverse) {
  if (!x || !hasDims(x, dim))
    return {};
  return make<graph::ScanOp>(x.getType(), kind, x, dim, exclusive, reverse);
}

Value Emitter::gather(Value source, llvm::ArrayRef<Value> indices, int64_t axis,
                      int64_t batchDims) {
  if (!source || llvm::any_of(indices, [](Value index) { return !index; }))
    return {};
  return infer<graph::GatherOp>(source.getType(), source, ValueRange(indices), axis, batchDims);
}

Value Emitter::scatter(Value data, Value updates, llvm::ArrayRef<Value> indices, int64_t axis,
                       std::optional<graph::CombineKind> kind) {
  if (!data || !updates || llvm::any_of(indices, [](Value index) { return !index; }))
    return {};
  auto how = kind ? graph::CombineKindAttr::get(ops().getContext(), *kind) : nullptr;
  return make<graph::ScatterOp>(data.getType(), how, data, updates, ValueRange(indices), axis, 0);
}

Value Emitter::argSort(Value x, int64_t dim, bool descending, int64_t first) {
  if (!x)
    return x;
  Shape result(shape(x));
  result[static_cast<size_t>(dim)] = first;
  return make<graph::ArgSortOp>(RankedTensorType::get(result, i64()), x, dim, descending, first);
}

Value Emitter::wrapIndices(Value indices, int64_t size) {
  if (!indices)
    return indices;
  if (!element(indices).isSignlessInteger(32))
    indices = cast(indices, i64());
  Value negative = compare(graph::ComparePredicate::Lt, indices, 0);
  return select(negative, add(indices, static_cast<double>(size)), indices);
}

Value Emitter::softmax(Value x, int64_t dim) {
  return x && hasDims(x, dim) ? make<graph::SoftmaxOp>(x.getType(), x, dim) : Value();
}

Value Emitter::logSoftmax(Value x, int64_t dim) {
  return x && hasDims(x, dim) ? make<graph::LogSoftmaxOp>(x.getType(), x, dim) : Value();
}

Value Emitter::layerNorm(Value x, Value scale, Value bias, ShapeRef dims, double epsilon) {
  if (!x || !hasDims(x, dims))
    return {};
  return make<graph::LayerNormOp>(x.getType(), x, scale, bias, dims, APFloat(epsilon));
}
