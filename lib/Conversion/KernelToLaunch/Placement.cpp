// Values in memory that the caller gives: results, and arguments that become results.
#include "Placement.h"

#include "tw/Dialect/Graph/Graph.h"
#include "tw/Dialect/Kernel/Kernel.h"
#include "tw/Dialect/Kernel/Pieces.h"

using namespace mlir;
using namespace tw;

SmallVector<int64_t> tw::getAliases(func::FuncOp function) {
  SmallVector<int64_t> aliases(function.getNumArguments(), -1);
  for (auto [i, alias] : llvm::enumerate(aliases))
    if (auto given = function.getArgAttrOfType<IntegerAttr>(i, graph::aliasName))
      alias = given.getInt();
  return aliases;
}

Value tw::getOwnShape(Value value) {
  while (auto reshape = value.getDefiningOp<graph::ReshapeOp>())
    value = reshape.getInput();
  return value;
}

SmallVector<OpOperand *> tw::getMemoryUses(Value value) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : value.getUses()) {
    uses.push_back(&use);
    if (auto reshape = dyn_cast<graph::ReshapeOp>(use.getOwner()))
      uses.append(getMemoryUses(reshape.getResult()));
  }
  return uses;
}

bool tw::isReadOnce(Value value, Block *block) {
  Value own = getOwnShape(value);
  auto kernel = own.getDefiningOp<kernel::KernelOp>();
  return kernel && kernel->getBlock() == block &&
         llvm::count_if(getMemoryUses(own), [](OpOperand *use) {
           return !isa<graph::ReshapeOp>(use->getOwner());
         }) == 1;
}

/// Whether the value is used for the store alone, point by point.
static bool isForStoreAlone(Value value, kernel::StoreOp store) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    return user == store ||
           (!isa<kernel::StoreOp, kernel::ReduceOp, kernel::ContractOp, kernel::ScanOp>(user) &&
            llvm::all_of(user->getResults(),
                         [&](Value result) { return isForStoreAlone(result, store); }));
  });
}

/// Whether partial results lie in the kernel's results.
static bool keepsInResult(kernel::KernelOp kernel) {
  auto schedule = kernel.getSchedule();
  return schedule && llvm::any_of(schedule->getPrimitives(), [](Attribute primitive) {
           auto keep = dyn_cast<kernel::KeepAttr>(primitive);
           return keep && keep.getPlace() == kernel::KeepPlace::Result;
         });
}

/// The coordinates over the numbers of axes; empty where an index is none.
static SmallVector<AffineExpr> getCoordinates(AffineMap map, ValueRange indices) {
  SmallVector<AffineExpr> axes;
  for (Value index : indices) {
    auto axis = dyn_cast<BlockArgument>(index);
    if (!axis)
      return {};
    axes.push_back(getAffineDimExpr(axis.getArgNumber(), map.getContext()));
  }
  return llvm::map_to_vector(map.getResults(),
                             [&](AffineExpr expr) { return expr.replaceDims(axes); });
}

/// Whether each point of the kernel reads of the operand the element alone that it stores, just
/// before it does, so that both may be one memory.
static bool readsOwnElements(kernel::KernelOp kernel, unsigned operand, unsigned result) {
  kernel::StoreOp store = kernel::getWholeStore(kernel, result);
  if (!store || keepsInResult(kernel))
    return false;
  return llvm::all_of(kernel.getOperandArgument(operand).getUsers(), [&](Operation *user) {
    auto load = dyn_cast<kernel::LoadOp>(user);
    return load && load.getMap().getGuards().empty() &&
           getCoordinates(load.getMap().getMap(), load.getIndices()) ==
               getCoordinates(store.getMap(), store.getIndices()) &&
           isForStoreAlone(load.getResult(), store);
  });
}

/// Values from the last one on, since what is updated lies where the update does.
Placement::Placement(func::FuncOp function, ArrayRef<int64_t> aliases)
    : function(function),
      returned(llvm::map_to_vector(function.front().getTerminator()->getOperands(), getOwnShape)),
      givenUp(returned.size()) {
  for (auto [argument, alias] : llvm::zip(function.getArguments(), aliases))
    if (alias >= 0)
      givenUp[alias] = argument;
  for (Operation &op : llvm::reverse(function.front())) {
    auto kernel = dyn_cast<kernel::KernelOp>(op);
    if (!kernel)
      continue;
    for (OpResult value : kernel->getResults()) {
      auto *end = llvm::find(returned, value);
      std::optional<unsigned> result;
      if (end != returned.end())
        result = end - returned.begin();
      for (OpOperand *use : getMemoryUses(value))
        if (auto user = dyn_cast<kernel::KernelOp>(use->getOwner());
            user && !result && user->getBlock() == kernel->getBlock() &&
            llvm::count(llvm::map_range(user.getOperands(), getOwnShape), value) == 1)
          for (OpResult next : user->getResults())
            if (user.findUpdated(next.getResultNumber()) == use->getOperandNumber() &&
                isLastUse(value, user))
              result = findResult(next);
      if (result && mayWrite(value, *result))
        places[value] = *result;
    }
  }
}

std::optional<unsigned> Placement::findResult(Value value) const {
  auto it = places.find(value);
  return it == places.end() ? std::nullopt : std::optional(it->second);
}

bool Placement::isLastUse(Value value, Operation *op) const {
  return llvm::all_of(getMemoryUses(value), [&](OpOperand *use) {
    Operation *user = function.front().findAncestorOpInBlock(*use->getOwner());
    return user == op || user->isBeforeInBlock(op);
  });
}

/// Whether the kernel that makes the value may write to the result's memory.
bool Placement::mayWrite(Value value, unsigned result) const {
  Value argument = givenUp[result];
  if (!argument)
    return true;
  auto kernel = value.getDefiningOp<kernel::KernelOp>();
  unsigned number = cast<OpResult>(value).getResultNumber();
  return llvm::all_of(getMemoryUses(argument), [&](OpOperand *use) {
    Operation *user = function.front().findAncestorOpInBlock(*use->getOwner());
    if (user != kernel)
      return user->isBeforeInBlock(kernel);
    if (getOwnShape(use->get()) != argument)
      return false;
    // In another shape the same coordinates are other elements.
    return kernel.findUpdated(number) == use->getOperandNumber() ||
           (use->get().getType() == value.getType() &&
            readsOwnElements(kernel, use->getOperandNumber(), number));
  });
}
