// Which part of a value is in local memory, and how its rows lie there.
#include "Stage.h"

#include "Keep.h"
#include "StageWindow.h"
#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Dialect/Kernel/ValueName.h"
#include "tw/Schedule/Rings.h"
#include "tw/Schedule/Strides.h"
#include "tw/Schedule/Tile.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

/// The most memory that a thread of a CPU is given: beyond the caches a panel is no gain. What a
/// group of threads has is less, as its strategy knows.
constexpr int64_t kScratchBytes = int64_t(64) << 20;
/// Rows stay aligned for vectors of this many bytes.
constexpr int64_t kVectorBytes = 16;
/// The product of two counts, at most `kMostElements`.
int64_t multiplyCounts(int64_t lhs, int64_t rhs) {
  int64_t product;
  return llvm::MulOverflow(lhs, rhs, product) || product > kMostElements ? kMostElements : product;
}

int64_t getElementBytes(Type type) {
  return type.isInteger(1) ? 1 : type.getIntOrFloatBitWidth() / 8;
}

bool isKept(Operation *op, const Plan &plan) {
  StringAttr name = getValueName(op);
  return name && plan.keep.count(name.getValue());
}

/// Whether a reduction leaves the op's value in local memory, its loops done, before the program
/// needs what is computed from `later`, which is staged before all loops.
bool isKeptBefore(const AxisSets &sets, const Plan &plan, Operation *op, const StagedValue &later) {
  auto it = plan.keep.find(getValueName(op).getValue());
  if (it->second != KeepPlace::Local || later.loop || plan.online || isRoot(op) || isa<LoadOp>(op))
    return false;
  auto usesAxis = [&](Operation *root, unsigned axis) {
    return llvm::any_of(root->getOperands(), [&](Value v) { return sets.of(v)[axis]; });
  };
  return llvm::any_of(findRoots(op), [&](Operation *root) {
    if (!isa<ReduceOp>(root) || isForStages(plan, root))
      return false;
    llvm::SmallBitVector reduced = sets.reducedBy(root);
    return llvm::all_of(plan.loops,
                        [&](unsigned leaf) {
                          unsigned axis = plan.leaves[leaf].axis;
                          return plan.leaves[leaf].extent == 1 || reduced[axis] ||
                                 !usesAxis(root, axis);
                        }) &&
           llvm::all_of(findRoots(later.op), [&](Operation *user) {
             return root->isBeforeInBlock(user) &&
                    llvm::none_of(reduced.set_bits(),
                                  [&](unsigned axis) { return usesAxis(user, axis); });
           });
  });
}

/// Whether a value that is kept in local memory can be there before what is computed from it is
/// filled, in loops of its own before all others. What is not staged would keep it in its loops.
bool isFilledBefore(const Plan &plan, Operation *op, const StagedValue &later) {
  auto it = plan.keep.find(getValueName(op).getValue());
  return it->second == KeepPlace::Local && !later.loop && !later.global && !plan.online &&
         plan.team.empty() && !isRoot(op) && !isa<LoadOp>(op) &&
         llvm::all_of(findRoots(op), [&](Operation *root) { return isForStages(plan, root); });
}

/// Tells of the op and of what it is computed from, each once, however many ways lead there;
/// `visit` says whether to go on behind an op.
void walkProducers(Operation *op, llvm::function_ref<bool(Operation *)> visit) {
  llvm::SmallPtrSet<Operation *, 32> seen{op};
  SmallVector<Operation *> left{op};
  while (!left.empty()) {
    Operation *next = left.pop_back_val();
    if (!visit(next))
      continue;
    for (Value operand : llvm::reverse(next->getOperands()))
      if (Operation *producer = operand.getDefiningOp(); producer && seen.insert(producer).second)
        left.push_back(producer);
  }
}

/// The same without what is kept, but for the op itself.
void walkComputed(Operation *op, const Plan &plan, llvm::function_ref<void(Operation *)> visit) {
  walkProducers(op, [&](Operation *producer) {
    if (producer != op && isKept(producer, plan))
      return false;
    visit(producer);
    return true;
  });
}

