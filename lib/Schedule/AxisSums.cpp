// Sums of axes, found by comparing the factors of axes in all index expressions of a value.
#include "tw/Schedule/AxisSums.h"

#include "tw/Schedule/Strides.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

/// Collects what the index expressions of an op say of each axis.
class IndexFactors {
public:
  IndexFactors(KernelOp kernel, const AxisSets &sets)
      : kernel(kernel), sets(sets), opaque(kernel.getNumAxes()) {}

  void visit(Operation *op) {
    opaque |= sets.reducedBy(op);
    if (auto load = dyn_cast<LoadOp>(op))
      return addLoad(load);
    if (isa<affine::AffineApplyOp, SizeOp>(op))
      return;
    if (op->getNumRegions() != 0 || isa<ScanOp>(op))
      for (Value operand : op->getOperands())
        opaque |= sets.of(operand);
    ValueRange values = op->getOperands();
    if (isa<ContractOp>(op))
      values = values.take_front(2);
    else if (auto reduce = dyn_cast<ReduceOp>(op))
      values = reduce.getValues();
    for (Value value : values)
      if (isa<BlockArgument>(value) || value.getDefiningOp<affine::AffineApplyOp>())
        addExpr(getExpr(value));
  }

private:
  AffineExpr getExpr(Value index) {
    AffineExpr expr = getIndexExpr(index, [&](BlockArgument axis) {
      return getAffineDimExpr(axis.getArgNumber(), kernel.getContext());
    });
    if (!expr)
      opaque |= sets.of(index);
    return expr ? expr : getAffineConstantExpr(0, kernel.getContext());
  }

  void addLoad(LoadOp load) {
    SmallVector<AffineExpr> indices =
        llvm::map_to_vector(load.getIndices(), [&](Value index) { return getExpr(index); });
    for (AffineExpr coordinate : load.getMap().getMap().getResults())
      addExpr(coordinate.replaceDims(indices));
    for (view::GuardAttr guard : load.getMap().getGuards())
      for (AffineExpr constraint : guard.getSet().getConstraints())
        addExpr(constraint.replaceDims(indices));
  }

  void addExpr(AffineExpr expr) {
    unsigned numAxes = kernel.getNumAxes();
    SmallVector<int64_t> row;
    auto isSum = [&] {
      row.clear();
      return succeeded(getFlattenedAffineExpr(expr, numAxes, 0, &row)) && row.size() == numAxes + 1;
    };
    if (!isSum() && (expr = simplifyAffineExpr(expr, numAxes, 0), !isSum())) {
      for (unsigned axis = 0; axis < numAxes; ++axis)
        if (isFunctionOfDim(expr, axis))
          opaque.set(axis);
      return;
    }
    rows.push_back(std::move(row));
  }

  KernelOp kernel;
  const AxisSets &sets;

public:
  SmallVector<SmallVector<int64_t>, 2> rows;
  llvm::SmallBitVector opaque;
};

} // namespace

const AxisSums::Factors &AxisSums::getFactors(Operation *op) {
  std::unique_ptr<Factors> &own = factors[op];
  if (!own) {
    IndexFactors indices(kernel, sets);
    indices.visit(op);
    own = std::make_unique<Factors>(std::move(indices.rows), std::move(indices.opaque));
  }
  return *own;
}

bool AxisSum::contains(unsigned axis) const {
  return llvm::any_of(terms, [&](const Term &term) { return term.axis == axis; });
}

SmallVector<AxisSum> AxisSums::find(Operation *op) {
  const llvm::SmallBitVector &axes = sets.of(op->getResult(0));
  if (axes.count() < 2)
    return {};
  llvm::SmallBitVector opaque(kernel.getNumAxes());
  SmallVector<ArrayRef<int64_t>> rows;
  llvm::SmallPtrSet<Operation *, 32> seen{op};
  SmallVector<Operation *> work{op};
  while (!work.empty()) {
    Operation *next = work.pop_back_val();
    const Factors &own = getFactors(next);
    opaque |= own.opaque;
    llvm::append_range(rows, own.rows);
    for (Value operand : next->getOperands())
      if (Operation *producer = operand.getDefiningOp(); producer && seen.insert(producer).second)
        work.push_back(producer);
  }
  // Axes whose factors are multiples of the same ones.
  SmallVector<std::pair<SmallVector<int64_t>, AxisSum>> sums;
  for (unsigned axis : axes.set_bits()) {
    if (opaque[axis])
      continue;
    auto factors =
        llvm::map_to_vector(rows, [&](ArrayRef<int64_t> row) -> int64_t { return row[axis]; });
    int64_t common = 0;
    for (int64_t factor : factors)
      common = std::gcd(common, factor);
    if (common == 0)
      continue;
    auto *first = llvm::find_if(factors, [](int64_t factor) { return factor != 0; });
    if (*first < 0)
      common = -common;
    for (int64_t &factor : factors)
      factor /= common;
    auto *it = llvm::find_if(sums, [&](const auto &sum) { return sum.first == factors; });
    if (it == sums.end()) {
      sums.push_back({factors, {}});
      it = std::prev(sums.end());
    }
    it->second.terms.push_back({axis, common});
  }
  SmallVector<AxisSum> result;
  for (auto &[factors, sum] : sums) {
    if (sum.terms.size() < 2)
      continue;
    int64_t common = 0;
    for (const AxisSum::Term &term : sum.terms)
      common = std::gcd(common, term.factor);
    if (llvm::all_of(sum.terms, [](const AxisSum::Term &term) { return term.factor < 0; }))
      common = -common;
    for (AxisSum::Term &term : sum.terms)
      term.factor /= common;
    result.push_back(std::move(sum));
  }
  return result;
}

double tw::schedule::countPoints(KernelOp kernel, const AxisSets &sets,
                                 const llvm::SmallBitVector &axes, ArrayRef<AxisSum> sums) {
  double points = double(sets.points(axes));
  for (const AxisSum &sum : sums) {
    double all = 1, values = 1;
    for (const AxisSum::Term &term : sum.terms) {
      double extent = double(kernel.getExtents()[term.axis]);
      all *= extent;
      values += std::abs(double(term.factor)) * (extent - 1);
    }
    if (all > 0)
      points *= std::min(1.0, values / all);
  }
  return points;
}
