// The pass tile-pipeline: rings of buffers, filled ahead of the loop that reads them.
//
// It runs before layouts are assigned, on programs of threads. The loop is unrolled by the number
// of slots, so that each access has a slot of its own that is a constant, and what is left over
// stands behind the loop.
#include "tw/Dialect/Tile/GroupAttrs.h"
#include "tw/Dialect/Tile/Transforms/Passes.h"

#include "Conflicts.h"

#include "tw/Support/Diagnostics.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SetVector.h"

#include <functional>

namespace tw {
#define GEN_PASS_DEF_TILEPIPELINEPASS
#include "tw/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;
using namespace tw::tile;

namespace {

/// A product that comes last in a step, of what the step computes and what a ring holds.
struct Trail {
  MmaOp product;
  LoadOp load;
  Value own;
  /// The value that the loop carries it in, and what is computed of that before.
  unsigned carried = 0;
  llvm::SetVector<Operation *> late;
};

/// Whether it is computed in the block of a product's sums.
bool needsProduct(Value value, Block *block) {
  SmallVector<Value> work{value};
  llvm::DenseSet<Operation *> seen;
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != block || !seen.insert(op).second)
      continue;
    if (isa<MmaOp>(op))
      return true;
    llvm::append_range(work, op->getOperands());
  }
  return false;
}

/// What is computed in the block of a value, for the product's sums alone; nothing if something
/// else needs it.
std::optional<llvm::SetVector<Operation *>> findLate(Value value, MmaOp product) {
  llvm::SetVector<Operation *> late;
  SmallVector<Value> work{value};
  while (!work.empty())
    for (OpOperand &use : work.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      if (user == product && &use == &product.getAccumulatorMutable())
        continue;
      if (user->getBlock() != product->getBlock() || !isMemoryEffectFree(user) ||
          user->getNumRegions() != 0 || user->hasTrait<OpTrait::IsTerminator>() || isa<MmaOp>(user))
        return std::nullopt;
      if (late.insert(user))
        llvm::append_range(work, user->getResults());
    }
  return late;
}

/// The rings that one loop fills, and how it does.
class Ring {
public:
  Ring(scf::ForOp loop, int64_t slots) : loop(loop), slots(slots), builder(loop) {}

  /// Has the last product of each step made in the next one, if there are slots enough.
  void findTrail() {
    constexpr int64_t leastSlots = 3;
    Block *body = loop.getBody();
    if (slots < leastSlots)
      return;
    for (auto [i, yielded] : llvm::enumerate(loop.getYieldedValues())) {
      auto product = yielded.getDefiningOp<MmaOp>();
      if (!product || !product->hasAttr(unitAttrName) || product->getBlock() != body ||
          !yielded.hasOneUse())
        continue;
      auto findLoad = [&](Value operand) {
        auto load = operand.getDefiningOp<LoadOp>();
        return load && rings.contains(load.getSource()) && operand.hasOneUse() &&
                       load.getIndices().empty()
                   ? load
                   : LoadOp();
      };
      LoadOp left = findLoad(product.getLhs()), right = findLoad(product.getRhs());
      Value own = left ? product.getRhs() : product.getLhs();
      auto late = findLate(loop.getRegionIterArg(unsigned(i)), product);
      if (bool(left) == bool(right) || !needsProduct(own, body) || !late)
        continue;
      trail = Trail{product, left ? left : right, own, unsigned(i), *late};
      return;
    }
  }

