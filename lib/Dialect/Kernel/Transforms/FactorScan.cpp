// Splits a scan into a kernel that scans parts, one that scans what parts give, and the kernel that
// combines both.
#include "FactorScan.h"

#include "Cleaning.h"
#include "tw/Dialect/Kernel/Access.h"
#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Dialect/Kernel/ValueName.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

namespace {

class ScanFactoring {
public:
  ScanFactoring(KernelOp kernel, ScanOp op, RfactorAttr primitive)
      : kernel(kernel), op(op), primitive(primitive), sets(kernel), builder(kernel),
        axis(cast<BlockArgument>(op.getAxis()).getArgNumber()) {
    int64_t extent = kernel.getExtents()[axis];
    length = primitive.getLength();
    count = llvm::divideCeil(extent, length);
    // What a part lacks is where nothing comes after it.
    first = op.getReverse() ? extent - count * length : 0;
    for (unsigned kept : sets.of(op.getResult()).set_bits())
      (kept == axis || kernel.getExtent(kept) != Extent(1) ? keptAxes : unitAxes).push_back(kept);
  }

  KernelOp apply() {
    KernelOp parts = scanParts(), totals = scanTotals(parts);
    combine(parts, totals);
    FrozenRewritePatternSet patterns = getCleaningPatterns(kernel.getContext());
    for (KernelOp each : {parts, totals, kernel})
      clean(each, patterns);
    return parts;
  }

private:
  /// A kernel with an axis of the parts, then those that the result has; `points` are at the
  /// scanned axis of a part.
  KernelOp create(ValueRange operands, std::optional<int64_t> points, StringRef suffix) {
    builder.setInsertionPoint(kernel);
    SmallVector<Extent> shape{count};
    SmallVector<StringRef> names{primitive.getPart().getValue()};
    for (unsigned kept : keptAxes) {
      if (kept == axis && !points)
        continue;
      shape.push_back(kept == axis ? Extent(*points) : kernel.getExtent(kept));
      names.push_back(kept == axis ? primitive.getInner().getValue() : kernel.getAxisName(kept));
    }
    auto made = KernelOp::create(builder, kernel.getLoc(), getTensorType(shape, op.getType()),
                                 operands, shape, names);
    made.setSymHint((kernel.getSymHint().value_or("kernel") + suffix).str());
    builder.setInsertionPointToStart(&made.getBody().front());
    return made;
  }

  void store(KernelOp made, Value value) {
    unsigned rank = made.getNumAxes();
    StoreOp::create(builder, op.getLoc(), value, made.getAxes(), 0,
                    builder.getMultiDimIdentityMap(rank));
  }

  /// What is scanned, at a point of a part.
  Value cloneValue(KernelOp made, IRMapping &mapping, OpFoldResult inner) {
    unsigned next = 1;
    for (unsigned kept : keptAxes)
      if (kept != axis || isa<Value>(inner))
        mapping.map(kernel.getAxis(kept), made.getAxis(next++));
    for (unsigned unit : unitAxes)
      mapping.map(kernel.getAxis(unit),
                  arith::ConstantIndexOp::create(builder, op.getLoc(), 0).getResult());
    auto point = AffineMap::get(
        2, 0, builder.getAffineDimExpr(0) * length + builder.getAffineDimExpr(1) + first);
    mapping.map(kernel.getAxis(axis),
                affine::makeComposedAffineApply(builder, op.getLoc(), point,
                                                {OpFoldResult(made.getAxis(0)), inner})
                    .getResult());
    for (unsigned i = 0; i < kernel.getNumOperands(); ++i)
      mapping.map(kernel.getOperandArgument(i), made.getOperandArgument(i));
    for (Operation *producer : getSlice(op))
      if (producer != op)
        builder.clone(*producer, mapping);
    return mapping.lookupOrDefault(op.getValue());
  }

