// Local memory: verifier.
#include "tw/Dialect/Tile/Tile.h"

using namespace mlir;
using namespace tw::tile;

bool tw::tile::isWithinLimit(ShapedType tile) {
  int64_t elements = 1;
  for (int64_t extent : tile.getShape())
    if (llvm::MulOverflow(elements, extent, elements) || elements > maxTileElements)
      return llvm::is_contained(tile.getShape(), 0);
  return true;
}

bool tw::tile::isLocal(MemRefType memory) {
  return gpu::GPUDialect::isWorkgroupMemoryAddressSpace(memory.getMemorySpace());
}

int64_t AllocOp::getNumElements() {
  auto type = cast<MemRefType>(getMemory().getType());
  int64_t last = 0;
  for (auto [extent, stride] : llvm::zip(type.getShape(), type.getStridesAndOffset().first))
    last += (extent - 1) * stride;
  return last + 1;
}

LogicalResult AllocOp::verify() {
  auto type = cast<MemRefType>(getMemory().getType());
  if (!isLocal(type))
    return emitOpError("expected memory in #gpu.address_space<workgroup>, found ") << type;
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(type.getStridesAndOffset(strides, offset)) || offset != 0)
    return emitOpError("expected memory with static strides from offset 0, found ") << type;
  int64_t row = 1;
  for (size_t d = strides.size(); d-- > 0;) {
    if (ShapedType::isDynamic(strides[d]) || strides[d] < row)
      return emitOpError("expected row-major strides, at least ")
             << row << " in dimension " << d << ", found " << type;
    row = strides[d] * type.getDimSize(d);
  }
  if (llvm::is_contained(type.getShape(), 0))
    return emitOpError("expected extents of at least 1, found ") << type;
  return success();
}

/// Of ops on a slot of rings, with a word for each that counts.
template <typename Op> static LogicalResult verifySlot(Op op, Value words) {
  auto type = cast<MemRefType>(words.getType());
  if (!isLocal(type) || type.getRank() != 1 || !type.getElementType().isInteger(64))
    return op.emitOpError("expected a row of i64 in local memory to count in, found ") << type;
  if (op.getSlot() >= uint64_t(type.getDimSize(0)))
    return op.emitOpError("expected one of ")
           << type.getDimSize(0) << " slots, found " << op.getSlot();
  for (Value ring : op.getRings()) {
    auto own = cast<MemRefType>(ring.getType());
    if (!isLocal(own) || own.getRank() == 0 || own.getDimSize(0) != type.getDimSize(0))
      return op.emitOpError("expected rings of ")
             << type.getDimSize(0) << " slots in local memory, found " << own;
  }
  return success();
}

LogicalResult AwaitOp::verify() { return verifySlot(*this, getArrivals()); }

LogicalResult ReleaseOp::verify() { return verifySlot(*this, getReleased()); }

#define GET_OP_CLASSES
#include "tw/Dialect/Tile/MemoryOps.cpp.inc"
