// The pass tile-insert-barriers: orders accesses to memory that a program writes.
//
// It follows the program as it runs and keeps the accesses since the last barrier. An access that
// conflicts with one of them gets a barrier in front of it. The body of a loop is followed until
// the accesses that reach its beginning, each with the number of iterations that lie between,
// repeat. At the end barriers move out of loops where that will do, and every barrier that the
// others make needless goes.
#include "Conflicts.h"
#include "PassAttrs.h"

#include "tw/Dialect/Tile/GroupAttrs.h"

#include "tw/Dialect/Tile/Transforms/Passes.h"

namespace tw {
#define GEN_PASS_DEF_TILEINSERTBARRIERSPASS
#include "tw/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;
using namespace tw::tile;

namespace {

/// An access this many iterations ago is one in any iteration.
constexpr int64_t kMaxDistance = 3;

using Pending = SmallVector<PendingAccess>;

void merge(Pending &into, const Pending &from) {
  for (const PendingAccess &access : from)
    if (!llvm::is_contained(into, access))
      into.push_back(access);
}

/// Follows a program. Where a barrier is missing it is inserted, or the walk ends.
class Follower {
public:
  Follower(Conflicts &conflicts, bool insert) : conflicts(conflicts), insert(insert) {}

  /// Fails if a barrier is missing that may not be inserted.
  LogicalResult follow(Block &block, Pending &pending) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto barrier = dyn_cast<BarrierOp>(op)) {
        if (llvm::any_of(pending, isForUnits))
          publishing.insert(barrier);
        pending.clear();
      } else if (auto await = dyn_cast<AwaitOp>(op))
        arrive(await, pending);
      else if (auto release = dyn_cast<ReleaseOp>(op))
        giveBack(release, pending);
      else if (auto product = dyn_cast<MmaOp>(op)) {
        for (Value operand : {product.getLhs(), product.getRhs()})
          if (Operation *load = operand.getDefiningOp(); load && isInPlace(load))
            if (failed(followAccess(load, product, pending)))
              return failure();
      } else if (conflicts.isAccess(&op) && !isInPlace(&op)) {
        if (failed(followAccess(&op, &op, pending)))
          return failure();
      } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
        if (failed(followLoop(loop, pending)))
          return failure();
      } else if (op.getNumRegions() != 0 && failed(followBranches(&op, pending))) {
        return failure();
      }
    }
    return success();
  }

  /// Whether what units read may have been written by threads since the last barrier.
  bool publishes(BarrierOp barrier) const { return publishing.contains(barrier); }

private:
  llvm::SmallPtrSet<Operation *, 8> publishing;

  static bool isForUnits(const PendingAccess &access) {
    auto store = dyn_cast<StoreOp>(access.op);
    return store && !store->hasAttr(boxAttrName) &&
           llvm::any_of(store.getDestination().getUsers(), isInPlace);
  }

  /// A load that a unit does where its product stands.
  static bool isInPlace(Operation *op) { return op->hasAttr(inPlaceAttrName); }

  /// What copies of boxes wrote to the slot is there for all: each thread waits itself.
  static void arrive(AwaitOp await, Pending &pending) {
    llvm::erase_if(pending, [&](const PendingAccess &access) {
      auto store = dyn_cast<StoreOp>(access.op);
      if (!store || !store->hasAttr(boxAttrName) ||
          !llvm::is_contained(await.getRings(), store.getDestination()))
        return false;
      auto slot = dyn_cast<AffineConstantExpr>(store.getMap().getMap().getResult(0));
      return slot && slot.getValue() == int64_t(await.getSlot());
    });
  }

  /// What products read in the slot is done before it is filled again.
  static void giveBack(ReleaseOp release, Pending &pending) {
    llvm::erase_if(pending, [&](const PendingAccess &access) {
      auto load = dyn_cast<LoadOp>(access.op);
      if (!load || !load->hasAttr(inPlaceAttrName) ||
          !llvm::is_contained(release.getRings(), load.getSource()))
        return false;
      auto slot = dyn_cast<AffineConstantExpr>(load.getMap().getMap().getResult(0));
      return slot && slot.getValue() == int64_t(release.getSlot());
    });
  }

  /// An access that is made at a place.
  LogicalResult followAccess(Operation *op, Operation *place, Pending &pending) {
    if (llvm::any_of(pending, [&](const PendingAccess &earlier) {
          return conflicts.between(earlier, op);
        })) {
      if (!insert)
        return failure();
      OpBuilder builder(place);
      BarrierOp::create(builder, place->getLoc());
      pending.clear();
    }
    PendingAccess access{op, {}};
    for (auto loop = op->getParentOfType<scf::ForOp>(); loop;
         loop = loop->getParentOfType<scf::ForOp>())
      access.loops.push_back({loop, LoopState()});
    if (!llvm::is_contained(pending, access))
      pending.push_back(access);
    return success();
  }

  static LoopState *find(PendingAccess &access, scf::ForOp loop) {
    for (auto &[around, state] : access.loops)
      if (around == loop)
        return &state;
    return nullptr;
  }

  LogicalResult followLoop(scf::ForOp loop, Pending &pending) {
    std::optional<LoopBounds> bounds = getLoopBounds(loop);
    int64_t iterations = bounds ? (bounds->last - bounds->first) / bounds->step + 1
                                : std::numeric_limits<int64_t>::max();
    Pending after, seen;
    if (!bounds)
      after = pending;
    Pending state = pending;
    for (int64_t iteration = 0; iteration < iterations; ++iteration) {
      if (iteration > 0 && llvm::all_of(state, [&](const PendingAccess &access) {
            return llvm::is_contained(seen, access);
          }))
        break;
      merge(seen, state);
      if (failed(follow(*loop.getBody(), state)))
        return failure();
      for (PendingAccess access : state) {
        if (LoopState *index = find(access, loop); index && index->kind == LoopState::Relative)
          *index = bounds ? LoopState{LoopState::Fixed, bounds->last - index->value * bounds->step}
                          : LoopState{LoopState::Free, 0};
        merge(after, {access});
      }
      for (PendingAccess &access : state)
        if (LoopState *index = find(access, loop); index && index->kind == LoopState::Relative)
          if (++index->value > kMaxDistance)
            *index = {LoopState::Free, 0};
    }
    pending = std::move(after);
    return success();
  }

  LogicalResult followBranches(Operation *op, Pending &pending) {
    Pending after;
    bool isChoice = isa<scf::IfOp>(op);
    if (!isChoice || llvm::any_of(op->getRegions(), [](Region &region) { return region.empty(); }))
      after = pending;
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        Pending state = pending;
        if (failed(follow(block, state)))
          return failure();
        merge(after, state);
      }
    pending = std::move(after);
    return success();
  }

  Conflicts &conflicts;
  bool insert;
};

