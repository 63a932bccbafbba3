// The pass kernel-flatten-axes: axes whose sizes a call settles, and through which all tensors run
// as one, are one.
#include "FlattenAxes.h"

#include "AxisDims.h"
#include "Cleaning.h"
#include "tw/Dialect/Graph/Graph.h"
#include "tw/Dialect/Kernel/AxesOfOne.h"
#include "tw/Dialect/Kernel/Blocks.h"
#include "tw/Dialect/Kernel/Instance.h"
#include "tw/Dialect/Kernel/Transforms/Passes.h"
#include "tw/Support/SizeProducts.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/CheckedArithmetic.h"

#include <limits>

namespace tw {
#define GEN_PASS_DEF_KERNELFLATTENAXESPASS
#include "tw/Dialect/Kernel/Transforms/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

namespace {

/// Two axes that may be one: each tensor that has them has the outer one along a dimension, and the
/// inner one along the next.
struct FlatPair {
  KernelOp kernel;
  BlockArgument outer, inner;
  AxisDims dims;

  FlatPair(KernelOp kernel, unsigned outer, unsigned inner)
      : kernel(kernel), outer(kernel.getAxis(outer)), inner(kernel.getAxis(inner)) {}

  /// Whether all that the kernel does along one of them it does along both.
  bool match();
  /// Makes them one axis, and the dimensions of what is read and made.
  void flatten();

private:
  Extent getExtent() const;
  FailureOr<AxisDim> findDim(AffineMap map, ValueRange indices, RankedTensorType type) const;
  bool isOneInReductions(Operation *user) const;
  ChangedIndices flatten(AffineMap map, ValueRange indices, AxisDim dim, BlockArgument whole) const;
};

} // namespace

static bool isUsedAt(AffineMap map, unsigned dim, unsigned first) {
  return llvm::any_of(llvm::enumerate(map.getResults()), [&](auto it) {
    return it.index() != first && it.index() != first + 1 && it.value().isFunctionOfDim(dim);
  });
}

Extent FlatPair::getExtent() const {
  KernelOp own = kernel;
  Extent a = own.getExtent(outer.getArgNumber()), b = own.getExtent(inner.getArgNumber());
  return {a.most * b.most, multiply(a.size, b.size)};
}

/// Fails where the tensor has the axes in another way.
FailureOr<AxisDim> FlatPair::findDim(AffineMap map, ValueRange indices,
                                     RankedTensorType type) const {
  bool hasOuter = llvm::is_contained(indices, outer), hasInner = llvm::is_contained(indices, inner);
  if (!hasOuter && !hasInner)
    return AxisDim();
  if (hasOuter != hasInner || llvm::count(indices, outer) > 1 || llvm::count(indices, inner) > 1 ||
      view::hasRoom(type))
    return failure();
  AffineExpr first =
                 getAffineDimExpr(llvm::find(indices, outer) - indices.begin(), type.getContext()),
             second =
                 getAffineDimExpr(llvm::find(indices, inner) - indices.begin(), type.getContext());
  ArrayRef<AffineExpr> results = map.getResults();
  unsigned dim = llvm::find(results, first) - results.begin();
  if (dim + 1 >= results.size() || results[dim + 1] != second ||
      isUsedAt(map, cast<AffineDimExpr>(first).getPosition(), dim) ||
      isUsedAt(map, cast<AffineDimExpr>(second).getPosition(), dim))
    return failure();
  KernelOp own = kernel;
  SmallVector<Extent> extents = getExtents(type);
  if (extents[dim] != own.getExtent(outer.getArgNumber()) ||
      extents[dim + 1] != own.getExtent(inner.getArgNumber()))
    return failure();
  return AxisDim(dim);
}

/// Whether a reduction has both side by side among its axes.
bool FlatPair::isOneInReductions(Operation *user) const {
  auto reduce = dyn_cast<ReduceOp>(user);
  auto contract = dyn_cast<ContractOp>(user);
  if (!reduce && !contract)
    return false;
  SmallVector<Value> axes(reduce ? reduce.getAxes() : contract.getAxes());
  auto *it = llvm::find(axes, Value(outer));
  return it != axes.end() && std::next(it) != axes.end() && *std::next(it) == inner;
}

bool FlatPair::match() {
  // What is no product of symbols by a number is not what ranges are of.
  Extent whole = getExtent();
  if (whole.size.getConstant() != 0 || whole.size.getTerms().size() != 1)
    return false;
  // Nor what a grid has no room for, as no schedule makes it two axes again.
  KernelOp own = kernel;
  std::optional<int64_t> most = llvm::checkedMul(own.getExtent(outer.getArgNumber()).most,
                                                 own.getExtent(inner.getArgNumber()).most);
  if (!most || *most > std::numeric_limits<int32_t>::max())
    return false;
  for (BlockArgument axis : {outer, inner})
    for (Operation *user : axis.getUsers())
      if (user->getBlock() != axis.getOwner() ||
          (!isa<LoadOp, StoreOp>(user) && !isOneInReductions(user)))
        return false;
  std::optional<AxisDims> found =
      findAxisDims(kernel, {outer, inner}, [&](AffineMap map, ValueRange indices, auto type) {
        return findDim(map, indices, type);
      });
  if (!found)
    return false;
  dims = std::move(*found);
  auto has = [](AxisDim dim) { return dim.has_value(); };
  return llvm::any_of(dims.operands, has) || llvm::any_of(dims.results, has);
}

ChangedIndices FlatPair::flatten(AffineMap map, ValueRange indices, AxisDim dim,
                                 BlockArgument whole) const {
  MLIRContext *context = map.getContext();
  ChangedIndices flat;
  for (Value index : indices) {
    if (index == inner) {
      flat.old.push_back(getAffineConstantExpr(0, context));
      continue;
    }
    flat.old.push_back(getAffineDimExpr(flat.indices.size(), context));
    flat.indices.push_back(index == outer ? Value(whole) : index);
  }
  SmallVector<AffineExpr> coordinates;
  for (auto [i, expr] : llvm::enumerate(map.getResults()))
    if (!dim || i != *dim + 1)
      coordinates.push_back(expr.replaceDims(flat.old));
  flat.map = AffineMap::get(flat.indices.size(), 0, coordinates, context);
  return flat;
}

void FlatPair::flatten() {
  reshapeTensors(kernel, dims, [&](RankedTensorType type, unsigned dim) {
    SmallVector<Extent> extents = getExtents(type);
    extents[dim] = getExtent();
    extents.erase(extents.begin() + dim + 1);
    return getTensorType(extents, type.getElementType());
  });
  std::string name =
      (kernel.getAxisName(outer.getArgNumber()) + kernel.getAxisName(inner.getArgNumber())).str();
  BlockArgument whole =
      insertAxis(kernel, std::min(outer.getArgNumber(), inner.getArgNumber()), getExtent(), name);
  replaceAxes(
      kernel, {outer, inner}, dims,
      [&](AffineMap map, ValueRange indices, AxisDim dim) {
        return flatten(map, indices, dim, whole);
      },
      [&](Value axis) {
        return axis == inner ? SmallVector<Value>()
                             : SmallVector<Value>{axis == outer ? Value(whole) : axis};
      });
  eraseAxis(kernel, outer.getArgNumber());
  eraseAxis(kernel, inner.getArgNumber());
}

/// Whether it holds for some pair of axes, of which a call settles the inner one.
static bool anyPair(KernelOp kernel, llvm::function_ref<bool(FlatPair &)> holds) {
  for (unsigned inner = 0; inner < kernel.getNumAxes(); ++inner)
    for (unsigned outer = 0; kernel.isSymbolic(inner) && outer < kernel.getNumAxes(); ++outer)
      if (FlatPair pair(kernel, outer, inner); outer != inner && holds(pair))
        return true;
  return false;
}

bool kernel::takesApart(KernelOp producer, KernelOp consumer, LoadOp load) {
  unsigned operand = cast<BlockArgument>(load.getSource()).getArgNumber() - consumer.getNumAxes();
  unsigned result = cast<OpResult>(consumer.getOperand(operand)).getResultNumber();
  auto getAxis = [&](unsigned dim) {
    auto expr = dyn_cast<AffineDimExpr>(load.getMap().getMap().getResult(dim));
    return expr ? dyn_cast<BlockArgument>(load.getIndices()[expr.getPosition()]) : BlockArgument();
  };
  return anyPair(producer, [&](FlatPair &pair) {
    if (!pair.match() || !pair.dims.results[result])
      return false;
    BlockArgument outer = getAxis(*pair.dims.results[result]),
                  inner = getAxis(*pair.dims.results[result] + 1);
    return !outer || !inner || outer == inner ||
           !FlatPair(consumer, outer.getArgNumber(), inner.getArgNumber()).match();
  });
}

bool kernel::hasAxesOfOne(KernelOp kernel) {
  return anyPair(kernel, [](FlatPair &pair) { return pair.match(); });
}

/// Two of the kernel's axes as one; false if there are none.
static bool flattenOnePair(KernelOp kernel) {
  return anyPair(kernel, [](FlatPair &pair) {
    bool matches = pair.match();
    if (matches)
      pair.flatten();
    return matches;
  });
}

namespace {

struct KernelFlattenAxesPass : tw::impl::KernelFlattenAxesPassBase<KernelFlattenAxesPass> {
  using KernelFlattenAxesPassBase::KernelFlattenAxesPassBase;

  void runOnOperation() override {
    // Those that there are know kernels by what they do.
    markAllAnalysesPreserved();
    getOperation()->walk([](FunctionOpInterface function) {
      SmallVector<graph::ReshapeOp> reshapes;
      for (Block *block : getProgramBlocks(function))
        for (auto kernel : block->getOps<KernelOp>())
          // What a kernel is for few points has types of its own.
          if (!kernel.getSchedule() && kernel.getSizes() && !kernel->hasAttr(apartAttrName))
            while (flattenOnePair(kernel)) {
            }
      function->walk([&](graph::ReshapeOp reshape) { reshapes.push_back(reshape); });
      for (graph::ReshapeOp reshape : llvm::reverse(reshapes))
        if (reshape->use_empty())
          reshape.erase();
    });
  }
};

} // namespace
