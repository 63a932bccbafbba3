// Simplification of movement ops: identities, chains of one kind, constants.
#include "ConstantEvaluation.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tw::graph;

// Moving equal elements: the same value in the result's type.
static Attribute moveSplat(Attribute constant, RankedTensorType type) {
  auto elements = dyn_cast_or_null<DenseElementsAttr>(constant);
  if (!elements || !elements.isSplat() || !type.hasStaticShape())
    return {};
  return elements.resizeSplat(type);
}

OpFoldResult PermuteOp::fold(FoldAdaptor adaptor) {
  if (llvm::equal(getPermutation(), llvm::seq<int64_t>(0, getPermutation().size())))
    return getInput();
  return moveSplat(adaptor.getInput(), getType());
}

// permute(permute(x, p), q) -> permute(x, p[q[i]]).
LogicalResult PermuteOp::canonicalize(PermuteOp op, PatternRewriter &rewriter) {
  auto inner = op.getInput().getDefiningOp<PermuteOp>();
  if (!inner)
    return rewriter.notifyMatchFailure(op, "the operand is no permute");
  SmallVector<int64_t> composed;
  for (int64_t dim : op.getPermutation())
    composed.push_back(inner.getPermutation()[dim]);
  rewriter.replaceOpWithNewOp<PermuteOp>(op, inner.getInput(), composed);
  return success();
}

// A reshape of a constant is a constant; bytes in a file stay where they are.
OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType())
    return getInput();
  if (!getType().hasStaticShape())
    return {};
  if (auto elements = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput()))
    return elements.reshape(getType());
  if (auto file = dyn_cast_or_null<FileAttr>(adaptor.getInput()))
    return FileAttr::get(getContext(), getType(), file.getName(), file.getOffset(),
                         file.getLength());
  return {};
}

// reshape(reshape(x)) -> reshape(x).
LogicalResult ReshapeOp::canonicalize(ReshapeOp op, PatternRewriter &rewriter) {
  auto inner = op.getInput().getDefiningOp<ReshapeOp>();
  if (!inner)
    return rewriter.notifyMatchFailure(op, "the operand is no reshape");
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), inner.getInput());
  return success();
}

OpFoldResult ExpandOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType())
    return getInput();
  return moveSplat(adaptor.getInput(), getType());
}

// expand(expand(x)) -> expand(x).
LogicalResult ExpandOp::canonicalize(ExpandOp op, PatternRewriter &rewriter) {
  auto inner = op.getInput().getDefiningOp<ExpandOp>();
  if (!inner)
    return rewriter.notifyMatchFailure(op, "the operand is no expand");
  rewriter.replaceOpWithNewOp<ExpandOp>(op, op.getType(), inner.getInput());
  return success();
}

// A pad of nothing; a pad of a splat with its own value.
OpFoldResult PadOp::fold(FoldAdaptor adaptor) {
  if (areAll(getLow(), 0) && areAll(getHigh(), 0))
    return getInput();
  if (auto elements = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput()))
    if (elements.isSplat() && elements.getSplatValue<Attribute>() == Attribute(getValue()))
      return moveSplat(elements, getType());
  return {};
}

// pad(pad(x, v), v) -> pad(x, v) with the sums.
LogicalResult PadOp::canonicalize(PadOp op, PatternRewriter &rewriter) {
  auto inner = op.getInput().getDefiningOp<PadOp>();
  if (!inner || inner.getValue() != op.getValue())
    return rewriter.notifyMatchFailure(op, "the operand is no pad with the same value");
  SmallVector<int64_t> low(op.getLow()), high(op.getHigh());
  for (size_t i = 0; i != low.size(); ++i) {
    low[i] += inner.getLow()[i];
    high[i] += inner.getHigh()[i];
    if (low[i] > INT32_MAX || high[i] > INT32_MAX)
      return rewriter.notifyMatchFailure(op, "the sum is out of range");
  }
  rewriter.replaceOpWithNewOp<PadOp>(op, op.getType(), inner.getInput(), low, high, op.getValue());
  return success();
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType())
    return getInput();
  return moveSplat(adaptor.getInput(), getType());
}

/// What the slice takes of each dimension, as a number where it is one.
static SmallVector<int64_t> getTaken(SliceOp op) {
  SmallVector<int64_t> taken(op.getType().getShape());
  for (int64_t &size : taken)
    if (ShapedType::isDynamic(size))
      size = SliceOp::whole;
  return taken;
}

