// Slots that those who multiply release, so that others fill them.
//
//   mma of slot i {ttile.open}, barrier, fill slot i - 1   ->   mma of slot i {ttile.open},
//                                                               ttile.release %free[i - 1], fill
//
// The program stays one that can be run as it stands. Who makes threads of it has those that load
// run the fillings alone, and the others everything else.
#include "LocalOperands.h"

#include "tw/Dialect/Tile/GroupAttrs.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;
using namespace tw;
using namespace tw::threads;

namespace {

/// A step of a loop over a ring: an open product, and the barrier behind which a slot is filled.
struct ReleasingStep {
  tile::AwaitOp await;
  tile::BarrierOp barrier;
};

class SlotReleases {
public:
  explicit SlotReleases(tile::FuncOp func) : func(func), builder(func.getContext()) {}

  /// Why slots cannot be released; empty once they are.
  std::string run() {
    std::string why = findCopies();
    for (Operation &op : func.getBody().front()) {
      if (!why.empty())
        return why;
      auto loop = dyn_cast<scf::ForOp>(op);
      awaits |= isa<tile::AwaitOp>(op);
      if (auto await = dyn_cast<tile::AwaitOp>(op))
        rest.push_back(await);
      if (isa<tile::MmaOp>(op) || loop)
        last = awaits || loop ? &op : last;
      if (loop && llvm::any_of(*loop.getBody(), isFilling))
        why = addSteps(loop);
      else if (loop && llvm::any_of(*loop.getBody(), [](Operation &inner) {
                 return isa<tile::AwaitOp>(inner);
               }))
        why = "a loop reads a ring and fills none";
      else if (isFilling(op) && awaits)
        why = "a slot is filled behind the loop over the ring";
    }
    if (!why.empty())
      return why;
    bool walks = func->hasAttr(tile::walkingAttrName);
    if (walks && (loops.size() > 1 || func.getGridSizes()))
      return loops.size() > 1 ? "a program that walks has several loops over a ring"
                              : "a program that walks has a grid of sizes that a call settles";
    for (auto [loop, steps] : loops)
      release(loop, steps);
    if (walks)
      releaseRest();
    return "";
  }

private:
  tile::FuncOp func;
  OpBuilder builder;
  bool awaits = false;
  SmallVector<std::pair<scf::ForOp, SmallVector<ReleasingStep>>> loops;
  Value released;
  /// The products that end a program's, and the waits behind the loop.
  Operation *last = nullptr;
  SmallVector<tile::AwaitOp> rest;

  static bool isFilling(Operation &op) { return op.hasAttr(tile::boxAttrName); }

  std::string findCopies() {
    bool hasBoxes = false;
    std::string why;
    func.walk([&](Operation *op) {
      hasBoxes |= isFilling(*op);
      if (auto reason = op->getAttrOfType<StringAttr>(tile::byThreadsAttrName))
        why = reason.getValue();
    });
    return hasBoxes || !why.empty() ? why : "no boxes of tensors fill a ring";
  }

  static int64_t getSlot(Operation &filling) {
    AffineExpr slot = tile::StoreOp(&filling).getMap().getMap().getResult(0);
    return cast<AffineConstantExpr>(slot).getValue();
  }

  /// Every filling stands behind the barrier of a step, and fills the slot of the step before.
  std::string addSteps(scf::ForOp loop) {
    awaits = true;
    SmallVector<ReleasingStep> steps;
    SmallVector<int64_t> filled;
    tile::AwaitOp await;
    bool isOpen = false;
    for (Operation &op : *loop.getBody()) {
      if (auto own = dyn_cast<tile::AwaitOp>(op)) {
        await = own;
        isOpen = false;
      } else if (auto product = dyn_cast<tile::MmaOp>(op)) {
        auto open = product->getAttrOfType<StringAttr>(tile::openAttrName);
        isOpen = await && open && open.getValue() == "alone";
      } else if (auto barrier = dyn_cast<tile::BarrierOp>(op)) {
        if (!isOpen)
          return "products of a step are awaited in it";
        steps.push_back({await, barrier});
        filled.push_back(-1);
      } else if (isFilling(op)) {
        if (steps.empty() || (filled.back() >= 0 && filled.back() != getSlot(op)))
          return "a step fills several slots";
        filled.back() = getSlot(op);
      }
    }
    for (size_t i = 0; i < steps.size(); ++i)
      if (filled[i] != int64_t(steps[(i ? i : steps.size()) - 1].await.getSlot()))
        return "a step fills another slot than the one of the step before";
    loops.push_back({loop, steps});
    return "";
  }

