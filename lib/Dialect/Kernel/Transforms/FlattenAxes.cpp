// The pass kernel-flatten-axes: axes whose sizes a call settles, and through which all tensors run
// as one, are one.
#include "FlattenAxes.h"

#include "Cleaning.h"
#include "tw/Dialect/Graph/Graph.h"
#include "tw/Dialect/Kernel/Access.h"
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

/// The dimension of a tensor along which it has the outer one of two axes, and behind it the inner
/// one; none where it has neither.
using FlatDim = std::optional<unsigned>;

/// Two axes that may be one.
struct FlatPair {
  KernelOp kernel;
  BlockArgument outer, inner;
  SmallVector<FlatDim> operands, results;

  FlatPair(KernelOp kernel, unsigned outer, unsigned inner)
      : kernel(kernel), outer(kernel.getAxis(outer)), inner(kernel.getAxis(inner)) {}

  /// Whether all that the kernel does along one of them it does along both.
  bool match();
  /// Makes them one axis, and the dimensions of what is read and made.
  void flatten();

private:
  Extent getExtent() const;
  FailureOr<FlatDim> findDim(AffineMap map, ValueRange indices, RankedTensorType type) const;
  bool matchLoads(unsigned operand);
  bool matchStores(unsigned result);
  bool isOneInReductions(Operation *user) const;
  AffineMap flatten(AffineMap map, ValueRange indices, FlatDim dim, BlockArgument whole,
                    SmallVectorImpl<Value> &flat, SmallVectorImpl<AffineExpr> &replacements) const;
  void flattenLoad(LoadOp load, BlockArgument whole);
  void flattenReduced(MutableOperandRange axes, BlockArgument whole) const;
  RankedTensorType flattenType(Type type, unsigned dim) const;
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
FailureOr<FlatDim> FlatPair::findDim(AffineMap map, ValueRange indices,
                                     RankedTensorType type) const {
  bool hasOuter = llvm::is_contained(indices, outer), hasInner = llvm::is_contained(indices, inner);
  if (!hasOuter && !hasInner)
    return FlatDim();
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
  return FlatDim(dim);
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

bool FlatPair::matchLoads(unsigned operand) {
  BlockArgument argument = kernel.getOperandArgument(operand);
  std::optional<FlatDim> own;
  for (Operation *user : argument.getUsers()) {
    auto load = dyn_cast<LoadOp>(user);
    if (!load)
      return false;
    view::MapAttr map = load.getMap();
    FailureOr<FlatDim> dim =
        findDim(map.getMap(), load.getIndices(), cast<RankedTensorType>(argument.getType()));
    if (failed(dim) || (own && *own != *dim))
      return false;
    own = *dim;
    for (view::GuardAttr guard : map.getGuards())
      for (AffineExpr expr : guard.getSet().getConstraints())
        for (auto [i, index] : llvm::enumerate(load.getIndices()))
          if ((index == outer || index == inner) && expr.isFunctionOfDim(i))
            return false;
  }
  operands.push_back(own.value_or(FlatDim()));
  return true;
}

bool FlatPair::matchStores(unsigned result) {
  std::optional<FlatDim> own;
  for (auto store : kernel.getBody().getOps<StoreOp>()) {
    if (store.getResultNumber() != result)
      continue;
    FailureOr<FlatDim> dim = findDim(store.getMap(), store.getIndices(),
                                     cast<RankedTensorType>(kernel.getResult(result).getType()));
    if (store.getInto() || failed(dim) || (own && *own != *dim))
      return false;
    own = *dim;
  }
  results.push_back(own.value_or(FlatDim()));
  return true;
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
  for (unsigned i = 0; i < kernel->getNumOperands(); ++i)
    if (!matchLoads(i))
      return false;
  for (unsigned i = 0; i < kernel->getNumResults(); ++i)
    if (!matchStores(i))
      return false;
  return llvm::any_of(operands, [](FlatDim dim) { return dim.has_value(); }) ||
         llvm::any_of(results, [](FlatDim dim) { return dim.has_value(); });
}

RankedTensorType FlatPair::flattenType(Type type, unsigned dim) const {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<Extent> extents = getExtents(tensor);
  extents[dim] = getExtent();
  extents.erase(extents.begin() + dim + 1);
  return getTensorType(extents, tensor.getElementType());
}

/// The map over the flat indices, and each old index as an expression of these.
AffineMap FlatPair::flatten(AffineMap map, ValueRange indices, FlatDim dim, BlockArgument whole,
                            SmallVectorImpl<Value> &flat,
                            SmallVectorImpl<AffineExpr> &replacements) const {
  MLIRContext *context = map.getContext();
  for (Value index : indices) {
    if (index == inner) {
      replacements.push_back(getAffineConstantExpr(0, context));
      continue;
    }
    replacements.push_back(getAffineDimExpr(flat.size(), context));
    flat.push_back(index == outer ? Value(whole) : index);
  }
  SmallVector<AffineExpr> coordinates;
  for (auto [i, expr] : llvm::enumerate(map.getResults()))
    if (!dim || i != *dim + 1)
      coordinates.push_back(expr.replaceDims(replacements));
  return AffineMap::get(flat.size(), 0, coordinates, context);
}

void FlatPair::flattenLoad(LoadOp load, BlockArgument whole) {
  unsigned number = cast<BlockArgument>(load.getSource()).getArgNumber() - kernel.getNumAxes();
  view::MapAttr map = load.getMap();
  SmallVector<Value> indices;
  SmallVector<AffineExpr> replacements;
  AffineMap flat =
      flatten(map.getMap(), load.getIndices(), operands[number], whole, indices, replacements);
  SmallVector<view::GuardAttr> guards;
  for (view::GuardAttr guard : map.getGuards())
    guards.push_back(view::GuardAttr::get(
        map.getContext(), guard.getSet().replaceDimsAndSymbols(replacements, {}, indices.size(), 0),
        guard.getFill()));
  OpBuilder builder(load);
  LoadOp made = createLoad(builder, load.getLoc(), kernel, load.getSource(),
                           view::MapAttr::get(flat, guards, map.getOutside()), indices);
  made->setDiscardableAttrs(load->getDiscardableAttrDictionary());
  load.replaceAllUsesWith(made.getResult());
  load.erase();
}

void FlatPair::flattenReduced(MutableOperandRange axes, BlockArgument whole) const {
  SmallVector<Value> flat;
  for (OpOperand &axis : axes)
    if (axis.get() != inner)
      flat.push_back(axis.get() == outer ? Value(whole) : axis.get());
  axes.assign(flat);
}

Value kernel::getReshaped(OpBuilder &builder, Location loc, Value tensor, RankedTensorType type) {
  while (auto reshape = tensor.getDefiningOp<graph::ReshapeOp>())
    tensor = reshape.getInput();
  return tensor.getType() == type
             ? tensor
             : graph::ReshapeOp::create(builder, loc, type, tensor).getResult();
}

void FlatPair::flatten() {
  OpBuilder builder(kernel);
  for (auto [i, dim] : llvm::enumerate(operands))
    if (dim) {
      RankedTensorType type = flattenType(kernel->getOperand(i).getType(), *dim);
      kernel.getOperandArgument(i).setType(type);
      kernel->setOperand(i, getReshaped(builder, kernel.getLoc(), kernel->getOperand(i), type));
    }
  builder.setInsertionPointAfter(kernel);
  for (auto [result, dim] : llvm::zip(kernel->getResults(), results))
    if (dim) {
      auto type = cast<RankedTensorType>(result.getType());
      result.setType(flattenType(type, *dim));
      auto reshape = graph::ReshapeOp::create(builder, kernel.getLoc(), type, result);
      result.replaceAllUsesExcept(reshape, reshape);
    }
  std::string name =
      (kernel.getAxisName(outer.getArgNumber()) + kernel.getAxisName(inner.getArgNumber())).str();
  BlockArgument whole =
      insertAxis(kernel, std::min(outer.getArgNumber(), inner.getArgNumber()), getExtent(), name);
  for (Operation &op : llvm::make_early_inc_range(kernel.getBody().front())) {
    if (!llvm::is_contained(op.getOperands(), outer))
      continue;
    if (auto load = dyn_cast<LoadOp>(op)) {
      flattenLoad(load, whole);
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      SmallVector<Value> indices;
      SmallVector<AffineExpr> replacements;
      AffineMap map = flatten(store.getMap(), store.getIndices(), results[store.getResultNumber()],
                              whole, indices, replacements);
      store.getIndicesMutable().assign(indices);
      store.setMap(map);
    } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
      flattenReduced(reduce.getAxesMutable(), whole);
    } else {
      flattenReduced(cast<ContractOp>(op).getAxesMutable(), whole);
    }
  }
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
    if (!pair.match() || !pair.results[result])
      return false;
    BlockArgument outer = getAxis(*pair.results[result]),
                  inner = getAxis(*pair.results[result] + 1);
    return !outer || !inner || outer == inner ||
           !FlatPair(consumer, outer.getArgNumber(), inner.getArgNumber()).match();
  });
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
