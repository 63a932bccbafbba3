// The pass that computes again what a function has no memory to keep.
#include "MemoryPlan.h"
#include "Proposals.h"

#include "tw/Dialect/Graph/Graph.h"
#include "tw/Dialect/Kernel/Describe.h"
#include "tw/Dialect/Kernel/MadeOnce.h"
#include "tw/Format/Planner.h"
#include "tw/Schedule/Passes.h"
#include "tw/Schedule/Record.h"
#include "tw/Support/ContextWorkers.h"
#include "tw/Support/Diagnostics.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/MathExtras.h"

namespace tw {
#define GEN_PASS_DEF_KERNELRECOMPUTEPASS
#include "tw/Schedule/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;
using namespace tw::schedule;

namespace {

/// Plans for less memory than there is that are tried where buffers do not lie without gaps.
constexpr unsigned kMostRounds = 4;
/// Limits that are tried to find the least one.
constexpr unsigned kMostHalves = 12;
/// Kept values that are told.
constexpr size_t kMostKept = 8;

/// The operands of a kernel, or what another op reads, in its regions too.
SmallVector<Value> getReads(Operation *op) {
  SmallVector<Value> reads(op->getOperands());
  if (isa<kernel::KernelOp>(op) || op->getNumRegions() == 0)
    return reads;
  llvm::SetVector<Value> used(reads.begin(), reads.end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  return used.takeVector();
}

/// A block of a function as steps of a plan, and back.
class Program {
public:
  /// Without a strategy nothing has a price.
  Program(mlir::Block &block, const Strategy *strategy, int64_t alignment)
      : strategy(strategy), alignment(alignment) {
    for (Value returned : block.getTerminator()->getOperands())
      elsewhere.insert(returned);
    for (BlockArgument argument : block.getArguments())
      addValue(argument);
    for (Operation &op : block)
      addStep(&op);
    if (auto function = dyn_cast<func::FuncOp>(block.getParentOp()))
      for (BlockArgument argument : function.getArguments())
        if (auto alias =
                function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), graph::aliasName))
          if (Operation *writer = block.getTerminator()->getOperand(alias.getInt()).getDefiningOp())
            if (auto *number = llvm::find(ops, writer); number != ops.end())
              plan.endAt(numbers.lookup(argument), number - ops.begin());
  }

  MemoryPlan plan;

  /// Puts the steps of a plan in the place of those that there were.
  void write(const MemoryPlan &changed);
  MemoryRecord describe(const MemoryPlan &changed) const;
  /// "layer_norm (i 64, j 128)".
  std::string getName(unsigned number) const {
    auto kernel = dyn_cast<kernel::KernelOp>(ops[number]);
    return kernel ? getFullName(kernel) : ops[number]->getName().getStringRef().str();
  }

private:
  /// What branches and loops make lies in memory of its own.
  void addValue(Value value) {
    bool isHere = isa<OpResult>(value) && !elsewhere.contains(value) && !kernel::isMadeOnce(value);
    int64_t bytes = isHere ? getBytes(value.getType()) : 0;
    numbers[value] = plan.addValue(bytes);
    values.push_back(value);
  }
  int64_t getBytes(Type type) const {
    auto tensor = cast<RankedTensorType>(type);
    int64_t bytes = llvm::divideCeil(tensor.getElementTypeBitWidth(), 8) * tensor.getNumElements();
    return llvm::alignTo(bytes, alignment);
  }
  void addStep(Operation *op) {
    for (Value result : op->getResults())
      addValue(result);
    if (isa<graph::ConstantOp>(op))
      return;
    MemoryPlan::Step step;
    step.number = ops.size();
    ops.push_back(op);
    reads.push_back(getReads(op));
    for (Value read : reads.back()) {
      // What lies around the block needs nothing here.
      if (auto [at, isNew] = numbers.try_emplace(read, values.size()); isNew) {
        plan.addValue(0);
        values.push_back(read);
      }
      step.reads.push_back(numbers.lookup(read));
    }
    for (Value result : op->getResults())
      step.makes.push_back(numbers.lookup(result));
    if (auto kernel = dyn_cast<kernel::KernelOp>(op))
      readKernel(kernel, step);
    else
      for (Region &region : op->getRegions())
        for (mlir::Block &inner : region)
          step.own = std::max(step.own, getOwn(inner));
    plan.addStep(std::move(step));
  }
  /// What a region needs beside the results of its op: other buffers for them, and its own.
  int64_t getOwn(mlir::Block &block) const {
    int64_t bytes = Program(block, strategy, alignment).plan.getPeak().first;
    for (Type type : block.getTerminator()->getOperandTypes())
      bytes += getBytes(type);
    return bytes;
  }
  void readKernel(kernel::KernelOp kernel, MemoryPlan::Step &step) {
    step.mayMove = step.mayRepeat = !kernel::isMadeOnce(kernel.getResult(0));
    for (unsigned i = 0; i < kernel.getNumResults(); ++i)
      if (std::optional<unsigned> updated = kernel.findUpdated(i)) {
        step.mayRepeat = false;
        if (kernel.getOperand(*updated).getDefiningOp<kernel::KernelOp>())
          step.takesOver = step.reads[*updated];
      }
    if (!strategy)
      return;
    if (kernel.getSchedule())
      step.cycles = strategy->getCycles(kernel, kernel.getScheduleAttr());
    if (step.cycles == 0)
      step.cycles = strategy->getLeastCycles(kernel);
    if (step.cycles == 0)
      step.cycles = double(kernel::describe(kernel).bytes);
  }

