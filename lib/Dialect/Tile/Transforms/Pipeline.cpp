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
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SetVector.h"

namespace tw {
#define GEN_PASS_DEF_TILEPIPELINEPASS
#include "tw/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;
using namespace tw::tile;

namespace {

/// The rings that one loop fills, and how it does.
class Ring {
public:
  Ring(scf::ForOp loop, int64_t slots) : loop(loop), slots(slots), builder(loop) {}

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
    return success();
  }

  void run() {
    std::optional<LoopBounds> bounds = getLoopBounds(loop);
    SmallVector<Value> values = bounds ? runKnown(*bounds) : runUnknown();
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
      values = runGroups(constant(groups), constant(bounds.first), bounds.step, values,
                         builder.getIndexAttr(bounds.last + 1));
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
        runGroups(groups, first, by, SmallVector<Value>(loop.getInitArgs()), end);
    Value left = apply(a % slots, trips), done = apply(a + b * (slots * by), {first, groups});
    runLeft(0, left, values, [&](int64_t i) { return apply(a + i * by, done); });
    return values;
  }

  /// Groups of a step for each slot.
  SmallVector<Value> runGroups(Value groups, Value first, int64_t by, ArrayRef<Value> carried,
                               OpFoldResult end) {
    Location location = loop.getLoc();
    auto around = scf::ForOp::create(builder, location, constant(0), groups, constant(1), carried);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(around.getBody());
    SmallVector<Value> values(around.getRegionIterArgs());
    AffineExpr group = builder.getAffineDimExpr(0), begin = builder.getAffineDimExpr(1);
    if (std::optional<int64_t> known = getConstantIntValue(first))
      begin = builder.getAffineConstantExpr(*known);
    for (int64_t i = 0; i < slots; ++i)
      values = step(
          [&](int64_t ahead) {
            AffineExpr index = (group * slots + i + ahead) * by + begin;
            SmallVector<Value> operands = {around.getInductionVar()};
            if (!isa<AffineConstantExpr>(begin))
              operands.push_back(first);
            return Value(affine::AffineApplyOp::create(
                builder, location, AffineMap::get(operands.size(), 0, index), operands));
          },
          i, values, slots - 2, end);
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
      if (stores.contains(&op) || (isa<LoadOp>(op) && fills.contains(&op)))
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

  LogicalResult pipeline(FuncOp func) {
    llvm::MapVector<Operation *, SmallVector<AllocOp>> loops;
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
      auto loop = filling.size() == 1 ? dyn_cast<scf::ForOp>(filling.front()) : scf::ForOp();
      if (!loop || getConstantIntValue(loop.getStep()).value_or(0) <= 0 ||
          llvm::any_of(alloc.getMemory().getUsers(),
                       [&](Operation *user) { return !loop->isAncestor(user); }))
        return tw::emitOpError(alloc, Code::T0422)
               << "expected a ring to be filled and read in one loop of constant step: leave "
                  "prefetch out of its schedule";
      loops[loop].push_back(alloc);
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
