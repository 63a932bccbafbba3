// Kernels of views, and of concat, which reads several tensors.
#include "Formation.h"

using namespace mlir;
using namespace tw;
using namespace tw::formation;

namespace {

/// What one kernel may read beside its result, on any target.
constexpr size_t maxInputs = 15;

LogicalResult formView(view::ViewOp op, PatternRewriter &rewriter) {
  SmallVector<kernel::Extent> shape = shapeOf(op.getResult());
  Formation form(rewriter, op.getLoc(), "view", op.getType(), shape, getPointNames(shape.size()));
  Value value = form.load(op.getSource(), op.getMap());
  rewriter.replaceOp(op, form.store(value, form.dims(0, shape.size())));
  return success();
}

// The copy is marked: fusion neither reads through it nor extends it.
LogicalResult formMaterialize(view::MaterializeOp op, PatternRewriter &rewriter) {
  SmallVector<kernel::Extent> shape = shapeOf(op.getResult());
  Formation form(rewriter, op.getLoc(), "materialize", op.getType(), shape,
                 getPointNames(shape.size()));
  SmallVector<AffineExpr> point = form.dims(0, shape.size());
  Value result = form.store(form.load(op.getSource(), point), point);
  result.getDefiningOp()->setAttr("materialize", rewriter.getUnitAttr());
  rewriter.replaceOp(op, result);
  return success();
}

/// What a kernel reads of a longer list: there is room left for what the kernel that makes the last
/// of them reads, so that one may be both.
constexpr size_t groupInputs = 8;

/// The operands after each other along `dim`: each is read where it begins, and the index along
/// `dim` chooses. More than a kernel can read are joined in groups of about one size first.
Value buildConcat(OpBuilder &builder, Location loc, ArrayRef<Value> inputs, unsigned dim,
                  std::optional<kernel::Extent> whole = std::nullopt) {
  SmallVector<Value> parts(inputs);
  while (parts.size() > maxInputs) {
    SmallVector<Value> joined;
    size_t groups = llvm::divideCeil(parts.size(), groupInputs), begin = 0;
    for (size_t i = 0; i < groups; ++i) {
      size_t end = parts.size() * (i + 1) / groups;
      joined.push_back(buildConcat(builder, loc, ArrayRef(parts).slice(begin, end - begin), dim));
      begin = end;
    }
    parts = joined;
  }
  if (parts.size() == 1)
    return parts[0];
  auto type = cast<RankedTensorType>(parts[0].getType());
  SmallVector<kernel::Extent> shape = shapeOf(parts[0]), ends;
  for (Value part : parts) {
    kernel::Extent own = shapeOf(part)[dim], before = ends.empty() ? 0 : ends.back();
    ends.emplace_back(before.most + own.most, before.size + own.size);
  }
  shape[dim] = whole.value_or(ends.back());
  Formation form(builder, loc, "concat", kernel::getTensorType(shape, type.getElementType()), shape,
                 getPointNames(shape.size()));
  SmallVector<Value> values, borders;
  for (auto [i, part] : llvm::enumerate(parts)) {
    SmallVector<AffineExpr> point = form.dims(0, shape.size());
    SmallVector<Value> more;
    if (i != 0 && ends[i - 1].isFixed()) {
      point[dim] = point[dim] - ends[i - 1].most;
    } else if (i != 0) {
      point[dim] = point[dim] - form.dim(shape.size());
      more.push_back(borders.back());
    }
    values.push_back(form.load(part, point, {}, more));
    if (i + 1 < parts.size())
      borders.push_back(ends[i].isFixed()
                            ? Value(arith::ConstantIndexOp::create(form.body, loc, ends[i].most))
                            : kernel::SizeOp::create(form.body, loc, ends[i].size).getResult());
  }
  Value value = values.back();
  for (size_t i = parts.size() - 1; i-- > 0;) {
    Value isBefore = arith::CmpIOp::create(form.body, loc, arith::CmpIPredicate::slt,
                                           form.axis(dim), borders[i]);
    value = arith::SelectOp::create(form.body, loc, isBefore, values[i], value);
  }
  return form.store(value, form.dims(0, shape.size()));
}

/// Stores the update alone, from the offsets on.
Value buildUpdate(PatternRewriter &rewriter, Operation *op, Value updated, Value update,
                  ArrayRef<Dim> offsets, ArrayRef<int64_t> along, ValueRange positions) {
  SmallVector<kernel::Extent> shape = shapeOf(update);
  Formation form(rewriter, op->getLoc(), "update", op->getResult(0).getType(), shape,
                 getPointNames(shape.size()));
  Value value = form.load(update, form.dims(0, shape.size()));
  SmallVector<Value> places;
  for (const Dim &offset : offsets)
    places.push_back(
        offset.isStatic()
            ? Value(arith::ConstantIndexOp::create(form.body, form.loc, offset.getConstant()))
            : kernel::SizeOp::create(form.body, form.loc, offset).getResult());
  for (auto [dim, position] : llvm::zip(along, positions)) {
    Value index = arith::IndexCastOp::create(form.body, form.loc, form.body.getIndexType(),
                                             form.load(position, ArrayRef<AffineExpr>()));
    places[dim] = arith::AddIOp::create(form.body, form.loc, places[dim], index);
  }
  return form.update(value, updated, places);
}

LogicalResult formUpdate(graph::UpdateSliceOp op, PatternRewriter &rewriter) {
  rewriter.replaceOp(op, buildUpdate(rewriter, op, op.getOperand(), op.getUpdate(),
                                     op.getOffsets().getShape(), op.getAlong(), op.getPositions()));
  return success();
}

/// What is appended in memory that has room for it.
LogicalResult formAppend(graph::ConcatOp op, PatternRewriter &rewriter) {
  auto first = cast<RankedTensorType>(op.getInputs().front().getType());
  SmallVector<Dim> offsets(first.getRank());
  offsets[op.getDim()] = view::getSizes(first)[op.getDim()];
  Value rest = buildConcat(rewriter, op.getLoc(), SmallVector<Value>(op.getInputs().drop_front()),
                           op.getDim());
  rewriter.replaceOp(
      op, buildUpdate(rewriter, op, op.getInputs().front(), rest, offsets, {}, ValueRange()));
  return success();
}

LogicalResult formConcat(graph::ConcatOp op, PatternRewriter &rewriter) {
  if (getUpdated(op) && view::hasRoom(op.getType()))
    return formAppend(op, rewriter);
  rewriter.replaceOp(op, buildConcat(rewriter, op.getLoc(), SmallVector<Value>(op.getInputs()),
                                     op.getDim(), shapeOf(op.getResult())[op.getDim()]));
  return success();
}

} // namespace

Value formation::getUpdated(Value value) {
  if (auto update = value.getDefiningOp<graph::UpdateSliceOp>())
    return update.getOperand();
  if (auto scatter = value.getDefiningOp<graph::ScatterOp>())
    return scatter.getOperand();
  auto concat = value.getDefiningOp<graph::ConcatOp>();
  return concat && concat.getInputs().size() > 1 ? concat.getInputs().front() : Value();
}

void formation::populateMovement(RewritePatternSet &patterns) {
  patterns.add(formView);
  patterns.add(formMaterialize);
  patterns.add(formConcat);
  patterns.add(formUpdate);
}