/// Whether the value is computed from loads and indices alone, and by contractions and from what is
/// kept before if they are allowed; a box by reductions, too.
bool isComputedFromLoads(const AxisSets &sets, const Plan &plan, const StagedValue &staged,
                         bool contractions) {
  bool holds = true;
  walkProducers(staged.op, [&](Operation *op) {
    if (isKept(op, plan)) {
      holds &= contractions && op != staged.op && !staged.isBox &&
               (isKeptBefore(sets, plan, op, staged) || isFilledBefore(plan, op, staged));
      return false;
    }
    holds &= !isa<StoreOp, ScanOp>(op) && (contractions || !isa<ContractOp>(op)) &&
             (staged.isBox || !isa<ReduceOp>(op));
    return holds;
  });
  return holds;
}

bool isContracted(Operation *op, const Plan &plan) {
  bool found = false;
  walkComputed(op, plan,
               [&](Operation *producer) { found |= isa<ContractOp, ReduceOp>(producer); });
  return found;
}

/// The leaves among `leaves` along which a contraction on the way to the op sums.
void collectContractedLeaves(const AxisSets &sets, const Plan &plan, Operation *op,
                             ArrayRef<unsigned> leaves, llvm::SetVector<unsigned> &contracted) {
  walkComputed(op, plan, [&](Operation *producer) {
    for (unsigned leaf : leaves)
      if (sets.reducedBy(producer)[plan.leaves[leaf].axis])
        contracted.insert(leaf);
  });
}

/// Whether no op on the way from the loads can stop the machine.
bool isComputedSafely(Operation *op) {
  bool holds = true;
  walkProducers(op, [&](Operation *producer) { return holds &= !canTrap(producer); });
  return holds;
}

/// The loads that a value is computed from here, each once.
void collectLoads(Operation *op, const Plan &plan, SmallVectorImpl<LoadOp> &loads) {
  walkComputed(op, plan, [&](Operation *producer) {
    if (auto load = dyn_cast<LoadOp>(producer))
      loads.push_back(load);
  });
}

/// Whether one of the loads reads memory with stride 1 along the leaf.
bool isReadAlong(KernelOp kernel, const Plan &plan, ArrayRef<LoadOp> loads, unsigned leaf) {
  return plan.leaves[leaf].stride == 1 && plan.leaves[leaf].extent > 1 &&
         llvm::any_of(loads, [&](LoadOp load) {
           return getUsualStride(load, kernel.getAxis(plan.leaves[leaf].axis)) == 1;
         });
}

/// The leaf along which memory is read with stride 1: the last dimension of the buffer if that is
/// one, or where there is none. Lanes of a group of threads go where the tensor that all of the
/// buffer is read of does; rows and columns beside it, as a norm's means, come to several of them.
unsigned findReadLeaf(KernelOp kernel, const AxisSets &sets, const Plan &plan,
                      const StagedValue &staged) {
  SmallVector<LoadOp> loads, whole;
  collectLoads(staged.op, plan, loads);
  if (plan.warps)
    llvm::copy_if(loads, std::back_inserter(whole), [&](LoadOp load) {
      return llvm::all_of(staged.filled, [&](unsigned leaf) {
        return sets.of(load.getResult())[plan.leaves[leaf].axis];
      });
    });
  if (!whole.empty())
    loads = whole;
  for (unsigned leaf : llvm::reverse(staged.filled))
    if (isReadAlong(kernel, plan, loads, leaf))
      return leaf;
  return staged.filled.back();
}

/// The elements of the register tile of a contracted value.
int64_t getTileElements(const Plan &plan, const StagedValue &staged) {
  int64_t elements = staged.summedLanes ? plan.leaves[*staged.summedLanes].extent : 1;
  for (unsigned leaf : getContractedTile(plan, staged))
    elements *=
        plan.leaves[leaf].role == Role::Fill ? plan.leaves[leaf].chunk : plan.leaves[leaf].extent;
  return elements;
}

