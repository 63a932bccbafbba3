// Cycles of one core for a kernel under any schedule: the loops of its plan counted, and what each
// of them leaves in the caches.
//
// Strategies estimate what they choose from, by terms measured for their kind of kernel; this is
// for schedules that they did not make, with the same limits and without such terms. The footprint
// of a loop is what its body touches in lines; data stays in a cache from one iteration of a loop
// to the next if the footprint of its body fits (Wolf and Lam, "A data locality optimizing
// algorithm", PLDI 1991, without sets and ways).
#include "Accesses.h"

#include "tw/Schedule/Strides.h"

#include "tw/Schedule/Plan.h"
#include "tw/Target/Host/HostStrategy.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

namespace {

class Estimator {
public:
  Estimator(KernelOp kernel, const Plan &plan, const HostTraits &traits)
      : kernel(kernel), plan(plan), traits(traits), sets(kernel), accesses(kernel, sets) {
    nest = plan.grid;
    llvm::append_range(nest, plan.loops);
  }

  HostEstimate estimate() {
    for (Operation &op : kernel.getBody().front())
      addOp(&op);
    result.l2 = bytesBeyond(traits.l1Bytes) / traits.l2BytesPerCycle;
    result.memory = bytesBeyond(traits.l2Bytes) / farRate();
    result.registers = countRegisters(kernel, traits);
    // What does not fit in registers is stored and loaded in each step.
    if (result.registers > traits.registers)
      result.overhead = trips(nest.size()) * double(result.registers - traits.registers) *
                        (1 / traits.storesPerCycle + 1 / traits.loadsPerCycle);
    return result;
  }

private:
  KernelOp kernel;
  const Plan &plan;
  const HostTraits &traits;
  AxisSets sets;
  Accesses accesses;
  /// Positions in the plan's leaves, outermost first: the grid, then the loops.
  SmallVector<unsigned> nest;
  HostEstimate result;

  bool has(const llvm::SmallBitVector &axes, unsigned leaf) { return axes[plan.leaves[leaf].axis]; }

  /// Positions in the nest up to the innermost loop that the axes need, of the first `most`.
  unsigned depthOf(const llvm::SmallBitVector &axes, unsigned most) {
    while (most > 0 && !has(axes, nest[most - 1]))
      --most;
    return most;
  }

  /// How much of what the leaves of an axis cover is there, where the last iteration is smaller.
  double share(unsigned axis) {
    int64_t covered = 1;
    for (const LeafAxis &leaf : plan.leaves)
      if (leaf.axis == axis)
        covered *= leaf.extent;
    return plan.peeled[axis] ? double(kernel.getExtents()[axis]) / double(covered) : 1;
  }

  /// Iterations of the first `depth` loops of the nest that are around ops over `axes`.
  double trips(unsigned depth, const llvm::SmallBitVector &axes) {
    double count = 1;
    llvm::SmallBitVector seen(kernel.getNumAxes());
    for (auto [i, leaf] : llvm::enumerate(ArrayRef(nest).take_front(depth))) {
      const LeafAxis &own = plan.leaves[leaf];
      if (i >= plan.grid.size() && !axes[own.axis])
        continue;
      count *= double(own.extent) * (seen[own.axis] ? 1 : share(own.axis));
      seen.set(own.axis);
    }
    return count;
  }

  double trips(unsigned depth) {
    return trips(depth, llvm::SmallBitVector(kernel.getNumAxes(), true));
  }

  /// The axes whose loops are around the op: those of the stores, reductions and kept values that
  /// need it.
  llvm::SmallBitVector enclosing(Operation *op) {
    if (auto store = dyn_cast<StoreOp>(op))
      return sets.of(store.getValue());
    llvm::SmallBitVector axes = sets.of(op->getResult(0));
    if (isa<ReduceOp, ContractOp, ScanOp>(op))
      return axes |= sets.reducedBy(op);
    auto name = op->getAttrOfType<StringAttr>("name");
    if (name && plan.keep.contains(name.getValue()))
      return axes;
    for (Operation *user : op->getUsers())
      if (!isForStages(plan, user))
        axes |= enclosing(user);
    return axes;
  }

  /// The stage that the op is computed for, if it is for one alone: of its own value or of one that
  /// is computed from it.
  const StagedValue *findStage(Operation *op) {
    for (const StagedValue &staged : plan.staged)
      if (staged.op == op)
        return &staged;
    if (!isForStages(plan, op))
      return nullptr;
    for (Operation *user : op->getUsers())
      if (const StagedValue *staged = findStage(user))
        return staged;
    return nullptr;
  }

  /// Loops of the nest in which the buffer is filled.
  unsigned fillDepth(const StagedValue &staged) {
    return staged.loop ? std::find(nest.begin(), nest.end(), *staged.loop) - nest.begin() + 1
                       : plan.grid.size();
  }

