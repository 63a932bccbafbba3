// Analysis of the scalars of a tile program.
#include "Scalars.h"

#include "tw/Dialect/View/Algebra.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tw;

/// The sum, product or affine function that an index is, over its operands.
static std::optional<layout::Expr> getStep(Value index, SmallVector<Value> &operands) {
  Operation *op = index.getDefiningOp();
  if (!op)
    return std::nullopt;
  operands.assign(op->getOperands().begin(), op->getOperands().end());
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    AffineMap map = apply.getAffineMap();
    SmallVector<AffineExpr> dims;
    for (unsigned i = 0; i < map.getNumSymbols(); ++i)
      dims.push_back(getAffineDimExpr(map.getNumDims() + i, op->getContext()));
    return view::toLayout(map.getResult(0).replaceSymbols(dims));
  }
  if (isa<arith::AddIOp>(op))
    return layout::Expr::dim(0) + layout::Expr::dim(1);
  if (isa<arith::SubIOp>(op))
    return layout::Expr::dim(0) - layout::Expr::dim(1);
  if (isa<arith::MulIOp>(op))
    for (unsigned i : {0, 1})
      if (std::optional<int64_t> factor = getConstantIntValue(op->getOperand(1 - i)))
        return layout::Expr::dim(i) * *factor;
  return std::nullopt;
}

layout::Range tw::threads::getRange(Value index) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return {*constant, *constant};
  if (auto argument = dyn_cast<BlockArgument>(index)) {
    Operation *owner = argument.getOwner()->getParentOp();
    if (auto kernel = dyn_cast<tile::FuncOp>(owner)) {
      if (std::optional<unsigned> dim = kernel.findGridDim(argument))
        return layout::Range::ofExtent(kernel.getGrid()[*dim]);
      return {0, kernel.findSymbolLimit(argument).value_or(INT64_MAX)};
    }
    auto loop = dyn_cast<scf::ForOp>(owner);
    if (!loop || loop.getInductionVar() != index)
      return {};
    layout::Range low = getRange(loop.getLowerBound()), high = getRange(loop.getUpperBound());
    if (low.min == INT64_MIN || high.max == INT64_MAX || high.max == INT64_MIN)
      return {low.min, INT64_MAX};
    std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    if (low.min == low.max && step && *step > 0 && low.min < high.max)
      return {low.min, low.min + (high.max - 1 - low.min) / *step * *step};
    return {low.min, std::max(low.min, high.max - 1)};
  }
  SmallVector<Value> operands;
  std::optional<layout::Expr> step = getStep(index, operands);
  if (!step)
    return {};
  std::vector<layout::Range> ranges;
  for (Value operand : operands)
    ranges.push_back(getRange(operand));
  return layout::rangeOf(*step, ranges);
}

layout::Expr tw::threads::getExpr(Value index, llvm::function_ref<unsigned(Value)> getDim) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return *constant;
  SmallVector<Value> operands;
  std::optional<layout::Expr> step = getStep(index, operands);
  if (!step)
    return layout::Expr::dim(getDim(index));
  std::vector<layout::Expr> exprs;
  for (Value operand : operands)
    exprs.push_back(getExpr(operand, getDim));
  return layout::substitute(*step, exprs);
}

unsigned tw::threads::getDepth(Value value) {
  unsigned depth = 0;
  for (Operation *op = value.getParentBlock()->getParentOp(); op; op = op->getParentOp())
    depth += isa<scf::ForOp, scf::WhileOp>(op);
  return depth;
}

int64_t tw::threads::countRuns(Operation *op) {
  constexpr int64_t unknown = 8, most = int64_t(1) << 40;
  int64_t runs = 1;
  for (op = op->getParentOp(); op; op = op->getParentOp()) {
    if (isa<scf::WhileOp>(op))
      runs *= unknown;
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      std::optional<APInt> trips = loop.getStaticTripCount();
      runs *= trips ? std::max<int64_t>(1, trips->getSExtValue()) : unknown;
    }
    runs = std::min(runs, most);
  }
  return runs;
}
