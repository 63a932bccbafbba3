// The pass launch-copy-parts: kernels get parts that devices cannot bind where they lie as copies.
//
// Runs before the arena is planned, which places the copies.
#include "tw/Dialect/Launch/Launch.h"
#include "tw/Dialect/Launch/Transforms/Passes.h"
#include "tw/Dialect/View/View.h"

#include "mlir/IR/Builders.h"

namespace tw {
#define GEN_PASS_DEF_LAUNCHCOPYPARTSPASS
#include "tw/Dialect/Launch/Transforms/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;
using namespace tw::launch;

/// Whether a part, and what it is a part of, is a multiple of `alignment` bytes at all sizes.
static bool isAligned(Value buffer, int64_t alignment) {
  for (PartOp part; (part = buffer.getDefiningOp<PartOp>()); buffer = part.getWhole()) {
    auto type = cast<BufferType>(buffer.getType());
    RankedTensorType tensor = type.getTensor();
    int64_t bytes = type.getBytes() / std::max<int64_t>(tensor.getNumElements(), 1);
    for (const Dim &size : view::getSizes(tensor))
      bytes *= size.isStatic() ? size.getConstant() : 1;
    if (bytes % alignment != 0)
      return false;
  }
  return true;
}

/// launch reads(%part) writes(%other)  ->  copy %part to %t; launch reads(%t) writes(%u); copy %u
/// to %other. What is read and written is one copy.
static void copyParts(LaunchOp launch, int64_t alignment) {
  OpBuilder builder(launch);
  llvm::SmallMapVector<Value, Value, 4> copies;
  auto getCopy = [&](Value part) {
    Value &copy = copies[part];
    if (!copy)
      copy =
          ReserveOp::create(builder, launch.getLoc(), part.getType(), IntegerAttr(), IntegerAttr());
    return copy;
  };
  for (Value read : SmallVector<Value>(launch.getReads()))
    if (!isAligned(read, alignment) && !copies.contains(read))
      CopyOp::create(builder, launch.getLoc(), read, getCopy(read));
  builder.setInsertionPoint(launch);
  SmallVector<std::pair<Value, Value>> written;
  for (Value write : launch.getWrites())
    if (!isAligned(write, alignment))
      written.push_back({getCopy(write), write});
  for (OpOperand &operand : launch->getOpOperands())
    if (Value copy = copies.lookup(operand.get()))
      operand.set(copy);
  builder.setInsertionPointAfter(launch);
  for (auto [copy, part] : written)
    CopyOp::create(builder, launch.getLoc(), copy, part);
}

namespace {

struct LaunchCopyParts : public tw::impl::LaunchCopyPartsPassBase<LaunchCopyParts> {
  using LaunchCopyPartsPassBase::LaunchCopyPartsPassBase;

  void runOnOperation() override {
    getOperation()->walk([&](LaunchOp launch) { copyParts(launch, alignment); });
  }
};

} // namespace