  /// Registers of a row of a tile, which the last of its leaves is.
  double rowRegisters(Type type, const llvm::SmallBitVector &axes) {
    if (plan.tile.empty() || !has(axes, plan.tile.back()))
      return 1;
    int64_t extent = plan.leaves[plan.tile.back()].extent;
    return llvm::divideCeil(extent * std::max(32u, type.getIntOrFloatBitWidth()) / 32,
                            traits.lanes);
  }

  /// Registers that hold a tile of the value; one for each element that is the same in all lanes.
  /// Groups of a dot product are one element.
  double tileRegisters(Type type, const llvm::SmallBitVector &axes) {
    double count = rowRegisters(type, axes);
    for (unsigned leaf : plan.tile)
      if (leaf != plan.tile.back() && has(axes, leaf) && !plan.leaves[leaf].dot)
        count *= double(plan.leaves[leaf].extent);
    return count;
  }

  /// How often instructions on whole registers are needed for the values of an op over `axes`.
  double countRegistersOf(Operation *op, Type type, const llvm::SmallBitVector &axes) {
    if (const StagedValue *staged = findStage(op)) {
      double points = trips(fillDepth(*staged));
      for (unsigned leaf : staged->leaves)
        points *= has(axes, leaf) ? double(plan.leaves[leaf].extent) : 1;
      // What is summed over on the way is not among the buffer's dimensions.
      llvm::SmallBitVector summed = axes;
      for (unsigned leaf : staged->leaves)
        summed.reset(plan.leaves[leaf].axis);
      for (unsigned leaf : ArrayRef(nest).take_front(fillDepth(*staged)))
        summed.reset(plan.leaves[leaf].axis);
      points *= double(sets.points(summed));
      bool lanes = !staged->leaves.empty() && has(axes, staged->readLeaf);
      return points / (lanes ? double(traits.lanes) : 1);
    }
    return trips(depthOf(axes, nest.size()), enclosing(op)) * tileRegisters(type, axes);
  }

  double workOf(Operation *op) {
    constexpr double kFunction = 16, kDivision = 8;
    return isExpensive(op) ? kFunction : isa<arith::DivFOp>(op) ? kDivision : 1;
  }

  void addOp(Operation *op) {
    if (auto load = dyn_cast<LoadOp>(op))
      return addLoad(load);
    if (auto store = dyn_cast<StoreOp>(op)) {
      Value value = store.getValue();
      const llvm::SmallBitVector &axes = sets.of(value);
      result.l1 += countRegistersOf(op, value.getType(), axes) * lanesApart(store, axes) /
                   traits.storesPerCycle;
      return;
    }
    if (op->getNumResults() == 0 || op->hasTrait<OpTrait::ConstantLike>() ||
        op->getResult(0).getType().isIndex())
      return;
    Type type = op->getResult(0).getType();
    llvm::SmallBitVector axes = sets.of(op->getResult(0)), reduced = sets.reducedBy(op);
    axes |= reduced;
    double count = countRegistersOf(op, type, axes), rate = traits.fmaPerCycle;
    if (isa<ContractOp>(op) && llvm::any_of(plan.tile, [&](unsigned leaf) {
          return plan.leaves[leaf].dot && reduced[plan.leaves[leaf].axis];
        }))
      rate = type.isInteger() ? traits.int8DotPerCycle : traits.bf16DotPerCycle;
    result.compute += std::max(count * workOf(op) / rate, waitCycles(op, axes, reduced));
    addStaged(op, type);
  }

  /// Cycles that sums wait for themselves, where fewer are under way than hide the latency.
  double waitCycles(Operation *op, const llvm::SmallBitVector &axes,
                    const llvm::SmallBitVector &reduced) {
    unsigned depth = depthOf(axes, nest.size());
    if (!isa<ReduceOp, ContractOp>(op) || findStage(op) || depth == 0 ||
        !has(reduced, nest[depth - 1]))
      return 0;
    return trips(depth, axes) * double(traits.fmaLatency);
  }

  /// A value that waits in a buffer is written there and read back by those that need it.
  void addStaged(Operation *op, Type type) {
    const StagedValue *staged = findStage(op);
    if (!staged || staged->op != op)
      return;
    const llvm::SmallBitVector &axes = sets.of(op->getResult(0));
    result.l1 += countRegistersOf(op, type, axes) / traits.storesPerCycle;
    double reads = 0;
    for (Operation *user : op->getUsers())
      reads = std::max(reads, trips(depthOf(axes, nest.size()), enclosing(user)));
    result.l1 += reads * tileRegisters(type, axes) / traits.loadsPerCycle;
  }