  /// Scans each part by itself. Beyond the end of the axis loads give zeros, on which no point of
  /// the result depends.
  KernelOp scanParts() {
    KernelOp parts = create(kernel.getOperands(), length, "_parts");
    IRMapping mapping;
    unsigned inner = 1 + (llvm::find(keptAxes, axis) - keptAxes.begin());
    cloneValue(parts, mapping, OpFoldResult(parts.getAxis(inner)));
    mapping.map(op.getAxis(), parts.getAxis(inner));
    store(parts, builder.clone(*op, mapping)->getResult(0));
    return parts;
  }

  /// What comes before each part: the others' last points, scanned.
  KernelOp scanTotals(KernelOp parts) {
    SmallVector<Value> operands;
    if (op.getExclusive())
      llvm::append_range(operands, kernel.getOperands());
    KernelOp totals = create(operands, std::nullopt, "_totals");
    int64_t last = op.getReverse() ? 0 : length - 1;
    SmallVector<AffineExpr> coordinates{builder.getAffineDimExpr(0)};
    for (unsigned kept : keptAxes)
      coordinates.push_back(kept == axis ? builder.getAffineConstantExpr(last)
                                         : builder.getAffineDimExpr(getPlace(kept)));
    Value total = load(totals, parts, coordinates, SmallVector<Value>(totals.getAxes()));
    if (op.getExclusive()) {
      IRMapping mapping;
      Value own = cloneValue(totals, mapping, builder.getIndexAttr(last));
      total = arith::getReductionOp(*op.getKind(), builder, op.getLoc(), total, own);
    }
    auto before = ScanOp::create(builder, op.getLoc(), total, totals.getAxis(0), op.getKindAttr(),
                                 /*exclusive=*/builder.getUnitAttr(), op.getReverseAttr());
    store(totals, before.getResult());
    return totals;
  }

  /// The place of an axis among those of the totals.
  unsigned getPlace(unsigned kept) const {
    unsigned place = 1;
    for (unsigned other : keptAxes)
      place += other != axis && other < kept;
    return place;
  }

  /// In place of the scan: what comes before the part, and the part's own.
  void combine(KernelOp parts, KernelOp totals) {
    builder.setInsertionPoint(op);
    SmallVector<Value> indices;
    AffineExpr own =
        builder.getAffineDimExpr(llvm::find(keptAxes, axis) - keptAxes.begin()) - first;
    SmallVector<AffineExpr> point{own.floorDiv(length)}, part{own.floorDiv(length)};
    for (auto [i, kept] : llvm::enumerate(keptAxes)) {
      indices.push_back(kernel.getAxis(kept));
      point.push_back(kept == axis ? own % length : builder.getAffineDimExpr(i));
      if (kept != axis)
        part.push_back(builder.getAffineDimExpr(i));
    }
    Value before = load(kernel, totals, part, indices);
    Value scanned = load(kernel, parts, point, indices);
    Value whole = arith::getReductionOp(*op.getKind(), builder, op.getLoc(), before, scanned);
    op.getResult().replaceAllUsesWith(whole);
    op.erase();
  }

  Value load(KernelOp reader, KernelOp from, ArrayRef<AffineExpr> coordinates,
             const SmallVector<Value> &indices) {
    BlockArgument source = reader.addOperand(from.getResult(0));
    auto map =
        view::MapAttr::get(AffineMap::get(indices.size(), 0, coordinates, kernel.getContext()));
    return createLoad(builder, op.getLoc(), reader, source, map, indices).getResult();
  }

  KernelOp kernel;
  ScanOp op;
  RfactorAttr primitive;
  AxisSets sets;
  OpBuilder builder;
  unsigned axis;
  int64_t length, count, first;
  /// The axes of the result, without those of one point but for the scanned one.
  SmallVector<unsigned> keptAxes, unitAxes;
};

} // namespace

KernelOp tw::kernel::factorScan(KernelOp kernel, ScanOp op, RfactorAttr primitive) {
  return ScanFactoring(kernel, op, primitive).apply();
}