  const Strategy *strategy;
  int64_t alignment;
  llvm::DenseSet<Value> elsewhere;
  /// By number: values of the plan, steps, and what these read.
  SmallVector<Value> values;
  SmallVector<Operation *> ops;
  SmallVector<SmallVector<Value>> reads;
  llvm::DenseMap<Value, unsigned> numbers;
};

void Program::write(const MemoryPlan &changed) {
  SmallVector<Value> now = values;
  now.resize(changed.getNumValues());
  SmallVector<bool> stays(ops.size(), false);
  SmallVector<Operation *> written;
  for (const MemoryPlan::Step &step : changed.getSteps()) {
    Operation *op = step.isCopy ? ops[step.number]->clone() : ops[step.number];
    written.push_back(op);
    stays[step.number] = stays[step.number] || !step.isCopy;
    for (auto [i, value] : llvm::enumerate(step.reads)) {
      Value old = reads[step.number][i];
      if (isa<kernel::KernelOp>(op))
        op->setOperand(i, now[value]);
      else if (old != now[value])
        old.replaceUsesWithIf(now[value],
                              [&](OpOperand &use) { return op->isAncestor(use.getOwner()); });
    }
    for (auto [value, result] : llvm::zip(step.makes, op->getResults()))
      now[value] = result;
  }
  // The terminator is the last one and stays.
  for (size_t i = written.size(); i-- > 0;)
    if (!written[i]->getBlock())
      written[i + 1]->getBlock()->getOperations().insert(written[i + 1]->getIterator(), written[i]);
  for (size_t i = ops.size(); i-- > 0;)
    if (!stays[i])
      ops[i]->erase();
}

MemoryRecord Program::describe(const MemoryPlan &changed) const {
  MemoryRecord record;
  record.before = plan.getPeak().first;
  unsigned at;
  std::tie(record.after, at) = changed.getPeak();
  for (const MemoryPlan::Step &step : plan.getSteps())
    record.cycles += step.cycles;
  auto getBytes = [&](const MemoryPlan::Step &step) {
    int64_t bytes = 0;
    for (unsigned value : step.makes)
      bytes += changed.getSize(value);
    return bytes;
  };
  llvm::DenseSet<unsigned> seen;
  for (const MemoryPlan::Step &step : changed.getSteps())
    if (!seen.insert(step.number).second)
      record.again.push_back({getName(step.number), getBytes(step), step.cycles});
  auto lifetimes = changed.getLifetimes();
  for (auto [i, step] : llvm::enumerate(changed.getSteps()))
    for (unsigned value : step.makes)
      if (changed.getSize(value) > 0 && i < at && lifetimes[value].last > at)
        record.kept.push_back({getName(step.number), changed.getSize(value), step.cycles});
  llvm::sort(record.kept, [](const auto &a, const auto &b) {
    return std::tuple(-a.bytes, a.kernel) < std::tuple(-b.bytes, b.kernel);
  });
  record.keptValues = int64_t(record.kept.size());
  for (const MemoryRecord::Entry &each : record.kept)
    record.keptBytes += each.bytes;
  record.kept.truncate(std::min(record.kept.size(), kMostKept));
  return record;
}

/// Bytes of an arena for all values of the plan.
int64_t planArena(const MemoryPlan &plan, int64_t alignment) {
  SmallVector<format::PlanInterval> intervals;
  for (auto [value, lifetime] : llvm::enumerate(plan.getLifetimes()))
    if (int64_t bytes = plan.getSize(value); bytes > 0 && !lifetime.isEmpty())
      intervals.push_back({uint64_t(bytes), uint64_t(alignment), lifetime.first, lifetime.last});
  std::vector<format::Placement> placements(intervals.size());
  std::vector<uint64_t> slabs(std::max<size_t>(1, intervals.size()));
  format::PlanSummary summary;
  uint32_t bad = 0;
  if (format::planArena(intervals, {}, placements, slabs, summary, bad) != format::PlanResult::Ok)
    return INT64_MAX;
  int64_t own = plan.getPeak().first - int64_t(summary.peakLiveBytes);
  return int64_t(summary.totalBytes) + std::max<int64_t>(own, 0);
}

struct KernelRecompute : public tw::impl::KernelRecomputePassBase<KernelRecompute> {
  using KernelRecomputePassBase::KernelRecomputePassBase;

