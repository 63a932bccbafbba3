// Slots that those who multiply release, so that others fill them.
//
//   mma of slot i {ttile.open}, barrier, fill slot i - 1   ->   mma of slot i {ttile.open},
//                                                               ttile.release %free[i - 1], fill
//   await slot i, fill slot i + 1, mma of slot i           ->   ttile.release %free[i + 1], await
//                                                               slot i, fill slot i + 1, mma
//
// The second form is of steps that await what they multiply, all of it or all but the last product,
// which the next step awaits.
// The program stays one that can be run as it stands. Who makes threads of it has those that load
// run the fillings alone, and the others everything else.
#include "LocalOperands.h"

#include "tw/Dialect/Tile/GroupAttrs.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;
using namespace tw;
using namespace tw::threads;

namespace {

/// A step of a loop over a ring: an open product, and the barrier behind which a slot is filled; or
/// the slot that is filled without one, and how often it was filled before the loop.
struct ReleasingStep {
  tile::AwaitOp await;
  tile::BarrierOp barrier;
  int64_t slot = -1, number = 0;
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
      else if (loop && llvm::any_of(*loop.getBody(),
                                    [](Operation &inner) { return isa<tile::AwaitOp>(inner); }))
        why = "a loop reads a ring and fills none";
      else if (isFilling(op) && awaits)
        why = addRest(op);
    }
    if (!why.empty())
      return why;
    bool walks = func->hasAttr(tile::walkingAttrName);
    if (walks && (loops.size() > 1 || func.getGridSizes()))
      return loops.size() > 1 ? "a program that walks has several loops over a ring"
                              : "a program that walks has a grid of sizes that a call settles";
    for (auto [loop, steps] : loops)
      release(loop, steps);
    for (const ReleasingStep &step : restFilled)
      releaseAwaited(step);
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
  /// Slots that are filled outside of loops, not for the first time.
  SmallVector<ReleasingStep> restFilled;

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

  /// How often the slot was filled before.
  static int64_t getNumber(Operation &filling) {
    return filling.getAttrOfType<IntegerAttr>(tile::fillingAttrName).getInt();
  }

  static bool readsSlot(tile::MmaOp op, int64_t slot) {
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      auto load = operand.getDefiningOp<tile::LoadOp>();
      if (!load || !load->hasAttr(tile::inPlaceAttrName))
        return false;
      auto own = dyn_cast<AffineConstantExpr>(load.getMap().getMap().getResult(0));
      return !own || own.getValue() == slot;
    });
  }

  /// Whether all that was multiplied of the slot is done where the step awaits: no product was left
  /// open, or something reads what it gave.
  static bool isDone(tile::AwaitOp await, int64_t slot) {
    llvm::SmallPtrSet<Operation *, 32> behind;
    auto passes = [&](Operation &op) {
      // What only hands a sum on does not read it.
      if (!op.hasTrait<OpTrait::IsTerminator>())
        behind.insert(&op);
      auto product = dyn_cast<tile::MmaOp>(op);
      return !product || !product->hasAttr(tile::openAttrName) || !readsSlot(product, slot) ||
             llvm::any_of(product->getUsers(), [&](Operation *user) {
               return !isa<tile::MmaOp>(user) && behind.contains(user);
             });
    };
    auto passesBefore = [&](Operation *end) {
      for (Operation *op = end->getPrevNode(); op; op = op->getPrevNode()) {
        if (auto loop = dyn_cast<scf::ForOp>(op)) {
          if (!llvm::all_of(llvm::reverse(*loop.getBody()), passes))
            return false;
        } else if (isa<scf::IfOp>(op) || !passes(*op)) {
          return false;
        }
      }
      return true;
    };
    auto loop = dyn_cast<scf::ForOp>(await->getParentOp());
    if (!passesBefore(await))
      return false;
    // Of the iteration before, and before the first one.
    if (loop)
      for (Operation *op = &await->getBlock()->back(); op != await; op = op->getPrevNode())
        if (isa<scf::ForOp, scf::IfOp>(op) || !passes(*op))
          return false;
    return !loop || passesBefore(loop);
  }

  /// A filling behind a wait and outside of loops.
  std::string addRest(Operation &op) {
    int64_t slot = getSlot(op);
    if (getNumber(op) == 0 || (!restFilled.empty() && restFilled.back().await == rest.back() &&
                               restFilled.back().slot == slot))
      return "";
    if (!rest.empty() && loops.size() == 1 && rest.back()->isBeforeInBlock(&op) &&
        isDone(rest.back(), slot)) {
      restFilled.push_back({rest.back(), {}, slot, getNumber(op)});
      return "";
    }
    return "a slot is filled behind the loop over the ring";
  }

  /// Every filling stands behind a wait, at which what was in its slot is done.
  std::string addAwaitedSteps(scf::ForOp loop) {
    SmallVector<ReleasingStep> steps;
    tile::AwaitOp await;
    for (Operation &op : *loop.getBody()) {
      if (auto own = dyn_cast<tile::AwaitOp>(op))
        await = own;
      if (!isFilling(op))
        continue;
      int64_t slot = getSlot(op);
      bool isNext = steps.empty() || steps.back().await != await;
      if (!await || (!isNext && steps.back().slot != slot))
        return "a step fills several slots";
      if (isNext && !isDone(await, slot))
        return "a product is open when its slot is filled";
      if (isNext)
        steps.push_back({await, {}, slot, getNumber(op)});
    }
    loops.push_back({loop, steps});
    return func->hasAttr(tile::walkingAttrName)
               ? "a program that walks awaits the products of a step"
               : "";
  }

  /// Every filling stands behind the barrier of a step, and fills the slot of the step before.
  std::string addSteps(scf::ForOp loop) {
    awaits = true;
    if (llvm::none_of(*loop.getBody(), [](Operation &op) { return isa<tile::BarrierOp>(op); }))
      return addAwaitedSteps(loop);
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
      if (!step.barrier) {
        releaseAwaited(step, loop.getInductionVar());
        continue;
      }
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

  /// Before the step waits itself: the filling before the one that it makes.
  void releaseAwaited(const ReleasingStep &step, Value iteration = {}) {
    tile::AwaitOp await = step.await;
    builder.setInsertionPoint(await);
    Value filling = iteration;
    if (!filling)
      filling = arith::ConstantIndexOp::create(builder, await.getLoc(), step.number - 1);
    else if (step.number != 1)
      filling = affine::AffineApplyOp::create(
          builder, await.getLoc(),
          AffineMap::get(1, 0, builder.getAffineDimExpr(0) + (step.number - 1)), filling);
    tile::ReleaseOp::create(builder, await.getLoc(), makeReleased(await),
                            builder.getI64IntegerAttr(step.slot), filling, await.getRings());
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