  /// The stores that fill are in the loop's body, each of a load that only it uses.
  LogicalResult collect(ArrayRef<AllocOp> all) {
    for (AllocOp alloc : all) {
      rings.insert(alloc.getMemory());
      for (Operation *user : alloc.getMemory().getUsers())
        if (auto store = dyn_cast<StoreOp>(user); store && store->getParentOp() == loop)
          stores.insert(store);
    }
    for (Operation *store : stores) {
      auto load = cast<StoreOp>(store).getValue().getDefiningOp<LoadOp>();
      if (!load || !load->hasOneUse() || load->getBlock() != loop.getBody() ||
          isLocal(cast<MemRefType>(load.getSource().getType())))
        return tw::emitOpError(store, Code::T0422)
               << "expected a ring to be filled with what one load reads from memory, found "
               << cast<StoreOp>(store).getValue().getType();
      addOperands(load);
      fills.insert(load);
    }
    // Users come behind what they use.
    for (Operation *op : llvm::reverse(fills))
      if (llvm::all_of(op->getUsers(), [&](Operation *user) {
            return stores.contains(user) || apart.contains(user);
          }))
        apart.insert(op);
    return success();
  }

  void run() {
    std::optional<LoopBounds> bounds = getLoopBounds(loop);
    SmallVector<Value> values;
    if (trail)
      values = bounds ? trailKnown(*bounds) : trailUnknown();
    else
      values = bounds ? runKnown(*bounds) : runUnknown();
    loop->replaceAllUsesWith(values);
    loop.erase();
  }

private:
  scf::ForOp loop;
  int64_t slots;
  OpBuilder builder;
  llvm::SmallSetVector<Value, 4> rings;
  /// The stores, and in the order of the body the loads and what these need of it.
  llvm::SmallSetVector<Operation *, 4> stores;
  llvm::SetVector<Operation *> fills;
  /// Of these, what nothing else needs: indices of rows that are gathered, say.
  llvm::DenseSet<Operation *> apart;
  std::optional<Trail> trail;

  SmallVector<Value> runKnown(const LoopBounds &bounds) {
    int64_t trips = (bounds.last - bounds.first) / bounds.step + 1;
    auto getIndex = [&](int64_t iteration) {
      return constant(bounds.first + iteration * bounds.step);
    };
    // The first slots, then steps in groups of one for each slot.
    for (int64_t i = 0; i < std::min(slots - 1, trips); ++i)
      fill(getIndex(i), i, {});
    int64_t groups = trips / slots;
    SmallVector<Value> values(loop.getInitArgs());
    if (groups > 0)
      values = runGroups(constant(groups), constant(bounds.first), bounds.step, 0, values,
                         inLoop(builder.getIndexAttr(bounds.last + 1)));
    // All that they read is filled, or on its way.
    int64_t filled = groups * slots + std::min(slots - 1, trips);
    for (int64_t i = groups * slots; i < trips; ++i)
      values = step([&](int64_t ahead) { return getIndex(i + ahead); }, i % slots, values,
                    filled - (i + 1), {});
    return values;
  }

  /// Bounds that the program's number settles: iterations that are not there fill slots with zeros
  /// in front of the loop too, and each that may be left over is behind a branch.
  SmallVector<Value> runUnknown() {
    Location location = loop.getLoc();
    int64_t by = *getConstantIntValue(loop.getStep());
    Value first = loop.getLowerBound(), end = loop.getUpperBound();
    AffineExpr a = builder.getAffineDimExpr(0), b = builder.getAffineDimExpr(1);
    auto apply = [&](AffineExpr expr, ValueRange operands) -> Value {
      return affine::AffineApplyOp::create(builder, location,
                                           AffineMap::get(operands.size(), 0, expr), operands);
    };
    Value trips = arith::MaxSIOp::create(builder, location,
                                         apply((b - a).ceilDiv(by), {first, end}), constant(0));
    for (int64_t i = 0; i < slots - 1; ++i)
      fill(apply(a + i * by, first), i, end);
    Value groups = apply(a.floorDiv(slots), trips);
    SmallVector<Value> values =
        runGroups(groups, first, by, 0, SmallVector<Value>(loop.getInitArgs()), inLoop(end));
    Value left = apply(a % slots, trips), done = apply(a + b * (slots * by), {first, groups});
    runLeft(0, left, values, [&](int64_t i) { return apply(a + i * by, done); });
    return values;
  }