  void addLoad(LoadOp load) {
    Type type = load.getType();
    const llvm::SmallBitVector &axes = sets.of(load.getResult());
    double count = countRegistersOf(load, type, axes);
    // Copies go along memory, or are transposed in registers.
    double apart = findStage(load) ? 1 : lanesApart(load, axes);
    result.l1 += count * apart / traits.loadsPerCycle;
    addStaged(load, type);
  }

  /// Accesses for one of a whole register: one for each lane where lanes lie apart. Where another
  /// axis of the tile runs along memory, tiles are transposed in registers.
  template <typename Op> double lanesApart(Op op, const llvm::SmallBitVector &axes) {
    if (plan.tile.empty() || !has(axes, plan.tile.back()))
      return 1;
    constexpr int64_t kNear = 8; // Vectors are loaded whole and shuffled up to half of a register.
    auto strideOf = [&](unsigned leaf) {
      return getUsualStride(op, kernel.getAxis(plan.leaves[leaf].axis));
    };
    if (llvm::any_of(plan.tile, [&](unsigned leaf) { return strideOf(leaf).value_or(2) == 1; }))
      return 1;
    std::optional<int64_t> stride = strideOf(plan.tile.back());
    int64_t lanes = std::min(traits.lanes, plan.leaves[plan.tile.back()].extent);
    return double(stride && *stride <= kNear ? std::max<int64_t>(1, *stride) : lanes);
  }

  /// Points of the axis in the tile and the loops from `depth` on.
  int64_t pointsFrom(unsigned axis, unsigned depth) {
    int64_t points = 1;
    auto add = [&](unsigned leaf) {
      if (plan.leaves[leaf].axis == axis)
        points *= plan.leaves[leaf].extent;
    };
    llvm::for_each(ArrayRef(nest).drop_front(depth), add);
    llvm::for_each(plan.tile, add);
    return std::min(points, kernel.getExtents()[axis]);
  }

  /// Bytes of whole lines that the access touches in the loops from `depth` on; as many elements as
  /// points where a coordinate is not linear, as in what is packed.
  double footprint(const Access &access, unsigned depth) {
    double elements = 1, points = 1, whole = double(access.getBytes());
    double bytes = whole / double(access.type.getNumElements());
    for (unsigned axis : access.axes.set_bits())
      points *= double(pointsFrom(axis, depth));
    for (auto [dim, expr] : llvm::enumerate(access.map.getResults())) {
      int64_t span = 1, values = 1, size = access.type.getDimSize(dim);
      auto row = RankedTensorType::get({size}, access.type.getElementType());
      AffineMap map = AffineMap::get(access.map.getNumDims(), 0, expr);
      for (unsigned axis : access.axes.set_bits()) {
        std::optional<int64_t> slope =
            tw::schedule::getStride(row, map, access.indices, kernel.getAxis(axis));
        if (!slope)
          return std::min(points * bytes, whole);
        span += std::abs(*slope) * (pointsFrom(axis, depth) - 1);
        values *= *slope ? pointsFrom(axis, depth) : 1;
      }
      span = std::min({span, values, size});
      bool isLast = dim + 1 == access.map.getNumResults();
      elements *= isLast ? double(llvm::alignTo(uint64_t(span * bytes), traits.lineBytes)) / bytes
                         : double(span);
    }
    return std::min(elements * bytes, whole);
  }

  /// Bytes that come from beyond a cache of that size, or go there.
  double bytesBeyond(int64_t cacheBytes) {
    unsigned depth = 0;
    auto touched = [&] {
      double bytes = 0;
      for (const Access &access : accesses.all())
        bytes += footprint(access, depth);
      return bytes;
    };
    while (depth < nest.size() && touched() > double(cacheBytes))
      ++depth;
    // The loop around the first one that fits reads on where its last iteration ended.
    depth -= depth > 0;
    double bytes = 0;
    for (const Access &access : accesses.all()) {
      // Memory is read before it is written, unless stores go past the caches.
      double times = access.isStore && plan.streamed.empty() ? 2 : 1;
      bytes += times * footprint(access, depth) * trips(depthOf(access.axes, depth));
    }
    return bytes;
  }

  double farRate() {
    double bytes = 0;
    for (const Access &access : accesses.all())
      bytes += double(access.getBytes());
    return bytes > double(traits.l3Bytes) ? traits.memoryBytesPerCycle : traits.l3BytesPerCycle;
  }
};

} // namespace

HostEstimate tw::schedule::estimateSchedule(KernelOp kernel, const HostTraits &traits) {
  auto copy = cast<KernelOp>(kernel->clone());
  FailureOr<Plan> plan = makePlan(copy);
  HostEstimate estimate;
  if (succeeded(plan))
    estimate = Estimator(copy, *plan, traits).estimate();
  copy->erase();
  return estimate;
}
