// Which dimensions of a kernel's tensors its axes are, and other axes in the place of some.
#include "AxisDims.h"

#include "Cleaning.h"
#include "tw/Dialect/Graph/Graph.h"
#include "tw/Dialect/Kernel/Access.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

/// Whether guards of the load are of one of the axes.
static bool isGuardedAlong(LoadOp load, ArrayRef<BlockArgument> axes) {
  return llvm::any_of(load.getMap().getGuards(), [&](view::GuardAttr guard) {
    return llvm::any_of(guard.getSet().getConstraints(), [&](AffineExpr expr) {
      return llvm::any_of(llvm::enumerate(load.getIndices()), [&](auto it) {
        return llvm::is_contained(axes, it.value()) && expr.isFunctionOfDim(it.index());
      });
    });
  });
}

/// The dimension that all accesses of a tensor have, where it is one.
static bool addDim(FailureOr<AxisDim> found, std::optional<AxisDim> &dim) {
  if (failed(found) || (dim && *dim != *found))
    return false;
  dim = *found;
  return true;
}

std::optional<AxisDims> kernel::findAxisDims(KernelOp kernel, ArrayRef<BlockArgument> axes,
                                             FindAxisDim find) {
  AxisDims dims;
  for (unsigned i = 0; i < kernel->getNumOperands(); ++i) {
    BlockArgument argument = kernel.getOperandArgument(i);
    auto type = cast<RankedTensorType>(argument.getType());
    std::optional<AxisDim> own;
    for (Operation *user : argument.getUsers()) {
      auto load = dyn_cast<LoadOp>(user);
      if (!load || !addDim(find(load.getMap().getMap(), load.getIndices(), type), own) ||
          isGuardedAlong(load, axes))
        return std::nullopt;
    }
    dims.operands.push_back(own.value_or(AxisDim()));
  }
  SmallVector<std::optional<AxisDim>> results(kernel->getNumResults());
  for (auto store : kernel.getBody().getOps<StoreOp>()) {
    unsigned result = store.getResultNumber();
    auto type = cast<RankedTensorType>(kernel.getResult(result).getType());
    if (store.getInto() || !addDim(find(store.getMap(), store.getIndices(), type), results[result]))
      return std::nullopt;
  }
  for (std::optional<AxisDim> own : results)
    dims.results.push_back(own.value_or(AxisDim()));
  return dims;
}

Value kernel::getReshaped(OpBuilder &builder, Location loc, Value tensor, RankedTensorType type) {
  while (auto reshape = tensor.getDefiningOp<graph::ReshapeOp>())
    tensor = reshape.getInput();
  return tensor.getType() == type
             ? tensor
             : graph::ReshapeOp::create(builder, loc, type, tensor).getResult();
}

void kernel::reshapeTensors(
    KernelOp kernel, const AxisDims &dims,
    llvm::function_ref<RankedTensorType(RankedTensorType, unsigned)> change) {
  OpBuilder builder(kernel);
  for (auto [i, dim] : llvm::enumerate(dims.operands))
    if (dim) {
      Value operand = kernel->getOperand(i);
      RankedTensorType type = change(cast<RankedTensorType>(operand.getType()), *dim);
      kernel.getOperandArgument(i).setType(type);
      kernel->setOperand(i, getReshaped(builder, kernel.getLoc(), operand, type));
    }
  builder.setInsertionPointAfter(kernel);
  for (auto [result, dim] : llvm::zip(kernel->getResults(), dims.results))
    if (dim) {
      auto type = cast<RankedTensorType>(result.getType());
      result.setType(change(type, *dim));
      auto reshape = graph::ReshapeOp::create(builder, kernel.getLoc(), type, result);
      result.replaceAllUsesExcept(reshape, reshape);
    }
}

static void replaceLoad(KernelOp kernel, LoadOp load, const ChangedIndices &changed) {
  view::MapAttr map = load.getMap();
  SmallVector<view::GuardAttr> guards;
  for (view::GuardAttr guard : map.getGuards())
    guards.push_back(view::GuardAttr::get(
        map.getContext(),
        guard.getSet().replaceDimsAndSymbols(changed.old, {}, changed.indices.size(), 0),
        guard.getFill()));
  OpBuilder builder(load);
  LoadOp made =
      createLoad(builder, load.getLoc(), kernel, load.getSource(),
                 view::MapAttr::get(changed.map, guards, map.getOutside()), changed.indices);
  made->setDiscardableAttrs(load->getDiscardableAttrDictionary());
  load.replaceAllUsesWith(made.getResult());
  load.erase();
}

void kernel::replaceAxes(KernelOp kernel, ArrayRef<BlockArgument> axes, const AxisDims &dims,
                         ChangeIndices change,
                         llvm::function_ref<SmallVector<Value>(Value)> replace) {
  auto replaceReduced = [&](MutableOperandRange reduced) {
    SmallVector<Value> all;
    for (OpOperand &axis : reduced)
      llvm::append_range(all, replace(axis.get()));
    reduced.assign(all);
  };
  for (Operation &op : llvm::make_early_inc_range(kernel.getBody().front())) {
    if (llvm::none_of(op.getOperands(),
                      [&](Value operand) { return llvm::is_contained(axes, operand); }))
      continue;
    if (auto load = dyn_cast<LoadOp>(op)) {
      unsigned number = cast<BlockArgument>(load.getSource()).getArgNumber() - kernel.getNumAxes();
      replaceLoad(kernel, load,
                  change(load.getMap().getMap(), load.getIndices(), dims.operands[number]));
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      ChangedIndices changed =
          change(store.getMap(), store.getIndices(), dims.results[store.getResultNumber()]);
      store.getIndicesMutable().assign(changed.indices);
      store.setMap(changed.map);
    } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
      replaceReduced(reduce.getAxesMutable());
    } else {
      replaceReduced(cast<ContractOp>(op).getAxesMutable());
    }
  }
}