  using GetIndex = llvm::function_ref<Value(int64_t)>;
  using Step = std::function<SmallVector<Value>(int64_t, GetIndex, ArrayRef<Value>)>;

  Step inLoop(OpFoldResult end) {
    return [this, end](int64_t i, GetIndex getIndex, ArrayRef<Value> values) {
      return step(getIndex, i, values, slots - 2, end);
    };
  }

  /// Groups of a step for each slot, behind so many steps.
  SmallVector<Value> runGroups(Value groups, Value first, int64_t by, int64_t behind,
                               ArrayRef<Value> carried, const Step &stepOf) {
    Location location = loop.getLoc();
    auto around = scf::ForOp::create(builder, location, constant(0), groups, constant(1), carried);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(around.getBody());
    SmallVector<Value> values(around.getRegionIterArgs());
    AffineExpr group = builder.getAffineDimExpr(0), begin = builder.getAffineDimExpr(1);
    if (std::optional<int64_t> known = getConstantIntValue(first))
      begin = builder.getAffineConstantExpr(*known);
    for (int64_t i = 0; i < slots; ++i)
      values = stepOf(
          i,
          [&](int64_t ahead) {
            AffineExpr index = (group * slots + behind + i + ahead) * by + begin;
            SmallVector<Value> operands = {around.getInductionVar()};
            if (!isa<AffineConstantExpr>(begin))
              operands.push_back(first);
            return Value(affine::AffineApplyOp::create(
                builder, location, AffineMap::get(operands.size(), 0, index), operands));
          },
          values);
    if (values.empty())
      builder.setInsertionPoint(around.getBody()->getTerminator());
    else
      scf::YieldOp::create(builder, location, values);
    return SmallVector<Value>(around.getResults());
  }

  /// Step `i` of those behind the groups, and inside of its branch those that follow.
  void runLeft(int64_t i, Value left, SmallVector<Value> &values,
               llvm::function_ref<Value(int64_t)> getIndex) {
    if (i == slots - 1)
      return;
    Location location = loop.getLoc();
    Value isThere =
        arith::CmpIOp::create(builder, location, arith::CmpIPredicate::sgt, left, constant(i));
    auto branch =
        scf::IfOp::create(builder, location, ValueRange(values).getTypes(), isThere, true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.elseBlock());
    if (!values.empty())
      scf::YieldOp::create(builder, location, values);
    builder.setInsertionPointToStart(branch.thenBlock());
    values = step([&](int64_t ahead) { return getIndex(i + ahead); }, i, values, slots - 2 - i, {});
    runLeft(i + 1, left, values, getIndex);
    if (!values.empty())
      scf::YieldOp::create(builder, location, values);
    values.assign(branch.getResults().begin(), branch.getResults().end());
  }

  /// The first step, whose product the second one makes, steps in groups of one for each slot, and
  /// at last the product of the last one. A slot is read in two steps, so that one less is filled
  /// ahead.
  SmallVector<Value> trailKnown(const LoopBounds &bounds) {
    int64_t trips = (bounds.last - bounds.first) / bounds.step + 1, ahead = slots - 2;
    auto getIndex = [&](int64_t iteration) {
      return constant(bounds.first + iteration * bounds.step);
    };
    int64_t filled = std::min(ahead, trips);
    for (int64_t i = 0; i < filled; ++i)
      fill(getIndex(i), i, {});
    SmallVector<Value> values(loop.getInitArgs());
    auto runStep = [&](int64_t j) {
      int64_t open = filled - (j + 1), next = j + ahead;
      bool fillsNext = next == filled && next < trips;
      values = trailStep([&](int64_t more) { return getIndex(j + more); }, j % slots, values, open,
                         fillsNext, {});
      filled += fillsNext;
    };
    runStep(0);
    int64_t groups = (trips - 1) / slots;
    if (groups > 0) {
      values = runGroups(constant(groups), constant(bounds.first), bounds.step, 1, values,
                         trailInLoop(builder.getIndexAttr(bounds.last + 1)));
      filled += groups * slots;
    }
    for (int64_t j = 1 + groups * slots; j < trips; ++j)
      runStep(j);
    return trailLast(values, (trips - 1) % slots);
  }