  /// Words for the slots, beside those that count what arrives.
  Value makeReleased(tile::AwaitOp await) {
    if (!released) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointAfterValue(await.getArrivals());
      auto alloc = tile::AllocOp::create(builder, await.getLoc(), await.getArrivals().getType());
      alloc->setAttr(tile::releasesAttrName, builder.getUnitAttr());
      released = alloc.getMemory();
    }
    return released;
  }

  void release(scf::ForOp loop, ArrayRef<ReleasingStep> steps) {
    for (auto [i, step] : llvm::enumerate(steps)) {
      tile::AwaitOp before = steps[(i ? i : steps.size()) - 1].await;
      Location location = step.barrier->getLoc();
      builder.setInsertionPoint(step.barrier);
      Value filling = before.getFilling();
      // That of the last step of the iteration before.
      if (i == 0) {
        auto apply = filling.getDefiningOp<affine::AffineApplyOp>();
        AffineExpr number = apply ? apply.getAffineMap().getResult(0) : builder.getAffineDimExpr(0);
        filling = affine::AffineApplyOp::create(
            builder, location, AffineMap::get(1, 0, number - 1),
            ValueRange{apply ? apply.getMapOperands().front() : filling});
      }
      tile::ReleaseOp::create(builder, location, makeReleased(before), before.getSlotAttr(),
                              filling, before.getRings());
      step.barrier->erase();
    }
  }

  /// What the loop's last step and those behind it read, once their products are done.
  void releaseRest() {
    SmallVector<int64_t> counts(
        cast<MemRefType>(getAnyAwait().getArrivals().getType()).getDimSize(0));
    builder.setInsertionPointAfter(last);
    for (auto [loop, steps] : loops) {
      int64_t trips = loop.getStaticTripCount()->getSExtValue();
      for (ReleasingStep step : steps)
        counts[step.await.getSlot()] += trips;
      tile::AwaitOp await = steps.back().await;
      int64_t before = 0;
      if (auto apply = await.getFilling().getDefiningOp<affine::AffineApplyOp>())
        before = cast<AffineConstantExpr>(apply.getAffineMap().getResult(0) -
                                          builder.getAffineDimExpr(0))
                     .getValue();
      giveBack(await, arith::ConstantIndexOp::create(builder, loop.getLoc(), before + trips - 1));
    }
    for (tile::AwaitOp await : rest) {
      ++counts[await.getSlot()];
      giveBack(await, await.getFilling());
    }
    released.getDefiningOp()->setAttr(tile::releasesAttrName, builder.getDenseI64ArrayAttr(counts));
  }

  tile::AwaitOp getAnyAwait() {
    return loops.empty() ? rest.front() : loops.front().second.front().await;
  }

  void giveBack(tile::AwaitOp await, Value filling) {
    tile::ReleaseOp::create(builder, await.getLoc(), makeReleased(await), await.getSlotAttr(),
                            filling, await.getRings());
  }
};

} // namespace

void tw::threads::releaseSlots(tile::FuncOp func) {
  if (!func->hasAttr(tile::loadingAttrName))
    return;
  std::string why = SlotReleases(func).run();
  if (why.empty())
    return;
  func->removeAttr(tile::loadingAttrName);
  func->removeAttr(tile::walkingAttrName);
  func->setAttr(tile::noLoadingAttrName, StringAttr::get(func.getContext(), why));
}
