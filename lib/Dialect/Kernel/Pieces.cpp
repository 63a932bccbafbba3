// The proof that several stores write each element of a result once: images that are disjoint and
// have as many points as the result has elements are all of it.
#include "tw/Dialect/Kernel/Pieces.h"

#include "tw/Dialect/View/Algebra.h"
#include "tw/Layout/Image.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

SmallVector<StoreOp> kernel::getStores(KernelOp kernel, unsigned result) {
  SmallVector<StoreOp> stores;
  for (auto store : kernel.getBody().getOps<StoreOp>())
    if (store.getResultNumber() == result)
      stores.push_back(store);
  return stores;
}

bool kernel::isUpdated(KernelOp kernel, unsigned operand) {
  return llvm::any_of(kernel.getOperandArgument(operand).getUsers(), llvm::IsaPred<StoreOp>);
}

StoreOp kernel::getWholeStore(KernelOp kernel, unsigned result) {
  SmallVector<StoreOp> stores = getStores(kernel, result);
  return stores.size() == 1 && !stores.front().getInto() ? stores.front() : StoreOp();
}

bool kernel::isPiece(StoreOp store) {
  return !getWholeStore(store->getParentOfType<KernelOp>(), store.getResultNumber());
}

/// The extents of the axes along which the store writes; nothing if its indices are none, which its
/// own verifier reports.
static std::optional<SmallVector<int64_t>> getAxisExtents(KernelOp kernel, StoreOp store) {
  SmallVector<int64_t> extents;
  for (Value index : store.getIndices()) {
    auto axis = dyn_cast<BlockArgument>(index);
    if (!axis || axis.getOwner() != &kernel.getBody().front() ||
        axis.getArgNumber() >= kernel.getNumAxes())
      return std::nullopt;
    extents.push_back(kernel.getExtents()[axis.getArgNumber()]);
  }
  return extents;
}

static std::optional<std::vector<layout::NumberSet>>
findImage(AffineMap map, ArrayRef<int64_t> extents, ArrayRef<int64_t> shape) {
  std::vector<layout::Expr> coordinates;
  for (AffineExpr expr : map.getResults()) {
    std::optional<layout::Expr> coordinate = view::toLayout(expr);
    if (!coordinate)
      return std::nullopt;
    coordinates.push_back(*coordinate);
  }
  return layout::imageOf(coordinates, extents, shape);
}

LogicalResult kernel::verifyPieces(KernelOp kernel, unsigned result) {
  auto type = cast<RankedTensorType>(kernel.getResult(result).getType());
  SmallVector<StoreOp> stores = getStores(kernel, result);
  SmallVector<std::vector<layout::NumberSet>> images;
  int64_t written = 0;
  for (StoreOp store : stores) {
    std::optional<SmallVector<int64_t>> extents = getAxisExtents(kernel, store);
    if (!extents || store.getMap().getNumDims() != extents->size() ||
        store.getMap().getNumResults() != type.getRank())
      return success(); // reported by the store
    for (auto [coordinate, size] : llvm::zip(store.getMap().getResults(), view::getSizes(type)))
      if (!size.isStatic() && !isa<AffineDimExpr>(coordinate))
        return store.emitOpError("expected a piece to have all of a dimension of ")
               << type << " whose size a call settles, found " << store.getMapAttr();
    if (store.getInto() != stores.front().getInto() ||
        store.getOffsets() != stores.front().getOffsets())
      return store.emitOpError("expected the stores to result ")
             << result << " to update the same operand at the same offsets";
    auto image = findImage(store.getMap(), *extents, type.getShape());
    if (!image)
      return store.emitOpError("expected the coordinates of a piece to be sums of axes inside of ")
             << type << ", each axis in one of them and no element twice, found "
             << store.getMapAttr();
    for (auto [other, known] : llvm::zip(stores, images))
      if (!layout::areDisjoint(*image, known)) {
        InFlightDiagnostic diagnostic =
            store.emitOpError("expected to write other elements of result ")
            << result << " than the other stores to it";
        diagnostic.attachNote(other.getLoc()) << "this one writes some of them, too";
        return diagnostic;
      }
    images.push_back(*image);
    written += llvm::product_of(*extents);
  }
  if (written != type.getNumElements() && !stores.front().getInto())
    return kernel.emitOpError("expected the ")
           << stores.size() << " stores to result " << result << " to write its "
           << type.getNumElements() << " elements, found " << written;
  return success();
}