  SmallVector<Value> trailUnknown() {
    Location location = loop.getLoc();
    int64_t by = *getConstantIntValue(loop.getStep());
    Value first = loop.getLowerBound(), end = loop.getUpperBound();
    AffineExpr a = builder.getAffineDimExpr(0), b = builder.getAffineDimExpr(1);
    auto apply = [&](AffineExpr expr, ValueRange operands) -> Value {
      return affine::AffineApplyOp::create(builder, location,
                                           AffineMap::get(operands.size(), 0, expr), operands);
    };
    Value trips = apply((b - a).ceilDiv(by), {first, end});
    for (int64_t i = 0; i < slots - 2; ++i)
      fill(apply(a + i * by, first), i, end);
    Value isAny =
        arith::CmpIOp::create(builder, location, arith::CmpIPredicate::sgt, trips, constant(0));
    auto branch = scf::IfOp::create(builder, location, loop.getResultTypes(), isAny, true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, location, loop.getInitArgs());
    builder.setInsertionPointToStart(branch.thenBlock());
    SmallVector<Value> values(loop.getInitArgs());
    values = trailStep([&](int64_t more) { return apply(a + more * by, first); }, 0, values,
                       slots - 3, true, end);
    Value groups = apply((a - 1).floorDiv(slots), trips);
    values = runGroups(groups, first, by, 1, values, trailInLoop(end));
    Value left = apply((a - 1) % slots, trips),
          done = apply(a + (b * slots + 1) * by, {first, groups});
    values = trailLeft(0, left, values, end, [&](int64_t i) { return apply(a + i * by, done); });
    scf::YieldOp::create(builder, location, values);
    return SmallVector<Value>(branch.getResults());
  }

  /// Step `i` of those behind the groups, if there are more, and inside of its branch those that
  /// follow.
  SmallVector<Value> trailLeft(int64_t i, Value left, ArrayRef<Value> values, Value end,
                               GetIndex getIndex) {
    if (i == slots - 1)
      return trailLast(values, i);
    Location location = loop.getLoc();
    Value isThere =
        arith::CmpIOp::create(builder, location, arith::CmpIPredicate::sgt, left, constant(i));
    auto branch = scf::IfOp::create(builder, location, loop.getResultTypes(), isThere, true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, location, trailLast(values, i));
    builder.setInsertionPointToStart(branch.thenBlock());
    SmallVector<Value> next = trailStep([&](int64_t more) { return getIndex(i + more); },
                                        (i + 1) % slots, values, slots - 3, true, end);
    scf::YieldOp::create(builder, location, trailLeft(i + 1, left, next, end, getIndex));
    return SmallVector<Value>(branch.getResults());
  }

  Step trailInLoop(OpFoldResult end) {
    return [this, end](int64_t i, GetIndex getIndex, ArrayRef<Value> values) {
      return trailStep(getIndex, (i + 1) % slots, values, slots - 3, true, end);
    };
  }

  /// The product of a step, of what that left: its sums in their place, and the operand behind all.
  Value trailProduct(ArrayRef<Value> values, int64_t slot) {
    IRMapping mapping;
    auto load = cast<LoadOp>(builder.clone(*trail->load, mapping));
    placeInSlot(load, slot);
    mapping.map(trail->own, values.back());
    mapping.map(trail->product.getAccumulator(), values[trail->carried]);
    return builder.clone(*trail->product, mapping)->getResult(0);
  }

  SmallVector<Value> trailLast(ArrayRef<Value> values, int64_t slot) {
    SmallVector<Value> results(values.drop_back());
    results[trail->carried] = trailProduct(values, slot);
    return results;
  }

