// The pass kernel-unflatten-axes: an axis of several dimensions, whose sizes a call settles,
// becomes an axis for each where a reshape beside the kernel has them apart.
#include "AxisDims.h"
#include "Cleaning.h"
#include "tw/Dialect/Graph/Graph.h"
#include "tw/Dialect/Kernel/Instance.h"
#include "tw/Dialect/Kernel/Pieces.h"
#include "tw/Dialect/Kernel/Transforms/Passes.h"
#include "tw/Support/SizeProducts.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tw {
#define GEN_PASS_DEF_KERNELUNFLATTENAXESPASS
#include "tw/Dialect/Kernel/Transforms/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

namespace {

/// A dimension, and the sizes that it is the product of.
struct DimParts {
  unsigned dim;
  SmallVector<Extent> extents;
};

/// An axis that may be several.
struct AxisParts {
  KernelOp kernel;
  BlockArgument axis;
  ArrayRef<Extent> extents;
  AxisDims dims;

  /// Whether each tensor that has the axis has it as a dimension of its own.
  bool match();
  void unflatten();

private:
  FailureOr<AxisDim> findDim(AffineMap map, ValueRange indices, RankedTensorType type) const;
};

} // namespace

/// The first dimension of the flat type that is several sizes of a call in the other one; nothing
/// where they differ in other ways.
static std::optional<DimParts> findParts(RankedTensorType flat, RankedTensorType apart) {
  if (view::hasRoom(flat) || view::hasRoom(apart))
    return std::nullopt;
  SmallVector<Extent> whole = getExtents(flat), parts = getExtents(apart);
  std::optional<DimParts> found;
  unsigned next = 0;
  for (auto [dim, extent] : llvm::enumerate(whole)) {
    Extent product = 1;
    unsigned first = next;
    for (; next < parts.size() && (next == first || product != extent); ++next)
      product = {product.most * parts[next].most, multiply(product.size, parts[next].size)};
    if (product != extent)
      return std::nullopt;
    ArrayRef<Extent> own = ArrayRef(parts).slice(first, next - first);
    if (!found && llvm::count_if(own, [](const Extent &part) { return !part.isFixed(); }) > 1)
      found = DimParts{unsigned(dim), SmallVector<Extent>(own)};
  }
  return next == parts.size() ? found : std::nullopt;
}

/// Fails where the tensor has the axis in another way than as a dimension of its own.
FailureOr<AxisDim> AxisParts::findDim(AffineMap map, ValueRange indices,
                                      RankedTensorType type) const {
  if (!llvm::is_contained(indices, axis))
    return AxisDim();
  unsigned position = llvm::find(indices, axis) - indices.begin();
  ArrayRef<AffineExpr> results = map.getResults();
  unsigned dim =
      llvm::find(results, getAffineDimExpr(position, map.getContext())) - results.begin();
  auto isUsed = [&](AffineExpr expr) { return expr.isFunctionOfDim(position); };
  KernelOp own = kernel;
  if (llvm::count(indices, axis) > 1 || view::hasRoom(type) || dim == results.size() ||
      llvm::count_if(results, isUsed) > 1 ||
      getExtents(type)[dim] != own.getExtent(axis.getArgNumber()))
    return failure();
  return AxisDim(dim);
}

bool AxisParts::match() {
  for (Operation *user : axis.getUsers())
    if (user->getBlock() != axis.getOwner() || !isa<LoadOp, StoreOp, ReduceOp, ContractOp>(user))
      return false;
  std::optional<AxisDims> found =
      findAxisDims(kernel, axis, [&](AffineMap map, ValueRange indices, auto type) {
        return findDim(map, indices, type);
      });
  if (found)
    dims = std::move(*found);
  return found.has_value();
}

/// The first of the parts is in the axis' place, the others are behind all indices.
static ChangedIndices insertParts(AffineMap map, ValueRange indices, BlockArgument axis,
                                  AxisDim dim, ArrayRef<Value> parts) {
  MLIRContext *context = map.getContext();
  unsigned count = map.getNumDims();
  ChangedIndices apart;
  apart.indices.assign(indices.begin(), indices.end());
  std::replace(apart.indices.begin(), apart.indices.end(), Value(axis), parts.front());
  llvm::append_range(apart.indices, parts.drop_front());
  for (unsigned i = 0; i < count; ++i)
    apart.old.push_back(getAffineDimExpr(i, context));
  SmallVector<AffineExpr> results(map.getResults());
  for (unsigned i = 1; dim && i < parts.size(); ++i)
    results.insert(results.begin() + *dim + i, getAffineDimExpr(count + i - 1, context));
  apart.map = AffineMap::get(apart.indices.size(), 0, results, context);
  return apart;
}