  void runOnOperation() override {
    ContextWorkers workers(getContext());
    const Strategy *strategy = nullptr;
    if (memory != INT64_MAX) {
      Proposals *proposals =
          getAnalysis<ProposalsOfMachines>().get(getOperation(), machine, traits, false);
      if (!proposals)
        return signalPassFailure();
      strategy = &proposals->getStrategy();
    }
    SmallVector<MemoryRecord> records;
    for (auto function : getOperation()->getRegion(0).getOps<func::FuncOp>())
      if (!function.isPrivate() && function.getBody().hasOneBlock() && hasFixedSizes(function) &&
          failed(fit(function, strategy, records)))
        return signalPassFailure();
    setMemory(getOperation(), records);
  }

private:
  static bool hasFixedSizes(func::FuncOp function) {
    auto isFixed = [](Type type) {
      return cast<RankedTensorType>(type).hasStaticShape() && !view::hasSymbols(type);
    };
    return !function
                .walk([&](Operation *op) {
                  if (isa<kernel::KernelOp>(op) && !(llvm::all_of(op->getResultTypes(), isFixed) &&
                                                     llvm::all_of(op->getOperandTypes(), isFixed)))
                    return WalkResult::interrupt();
                  return isa<kernel::KernelOp>(op) ? WalkResult::skip() : WalkResult::advance();
                })
                .wasInterrupted();
  }

  LogicalResult fit(func::FuncOp function, const Strategy *strategy,
                    SmallVectorImpl<MemoryRecord> &records) {
    Program program(function.front(), strategy, alignment);
    MemoryPlan plan = program.plan;
    if (!strategy) {
      records.push_back(program.describe(plan));
      records.back().function = function.getName().str();
      return success();
    }
    int64_t most = memory, arena = planArena(plan, alignment);
    for (unsigned round = 0; arena > memory && round < kMostRounds; ++round) {
      plan = program.plan;
      if (!plan.fit(most))
        break;
      arena = planArena(plan, alignment);
      most = int64_t(double(most) * double(memory) / double(arena));
    }
    if (arena > memory) {
      // Lower limits may be reached where higher ones are not.
      MemoryPlan least = findLeast(program.plan);
      plan = least;
      plan.keepAgain(memory);
      if (planArena(plan, alignment) > memory)
        plan = least;
      if (planArena(plan, alignment) > memory)
        return refuse(function, program, least);
    }
    records.push_back(program.describe(plan));
    records.back().function = function.getName().str();
    program.write(plan);
    return success();
  }

  /// By halves: a limit that is far too low counts what runs again for itself against it.
  static MemoryPlan findLeast(const MemoryPlan &all) {
    MemoryPlan least = all;
    int64_t low = 0, high = all.getPeak().first;
    for (unsigned round = 0; round < kMostHalves && low < high; ++round) {
      MemoryPlan plan = all;
      int64_t most = low + (high - low) / 2;
      bool fits = plan.fit(most);
      if (plan.getPeak().first < least.getPeak().first)
        least = plan;
      if (!fits)
        low = most + 1;
      high = std::min(high, least.getPeak().first);
    }
    return least;
  }

  LogicalResult refuse(func::FuncOp function, const Program &program, const MemoryPlan &least) {
    int64_t reached = planArena(least, alignment);
    MemoryRecord record = program.describe(least);
    auto diagnostic = tw::emitError(function.getLoc(), Code::T0502);
    diagnostic << "'" << function.getName() << "' needs an arena of "
               << planArena(program.plan, alignment) << " bytes, expected at most "
               << int64_t(memory) << "; the least found, with " << record.again.size()
               << " kernels run again, is " << reached;
    for (const MemoryRecord::Entry &each :
         ArrayRef(record.kept).take_front(std::min<size_t>(3, record.kept.size())))
      diagnostic.attachNote(function.getLoc()) << "kept: " << each.kernel << ", " << each.bytes;
    return diagnostic;
  }
};

} // namespace
