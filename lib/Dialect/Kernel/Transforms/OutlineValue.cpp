// Moves values and what they are computed from into kernels of their own.
#include "tw/Dialect/Kernel/Transforms/OutlineValue.h"

#include "Cleaning.h"
#include "tw/Dialect/Kernel/Access.h"
#include "tw/Dialect/Kernel/Finite.h"
#include "tw/Dialect/Kernel/ValueName.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

SmallVector<Operation *> kernel::getSlice(Operation *op) {
  llvm::SmallPtrSet<Operation *, 8> slice{op};
  SmallVector<Operation *> work{op};
  while (!work.empty())
    for (Value operand : work.pop_back_val()->getOperands())
      if (Operation *producer = operand.getDefiningOp(); producer && slice.insert(producer).second)
        work.push_back(producer);
  SmallVector<Operation *> ordered;
  for (Operation &other : *op->getBlock())
    if (slice.contains(&other))
      ordered.push_back(&other);
  return ordered;
}

static void dropUnusedOperands(KernelOp kernel) {
  for (unsigned i = kernel.getNumOperands(); i-- > 0;)
    if (kernel.getOperandArgument(i).use_empty())
      dropOperand(kernel, i);
}

/// The kernel of a panel, as it comes.
static KernelOp outlineValue(KernelOp kernel, const Panel &outlined) {
  OpBuilder builder(kernel);
  Operation *op = outlined.op;
  ArrayRef<PanelDim> dims = outlined.dims;
  Value value = op->getResult(0);
  SmallVector<int64_t> shape;
  SmallVector<Extent> extents;
  SmallVector<StringRef> names;
  SmallVector<AffineExpr> parts(kernel.getNumAxes(), builder.getAffineConstantExpr(0));
  for (auto [d, dim] : llvm::enumerate(dims)) {
    shape.push_back(dim.extent);
    extents.push_back(dim.extent);
    names.push_back(dim.name);
    parts[dim.axis] = parts[dim.axis] + builder.getAffineDimExpr(d) * dim.stride;
  }
  auto type = RankedTensorType::get(shape, value.getType());
  auto packing = KernelOp::create(builder, op->getLoc(), TypeRange(type), kernel.getOperands(),
                                  extents, names);
  packing.setSymHint((kernel.getSymHint().value_or("kernel") + "_pack").str());

  builder.setInsertionPointToStart(&packing.getBody().front());
  IRMapping mapping;
  ValueRange axes = packing.getAxes();
  for (unsigned axis = 0; axis < kernel.getNumAxes(); ++axis)
    mapping.map(kernel.getAxis(axis),
                affine::makeComposedAffineApply(builder, op->getLoc(),
                                                AffineMap::get(dims.size(), 0, parts[axis]),
                                                SmallVector<OpFoldResult>(axes.begin(), axes.end()))
                    .getResult());
  for (unsigned i = 0; i < kernel.getNumOperands(); ++i)
    mapping.map(kernel.getOperandArgument(i), packing.getOperandArgument(i));
  for (Operation *producer : getSlice(op))
    builder.clone(*producer, mapping);
  StoreOp::create(builder, op->getLoc(), mapping.lookup(value), axes, 0,
                  builder.getMultiDimIdentityMap(dims.size()));

  builder.setInsertionPoint(op);
  Value panel = kernel.addOperand(packing.getResult(0));
  SmallVector<Value> indices;
  SmallVector<AffineExpr> coordinates;
  for (const PanelDim &dim : dims) {
    Value axis = kernel.getAxis(dim.axis);
    auto *it = llvm::find(indices, axis);
    AffineExpr index = builder.getAffineDimExpr(it - indices.begin());
    if (it == indices.end())
      indices.push_back(axis);
    coordinates.push_back(index.floorDiv(dim.stride) % dim.extent);
  }
  auto map = AffineMap::get(indices.size(), 0, coordinates, builder.getContext());
  auto load = createLoad(builder, op->getLoc(), kernel, panel, view::MapAttr::get(map), indices);
  setValueName(load, outlined.name);
  if (isKnownFinite(value) && isa<FloatType>(value.getType()))
    load->setAttr(finiteAttrName, builder.getUnitAttr());
  value.replaceAllUsesWith(load.getResult());
  dropUnusedOperands(packing);
  return packing;
}

void tw::kernel::outlineValues(KernelOp kernel, ArrayRef<Panel> panels, bool isTrial) {
  FrozenRewritePatternSet patterns = getCleaningPatterns(kernel.getContext());
  for (const Panel &panel : panels) {
    KernelOp packing = outlineValue(kernel, panel);
    if (!isTrial)
      clean(packing, patterns);
  }
  clean(kernel, patterns);
}

void tw::kernel::simplifyPanel(KernelOp packing) {
  clean(packing, getCleaningPatterns(packing.getContext()));
}