void AxisParts::unflatten() {
  reshapeTensors(kernel, dims, [&](RankedTensorType type, unsigned dim) {
    SmallVector<Extent> whole = getExtents(type);
    whole.erase(whole.begin() + dim);
    whole.insert(whole.begin() + dim, extents.begin(), extents.end());
    return getTensorType(whole, type.getElementType());
  });
  std::string name = kernel.getAxisName(axis.getArgNumber()).str();
  SmallVector<Value> parts;
  for (const Extent &extent : extents)
    parts.push_back(insertAxis(kernel, axis.getArgNumber(), extent, name));
  replaceAxes(
      kernel, axis, dims,
      [&](AffineMap map, ValueRange indices, AxisDim dim) {
        return insertParts(map, indices, axis, dim, parts);
      },
      [&](Value each) { return each == axis ? parts : SmallVector<Value>{each}; });
  eraseAxis(kernel, axis.getArgNumber());
}

/// The axis that is the dimension of the tensor which the kernel loads from, or stores to.
static BlockArgument findFlatAxis(AffineMap map, ValueRange indices, unsigned dim) {
  auto expr = dyn_cast<AffineDimExpr>(map.getResult(dim));
  return expr ? dyn_cast<BlockArgument>(indices[expr.getPosition()]) : BlockArgument();
}

using Reshapes = SmallVector<graph::ReshapeOp>;

/// Whether it could be done. The reshapes beside the kernel are `open` then.
static bool unflatten(KernelOp kernel, BlockArgument axis, const DimParts &parts, Reshapes &open) {
  if (!axis || axis.getOwner()->getParentOp() != kernel || kernel.getSchedule() ||
      kernel->hasAttr(apartAttrName))
    return false;
  AxisParts apart{kernel, axis, parts.extents, {}};
  if (!apart.match())
    return false;
  apart.unflatten();
  for (Value operand : kernel.getOperands())
    if (auto reshape = operand.getDefiningOp<graph::ReshapeOp>())
      open.push_back(reshape);
  for (Operation *user : kernel->getUsers())
    if (auto reshape = dyn_cast<graph::ReshapeOp>(user))
      open.push_back(reshape);
  return true;
}

/// The axes of the kernel that makes what is reshaped.
static bool unflattenSource(graph::ReshapeOp reshape, Reshapes &open) {
  auto kernel = reshape.getInput().getDefiningOp<KernelOp>();
  std::optional<DimParts> parts =
      kernel ? findParts(reshape.getInput().getType(), reshape.getType()) : std::nullopt;
  if (!parts)
    return false;
  unsigned result = cast<OpResult>(reshape.getInput()).getResultNumber();
  for (auto store : kernel.getBody().getOps<StoreOp>())
    if (store.getResultNumber() == result)
      return unflatten(kernel, findFlatAxis(store.getMap(), store.getIndices(), parts->dim), *parts,
                       open);
  return false;
}

/// The axes of the kernels that read it; whether there is one.
static bool unflattenReaders(graph::ReshapeOp reshape, Reshapes &open) {
  std::optional<DimParts> parts = findParts(reshape.getType(), reshape.getInput().getType());
  if (!parts)
    return false;
  for (OpOperand &use : reshape->getUses()) {
    auto kernel = dyn_cast<KernelOp>(use.getOwner());
    if (!kernel || isUpdated(kernel, use.getOperandNumber()))
      continue;
    for (Operation *user : kernel.getOperandArgument(use.getOperandNumber()).getUsers())
      if (auto load = dyn_cast<LoadOp>(user);
          load &&
          unflatten(kernel, findFlatAxis(load.getMap().getMap(), load.getIndices(), parts->dim),
                    *parts, open))
        return true;
  }
  return false;
}

namespace {

struct KernelUnflattenAxesPass : tw::impl::KernelUnflattenAxesPassBase<KernelUnflattenAxesPass> {
  using KernelUnflattenAxesPassBase::KernelUnflattenAxesPassBase;

  void runOnOperation() override {
    Reshapes open;
    getOperation()->walk([&](graph::ReshapeOp reshape) { open.push_back(reshape); });
    while (!open.empty()) {
      graph::ReshapeOp reshape = open.pop_back_val();
      while (unflattenSource(reshape, open) || unflattenReaders(reshape, open)) {
      }
    }
    getOperation()->walk([&](graph::ReshapeOp reshape) { open.push_back(reshape); });
    for (graph::ReshapeOp reshape : open) {
      while (auto inner = reshape.getInput().getDefiningOp<graph::ReshapeOp>())
        reshape.getInputMutable().assign(inner.getInput());
      if (reshape.getInput().getType() == reshape.getType())
        reshape.replaceAllUsesWith(reshape.getInput());
    }
    for (graph::ReshapeOp reshape : llvm::reverse(open))
      if (reshape->use_empty())
        reshape.erase();
  }
};

} // namespace
