// The derivative of a scan by a region, which is one, too: from the end, of affine maps.
//
// With y_(i+1) = f(y_i, x_(i+1)), J the derivative of f by y_i and B that by x_(i+1):
//   u_i = g_i + J_(i+1) u_(i+1),   what goes back to x_i is B_i u_i, and u_0 to x_0
// J, B and u have an entry for each pair of tensors and for each tensor; what is zero is left out.
#include "Adjoint.h"

using namespace mlir;
using namespace tw;
using namespace tw::graph;

namespace {

class AssociativeScan {
public:
  AssociativeScan(AssociativeScanOp op, Adjoint &a)
      : op(op), a(a), dim(op.getDim()), count(op.getInputs().size()) {}

  LogicalResult derive() {
    Dim size = a.shapeOf(op.getInputs().front())[dim];
    if (!size.isStatic())
      return a.fail("it runs along a dimension whose size a call settles");
    length = size.getConstant();
    if (length < 2) {
      for (auto [i, cotangent] : llvm::enumerate(a.getCotangents()))
        if (cotangent)
          a.give(i, cotangent);
      return success();
    }
    for (unsigned i = 0; i < count; ++i) {
      Type type = getComputedType(a.elementOf(op.getInputs()[i]));
      if (!isa<FloatType>(type))
        continue;
      if (!floats.empty() && type != element)
        return a.fail("it combines floats of several types");
      element = type;
      floats.push_back(i);
    }
    if (failed(findPartials()))
      return failure();
    findLive();
    scanBack();
    giveAll();
    return success();
  }

private:
  /// All slices but the last one that the scan comes to, or but the first one.
  Value part(Value x, bool isNext) {
    return a.slice(x, dim, isNext != op.getReverse() ? 1 : 0, length - 1);
  }
  Value first(Value x) { return a.slice(x, dim, op.getReverse() ? length - 1 : 0, 1); }

  /// byBefore[k][j] and byNext[k][j]: how result k changes with what is before, and with the next
  /// element of tensor j; null for zero.
  LogicalResult findPartials() {
    SmallVector<Value> before, next, inputs;
    for (unsigned i = 0; i < count; ++i) {
      Type type = getComputedType(a.elementOf(op.getInputs()[i]));
      before.push_back(a.cast(part(op.getResult(i), /*isNext=*/false), type));
      next.push_back(a.cast(part(op.getInputs()[i], /*isNext=*/true), type));
    }
    for (auto *side : {&before, &next})
      for (unsigned i : floats)
        inputs.push_back((*side)[i]);
    SmallVector<Value> combined = op.emitCombined(a.builder, before, next);
    for (unsigned k : floats) {
      FailureOr<SmallVector<Value>> partials =
          a.pullBack(combined[k], a.constant(combined[k], 1), inputs);
      if (failed(partials))
        return failure();
      byBefore.emplace_back(partials->begin(), partials->begin() + floats.size());
      byNext.emplace_back(partials->begin() + floats.size(), partials->end());
    }
    return success();
  }

  /// Which tensors have something that goes back, and by how many steps what comes from k gets to
  /// j.
  void findLive() {
    unsigned n = floats.size();
    reaches.assign(n, SmallVector<bool>(n, false));
    for (unsigned k = 0; k < n; ++k)
      for (unsigned j = 0; j < n; ++j)
        reaches[k][j] = bool(byBefore[k][j]);
    for (unsigned m = 0; m < n; ++m)
      for (unsigned k = 0; k < n; ++k)
        for (unsigned j = 0; j < n; ++j)
          reaches[k][j] = reaches[k][j] || (reaches[k][m] && reaches[m][j]);
    for (unsigned j = 0; j < n; ++j) {
      bool isLive = bool(a.getCotangents()[floats[j]]);
      for (unsigned k = 0; k < n; ++k)
        isLive |= reaches[k][j] && a.getCotangents()[floats[k]];
      if (isLive)
        live.push_back(j);
    }
  }

  Value zeros(ArrayRef<Dim> shape) { return a.real(shape, element, 0); }

