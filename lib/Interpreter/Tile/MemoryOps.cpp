// Local memory of tile programs: one tensor per allocation, poisoned when a program begins.
//===---------------------------------------------------------------------------------------===//
#include "TileProgram.h"

using namespace mlir;
using namespace tw;
using namespace tw::interp;

const Tensor &TileProgram::getMemory(Value memory) {
  if (auto buffer = dyn_cast<BlockArgument>(memory))
    return buffers[buffer.getArgNumber()];
  Tensor &local = locals[memory];
  auto type = cast<MemRefType>(memory.getType());
  if (!local)
    local = Tensor::allocate(RankedTensorType::get(type.getShape(), type.getElementType()));
  return local;
}

void TileProgram::compileAlloc(tile::AllocOp op, Steps &steps) {
  Tensor memory = getMemory(op.getMemory());
  // Floats become NaN; a byte that is neither 0 nor 1 is no boolean.
  char poison = memory.getElementType().isInteger(1) ? 1 : char(0xFF);
  steps.push_back([memory, poison]() mutable {
    std::fill_n(memory.bytes(), memory.getBytes(), poison);
    return success();
  });
}