  /// One iteration, in which the product of the one before it is made as soon as its own are on
  /// their way. What is computed of that product's sums comes last.
  SmallVector<Value> trailStep(GetIndex getIndex, int64_t slot, ArrayRef<Value> carried,
                               int64_t open, bool fillsNext, OpFoldResult end) {
    auto barrier = BarrierOp::create(builder, loop.getLoc());
    barrier->setAttr(waitAttrName, builder.getI64IntegerAttr(open));
    barrier->setAttr(slotAttrName, builder.getI64IntegerAttr(slot));
    if (fillsNext)
      fill(getIndex(slots - 2), (slot + slots - 2) % slots, end);
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), getIndex(0));
    bool isFirst = carried.size() == loop.getNumRegionIterArgs();
    for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs()))
      if (isFirst || i != trail->carried)
        mapping.map(argument, carried[i]);
    Operation *last = nullptr;
    for (MmaOp product : loop.getBody()->getOps<MmaOp>())
      last = product == trail->product ? last : product.getOperation();
    auto copy = [&](Operation &op) {
      Operation *own = builder.clone(op, mapping);
      own->walk([&](LoadOp load) {
        if (rings.contains(load.getSource()))
          placeInSlot(load, slot);
      });
    };
    for (Operation &op : loop.getBody()->without_terminator()) {
      bool isFilling = stores.contains(&op) || apart.contains(&op);
      if (isFilling || &op == trail->product || &op == trail->load || trail->late.contains(&op))
        continue;
      copy(op);
      if (&op == last && !isFirst)
        mapping.map(loop.getRegionIterArg(trail->carried),
                    trailProduct(carried, (slot + slots - 1) % slots));
    }
    for (Operation &op : loop.getBody()->without_terminator())
      if (trail->late.contains(&op))
        copy(op);
    SmallVector<Value> results;
    for (Value value : loop.getYieldedValues())
      results.push_back(mapping.lookupOrDefault(value));
    results[trail->carried] = mapping.lookupOrDefault(trail->product.getAccumulator());
    results.push_back(mapping.lookupOrDefault(trail->own));
    return results;
  }

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loop.getLoc(), value);
  }

  void addOperands(Operation *op) {
    for (Value operand : op->getOperands())
      if (Operation *own = operand.getDefiningOp(); own && own->getBlock() == loop.getBody()) {
        addOperands(own);
        fills.insert(own);
      }
  }

  /// The map with a first coordinate that is the slot.
  view::MapAttr inSlot(view::MapAttr map, int64_t slot) {
    AffineMap own = map.getMap();
    SmallVector<AffineExpr> results(own.getResults());
    results.insert(results.begin(), builder.getAffineConstantExpr(slot));
    return view::MapAttr::get(AffineMap::get(own.getNumDims(), 0, results, builder.getContext()),
                              map.getGuards(), map.getOutside());
  }

  DenseBoolArrayAttr inSlot(std::optional<ArrayRef<bool>> inBounds) {
    if (!inBounds)
      return {};
    SmallVector<bool> all(*inBounds);
    all.insert(all.begin(), true);
    return builder.getDenseBoolArrayAttr(all);
  }

  template <typename Op> void placeInSlot(Op op, int64_t slot) {
    op.setMapAttr(inSlot(op.getMap(), slot));
    op.setInBoundsAttr(inSlot(op.getInBounds()));
  }

  /// Fills the slot for an iteration; where that is no constant, none from `end` on.
  void fill(Value index, int64_t slot, OpFoldResult end) {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), index);
    for (Operation *op : fills) {
      Operation *copy = builder.clone(*op, mapping);
      if (auto load = dyn_cast<LoadOp>(copy); load && end)
        leaveOut(load, index, end);
    }
    for (Operation *op : stores) {
      auto store = cast<StoreOp>(builder.clone(*op, mapping));
      placeInSlot(store, slot);
      store->setAttr(asynchronousAttrName, builder.getUnitAttr());
      if (op == stores.back())
        store->setAttr(commitAttrName, builder.getUnitAttr());
    }
  }

  /// Zeros for iterations that there are not.
  void leaveOut(LoadOp load, Value index, OpFoldResult end) {
    view::MapAttr map = load.getMap();
    unsigned dims = map.getNumDims();
    std::optional<int64_t> known = getConstantIntValue(end);
    unsigned all = dims + (known ? 1 : 2);
    map = map.compose(
        AffineMap::getMultiDimIdentityMap(all, builder.getContext()).getMajorSubMap(dims));
    AffineExpr last =
        known ? builder.getAffineConstantExpr(*known - 1) : builder.getAffineDimExpr(dims + 1) - 1;
    auto inside = IntegerSet::get(all, 0, last - builder.getAffineDimExpr(dims), false);
    Type element = cast<RankedTensorType>(load.getType()).getElementType();
    SmallVector<view::GuardAttr> guards(map.getGuards());
    guards.insert(guards.begin(),
                  view::GuardAttr::get(builder.getContext(), inside,
                                       cast<TypedAttr>(builder.getZeroAttr(element))));
    load.getIndicesMutable().append(index);
    if (known)
      load->setAttr(beforeAttrName, builder.getI64IntegerAttr(*known));
    else
      load.getIndicesMutable().append(cast<Value>(end));
    load.setMapAttr(view::MapAttr::get(map.getMap(), guards, map.getOutside()));
  }

  /// One iteration, which finds its slot filled when all fillings but the last `open` are done,
  /// and, where there is an `end`, fills the slot before it for a later one. `getIndex` gives the
  /// index so many iterations ahead.
  SmallVector<Value> step(llvm::function_ref<Value(int64_t)> getIndex, int64_t slot,
                          ValueRange carried, int64_t open, OpFoldResult end) {
    auto barrier = BarrierOp::create(builder, loop.getLoc());
    barrier->setAttr(waitAttrName, builder.getI64IntegerAttr(open));
    if (end)
      fill(getIndex(slots - 1), (slot + slots - 1) % slots, end);
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), getIndex(0));
    mapping.map(loop.getRegionIterArgs(), carried);
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (stores.contains(&op) || apart.contains(&op))
        continue;
      Operation *copy = builder.clone(op, mapping);
      copy->walk([&](LoadOp load) {
        if (rings.contains(load.getSource()))
          placeInSlot(load, slot);
      });
    }
    SmallVector<Value> results;
    for (Value value : loop.getYieldedValues())
      results.push_back(mapping.lookupOrDefault(value));
    return results;
  }
};

