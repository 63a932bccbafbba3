// The pass tile-share-memory: buffers of local memory that are used one after another become one.
#include "PassAttrs.h"

#include "tw/Dialect/Tile/GroupAttrs.h"
#include "tw/Dialect/Tile/Tile.h"
#include "tw/Dialect/Tile/Transforms/Passes.h"

namespace tw {
#define GEN_PASS_DEF_TILESHAREMEMORYPASS
#include "tw/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;
using namespace tw::tile;

namespace {

/// A buffer, and the ops of the program's block by which its use begins and ends.
struct Buffer {
  AllocOp alloc;
  Operation *first = nullptr, *last = nullptr;
  bool isAsynchronous = false;
};

/// Nothing where others than the threads themselves access the buffer, which wait in their own way.
std::optional<Buffer> describe(AllocOp alloc, Block &block) {
  if (alloc->hasAttr(swizzleAttrName) || alloc->hasAttr(arrivalsAttrName) ||
      alloc->hasAttr(releasesAttrName))
    return std::nullopt;
  Buffer buffer{alloc};
  for (Operation *user : alloc.getMemory().getUsers()) {
    Operation *at = block.findAncestorOpInBlock(*user);
    if (!isa<LoadOp, StoreOp>(user) || user->hasAttr(inPlaceAttrName) || user->hasAttr(boxAttrName))
      return std::nullopt;
    buffer.isAsynchronous |= user->hasAttr(asynchronousAttrName);
    if (!buffer.first || at->isBeforeInBlock(buffer.first))
      buffer.first = at;
    if (!buffer.last || buffer.last->isBeforeInBlock(at))
      buffer.last = at;
  }
  return buffer.first ? std::optional(buffer) : std::nullopt;
}

class TileShareMemoryPass : public tw::impl::TileShareMemoryPassBase<TileShareMemoryPass> {
public:
  using TileShareMemoryPassBase::TileShareMemoryPassBase;

  void runOnOperation() override {
    // Subgroups that only load do not follow the order of the program.
    getOperation()->walk([&](FuncOp func) {
      if (!func->hasAttr(loadingAttrName))
        share(func.getBody().front());
    });
  }

private:
  void share(Block &block) {
    SmallVector<Buffer> buffers;
    for (auto alloc : llvm::make_early_inc_range(block.getOps<AllocOp>())) {
      std::optional<Buffer> own = describe(alloc, block);
      if (!own)
        continue;
      auto *before = llvm::find_if(buffers, [&](const Buffer &other) {
        return Value(AllocOp(other.alloc).getMemory()).getType() == alloc.getMemory().getType() &&
               other.last->isBeforeInBlock(own->first);
      });
      if (before == buffers.end()) {
        buffers.push_back(*own);
        continue;
      }
      waitForCopies(*before, *own);
      alloc.getMemory().replaceAllUsesWith(before->alloc.getMemory());
      alloc.erase();
      before->last = own->last;
      before->isAsynchronous = own->isAsynchronous;
      ++numShared;
    }
  }

  /// Fillings of a ring for iterations that there are not may be on their way, which nobody reads.
  /// Rings that are filled together wait once.
  static void waitForCopies(const Buffer &before, const Buffer &next) {
    if (!before.isAsynchronous)
      return;
    Operation *place = next.first;
    for (Operation *op = place->getPrevNode(); op && op != before.last; op = op->getPrevNode()) {
      if (op->hasAttr(unreadAttrName))
        return;
      if (!op->hasAttr(asynchronousAttrName))
        break;
      place = op;
    }
    OpBuilder builder(place);
    auto barrier = BarrierOp::create(builder, place->getLoc());
    barrier->setAttr(waitAttrName, builder.getI64IntegerAttr(0));
    barrier->setAttr(unreadAttrName, builder.getUnitAttr());
  }
};

} // namespace