  /// u of each tensor that is live.
  void scanBack() {
    Shape shape = a.shapeOf(op.getInputs().front());
    SmallVector<Value> elements;
    SmallVector<std::pair<unsigned, unsigned>> entries;
    for (unsigned k : live)
      for (unsigned j : live)
        if (reaches[k][j]) {
          entries.push_back({k, j});
          bool isReverse = op.getReverse();
          Value factor = byBefore[k][j];
          elements.push_back(factor ? a.padOrCrop(factor, dim, isReverse, !isReverse)
                                    : zeros(shape));
        }
    for (unsigned j : live) {
      Value cotangent = a.getCotangents()[floats[j]];
      elements.push_back(cotangent ? a.cast(cotangent, element) : zeros(shape));
    }
    auto scan = AssociativeScanOp::create(a.builder, a.loc, elements, dim, !op.getReverse());
    OpBuilder::InsertionGuard guard(a.builder);
    Block &block = scan.getCombine().front();
    a.builder.setInsertionPointToEnd(&block);
    auto factor = [&](unsigned k, unsigned j, bool isNext) -> Value {
      auto *it = llvm::find(entries, std::make_pair(k, j));
      if (it == entries.end())
        return {};
      return block.getArgument(it - entries.begin() + (isNext ? elements.size() : 0));
    };
    auto sum = [&](unsigned j, Value start, auto left) {
      for (auto [i, m] : llvm::enumerate(live))
        if (Value value = left(i, m), next = factor(m, j, /*isNext=*/true); value && next) {
          Value product = a.mul(value, next);
          start = start ? a.add(start, product) : product;
        }
      return start ? start : zeros({});
    };
    SmallVector<Value> yielded;
    for (auto [k, j] : entries)
      yielded.push_back(
          sum(j, Value(), [&, k = k](unsigned, unsigned m) { return factor(k, m, false); }));
    for (auto [i, j] : llvm::enumerate(live))
      yielded.push_back(
          sum(j, block.getArgument(elements.size() + entries.size() + i),
              [&](unsigned from, unsigned) { return block.getArgument(entries.size() + from); }));
    YieldOp::create(a.builder, a.loc, yielded);
    back.append(scan.getResults().begin() + entries.size(), scan.getResults().end());
  }

  void giveAll() {
    for (auto [j, i] : llvm::enumerate(floats)) {
      if (!a.needs(i))
        continue;
      Value rest, start;
      for (auto [number, k] : llvm::enumerate(live)) {
        if (k == j)
          start = first(back[number]);
        if (!byNext[k][j])
          continue;
        Value product = a.mul(byNext[k][j], part(back[number], /*isNext=*/true));
        rest = rest ? a.add(rest, product) : product;
      }
      if (!rest && !start)
        continue;
      Shape shape = a.shapeOf(op.getInputs()[i]);
      if (!rest) {
        shape[dim] = Dim(length - 1);
        rest = zeros(shape);
      }
      if (!start) {
        shape[dim] = Dim(1);
        start = zeros(shape);
      }
      Value whole =
          a.concat(op.getReverse() ? ValueRange{rest, start} : ValueRange{start, rest}, dim);
      a.give(i, a.cast(whole, a.elementOf(op.getInputs()[i])));
    }
  }

  AssociativeScanOp op;
  Adjoint &a;
  int64_t dim, length = 0;
  unsigned count;
  Type element;
  /// Operands of floats; by their number among these: partial derivatives, and what follows.
  SmallVector<unsigned> floats, live;
  SmallVector<SmallVector<Value>> byBefore, byNext;
  SmallVector<SmallVector<bool>> reaches;
  SmallVector<Value> back;
};

} // namespace

static LogicalResult deriveAssociativeScan(AssociativeScanOp op, Adjoint &a) {
  return AssociativeScan(op, a).derive();
}

void tw::graph::addAssociativeScanDerivatives(DerivativeRules &rules) {
  rules.add<AssociativeScanOp>(deriveAssociativeScan);
}
