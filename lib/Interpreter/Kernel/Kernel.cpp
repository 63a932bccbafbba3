// A kernel: its reductions in order, then its stores.
//===---------------------------------------------------------------------------------------===//
#include "Body.h"

#include "../Graph/Graph.h"

#include "tw/Interpreter/Interpreter.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tw::interp;
using namespace tw::kernel;

LogicalResult tw::interp::runStore(KernelState &state, StoreOp op) {
  llvm::SmallBitVector ordered = state.sets.orderedBy(op), axes = ordered;
  for (Value index : op.getIndices())
    axes |= state.sets.of(index);
  Body body(state, chooseShape(state, axes, ordered));
  Register *value = body.emit(op.getValue());
  if (!value)
    return failure();
  SmallVector<SplitIndex> indices;
  for (Value index : op.getIndices())
    indices.push_back(body.nest.split(body.emit(index)));
  // The map is a bijection onto the result, so every coordinate is inside, but where it is moved.
  SmallVector<bool> inBounds(op.getMap().getNumResults(), !op.getInto());
  AffineMap map = op.getMap();
  if (op.getInto()) {
    SmallVector<AffineExpr> moved;
    for (auto [coordinate, offset] : llvm::zip(map.getResults(), op.getOffsets())) {
      moved.push_back(coordinate + getAffineDimExpr(indices.size(), op.getContext()));
      Register *uniform = body.emit(offset);
      if (!uniform)
        return failure();
      indices.push_back(body.nest.split(uniform));
    }
    map = AffineMap::get(indices.size(), 0, moved, op.getContext());
  }
  Access access{state.results[op.getResultNumber()], view::MapAttr::get(map), indices, inBounds,
                op};
  if (auto kind = op.getCombine()) {
    Access own = access;
    own.depth = body.nest.getDepth();
    value = combine(body.nest, *kind, body.nest.load(own), value);
  }
  body.nest.store(value, access, body.nest.getDepth(), /*atEnd=*/false);
  return body.nest.run();
}

FailureOr<SmallVector<Tensor>> tw::interp::evaluate(KernelOp kernel, ArrayRef<Tensor> operands) {
  if (failed(Tensor::checkMemory(kernel, kernel->getResultTypes())))
    return failure();
  KernelState state(kernel, operands);
  for (unsigned i = 0; i < kernel->getNumResults(); ++i)
    if (std::optional<unsigned> updated = kernel.findUpdated(i))
      copyInto(operands[*updated], state.results[i]);
  for (Operation &op : kernel.getBody().front()) {
    if (isa<ReduceOp, ContractOp, ScanOp>(op)) {
      SmallVector<Type> types;
      for (Value result : op.getResults())
        types.push_back(state.temporaryType(result));
      if (failed(Tensor::checkMemory(&op, types)))
        return failure();
    }
    LogicalResult result = llvm::TypeSwitch<Operation *, LogicalResult>(&op)
                               .Case([&](ReduceOp op) { return runReduce(state, op); })
                               .Case([&](ContractOp op) { return runContract(state, op); })
                               .Case([&](ScanOp op) { return runScan(state, op); })
                               .Case([&](StoreOp op) { return runStore(state, op); })
                               .Default(success());
    if (failed(result))
      return failure();
  }
  return state.results;
}
