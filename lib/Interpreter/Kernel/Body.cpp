// Emission of values into a nest.
//===---------------------------------------------------------------------------------------===//
#include "Body.h"

#include "tw/Support/Diagnostics.h"

using namespace mlir;
using namespace tw;
using namespace tw::interp;
using namespace tw::kernel;

KernelState::KernelState(KernelOp kernel, ArrayRef<Tensor> operands)
    : kernel(kernel), sets(kernel), operands(operands) {
  for (Type type : kernel->getResultTypes())
    results.push_back(Tensor::allocate(cast<RankedTensorType>(type)));
}

SmallVector<unsigned> KernelState::loopAxes(const llvm::SmallBitVector &set) {
  SmallVector<unsigned> axes;
  for (unsigned axis : set.set_bits())
    if (kernel.getExtents()[axis] != 1)
      axes.push_back(axis);
  return axes;
}

RankedTensorType KernelState::temporaryType(Value value) {
  SmallVector<int64_t> shape;
  for (unsigned axis : sets.of(value).set_bits())
    shape.push_back(kernel.getExtents()[axis]);
  return RankedTensorType::get(shape, value.getType());
}

Tensor KernelState::addTemporary(Value value) {
  return temporaries[value] = Tensor::allocate(temporaryType(value));
}

Body::Body(KernelState &state, const NestShape &shape)
    : state(state), nest(state.kernel.getExtents(), shape, state.kernel.getContext()) {}

SplitIndex Body::splitIndex(Value index) {
  if (auto apply = index.getDefiningOp<affine::AffineApplyOp>()) {
    SmallVector<SplitIndex> operands;
    for (Value operand : apply.getMapOperands())
      operands.push_back(splitIndex(operand));
    return nest.split(withoutSymbols(apply.getAffineMap()).getResult(0), operands);
  }
  Register *value = emit(index);
  return value ? nest.split(value) : SplitIndex();
}

Register *Body::emitOp(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return nest.constant(constant.getValue());
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return nest.join(splitIndex(apply.getResult()));
  if (auto load = dyn_cast<LoadOp>(op)) {
    unsigned operand =
        cast<BlockArgument>(load.getSource()).getArgNumber() - state.kernel.getNumAxes();
    SmallVector<SplitIndex> indices;
    for (Value index : load.getIndices()) {
      if (!index.getDefiningOp<affine::AffineApplyOp>() && !emit(index))
        return nullptr;
      indices.push_back(splitIndex(index));
    }
    return nest.load({state.operands[operand], load.getMap(), indices, {}, op});
  }
  LaneFunction function = getLaneFunction(op);
  if (!function) {
    emitOpError(op, Code::T0701) << "cannot be interpreted in a kernel";
    return nullptr;
  }
  SmallVector<Register *> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(emit(operand));
    if (!operands.back())
      return nullptr;
  }
  return nest.apply(function, op->getResult(0).getType(), operands, op);
}

Register *Body::emit(Value value) {
  if (Register *known = values.lookup(value))
    return known;
  Register *result;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    result = nest.axis(argument.getArgNumber());
  } else if (auto temporary = state.temporaries.find(value); temporary != state.temporaries.end()) {
    SmallVector<SplitIndex> indices;
    for (unsigned axis : state.sets.of(value).set_bits())
      indices.push_back(nest.split(nest.axis(axis)));
    auto map = view::MapAttr::getIdentity(value.getContext(), indices.size());
    result = nest.load({temporary->second, map, indices, {}, nullptr});
  } else {
    result = emitOp(value.getDefiningOp());
  }
  values[value] = result;
  return result;
}

void Body::storeTemporary(Value value, Register *lanes, unsigned depth, bool atEnd, Operation *op) {
  SmallVector<SplitIndex> indices;
  for (unsigned axis : state.sets.of(value).set_bits())
    indices.push_back(nest.split(nest.axis(axis)));
  auto map = view::MapAttr::getIdentity(value.getContext(), indices.size());
  nest.store(lanes, {state.temporaries[value], map, indices, {}, op}, depth, atEnd);
}
