// The pass kernel-unflatten-axes: an axis of several dimensions, whose sizes a call settles,
// becomes an axis for each where a reshape beside the kernel has them apart.
#include "FlattenAxes.h"

#include "Cleaning.h"
#include "tw/Dialect/Graph/Graph.h"
#include "tw/Dialect/Kernel/Access.h"
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
  /// The dimension along which each tensor has the axis, if it has.
  SmallVector<std::optional<unsigned>> operands, results;

  /// Whether each tensor has the axis as a dimension of its own.
  bool match();
  void unflatten();

private:
  using OwnDim = std::optional<unsigned>;
  FailureOr<OwnDim> findDim(AffineMap map, ValueRange indices, RankedTensorType type) const;
  bool matchLoads(unsigned operand);
  bool matchStores(unsigned result);
  RankedTensorType getApart(Type type, unsigned dim) const;
  void rewriteLoad(LoadOp load, ValueRange parts);
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
FailureOr<AxisParts::OwnDim> AxisParts::findDim(AffineMap map, ValueRange indices,
                                                RankedTensorType type) const {
  if (!llvm::is_contained(indices, axis))
    return OwnDim();
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
  return OwnDim(dim);
}

bool AxisParts::matchLoads(unsigned operand) {
  BlockArgument argument = kernel.getOperandArgument(operand);
  std::optional<OwnDim> own;
  for (Operation *user : argument.getUsers()) {
    auto load = dyn_cast<LoadOp>(user);
    if (!load)
      return false;
    view::MapAttr map = load.getMap();
    FailureOr<OwnDim> dim =
        findDim(map.getMap(), load.getIndices(), cast<RankedTensorType>(argument.getType()));
    if (failed(dim) || (own && *own != *dim))
      return false;
    own = *dim;
    for (view::GuardAttr guard : map.getGuards())
      for (AffineExpr expr : guard.getSet().getConstraints())
        for (auto [i, index] : llvm::enumerate(load.getIndices()))
          if (index == axis && expr.isFunctionOfDim(i))
            return false;
  }
  operands.push_back(own.value_or(OwnDim()));
  return true;
}

bool AxisParts::matchStores(unsigned result) {
  std::optional<OwnDim> own;
  for (auto store : kernel.getBody().getOps<StoreOp>()) {
    if (store.getResultNumber() != result)
      continue;
    FailureOr<OwnDim> dim = findDim(store.getMap(), store.getIndices(),
                                    cast<RankedTensorType>(kernel.getResult(result).getType()));
    if (store.getInto() || failed(dim) || (own && *own != *dim))
      return false;
    own = *dim;
  }
  results.push_back(own.value_or(OwnDim()));
  return true;
}

bool AxisParts::match() {
  for (Operation *user : axis.getUsers())
    if (user->getBlock() != axis.getOwner() || !isa<LoadOp, StoreOp, ReduceOp, ContractOp>(user))
      return false;
  for (unsigned i = 0; i < kernel->getNumOperands(); ++i)
    if (!matchLoads(i))
      return false;
  for (unsigned i = 0; i < kernel->getNumResults(); ++i)
    if (!matchStores(i))
      return false;
  return true;
}

RankedTensorType AxisParts::getApart(Type type, unsigned dim) const {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<Extent> whole = getExtents(tensor);
  whole.erase(whole.begin() + dim);
  whole.insert(whole.begin() + dim, extents.begin(), extents.end());
  return getTensorType(whole, tensor.getElementType());
}

/// The map with the first of the parts in the axis' place, the others behind all indices.
static AffineMap insertParts(AffineMap map, std::optional<unsigned> dim, unsigned count) {
  SmallVector<AffineExpr> results(map.getResults());
  for (unsigned i = 1; dim && i < count; ++i)
    results.insert(results.begin() + *dim + i,
                   getAffineDimExpr(map.getNumDims() + i - 1, map.getContext()));
  return AffineMap::get(map.getNumDims() + count - 1, 0, results, map.getContext());
}

static SmallVector<Value> insertParts(ValueRange indices, BlockArgument axis, ValueRange parts) {
  SmallVector<Value> all(indices);
  std::replace(all.begin(), all.end(), Value(axis), parts.front());
  llvm::append_range(all, parts.drop_front());
  return all;
}

void AxisParts::rewriteLoad(LoadOp load, ValueRange parts) {
  unsigned number = cast<BlockArgument>(load.getSource()).getArgNumber() - kernel.getNumAxes();
  view::MapAttr map = load.getMap();
  AffineMap apart = insertParts(map.getMap(), operands[number], parts.size());
  SmallVector<AffineExpr> same;
  for (unsigned i = 0; i < map.getMap().getNumDims(); ++i)
    same.push_back(getAffineDimExpr(i, map.getContext()));
  SmallVector<view::GuardAttr> guards;
  for (view::GuardAttr guard : map.getGuards())
    guards.push_back(view::GuardAttr::get(
        map.getContext(), guard.getSet().replaceDimsAndSymbols(same, {}, apart.getNumDims(), 0),
        guard.getFill()));
  OpBuilder builder(load);
  LoadOp made = createLoad(builder, load.getLoc(), kernel, load.getSource(),
                           view::MapAttr::get(apart, guards, map.getOutside()),
                           insertParts(load.getIndices(), axis, parts));
  made->setDiscardableAttrs(load->getDiscardableAttrDictionary());
  load.replaceAllUsesWith(made.getResult());
  load.erase();
}

static void insertReduced(MutableOperandRange axes, BlockArgument axis, ValueRange parts) {
  SmallVector<Value> all;
  for (OpOperand &each : axes)
    if (each.get() == axis)
      llvm::append_range(all, parts);
    else
      all.push_back(each.get());
  axes.assign(all);
}

void AxisParts::unflatten() {
  OpBuilder builder(kernel);
  for (auto [i, dim] : llvm::enumerate(operands))
    if (dim) {
      RankedTensorType type = getApart(kernel->getOperand(i).getType(), *dim);
      kernel.getOperandArgument(i).setType(type);
      kernel->setOperand(i, getReshaped(builder, kernel.getLoc(), kernel->getOperand(i), type));
    }
  builder.setInsertionPointAfter(kernel);
  for (auto [result, dim] : llvm::zip(kernel->getResults(), results))
    if (dim) {
      auto type = cast<RankedTensorType>(result.getType());
      result.setType(getApart(type, *dim));
      auto reshape = graph::ReshapeOp::create(builder, kernel.getLoc(), type, result);
      result.replaceAllUsesExcept(reshape, reshape);
    }
  std::string name = kernel.getAxisName(axis.getArgNumber()).str();
  SmallVector<Value> parts;
  for (const Extent &extent : extents)
    parts.push_back(insertAxis(kernel, axis.getArgNumber(), extent, name));
  for (Operation &op : llvm::make_early_inc_range(kernel.getBody().front())) {
    if (!llvm::is_contained(op.getOperands(), axis))
      continue;
    if (auto load = dyn_cast<LoadOp>(op)) {
      rewriteLoad(load, parts);
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      store.setMap(insertParts(store.getMap(), results[store.getResultNumber()], parts.size()));
      store.getIndicesMutable().assign(insertParts(store.getIndices(), axis, parts));
    } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
      insertReduced(reduce.getAxesMutable(), axis, parts);
    } else {
      insertReduced(cast<ContractOp>(op).getAxesMutable(), axis, parts);
    }
  }
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
  AxisParts apart{kernel, axis, parts.extents, {}, {}};
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
