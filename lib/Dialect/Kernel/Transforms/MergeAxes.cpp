// Merging axes: what used one of them uses a quotient or a remainder of the merged axis.
#include "tw/Dialect/Kernel/Transforms/MergeAxes.h"

#include "Cleaning.h"
#include "tw/Dialect/Kernel/Access.h"
#include "tw/Dialect/Kernel/AxisSets.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

namespace {

/// The axes that are merged, and what each is of the merged one.
struct Merged {
  BlockArgument whole;
  SmallVector<Value> parts;
  SmallVector<AffineExpr> exprs; ///< over dimension 0

  bool contains(Value value) const { return llvm::is_contained(parts, value); }
  bool isUsedBy(Operation *op) const {
    return llvm::any_of(op->getOperands(), [&](Value operand) { return contains(operand); });
  }

  /// `indices` with the parts replaced: the new indices, and each old one as an expression of them.
  SmallVector<AffineExpr> replaceIn(ValueRange indices, SmallVectorImpl<Value> &result) const {
    SmallVector<AffineExpr> replacements;
    result.push_back(whole);
    for (Value index : indices) {
      if (contains(index)) {
        replacements.push_back(exprs[llvm::find(parts, index) - parts.begin()]);
        continue;
      }
      replacements.push_back(getAffineDimExpr(result.size(), whole.getContext()));
      result.push_back(index);
    }
    return replacements;
  }
};

/// `[a, b, k]` with a and b merged into p becomes `[p, k]`.
void replaceReduced(MutableOperandRange axes, const Merged &merged) {
  SmallVector<Value> result;
  for (OpOperand &axis : axes) {
    Value value = merged.contains(axis.get()) ? Value(merged.whole) : axis.get();
    if (!llvm::is_contained(result, value))
      result.push_back(value);
  }
  axes.assign(result);
}

void rewriteUser(Operation *op, KernelOp kernel, const Merged &merged) {
  OpBuilder builder(op);
  SmallVector<Value> indices;
  if (auto store = dyn_cast<StoreOp>(op)) {
    SmallVector<AffineExpr> replacements = merged.replaceIn(store.getIndices(), indices);
    rewriteStore(store, indices, replacements);
  } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
    replaceReduced(reduce.getAxesMutable(), merged);
  } else if (auto contract = dyn_cast<ContractOp>(op)) {
    replaceReduced(contract.getAxesMutable(), merged);
  } else if (auto load = dyn_cast<LoadOp>(op)) {
    SmallVector<AffineExpr> replacements = merged.replaceIn(load.getIndices(), indices);
    auto points = AffineMap::get(indices.size(), 0, replacements, kernel.getContext());
    LoadOp simple = createLoad(builder, load.getLoc(), kernel, load.getSource(),
                               load.getMap().compose(points), indices);
    simple->setDiscardableAttrs(load->getDiscardableAttrDictionary());
    load.replaceAllUsesWith(simple.getResult());
    load.erase();
  } else if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    SmallVector<AffineExpr> replacements = merged.replaceIn(apply.getOperands(), indices);
    AffineMap map = apply.getAffineMap();
    ArrayRef<AffineExpr> all(replacements);
    AffineExpr expr = map.getResult(0).replaceDimsAndSymbols(all.take_front(map.getNumDims()),
                                                             all.drop_front(map.getNumDims()));
    apply.replaceAllUsesWith(createIndex(builder, op->getLoc(), kernel, expr, indices));
    apply.erase();
  } else {
    for (OpOperand &operand : op->getOpOperands())
      if (merged.contains(operand.get())) {
        AffineExpr expr =
            merged.exprs[llvm::find(merged.parts, operand.get()) - merged.parts.begin()];
        operand.set(createIndex(builder, op->getLoc(), kernel, expr, merged.whole));
      }
  }
}

} // namespace

BlockArgument kernel::mergeAxes(KernelOp kernel, ArrayRef<unsigned> axes, StringRef name) {
  Merged merged;
  int64_t extent = 1;
  Dim size = kernel.getSize(axes.front());
  SmallVector<int64_t> extents;
  for (unsigned axis : axes) {
    merged.parts.push_back(kernel.getAxis(axis));
    extents.push_back(kernel.getExtents()[axis]);
    extent *= extents.back();
    if (axis != axes.front())
      size = size * extents.back();
  }
  merged.whole = insertAxis(kernel, *llvm::min_element(axes), Extent(extent, size), name);
  AffineExpr whole = getAffineDimExpr(0, kernel.getContext());
  int64_t inner = extent;
  for (auto [i, part] : llvm::enumerate(extents)) {
    inner = part ? inner / part : 0;
    AffineExpr expr = inner ? whole.floorDiv(inner) : getAffineConstantExpr(0, kernel.getContext());
    merged.exprs.push_back(i && inner ? expr % part : expr);
  }
  for (Operation &op : llvm::make_early_inc_range(kernel.getBody().front()))
    if (merged.isUsedBy(&op))
      rewriteUser(&op, kernel, merged);
  for (Value part : merged.parts)
    eraseAxis(kernel, cast<BlockArgument>(part).getArgNumber());
  // While the parts were there, one of them may have had the name.
  SmallVector<Attribute> names(kernel.getAxisNames().getValue());
  names[merged.whole.getArgNumber()] = StringAttr::get(kernel.getContext(), name);
  kernel.setAxisNamesAttr(ArrayAttr::get(kernel.getContext(), names));
  return merged.whole;
}

bool kernel::canMergeAxes(KernelOp kernel, ArrayRef<unsigned> axes, std::string &why) {
  for (unsigned axis : axes.drop_front())
    if (kernel.isSymbolic(axis)) {
      why = ("a call settles the size of '" + kernel.getAxisName(axis) +
             "': only the first of merged axes may be such")
                .str();
      return false;
    }
  AxisSets sets(kernel);
  auto differ = [&](const llvm::SmallBitVector &set, StringRef verb) {
    unsigned first = axes[0];
    for (unsigned axis : axes.drop_front()) {
      if (set[axis] == set[first])
        continue;
      why = (verb + " '" + kernel.getAxisName(set[first] ? first : axis) + "' but not '" +
             kernel.getAxisName(set[first] ? axis : first) + "': merge axes that are treated alike")
                .str();
      return true;
    }
    return false;
  };
  for (Operation &op : kernel.getBody().front()) {
    if (differ(sets.reducedBy(&op), "an op reduces"))
      return false;
    if (auto store = dyn_cast<StoreOp>(op)) {
      llvm::SmallBitVector stored = sets.unionOf(store.getIndices());
      // An axis of one point goes with any; an index may have lost it.
      bool isAlong = llvm::any_of(
          axes, [&](unsigned axis) { return kernel.getExtents()[axis] != 1 && stored[axis]; });
      for (unsigned axis : axes)
        if (kernel.getExtents()[axis] == 1)
          stored[axis] = isAlong;
      if (differ(stored, "result " + std::to_string(store.getResultNumber()) + " is written along"))
        return false;
    }
    if (auto scan = dyn_cast<ScanOp>(op)) {
      unsigned axis = cast<BlockArgument>(scan.getAxis()).getArgNumber();
      if (llvm::is_contained(axes, axis)) {
        why = ("a scan runs along '" + kernel.getAxisName(axis) + "': leave it out").str();
        return false;
      }
    }
  }
  return true;
}