/// The axes of the tile that contractions on the way sum over: lanes of the register tile where
/// memory runs along one and not along the buffer's last dimension, and it has room, else loops.
void placeSummedLeaves(KernelOp kernel, const Plan &plan, StagedValue &staged,
                       ArrayRef<unsigned> summed) {
  SmallVector<LoadOp> loads;
  collectLoads(staged.op, plan, loads);
  bool runsAlongBuffer = isReadAlong(kernel, plan, loads, staged.filled.back());
  for (unsigned leaf : summed) {
    bool fits = getTileElements(plan, staged) * plan.leaves[leaf].extent <= kMaxTileElements;
    if (!staged.summedLanes && !runsAlongBuffer && fits && isReadAlong(kernel, plan, loads, leaf))
      staged.summedLanes = leaf;
    else
      staged.summedLoops.push_back(leaf);
  }
}

/// The dimensions of a buffer: the leaves that the value depends on, of the loops inside of the
/// stage and of the tile; of the whole kernel where it is staged for all programs.
LogicalResult findLeaves(KernelOp kernel, const AxisSets &sets, const Plan &plan,
                         StagedValue &staged, std::string &why) {
  StringRef name = getValueName(staged.op).getValue();
  auto fail = [&](const Twine &reason) {
    why = ("stage '" + name + "' " + reason).str();
    return failure();
  };
  auto *outside = plan.loops.begin();
  if (staged.loop) {
    outside = llvm::find(plan.loops, *staged.loop);
    if (outside == plan.loops.end())
      return fail(
          "at '" + plan.leaves[*staged.loop].name.getValue() +
          "', which is no loop: it is in grid or tile; name one of order, or stage it at grid");
    ++outside;
  }
  const llvm::SmallBitVector &axes = sets.of(staged.op->getResult(0));
  SmallVector<unsigned> leaves;
  for (unsigned leaf : llvm::concat<const unsigned>(
           ArrayRef(plan.grid).take_front(staged.global ? plan.grid.size() : 0),
           ArrayRef<unsigned>(outside, plan.loops.end()), ArrayRef(plan.tile)))
    if (axes[plan.leaves[leaf].axis] && plan.leaves[leaf].extent > 1)
      leaves.push_back(leaf);
  if (leaves.empty())
    return fail("varies along no loop and no tile axis there: stage it further outside");
  auto list = [&](ArrayRef<unsigned> positions) {
    return llvm::join(
        llvm::map_range(positions,
                        [&](unsigned leaf) { return plan.leaves[leaf].name.getValue(); }),
        ", ");
  };
  if (!staged.leaves.empty()) {
    SmallVector<unsigned> given = staged.leaves;
    llvm::erase_if(given, [&](unsigned leaf) { return plan.leaves[leaf].extent == 1; });
    if (!std::is_permutation(given.begin(), given.end(), leaves.begin(), leaves.end()))
      return fail("as (" + list(staged.leaves) + "): expected each of " + list(leaves) +
                  " once, along which it varies there");
    leaves = given;
  }
  staged.leaves = staged.filled = leaves;
  return success();
}

/// What a store or a reduction still needs in this kernel when others have panels that are packed
/// before.
llvm::SmallPtrSet<Operation *, 32> findStillComputed(KernelOp kernel, const Plan &plan) {
  llvm::SmallPtrSet<Operation *, 32> computed;
  for (Operation &op : llvm::reverse(kernel.getBody().front())) {
    bool isPacked = llvm::any_of(
        plan.staged, [&](const StagedValue &staged) { return staged.global && staged.op == &op; });
    if (!isPacked &&
        (isa<StoreOp, ReduceOp, ContractOp, ScanOp>(op) ||
         llvm::any_of(op.getUsers(), [&](Operation *user) { return computed.contains(user); })))
      computed.insert(&op);
  }
  return computed;
}

