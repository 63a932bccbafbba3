// gather and scatter are each other's transposes. Indices have no cotangents.
#include "Adjoint.h"

using namespace mlir;
using namespace tw;
using namespace tw::graph;

static LogicalResult deriveGather(GatherOp op, Adjoint &a) {
  auto add = CombineKindAttr::get(a.builder.getContext(), CombineKind::Add);
  Value source = op.getSource();
  a.give(0, ScatterOp::create(a.builder, a.loc, source.getType(), add, a.zero(source), a.g(),
                              op.getIndices(), op.getAxis(), op.getBatchDims()));
  return success();
}

static LogicalResult deriveScatter(ScatterOp op, Adjoint &a) {
  auto read = [&](Value x) -> Value {
    return GatherOp::create(a.builder, a.loc, x, op.getIndices(), op.getAxis(), op.getBatchDims());
  };
  auto write = [&](Value x, Value updates) -> Value {
    return ScatterOp::create(a.builder, a.loc, x.getType(), CombineKindAttr(), x, updates,
                             op.getIndices(), op.getAxis(), op.getBatchDims());
  };
  if (op.getKind() == CombineKind::Add) {
    a.give(0, a.g());
    if (a.needs(1))
      a.give(1, read(a.g()));
    return success();
  }
  if (op.getKind())
    return a.fail(stringifyCombineKind(*op.getKind()) + " at positions that are data; add, or "
                                                        "scatters without a kind, have one");
  if (a.needs(0))
    a.give(0, write(a.g(), a.zero(op.getUpdates())));
  if (!a.needs(1))
    return success();
  // Of several updates of one element the last one stayed: that whose number is there.
  Shape shape = a.shapeOf(op.getUpdates());
  Dim count(1);
  for (const Dim &size : shape) {
    if (!size.isStatic())
      return a.fail("updates whose number a call settles; give it a value");
    count = count * size.getConstant();
  }
  Type type = a.builder.getI64Type();
  Value numbers = a.reshape(a.iota({count}, 0, type), shape);
  Value last = read(write(a.splat(a.shapeOf(op.getOperand()), type, ~uint64_t(0)), numbers));
  a.give(1, a.where(ComparePredicate::Eq, last, numbers, read(a.g())));
  return success();
}

void tw::graph::addGatherDerivatives(DerivativeRules &rules) {
  rules.add<GatherOp>(deriveGather);
  rules.add<ScatterOp>(deriveScatter);
}
