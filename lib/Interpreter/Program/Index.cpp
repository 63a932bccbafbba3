// Index expressions, split into a uniform and a varying part.
//===---------------------------------------------------------------------------------------===//
#include "Program.h"

using namespace mlir;
using namespace tw::interp;

AffineMap tw::interp::withoutSymbols(AffineMap map) {
  SmallVector<AffineExpr> symbols;
  for (unsigned i = 0; i < map.getNumSymbols(); ++i)
    symbols.push_back(getAffineDimExpr(map.getNumDims() + i, map.getContext()));
  return map.replaceDimsAndSymbols({}, symbols, map.getNumDims() + map.getNumSymbols(), 0);
}

SplitIndex Program::split(Register *index) {
  if (index->isUniform)
    return {0, index, nullptr};
  return {0, nullptr, index};
}

// a and b, either of which may be absent.
static int64_t addLanes(const void *const *operands, void *result, int64_t count) {
  const int64_t *a = static_cast<const int64_t *>(operands[0]);
  const int64_t *b = static_cast<const int64_t *>(operands[1]);
  for (int64_t lane = 0; lane < count; ++lane)
    static_cast<int64_t *>(result)[lane] = a[lane] + b[lane];
  return -1;
}

SplitIndex Program::add(SplitIndex a, SplitIndex b) {
  auto sum = [&](Register *x, Register *y) -> Register * {
    if (!x || !y)
      return x ? x : y;
    return apply(addLanes, IndexType::get(context), {x, y}, nullptr);
  };
  return {a.constant + b.constant, sum(a.uniform, b.uniform), sum(a.varying, b.varying)};
}

SplitIndex Program::scale(SplitIndex a, int64_t factor) {
  auto product = [&](Register *x) -> Register * {
    if (!x || factor == 1)
      return x;
    Register *result = newRegister(x->type, x->isUniform, x->depth);
    before(x->depth, [=, this] {
      for (int64_t lane = 0, end = x->isUniform ? 1 : count; lane < end; ++lane)
        result->as<int64_t>()[lane] = x->as<int64_t>()[lane] * factor;
      return success();
    });
    return result;
  };
  if (factor == 0)
    return {};
  return {a.constant * factor, product(a.uniform), product(a.varying)};
}

static int64_t floorDivideByPositive(int64_t a, int64_t b) { return a / b - (a % b < 0); }

SplitIndex Program::divide(SplitIndex a, int64_t divisor, AffineExprKind kind) {
  auto compute = [=](int64_t x) {
    if (kind == AffineExprKind::FloorDiv)
      return floorDivideByPositive(x, divisor);
    return kind == AffineExprKind::CeilDiv ? -floorDivideByPositive(-x, divisor)
                                           : x - floorDivideByPositive(x, divisor) * divisor;
  };
  if (!a.uniform && !a.varying)
    return {compute(a.constant), nullptr, nullptr};
  Register *x = join(a);
  Register *result = newRegister(x->type, x->isUniform, x->depth);
  before(x->depth, [=, this] {
    for (int64_t lane = 0, end = x->isUniform ? 1 : count; lane < end; ++lane)
      result->as<int64_t>()[lane] = compute(x->as<int64_t>()[lane]);
    return success();
  });
  return split(result);
}

Register *Program::join(SplitIndex index) {
  SplitIndex sum = index;
  if (index.constant != 0 || (!index.uniform && !index.varying)) {
    auto value = IntegerAttr::get(IndexType::get(context), index.constant);
    sum = add({0, index.uniform, index.varying}, {0, constant(value), nullptr});
  }
  if (!sum.uniform || !sum.varying)
    return sum.uniform ? sum.uniform : sum.varying;
  return apply(addLanes, IndexType::get(context), {sum.uniform, sum.varying}, nullptr);
}

SplitIndex Program::split(AffineExpr expr, ArrayRef<SplitIndex> dims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return {constant.getValue(), nullptr, nullptr};
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  SplitIndex lhs = split(binary.getLHS(), dims);
  if (expr.getKind() == AffineExprKind::Add)
    return add(lhs, split(binary.getRHS(), dims));
  int64_t constant = cast<AffineConstantExpr>(binary.getRHS()).getValue();
  if (expr.getKind() == AffineExprKind::Mul)
    return scale(lhs, constant);
  return divide(lhs, constant, expr.getKind());
}

Register *Program::inside(IntegerSet set, ArrayRef<SplitIndex> dims) {
  SmallVector<std::pair<Register *, bool>> constraints;
  bool isUniform = true;
  unsigned depth = 0;
  for (auto [expr, isEquality] : llvm::zip(set.getConstraints(), set.getEqFlags())) {
    Register *value = join(split(expr, dims));
    constraints.push_back({value, isEquality});
    isUniform &= value->isUniform;
    depth = std::max(depth, value->depth);
  }
  for (auto &[value, isEquality] : constraints)
    value = isUniform ? value : toLanes(value);
  Register *result = newRegister(IntegerType::get(context, 1), isUniform, depth);
  before(depth, [=, this] {
    int64_t lanes = isUniform ? 1 : count;
    std::fill_n(result->as<bool>(), lanes, true);
    for (auto [value, isEquality] : constraints)
      for (int64_t lane = 0; lane < lanes; ++lane) {
        int64_t x = value->as<int64_t>()[lane];
        result->as<bool>()[lane] &= isEquality ? x == 0 : x >= 0;
      }
    return success();
  });
  return result;
}