/// Whether what other primitives name is still there when panels are packed for all programs.
LogicalResult checkNamedValues(KernelOp kernel, const Plan &plan, std::string &why) {
  if (llvm::none_of(plan.staged, [](const StagedValue &staged) { return staged.global; }))
    return success();
  llvm::SmallPtrSet<Operation *, 32> computed = findStillComputed(kernel, plan);
  for (const SkippedAxis &skipped : plan.skipped) {
    SmallVector<Operation *> masks = {skipped.mask};
    if (auto select = dyn_cast<arith::SelectOp>(skipped.mask))
      masks.push_back(select.getCondition().getDefiningOp());
    for (Operation *op : masks)
      if (!computed.contains(op)) {
        why = ("skip '" + kernel.getAxisName(skipped.axis) +
               "': what masks it is packed at kernel global, or what alone uses it is, and read "
               "there: leave one of them out")
                  .str();
        return failure();
      }
  }
  for (Operation &op : kernel.getBody().front()) {
    StringAttr name = getValueName(&op);
    if (!name || computed.contains(&op))
      continue;
    auto isStaged = [&](bool global) {
      return llvm::any_of(plan.staged, [&](const StagedValue &staged) {
        return staged.op == &op && staged.global == global;
      });
    };
    // What lies ahead in a panel is fetched as it is read, unless other panels alone are made of
    // it.
    auto fetched = plan.prefetched.find(name.getValue());
    bool fetches =
        fetched != plan.prefetched.end() &&
        !(isStaged(/*global=*/true) && fetched->second.ahead != 0 &&
          llvm::any_of(op.getUsers(), [&](Operation *user) { return computed.contains(user); }));
    StringRef primitive = isStaged(/*global=*/false)         ? "stage"
                          : plan.keep.count(name.getValue()) ? "keep"
                          : fetches                          ? "prefetch"
                                                             : "";
    if (primitive.empty())
      continue;
    why = (primitive + " '" + name.getValue() +
           "': it is packed at kernel global, or what alone uses it is, and read there: leave one "
           "of them out")
              .str();
    return failure();
  }
  return success();
}

} // namespace

bool tw::schedule::isForStages(const Plan &plan, Operation *op) {
  if (plan.warps || plan.staged.empty())
    return false;
  llvm::SetVector<Operation *> work;
  work.insert(op);
  for (size_t i = 0; i < work.size(); ++i) {
    if (llvm::any_of(plan.staged, [&](const StagedValue &s) { return s.op == work[i]; }))
      continue;
    if (isa<StoreOp>(work[i]))
      return false;
    work.insert_range(work[i]->getUsers());
  }
  return true;
}

int64_t tw::schedule::countSlots(const Plan &plan, const StagedValue &staged) {
  auto it = plan.prefetched.find(getValueName(staged.op).getValue());
  bool isRing = plan.warps && staged.loop && !staged.global && it != plan.prefetched.end();
  return isRing ? it->second.ahead + 1 : 1;
}

bool tw::schedule::usesUnits(const Plan &plan) {
  return plan.warps && llvm::any_of(plan.leaves, [](const LeafAxis &leaf) { return leaf.dot; });
}

bool tw::schedule::canTrap(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::CeilDivSIOp,
             arith::CeilDivUIOp, arith::FloorDivSIOp>(op);
}

ArrayRef<unsigned> tw::schedule::getContractedTile(const Plan &plan, const StagedValue &staged) {
  ArrayRef<unsigned> leaves(staged.filled);
  if (leaves.size() < 2 ||
      plan.leaves[leaves.back()].axis == plan.leaves[leaves.drop_back().back()].axis)
    return leaves.take_back(1);
  return leaves.take_back(2);
}

