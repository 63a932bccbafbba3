// Movements are linear: each element of a cotangent goes back to where the element came from.
#include "Adjoint.h"

using namespace mlir;
using namespace tw;
using namespace tw::graph;

static constexpr const char *needsSizes =
    "sizes that a call settles, where a part of a dimension is taken; give them a value";

static LogicalResult derivePermute(PermuteOp op, Adjoint &a) {
  SmallVector<int64_t> inverse(op.getPermutation().size());
  for (auto [to, from] : llvm::enumerate(op.getPermutation()))
    inverse[from] = int64_t(to);
  a.give(0, a.permute(a.g(), inverse));
  return success();
}

static LogicalResult deriveReshape(ReshapeOp op, Adjoint &a) {
  a.give(0, a.reshape(a.g(), a.shapeOf(op.getInput())));
  return success();
}

static LogicalResult deriveExpand(ExpandOp op, Adjoint &a) {
  Shape from = a.shapeOf(op.getInput()), to = a.shapeOf(op.getResult());
  SmallVector<int64_t> dims;
  for (auto [d, size] : llvm::enumerate(from))
    if (size != to[d])
      dims.push_back(int64_t(d));
  a.give(0, a.reshape(a.sum(a.g(), dims), from));
  return success();
}

static LogicalResult derivePad(PadOp op, Adjoint &a) {
  Value g = a.g();
  for (auto [d, size] : llvm::enumerate(a.shapeOf(op.getInput()))) {
    if (op.getLow()[d] == 0 && op.getHigh()[d] == 0)
      continue;
    if (!size.isStatic())
      return a.fail(needsSizes);
    g = a.slice(g, int64_t(d), op.getLow()[d], size.getConstant());
  }
  a.give(0, g);
  return success();
}

static LogicalResult deriveSlice(SliceOp op, Adjoint &a) {
  Value g = a.g();
  for (auto [d, size] : llvm::enumerate(a.shapeOf(op.getInput()))) {
    if (op.getSizes()[d] == SliceOp::whole)
      continue;
    if (!size.isStatic())
      return a.fail(needsSizes);
    g = a.dilate(g, int64_t(d), op.getStrides()[d]);
    int64_t length = a.shapeOf(g)[d].getConstant(), low = op.getOffsets()[d];
    g = a.padOrCrop(g, int64_t(d), low, size.getConstant() - low - length);
  }
  a.give(0, g);
  return success();
}

static LogicalResult deriveFlip(FlipOp op, Adjoint &a) {
  a.give(0, FlipOp::create(a.builder, a.loc, a.g().getType(), a.g(), op.getDims()));
  return success();
}

static LogicalResult deriveConcat(ConcatOp op, Adjoint &a) {
  int64_t first = 0;
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    Dim size = a.shapeOf(input)[op.getDim()];
    if (!size.isStatic() || !a.shapeOf(op.getResult())[op.getDim()].isStatic())
      return a.fail(needsSizes);
    if (a.needs(i))
      a.give(i, a.slice(a.g(), op.getDim(), first, size.getConstant()));
    first += size.getConstant();
  }
  return success();
}

/// The part that was replaced has no influence; what replaced it is read at its place.
static LogicalResult deriveUpdateSlice(UpdateSliceOp op, Adjoint &a) {
  Shape part = a.shapeOf(op.getUpdate());
  if (a.needs(0))
    a.give(0,
           UpdateSliceOp::create(a.builder, a.loc, a.g().getType(), a.g(), a.zero(op.getUpdate()),
                                 op.getPositions(), op.getOffsetsAttr(), op.getAlongAttr()));
  if (!a.needs(1))
    return success();
  Value g = a.g();
  for (auto [d, offset] : llvm::enumerate(op.getOffsets().getShape())) {
    if (!offset.isStatic() || !part[d].isStatic())
      return a.fail(needsSizes);
    // What would lie outside was dropped: a gather yields 0 there.
    Type type = a.builder.getI64Type();
    Shape line{part[d]};
    Value places =
        a.same<AddOp>({a.iota(line, 0, type), a.splat(line, type, uint64_t(offset.getConstant()))});
    for (auto [along, position] : llvm::zip(op.getAlong(), op.getPositions()))
      if (along == int64_t(d))
        places =
            a.same<AddOp>({places, a.expand(a.reshape(a.cast(position, type), {Dim(1)}), line)});
    g = GatherOp::create(a.builder, a.loc, g, ValueRange(places), int64_t(d), 0);
  }
  a.give(1, g);
  return success();
}

void tw::graph::addMovementDerivatives(DerivativeRules &rules) {
  rules.add<PermuteOp>(derivePermute);
  rules.add<ReshapeOp>(deriveReshape);
  rules.add<ExpandOp>(deriveExpand);
  rules.add<PadOp>(derivePad);
  rules.add<SliceOp>(deriveSlice);
  rules.add<FlipOp>(deriveFlip);
  rules.add<ConcatOp>(deriveConcat);
  rules.add<UpdateSliceOp>(deriveUpdateSlice);
  rules.addNone<PrefixOp>("a cotangent has no size before the call has counted");
}