// slice(concat(a, b)) -> slice(b) where all elements are of one operand.
static LogicalResult sliceOfConcat(SliceOp op, PatternRewriter &rewriter) {
  auto concat = op.getInput().getDefiningOp<ConcatOp>();
  if (!concat || !op.getInput().getType().hasStaticShape())
    return failure();
  int64_t dim = concat.getDim(), size = getTaken(op)[dim], start = 0;
  int64_t first = op.getOffsets()[dim], last = first + (size - 1) * op.getStrides()[dim];
  for (Value part : concat.getInputs()) {
    int64_t end = start + cast<RankedTensorType>(part.getType()).getDimSize(dim);
    if (size != 0 && first >= start && last < end) {
      SmallVector<int64_t> offsets(op.getOffsets());
      offsets[dim] -= start;
      rewriter.replaceOpWithNewOp<SliceOp>(op, op.getType(), part, offsets, getTaken(op),
                                           op.getStrides());
      return success();
    }
    start = end;
  }
  return failure();
}

// slice(slice(x, o1, s1), o2, s2) -> slice(x, o1 + o2 * s1, s1 * s2).
LogicalResult SliceOp::canonicalize(SliceOp op, PatternRewriter &rewriter) {
  if (succeeded(sliceOfConcat(op, rewriter)))
    return success();
  auto inner = op.getInput().getDefiningOp<SliceOp>();
  if (!inner)
    return rewriter.notifyMatchFailure(op, "the operand is neither a slice nor a concat with all "
                                           "elements in one operand");
  SmallVector<int64_t> offsets, strides;
  for (size_t i = 0; i != op.getSizes().size(); ++i) {
    offsets.push_back(inner.getOffsets()[i] + op.getOffsets()[i] * inner.getStrides()[i]);
    strides.push_back(inner.getStrides()[i] * op.getStrides()[i]);
    if (offsets.back() > INT32_MAX || strides.back() > INT32_MAX)
      return rewriter.notifyMatchFailure(op, "the composed slice is out of range");
  }
  rewriter.replaceOpWithNewOp<SliceOp>(op, op.getType(), inner.getInput(), offsets, getTaken(op),
                                       strides);
  return success();
}

OpFoldResult FlipOp::fold(FoldAdaptor adaptor) {
  if (llvm::all_of(getDims(), [&](int64_t dim) { return getType().getDimSize(dim) == 1; }))
    return getInput();
  return moveSplat(adaptor.getInput(), getType());
}

// flip(flip(x, a), b) -> flip(x, dimensions of exactly one); dimensions of size 1 go.
LogicalResult FlipOp::canonicalize(FlipOp op, PatternRewriter &rewriter) {
  auto inner = op.getInput().getDefiningOp<FlipOp>();
  ArrayRef<int64_t> innerDims = inner ? inner.getDims() : ArrayRef<int64_t>();
  SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim != op.getType().getRank(); ++dim)
    if (op.getType().getDimSize(dim) != 1 &&
        llvm::is_contained(op.getDims(), dim) != llvm::is_contained(innerDims, dim))
      dims.push_back(dim);
  if (!inner && dims == op.getDims())
    return rewriter.notifyMatchFailure(op, "the dimensions are in order and of sizes over 1");
  rewriter.replaceOpWithNewOp<FlipOp>(op, op.getType(), inner ? inner.getInput() : op.getInput(),
                                      dims);
  return success();
}

OpFoldResult ConcatOp::fold(FoldAdaptor adaptor) {
  if (getInputs().size() == 1)
    return getInputs().front();
  auto first = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInputs().front());
  if (!first || !first.isSplat())
    return {};
  for (Attribute input : adaptor.getInputs()) {
    auto elements = dyn_cast_or_null<DenseElementsAttr>(input);
    if (!elements || !elements.isSplat() ||
        elements.getSplatValue<Attribute>() != first.getSplatValue<Attribute>())
      return {};
  }
  return moveSplat(first, getType());
}

// concat(a, concat(b, c)) -> concat(a, b, c) along one dimension; empty operands go.
LogicalResult ConcatOp::canonicalize(ConcatOp op, PatternRewriter &rewriter) {
  int64_t dim = op.getDim();
  SmallVector<Value> inputs;
  for (Value input : op.getInputs()) {
    auto inner = input.getDefiningOp<ConcatOp>();
    if (inner && int64_t(inner.getDim()) == dim && inner->hasOneUse())
      llvm::append_range(inputs, inner.getInputs());
    else if (cast<RankedTensorType>(input.getType()).getDimSize(dim) != 0)
      inputs.push_back(input);
  }
  if (inputs.empty())
    inputs.push_back(op.getInputs().front());
  if (ValueRange(inputs) == ValueRange(op.getInputs()))
    return rewriter.notifyMatchFailure(op, "no operand is empty or a concat of one use");
  rewriter.replaceOpWithNewOp<ConcatOp>(op, op.getType(), inputs, op.getDim());
  return success();
}