/// Finds where a staged contraction is summed; what stands against it, or nothing.
static std::string placeContracted(KernelOp kernel, const AxisSets &sets, Plan &plan,
                                   StagedValue &staged) {
  llvm::SetVector<unsigned> summed, open;
  collectContractedLeaves(sets, plan, staged.op, plan.tile, summed);
  auto nameOf = [&](unsigned leaf) { return plan.leaves[leaf].name.getValue().str(); };
  for (unsigned leaf : summed)
    if (plan.leaves[leaf].dot)
      return "is summed over '" + nameOf(leaf) +
             "' in groups of a dot instruction: leave contract '" + nameOf(leaf) + "' dot out";
  auto *inside = staged.loop ? std::next(llvm::find(plan.loops, *staged.loop)) : plan.loops.begin();
  collectContractedLeaves(sets, plan, staged.op, ArrayRef(plan.loops.begin(), inside), open);
  if (!open.empty())
    return "is summed over '" + nameOf(open.front()) +
           "', whose loop is open there: stage it further outside";
  // The loops of the filling are open around all that it computes.
  ArrayRef<unsigned> inTile = getContractedTile(plan, staged);
  llvm::SetVector<unsigned> filled;
  collectContractedLeaves(sets, plan, staged.op, ArrayRef(staged.filled).drop_back(inTile.size()),
                          filled);
  if (!filled.empty())
    return "varies along '" + nameOf(filled.front()) +
           "', which is summed over on the way to it too, and is filled in a loop over it: make "
           "it one of the last two dimensions of the buffer, stage '" +
           getValueName(staged.op).getValue().str() + "' as (..., " + nameOf(filled.front()) +
           "), or leave the stage out";
  summed.remove_if([&](unsigned leaf) { return llvm::is_contained(inTile, leaf); });
  placeSummedLeaves(kernel, plan, staged, summed.getArrayRef());
  int64_t tile = getTileElements(plan, staged);
  if (tile > kMaxTileElements)
    return "is computed in tiles of its last two dimensions, of " + std::to_string(tile) +
           " elements, which exceeds the register budget of " + std::to_string(kMaxTileElements) +
           ": split its axes smaller";
  return "";
}

int64_t StagedValue::getStride(ArrayRef<int64_t> shape, unsigned dim) const {
  if (dim + 1 == shape.size())
    return 1;
  int64_t inside = dim + 2 == shape.size() ? rowStride : getStride(shape, dim + 1) * shape[dim + 1];
  return inside + (dim == paddedDim ? padding : 0);
}

/// Places rows of local memory so that threads that write a column find each in another bank: where
/// each writes four words of it, every fourth row begins half of the banks further; where eight
/// write a word each, of columns of four, the next row a quarter; where a word is a byte of each of
/// four rows, an odd number of words. A column may step over several rows, along a dimension
/// further out.
static void placeRows(const Plan &plan, StagedValue &staged, int64_t elementBytes) {
  SmallVector<int64_t> shape;
  for (unsigned leaf : staged.leaves)
    shape.push_back(plan.leaves[leaf].extent);
  int64_t vector = std::max<int64_t>(1, kVectorBytes / elementBytes);
  auto *column = llvm::find(staged.leaves, staged.readLeaf);
  unsigned dim = column - staged.leaves.begin(), last = shape.size() - 1;
  auto getPadding = [&](int64_t stride) -> int64_t {
    constexpr int64_t wordBytes = 4;
    if (dim < last && plan.warps != 0 && elementBytes == 1 && !usesUnits(plan))
      return stride % (2 * wordBytes) == 0 ? wordBytes : 0;
    if (dim >= last || stride * elementBytes % (2 * kVectorBytes) != 0)
      return 0;
    bool isShort = shape[dim] * elementBytes <= kVectorBytes;
    if (isShort && plan.warps != 0 && stride * elementBytes % (4 * kVectorBytes) != 0)
      return 0;
    return isShort ? 2 * vector : vector;
  };
  if (dim + 1 == last)
    staged.rowStride += getPadding(staged.rowStride);
  // Matrix units read 8 rows of 16 bytes at once: an odd number of these from row to row.
  if (usesUnits(plan) && staged.rowStride * elementBytes % (2 * kVectorBytes) == 0)
    staged.rowStride += kVectorBytes / elementBytes;
  if (dim + 1 < last) {
    staged.paddedDim = dim;
    staged.padding = getPadding(staged.getStride(shape, dim));
  }
  staged.elements = staged.getStride(shape, 0) * shape[0];
}