/// Says of barriers that make nothing visible to units, and wait for no copies.
void markSpent(FuncOp func, Conflicts &conflicts) {
  Pending pending;
  Follower follower(conflicts, /*insert=*/false);
  if (failed(follower.follow(func.getBody().front(), pending)))
    return;
  bool hasUnits = false;
  func.walk([&](LoadOp load) { hasUnits |= load->hasAttr(inPlaceAttrName); });
  func.walk([&](BarrierOp barrier) {
    if (hasUnits && !barrier->hasAttr(waitAttrName) && !follower.publishes(barrier))
      barrier->setAttr(spentAttrName, UnitAttr::get(func.getContext()));
  });
}

/// The last barrier in front of one that waits for copies nobody reads, if these are all on their
/// way there.
BarrierOp findEarlier(BarrierOp barrier) {
  for (Operation *op = barrier->getPrevNode(); op; op = op->getPrevNode()) {
    if (auto earlier = dyn_cast<BarrierOp>(op))
      return earlier;
    WalkResult result = op->walk([](StoreOp store) {
      return store->hasAttr(asynchronousAttrName) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted())
      break;
  }
  return {};
}

class TileInsertBarriersPass : public tw::impl::TileInsertBarriersPassBase<TileInsertBarriersPass> {
public:
  using TileInsertBarriersPassBase::TileInsertBarriersPassBase;

  void runOnOperation() override {
    getOperation()->walk([&](FuncOp func) {
      Conflicts conflicts(func);
      // A program of one thread runs in its order.
      bool isShared = false;
      func.walk([&](Operation *op) {
        isShared |= conflicts.isAccess(op) && !Conflicts::isOfOneThread(op);
      });
      if (!isShared)
        return;
      SmallVector<BarrierOp> given;
      func.walk([&](BarrierOp barrier) { given.push_back(barrier); });
      auto follow = [&](bool insert) {
        Pending pending;
        return Follower(conflicts, insert).follow(func.getBody().front(), pending);
      };
      (void)follow(/*insert=*/true);
      SmallVector<BarrierOp> barriers;
      func.walk([&](BarrierOp barrier) {
        if (!llvm::is_contained(given, barrier))
          barriers.push_back(barrier);
      });
      // What only the first iteration waits for is waited for once, in front of the loop.
      for (BarrierOp barrier : barriers)
        while (auto loop = dyn_cast<scf::ForOp>(barrier->getParentOp())) {
          Operation *next = barrier->getNextNode();
          barrier->moveBefore(loop);
          if (succeeded(follow(/*insert=*/false)))
            continue;
          barrier->moveBefore(next);
          break;
        }
      // A barrier found late may make one found early needless.
      for (BarrierOp barrier : barriers) {
        Operation *next = barrier->getNextNode();
        barrier->remove();
        if (succeeded(follow(/*insert=*/false))) {
          barrier->destroy();
          continue;
        }
        next->getBlock()->getOperations().insert(next->getIterator(), barrier);
      }
      // Copies that nobody reads are awaited by a barrier that is there for another reason.
      for (BarrierOp barrier : given) {
        BarrierOp earlier = barrier->hasAttr(unreadAttrName) ? findEarlier(barrier) : BarrierOp();
        if (!earlier)
          continue;
        Operation *next = barrier->getNextNode();
        barrier->remove();
        if (failed(follow(/*insert=*/false))) {
          next->getBlock()->getOperations().insert(next->getIterator(), barrier);
          continue;
        }
        earlier->setAttr(waitAttrName, barrier->getAttr(waitAttrName));
        barrier->destroy();
      }
      markSpent(func, conflicts);
    });
  }
};

} // namespace
