// Rewriting the maps and types of tensors whose dimensions get another order.
#include "tw/Dialect/Kernel/Transforms/Orders.h"

#include "tw/Dialect/Kernel/Instance.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

DimensionOrder kernel::invertOrder(ArrayRef<unsigned> order) {
  DimensionOrder inverse(order.size());
  for (auto [place, dim] : llvm::enumerate(order))
    inverse[dim] = place;
  return inverse;
}

RankedTensorType kernel::permute(RankedTensorType type, ArrayRef<unsigned> order) {
  SmallVector<int64_t> shape;
  SmallVector<Dim> sizes;
  SmallVector<Dim, 4> own = view::getSizes(type);
  for (unsigned dim : order) {
    shape.push_back(type.getDimSize(dim));
    sizes.push_back(own[dim]);
  }
  return view::getTensorType(shape, sizes, type.getElementType());
}

AffineMap kernel::permute(AffineMap map, ArrayRef<unsigned> order) {
  SmallVector<AffineExpr> results;
  for (unsigned dim : order)
    results.push_back(map.getResult(dim));
  return AffineMap::get(map.getNumDims(), map.getNumSymbols(), results, map.getContext());
}

RankedTensorType kernel::getPlainType(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && !type.getEncoding() && type.hasStaticShape() ? type : RankedTensorType();
}

/// The type of a tensor whose sizes are known or settled by calls, and in memory no others; else
/// null.
static RankedTensorType getDenseType(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && !view::hasRoom(type) &&
                 (!type.getEncoding() || isa<view::SizesAttr>(type.getEncoding()))
             ? type
             : RankedTensorType();
}

bool kernel::mayReorder(Value value) {
  auto kernel = value.getDefiningOp<KernelOp>();
  if (!kernel || kernel.getSchedule() || kernel->hasAttr("materialize") ||
      kernel->hasAttr(apartAttrName) || !getDenseType(value) ||
      kernel.findUpdated(cast<OpResult>(value).getResultNumber()))
    return false;
  return llvm::all_of(value.getUses(), [](OpOperand &use) {
    auto reader = dyn_cast<KernelOp>(use.getOwner());
    // The functions of a kernel's parts have its types; an update names the argument in its store.
    return reader && !reader.getSchedule() && !reader->hasAttr(apartAttrName) &&
           llvm::all_of(reader.getOperandArgument(use.getOperandNumber()).getUsers(),
                        [](Operation *user) { return isa<LoadOp>(user); });
  });
}

void kernel::reorderReads(KernelOp kernel, unsigned number, RankedTensorType type,
                          ArrayRef<unsigned> order) {
  BlockArgument argument = kernel.getOperandArgument(number);
  argument.setType(type);
  for (Operation *user : argument.getUsers()) {
    auto load = cast<LoadOp>(user);
    view::MapAttr map = load.getMap();
    load.setMapAttr(
        view::MapAttr::get(permute(map.getMap(), order), map.getGuards(), map.getOutside()));
  }
}

void kernel::reorder(Value value, ArrayRef<unsigned> order) {
  auto kernel = value.getDefiningOp<KernelOp>();
  RankedTensorType type = permute(getDenseType(value), order);
  for (auto store : kernel.getBody().getOps<StoreOp>())
    if (store.getResultNumber() == cast<OpResult>(value).getResultNumber())
      store.setMapAttr(AffineMapAttr::get(permute(store.getMap(), order)));
  for (OpOperand &use : value.getUses())
    reorderReads(cast<KernelOp>(use.getOwner()), use.getOperandNumber(), type, order);
  value.setType(type);
}