/// What stands against the order of the dimensions: a loop of the filling ends where the parts of
/// the axis around it say what is seen.
static std::string checkSkippedOrder(const Plan &plan, const StagedValue &staged) {
  for (const SkippedAxis &skipped : plan.skipped) {
    const LeafAxis *inner = nullptr;
    for (unsigned leaf : staged.leaves) {
      const LeafAxis &own = plan.leaves[leaf];
      if (own.axis != skipped.axis)
        continue;
      if (inner && inner->stride < own.stride)
        return "has dimension '" + inner->name.getValue().str() + "' before '" +
               own.name.getValue().str() +
               "', which is outside of it, and points of their axis are skipped: name '" +
               own.name.getValue().str() + "' first";
      inner = &own;
    }
  }
  return "";
}

LogicalResult tw::schedule::placeStagedValues(KernelOp kernel, Plan &plan, std::string &why) {
  if (failed(checkNamedValues(kernel, plan, why)))
    return failure();
  if (plan.staged.empty())
    return success();
  AxisSets sets(kernel);
  int64_t bytes = 0;
  for (StagedValue &staged : plan.staged) {
    StringRef name = getValueName(staged.op).getValue();
    auto fail = [&](const Twine &reason) {
      why = ("stage '" + name + "' " + reason).str();
      return failure();
    };
    if (staged.op->getNumResults() == 1 && staged.op->getResult(0).getType().isIndex())
      return fail("is an index, which has no place in memory: stage what is read with it");
    staged.isBox = staged.isWindow && !plan.warps && !getWindowLoad(staged.op);
    bool contractions = !plan.warps && !staged.global && (!staged.isWindow || staged.isBox);
    if (staged.op->getNumResults() != 1 || !isComputedFromLoads(sets, plan, staged, contractions))
      return fail(contractions
                      ? "is not computed from loads and contractions alone: stage what it "
                        "is computed from"
                      : "is not computed from loads alone: stage what it is computed from");
    if (staged.isWindow && !staged.isBox && !staged.leaves.empty())
      return fail("window of a tensor has the tensor's dimensions: leave 'as' out");
    if (failed(findLeaves(kernel, sets, plan, staged, why)))
      return failure();
    if (std::string reason = checkSkippedOrder(plan, staged); !reason.empty())
      return fail(reason);
    if (staged.isBox && failed(findBox(kernel, sets, plan, staged, why)))
      return failure();
    staged.isContracted = isContracted(staged.op, plan);
    if (staged.isContracted)
      if (std::string reason = placeContracted(kernel, sets, plan, staged); !reason.empty())
        return fail(reason);
    if (staged.global || staged.isBox) {
      if (!isComputedSafely(staged.op))
        return fail("is computed by a division, which points beyond an axis could trap: stage what "
                    "it is computed from");
      if (staged.global)
        continue;
    }
    staged.readLeaf = findReadLeaf(kernel, sets, plan, staged);
    int64_t elements = 1;
    if (staged.isWindow && !staged.isBox && failed(findWindow(plan, staged, why)))
      return failure();
    for (const WindowDim &dim : staged.window)
      elements = multiplyCounts(elements, dim.extent);
    for (unsigned leaf : staged.isWindow ? ArrayRef<unsigned>() : ArrayRef(staged.leaves)) {
      int64_t extent = plan.leaves[leaf].extent;
      if (plan.warps && !llvm::isPowerOf2_64(extent))
        return fail("spans loop '" + plan.leaves[leaf].name.getValue() + "' of " + Twine(extent) +
                    " iterations, no power of two: split it, or stage inside of it");
      elements = multiplyCounts(elements, extent);
    }
    int64_t elementBytes = getElementBytes(staged.op->getResult(0).getType());
    staged.rowStride = staged.groupDim   ? plan.leaves[staged.groupLeaf].extent
                       : staged.isWindow ? staged.window.back().extent
                                         : plan.leaves[staged.leaves.back()].extent;
    staged.elements = elements;
    if (plan.warps && elements > staged.rowStride)
      placeRows(plan, staged, elementBytes);
    int64_t slots = countSlots(plan, staged);
    bytes += staged.elements * elementBytes * slots;
    if (bytes > kScratchBytes)
      return fail("takes local memory to " + Twine(bytes) + " bytes, more than " +
                  Twine(kScratchBytes) + ": stage it at an inner loop, or split its axes smaller");
  }
  return success();
}
