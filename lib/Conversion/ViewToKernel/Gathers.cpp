// Kernels of ops that read and write at indices held in tensors.
#include "Formation.h"

#include "tw/Dialect/Kernel/Access.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tw;
using namespace tw::formation;

namespace {

/// The size that a scalar is, at whatever call: what a kernel of nothing else computes.
kernel::SizeOp findSize(Value scalar) {
  auto maker = scalar.getDefiningOp<kernel::KernelOp>();
  if (!maker || maker.getNumOperands() > 0 || maker.getNumAxes() > 0 ||
      !cast<RankedTensorType>(scalar.getType()).getElementType().isInteger(64))
    return nullptr;
  auto sizes = maker.getBody().getOps<kernel::SizeOp>();
  auto stores = maker.getBody().getOps<kernel::StoreOp>();
  if (!llvm::hasSingleElement(sizes) || !llvm::hasSingleElement(stores))
    return nullptr;
  auto cast = (*stores.begin()).getValue().getDefiningOp<arith::IndexCastOp>();
  kernel::SizeOp size = *sizes.begin();
  return cast && cast.getIn() == size.getResult() ? size : nullptr;
}

/// The position as an index that is known to lie inside of the dimension, where it is a size for
/// which that holds in all calls: the last row of so many. Null elsewhere.
Value makeInside(Formation &form, Value position, const Dim &dimension, Operation *function) {
  kernel::SizeOp size = findSize(position);
  if (!size)
    return nullptr;
  Dim value = size.getDim(), left = dimension - value;
  if (!left.isStatic() || left.getConstant() < 1 ||
      graph::getLeast(value, function).value_or(-1) < 0)
    return nullptr;
  auto index = kernel::SizeOp::create(form.body, form.loc, value);
  index->setAttr(kernel::belowAttrName,
                 view::SizesAttr::get(form.body.getContext(), ArrayRef<Dim>(dimension)));
  return index;
}

// src[0:axis] ++ idx[batch:] ++ src[axis+k:]: the indices are loaded and become coordinates; the
// load yields zero where one is out of range.
LogicalResult formGather(graph::GatherOp op, PatternRewriter &rewriter) {
  SmallVector<kernel::Extent> shape = shapeOf(op.getResult());
  unsigned axis = op.getAxis(), batch = op.getBatchDims(), count = op.getIndices().size();
  unsigned indexRank = shapeOf(op.getIndices()[0]).size();
  Formation form(rewriter, op.getLoc(), "gather", op.getType(), shape, getPointNames(shape.size()));
  SmallVector<AffineExpr> at = form.dims(0, batch);
  llvm::append_range(at, form.dims(axis, indexRank - batch));
  SmallVector<Value> positions;
  SmallVector<kernel::Extent> source = shapeOf(op.getSource());
  for (auto [i, indices] : llvm::enumerate(op.getIndices())) {
    if (Value inside = makeInside(form, indices, source[axis + i].size,
                                  op->getParentOfType<FunctionOpInterface>())) {
      positions.push_back(inside);
      continue;
    }
    Value position = form.load(indices, at);
    positions.push_back(
        arith::IndexCastOp::create(form.body, op.getLoc(), rewriter.getIndexType(), position));
  }
  SmallVector<AffineExpr> coordinates = form.dims(0, axis);
  llvm::append_range(coordinates, form.dims(shape.size(), count));
  unsigned rest = axis + indexRank - batch;
  llvm::append_range(coordinates, form.dims(rest, shape.size() - rest));
  Value value = form.load(op.getSource(), coordinates, {}, positions);
  rewriter.replaceOp(op, form.store(value, form.dims(0, shape.size())));
  return success();
}

/// A constant of one value as a kernel that writes it, so that no memory holds it before; else the
/// value.
Value fillSplat(Value value, PatternRewriter &rewriter) {
  TypedAttr scalar = kernel::getSplatScalar(value);
  if (!scalar)
    return value;
  SmallVector<kernel::Extent> shape = shapeOf(value);
  Formation form(rewriter, value.getLoc(), "fill", value.getType(), shape,
                 getPointNames(shape.size()));
  return form.store(arith::ConstantOp::create(form.body, form.loc, scalar),
                    form.dims(0, shape.size()));
}

/// Zero, as nothing but the axis's points says: of 63 bits of a number that is not negative.
Value makeZeroAlong(Formation &form, unsigned axis) {
  Type wide = form.body.getI64Type();
  Value point = arith::IndexCastOp::create(form.body, form.loc, wide, form.axis(axis));
  Value bits = arith::ConstantOp::create(form.body, form.loc, form.body.getI64IntegerAttr(63));
  Value zero = arith::ShRUIOp::create(form.body, form.loc, point, bits);
  return arith::IndexCastOp::create(form.body, form.loc, form.body.getIndexType(), zero);
}

/// Whether the combination of an element with itself is the element.
bool isIdempotent(arith::AtomicRMWKind kind) {
  switch (kind) {
  case arith::AtomicRMWKind::addf:
  case arith::AtomicRMWKind::addi:
  case arith::AtomicRMWKind::mulf:
  case arith::AtomicRMWKind::muli:
  case arith::AtomicRMWKind::xori:
    return false;
  default:
    return true;
  }
}

// The updates' axes: those that the indices have bring several points to one element, in order;
// their place among the operand's dimensions is an offset. A store comes again along the axes that
// its value and its offsets vary along. Both may turn out to be the same along an axis (indices or
// updates that were expanded): where it counts how often an element comes, an offset keeps the
// axes, unless the indices are an argument, which vary along all of theirs.
LogicalResult formScatter(graph::ScatterOp op, PatternRewriter &rewriter) {
  Value operand = fillSplat(op.getOperand(), rewriter);
  SmallVector<kernel::Extent> shape = shapeOf(op.getUpdates());
  // Loads of nothing are constants, which vary along no axis: no loop would be left to run never.
  if (llvm::is_contained(shape, kernel::Extent(0))) {
    rewriter.replaceOp(op, operand);
    return success();
  }
  unsigned axis = op.getAxis(), batch = op.getBatchDims(), count = op.getIndices().size();
  unsigned indexRank = shapeOf(op.getIndices()[0]).size();
  Formation form(rewriter, op.getLoc(), "scatter", op.getType(), shape,
                 getPointNames(shape.size()));
  SmallVector<AffineExpr> at = form.dims(0, batch);
  llvm::append_range(at, form.dims(axis, indexRank - batch));
  unsigned rest = axis + indexRank - batch;
  SmallVector<AffineExpr> coordinates = form.dims(0, axis);
  coordinates.append(count, rewriter.getAffineConstantExpr(0));
  llvm::append_range(coordinates, form.dims(rest, shape.size() - rest));
  Value value = form.load(op.getUpdates(), form.dims(0, shape.size()));
  SmallVector<Value> offsets(coordinates.size(),
                             arith::ConstantIndexOp::create(form.body, form.loc, 0));
  for (auto [i, indices] : llvm::enumerate(op.getIndices()))
    offsets[axis + i] = arith::IndexCastOp::create(form.body, form.loc, rewriter.getIndexType(),
                                                   form.load(indices, at));
  std::optional<arith::AtomicRMWKind> kind;
  if (op.getKind())
    kind = getReductionKind(*op.getKind(), elementTypeOf(op.getOperand()));
  if (kind && !isIdempotent(*kind) && llvm::none_of(op.getIndices(), llvm::IsaPred<BlockArgument>))
    for (unsigned i = axis; i < rest; ++i)
      offsets[axis] =
          arith::AddIOp::create(form.body, form.loc, offsets[axis], makeZeroAlong(form, i));
  rewriter.replaceOp(op, form.update(value, operand, coordinates, offsets, kind));
  return success();
}

} // namespace

void formation::populateGathers(RewritePatternSet &patterns) {
  patterns.add(formGather);
  patterns.add(formScatter);
}
