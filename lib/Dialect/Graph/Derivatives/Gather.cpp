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

namespace {

/// Reading and writing at the positions of a scatter.
struct Scattered {
  ScatterOp op;
  Adjoint &a;

  Value read(Value x) {
    return GatherOp::create(a.builder, a.loc, x, op.getIndices(), op.getAxis(), op.getBatchDims());
  }
  Value write(Value x, Value updates, std::optional<CombineKind> kind = std::nullopt) {
    auto attribute = kind ? CombineKindAttr::get(a.builder.getContext(), *kind) : CombineKindAttr();
    return ScatterOp::create(a.builder, a.loc, x.getType(), attribute, x, updates, op.getIndices(),
                             op.getAxis(), op.getBatchDims());
  }

  /// Those as great as the result share it.
  void deriveExtremum() {
    Value x = op.getOperand(), updates = op.getUpdates(), y = op.getResult();
    Value isOld = a.compare(ComparePredicate::Eq, x, y);
    Value isNew = a.compare(ComparePredicate::Eq, updates, read(y));
    auto count = [&](Value isBest) { return a.cast(isBest, a.elementOf(x)); };
    Value share = a.div(a.g(), write(count(isOld), count(isNew), CombineKind::Add));
    if (a.needs(0))
      a.give(0, a.select(isOld, share, a.zero(x)));
    if (a.needs(1))
      a.give(1, a.select(isNew, read(share), a.zero(updates)));
  }

  /// The product of the others: without this one, where nothing is 0 or this one alone, else 0.
  void deriveProduct() {
    Value x = op.getOperand(), updates = op.getUpdates();
    if (a.needs(0))
      a.give(0, a.mul(a.g(), write(a.constant(x, 1), updates, CombineKind::Mul)));
    if (!a.needs(1))
      return;
    auto isZero = [&](Value v) { return a.compare(ComparePredicate::Eq, v, a.zero(v)); };
    auto orOne = [&](Value v) { return a.select(isZero(v), a.constant(v, 1), v); };
    auto count = [&](Value v) { return a.cast(isZero(v), a.elementOf(v)); };
    Value whole = read(write(orOne(x), orOne(updates), CombineKind::Mul));
    Value zeros = read(write(count(x), count(updates), CombineKind::Add));
    Value own = a.div(a.mul(read(a.g()), whole), orOne(updates));
    a.give(1, a.where(ComparePredicate::Eq, zeros, count(updates), own));
  }

  /// Of several updates of one element the last one stayed: that whose number is there.
  LogicalResult deriveReplacement() {
    if (a.needs(0))
      a.give(0, write(a.g(), a.zero(op.getUpdates())));
    if (!a.needs(1))
      return success();
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
};

} // namespace

static LogicalResult deriveScatter(ScatterOp op, Adjoint &a) {
  Scattered scattered{op, a};
  if (!op.getKind())
    return scattered.deriveReplacement();
  switch (*op.getKind()) {
  case CombineKind::Add:
    a.give(0, a.g());
    if (a.needs(1))
      a.give(1, scattered.read(a.g()));
    return success();
  case CombineKind::Max:
  case CombineKind::Min:
    scattered.deriveExtremum();
    return success();
  case CombineKind::Mul:
    scattered.deriveProduct();
    return success();
  case CombineKind::All:
  case CombineKind::Any:
    return success();
  }
  llvm_unreachable("all kinds are listed");
}

void tw::graph::addGatherDerivatives(DerivativeRules &rules) {
  rules.add<GatherOp>(deriveGather);
  rules.add<ScatterOp>(deriveScatter);
}
