// Comparisons, logic, choice.
#include "../Registry.h"

using namespace tw;
using namespace tw::onnx;
using graph::ComparePredicate;

template <ComparePredicate predicate> static void importCompare(NodeImport &n) {
  n.result(n.emit.compare(predicate, n.input(0), n.alignedOperand()));
}

template <typename OpTy> static void importLogical(NodeImport &n) {
  n.requireBool(0);
  n.requireBool(1);
  if (!n.failed())
    n.result(n.emit.binary<OpTy>(n.input(0), n.alignedOperand()));
}

static void importNot(NodeImport &n) {
  n.requireBool(0);
  if (!n.failed())
    n.result(n.emit.unary<graph::NotOp>(n.input(0)));
}

static void importWhere(NodeImport &n) {
  n.result(n.emit.select(n.input(0), n.input(1), n.input(2)));
}

void tw::onnx::addLogic(Registry &r) {
  r.add("And", 1, {2, 2}, importLogical<graph::AndOp>);
  r.add("Equal", 1, {2, 2}, importCompare<ComparePredicate::Eq>);
  r.add("Greater", 1, {2, 2}, importCompare<ComparePredicate::Gt>);
  r.add("GreaterOrEqual", 12, {2, 2}, importCompare<ComparePredicate::Ge>);
  r.add("Less", 1, {2, 2}, importCompare<ComparePredicate::Lt>);
  r.add("LessOrEqual", 12, {2, 2}, importCompare<ComparePredicate::Le>);
  r.add("Not", 1, {1, 1}, importNot);
  r.add("Or", 1, {2, 2}, importLogical<graph::OrOp>);
  r.add("Where", 9, {3, 3}, importWhere);
  r.add("Xor", 1, {2, 2}, importLogical<graph::XorOp>);
}
