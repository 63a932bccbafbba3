// The pass kernel-drop-padding: terms of sums that are padding at every point are not summed.
#include "Cleaning.h"
#include "tw/Dialect/Kernel/Access.h"
#include "tw/Dialect/Kernel/Blocks.h"
#include "tw/Dialect/Kernel/Finite.h"
#include "tw/Dialect/Kernel/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

namespace tw {
#define GEN_PASS_DEF_KERNELDROPPADDINGPASS
#include "tw/Dialect/Kernel/Transforms/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

namespace {

/// Points of an axis: from `begin` on, below `end`.
struct Points {
  int64_t begin, end;
};

/// Whether the constraint holds at no point of the other dims where dim `dim` is `value`.
bool failsAlways(AffineExpr expr, bool isEquality, unsigned dim, int64_t value,
                 SmallVector<std::optional<Extent>> extents) {
  MLIRContext *context = expr.getContext();
  auto bounds = getBounds(
      expr.replace(getAffineDimExpr(dim, context), getAffineConstantExpr(value, context)), extents);
  return bounds && (bounds->second < 0 || (isEquality && bounds->first > 0));
}

/// The points of a summed axis where the load may read something else than a fill of zero; all of
/// them where that is not known.
Points getReadPoints(KernelOp kernel, LoadOp load, BlockArgument axis) {
  Points points{0, kernel.getExtents()[axis.getArgNumber()]};
  auto indices = load.getIndices();
  auto index = llvm::find(indices, axis);
  auto extents = kernel::getExtents(kernel, indices);
  auto guards =
      getAllGuards(load.getMap(), extents, cast<RankedTensorType>(load.getSource().getType()));
  auto isZero = [](view::GuardAttr guard) {
    return matchPattern(guard.getFill(), m_Zero()) ||
           matchPattern(guard.getFill(), m_PosZeroFloat());
  };
  if (index == indices.end() || !guards || !llvm::all_of(*guards, isZero))
    return points;
  auto isPadding = [&](int64_t point) {
    return llvm::any_of(*guards, [&](view::GuardAttr guard) {
      return llvm::any_of(llvm::zip(guard.getSet().getConstraints(), guard.getSet().getEqFlags()),
                          [&](auto one) {
                            return failsAlways(std::get<0>(one), std::get<1>(one),
                                               index - indices.begin(), point, extents);
                          });
    });
  };
  while (points.begin < points.end && isPadding(points.begin))
    ++points.begin;
  while (points.begin < points.end && isPadding(points.end - 1))
    --points.end;
  return points;
}

/// Whether the axis is summed by this contraction alone, and read at its own points.
bool isOwnAxis(KernelOp kernel, ContractOp contract, BlockArgument axis) {
  return !kernel.isSymbolic(axis.getArgNumber()) &&
         llvm::all_of(axis.getUsers(),
                      [&](Operation *user) { return user == contract || isa<LoadOp>(user); });
}

/// Sums the given points of the axis alone.
void keepPoints(KernelOp kernel, ContractOp contract, BlockArgument axis, Points points) {
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  SmallVector<Extent> extents;
  for (unsigned i = 0; i < kernel.getNumAxes(); ++i)
    extents.push_back(kernel.getExtent(i));
  extents[axis.getArgNumber()] = Extent(points.end - points.begin);
  kernel.setAxes(extents, kernel.getAxisNames().getValue());
  Value point = createIndex(builder, contract.getLoc(), kernel,
                            builder.getAffineDimExpr(0) + points.begin, axis);
  axis.replaceUsesWithIf(point, [&](OpOperand &use) { return isa<LoadOp>(use.getOwner()); });
}

/// Leaves out what one axis of the contraction has of padding. Returns whether there was some.
bool dropPadding(KernelOp kernel, ContractOp contract) {
  for (auto [padded, other] : {std::pair(contract.getLhs(), contract.getRhs()),
                               std::pair(contract.getRhs(), contract.getLhs())}) {
    LoadOp load = getExtendedLoad(padded);
    if (!load || !isKnownFinite(other))
      continue;
    for (Value value : contract.getAxes()) {
      auto axis = cast<BlockArgument>(value);
      if (!isOwnAxis(kernel, contract, axis))
        continue;
      Points points = getReadPoints(kernel, load, axis);
      // A sum of nothing else keeps its terms.
      if (points.begin == points.end ||
          points.end - points.begin == kernel.getExtents()[axis.getArgNumber()])
        continue;
      keepPoints(kernel, contract, axis, points);
      return true;
    }
  }
  return false;
}

struct KernelDropPaddingPass : tw::impl::KernelDropPaddingPassBase<KernelDropPaddingPass> {
  using KernelDropPaddingPassBase::KernelDropPaddingPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    patterns = getCleaningPatterns(context);
    return success();
  }

  void runOnOperation() override {
    for (Block *block : getProgramBlocks(getOperation()))
      for (auto kernel : llvm::make_early_inc_range(block->getOps<KernelOp>()))
        if (!kernel.getSchedule())
          simplify(kernel);
  }

private:
  void simplify(KernelOp kernel) {
    bool changed = false;
    for (auto contract : kernel.getBody().getOps<ContractOp>())
      while (dropPadding(kernel, contract))
        changed = true;
    if (!changed)
      return;
    dropUnitAxes(kernel);
    clean(kernel, patterns);
  }

  FrozenRewritePatternSet patterns;
};

} // namespace
