// Places local buffers in scratch memory.
#include "Scratch.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

/// The alignment that the runtime gives scratch memory, and that of each buffer in it.
static constexpr int64_t lineBytes = 64;

tw::host::ScratchPlan::ScratchPlan(tile::FuncOp program) {
  program.walk([&](tile::AllocOp alloc) {
    Type element = cast<MemRefType>(alloc.getMemory().getType()).getElementType();
    int64_t elementBytes = llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
    offsets[alloc] = bytes;
    bytes += llvm::alignTo(alloc.getNumElements() * elementBytes, lineBytes);
  });
}

int64_t tw::host::getScratchBytes(tile::FuncOp program) { return ScratchPlan(program).bytes; }
