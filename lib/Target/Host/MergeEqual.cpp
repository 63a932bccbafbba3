// The pass host-merge-equal: what is computed or read before is not again.
//
// Upstream's CSE does the same, but looks for writes between each read and the one before it: that
// is half of its time where a tile is hundreds of loads and stores.
#include "tw/Target/Host/Passes.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/ScopedHashTable.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/RecyclingAllocator.h"

using namespace mlir;

namespace tw {
#define GEN_PASS_DEF_HOSTMERGEEQUALPASS
#include "tw/Target/Host/Passes.h.inc"
} // namespace tw

namespace {

/// Operations that differ in their results alone.
struct EqualButForResults : llvm::DenseMapInfo<Operation *> {
  static unsigned getHashValue(const Operation *op) {
    return OperationEquivalence::computeHash(
        const_cast<Operation *>(op), OperationEquivalence::directHashValue,
        OperationEquivalence::ignoreHashValue, OperationEquivalence::IgnoreLocations);
  }

  static bool isEqual(const Operation *a, const Operation *b) {
    if (a == b)
      return true;
    if (a == getTombstoneKey() || a == getEmptyKey() || b == getTombstoneKey() ||
        b == getEmptyKey())
      return false;
    return OperationEquivalence::isEquivalentTo(const_cast<Operation *>(a),
                                                const_cast<Operation *>(b),
                                                OperationEquivalence::IgnoreLocations);
  }
};

/// An operation, and how many writes its block had had before it.
struct Seen {
  Operation *op;
  unsigned writes;
};

class Merger {
public:
  void run(Region &region) {
    for (Block &block : region)
      run(block);
    for (Operation *op : dead)
      op->erase();
    dead.clear();
  }

private:
  using Allocator =
      llvm::RecyclingAllocator<llvm::BumpPtrAllocator, llvm::ScopedHashTableVal<Operation *, Seen>>;
  using Known = llvm::ScopedHashTable<Operation *, Seen, EqualButForResults, Allocator>;

  Known known;
  SmallVector<Operation *> dead;

  /// Whether the block writes memory.
  bool run(Block &block) {
    Known::ScopeTy scope(known);
    unsigned writes = 0;
    for (Operation &op : block) {
      bool insideWrite = runInside(op);
      if (!merge(op, writes) && mayWrite(op, insideWrite))
        ++writes;
    }
    return writes > 0;
  }

  /// Whether what the regions of the operation hold writes memory.
  bool runInside(Operation &op) {
    bool anyWrite = false;
    if (op.mightHaveTrait<OpTrait::IsIsolatedFromAbove>() && op.getNumRegions() > 0) {
      Merger apart;
      for (Region &region : op.getRegions())
        apart.run(region);
      return true;
    }
    for (Region &region : op.getRegions())
      for (Block &block : region)
        anyWrite |= run(block);
    return anyWrite;
  }

  static bool mayWrite(Operation &op, bool insideWrite) {
    if (op.hasTrait<OpTrait::HasRecursiveMemoryEffects>()) {
      if (insideWrite)
        return true;
    } else if (!isa<MemoryEffectOpInterface>(op)) {
      return true;
    }
    return isa<MemoryEffectOpInterface>(op) && hasEffect<MemoryEffects::Write>(&op);
  }

  /// Whether the operation goes, as nobody reads it or another one has its results.
  bool merge(Operation &op, unsigned writes) {
    if (isOpTriviallyDead(&op)) {
      dead.push_back(&op);
      return true;
    }
    auto isShort = [](Region &region) { return region.empty() || region.hasOneBlock(); };
    if (!llvm::all_of(op.getRegions(), isShort))
      return false;
    bool reads = !isMemoryEffectFree(&op);
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (reads && (!effects || !effects.onlyHasEffect<MemoryEffects::Read>()))
      return false;
    Seen before = known.lookup(&op);
    if (!before.op ||
        (reads && (before.op->getBlock() != op.getBlock() || before.writes != writes))) {
      known.insert(&op, {&op, writes});
      return false;
    }
    op.replaceAllUsesWith(before.op);
    dead.push_back(&op);
    return true;
  }
};

class HostMergeEqualPass : public tw::impl::HostMergeEqualPassBase<HostMergeEqualPass> {
public:
  using HostMergeEqualPassBase::HostMergeEqualPassBase;

  void runOnOperation() override {
    Merger merger;
    merger.run(getOperation().getBodyRegion());
  }
};

} // namespace