class TilePipelinePass : public tw::impl::TilePipelinePassBase<TilePipelinePass> {
public:
  using TilePipelinePassBase::TilePipelinePassBase;

  void runOnOperation() override {
    bool hasRings = getOperation()
                        ->walk([](AllocOp alloc) {
                          return alloc->hasAttr(slotsAttrName) ? WalkResult::interrupt()
                                                               : WalkResult::advance();
                        })
                        .wasInterrupted();
    if (!hasRings)
      return;
    // What is inside of memory in all iterations is marked so while these are all that there are.
    OpPassManager passes(getOperation()->getName());
    passes.addPass(createTileProveBoundsPass());
    if (failed(runPipeline(passes, getOperation())))
      return signalPassFailure();
    WalkResult result = getOperation()->walk<WalkOrder::PreOrder>([&](FuncOp func) {
      return failed(pipeline(func)) ? WalkResult::interrupt() : WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  static int64_t getSlots(AllocOp alloc) {
    return alloc->getAttrOfType<IntegerAttr>(slotsAttrName).getInt();
  }

  using RingsOfLoops = llvm::MapVector<Operation *, SmallVector<AllocOp>>;

  /// Gives each loop that fills the memory and reads it there memory of its own, as one has that
  /// is alone; false if something else uses it.
  static bool divide(AllocOp alloc, ArrayRef<Operation *> loops, RingsOfLoops &rings) {
    auto findLoop = [&](Operation *user) {
      return llvm::find_if(loops, [&](Operation *loop) { return loop->isAncestor(user); });
    };
    SmallVector<Operation *> users(alloc.getMemory().getUsers());
    if (loops.empty() ||
        llvm::any_of(users, [&](Operation *user) { return findLoop(user) == loops.end(); }))
      return false;
    SmallVector<AllocOp> own{alloc};
    OpBuilder builder(alloc);
    while (own.size() < loops.size())
      own.push_back(cast<AllocOp>(builder.clone(*alloc)));
    for (Operation *user : users)
      user->replaceUsesOfWith(alloc.getMemory(), own[findLoop(user) - loops.begin()].getMemory());
    for (auto [loop, ring] : llvm::zip(loops, own))
      rings[loop].push_back(ring);
    return true;
  }

  LogicalResult pipeline(FuncOp func) {
    RingsOfLoops loops;
    SmallVector<AllocOp> all;
    func.walk([&](AllocOp alloc) {
      if (alloc->hasAttr(slotsAttrName))
        all.push_back(alloc);
    });
    for (AllocOp alloc : all) {
      llvm::SmallSetVector<Operation *, 2> filling;
      for (Operation *user : alloc.getMemory().getUsers())
        if (isa<StoreOp>(user))
          filling.insert(user->getParentOp());
      // A loop of one iteration is none.
      if (filling.size() == 1 && isa<FuncOp>(filling.front())) {
        alloc->removeAttr(slotsAttrName);
        continue;
      }
      auto hasSteps = [](Operation *op) {
        auto loop = dyn_cast<scf::ForOp>(op);
        return loop && getConstantIntValue(loop.getStep()).value_or(0) > 0;
      };
      if (!llvm::all_of(filling, hasSteps) || !divide(alloc, filling.getArrayRef(), loops))
        return tw::emitOpError(alloc, Code::T0422)
               << "expected a ring to be filled and read in one loop of constant step: leave "
                  "prefetch out of its schedule";
    }
    for (auto &[op, rings] : loops) {
      auto loop = cast<scf::ForOp>(op);
      // A loop is taken apart, and with it what it holds.
      for (auto &[other, ofOther] : loops)
        if (loop->isProperAncestor(other))
          return tw::emitOpError(ofOther.front(), Code::T0422)
                 << "expected no ring to be filled in a loop that fills another one: leave "
                    "prefetch "
                    "of one of them out of its schedule";
    }
    for (auto &[op, rings] : loops) {
      auto loop = cast<scf::ForOp>(op);
      int64_t slots = getSlots(rings.front());
      for (AllocOp alloc : rings)
        if (getSlots(alloc) != slots)
          return tw::emitOpError(alloc, Code::T0422)
                 << "expected rings that one loop fills to have as many slots, found "
                 << getSlots(alloc) << " and " << slots;
      Ring ring(loop, slots);
      if (failed(ring.collect(rings)))
        return failure();
      if (trails)
        ring.findTrail();
      ring.run();
      for (AllocOp alloc : rings) {
        addSlots(alloc, slots);
        ++numRings;
      }
    }
    return success();
  }

  static void addSlots(AllocOp alloc, int64_t slots) {
    auto type = cast<MemRefType>(alloc.getMemory().getType());
    SmallVector<int64_t> shape(type.getShape()), strides = type.getStridesAndOffset().first;
    strides.insert(strides.begin(), strides.front() * shape.front());
    shape.insert(shape.begin(), slots);
    MemRefLayoutAttrInterface layout;
    if (!type.getLayout().isIdentity())
      layout = StridedLayoutAttr::get(alloc.getContext(), 0, strides);
    alloc.getMemory().setType(
        MemRefType::get(shape, type.getElementType(), layout, type.getMemorySpace()));
    alloc->removeAttr(slotsAttrName);
  }
};

} // namespace
