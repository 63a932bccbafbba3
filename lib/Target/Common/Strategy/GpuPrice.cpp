// The price of a launch of groups of threads, from what its programs do.
//
// Processors run programs in rounds of as many as there is room for beside each other: room for
// threads, groups, registers and local memory. A round takes as long as its programs keep the
// processor busy, and no less than one of them waits and computes by itself (the two regimes of
// Hong and Kim, ISCA 2009). What all processors share, the last cache and memory, is a rate of the
// launch as a whole. The longest term counts, and a tenth of the others, as on a CPU.
#include "tw/Target/Common/GpuPrice.h"

#include "GpuCounts.h"

#include "tw/Schedule/PlanBuilder.h"
#include "tw/Schedule/Primitive.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

double GpuPrice::cycles() const {
  constexpr double kApart = 0.1;
  double most = 0, all = 0;
  for (auto [name, term] : getTerms()) {
    most = std::max(most, term);
    all += term;
  }
  return most + kApart * (all - most);
}

GpuPrice &GpuPrice::operator+=(const GpuPrice &other) {
  core += other.core;
  matrix += other.matrix;
  local += other.local;
  waits += other.waits;
  cache += other.cache;
  unused += other.unused;
  memory += other.memory;
  launches += other.launches;
  registers = std::max(registers, other.registers);
  programs = programs == 0 ? other.programs : std::min(programs, other.programs);
  resident = resident == 0 ? other.resident : std::min(resident, other.resident);
  return *this;
}

/// Programs that a processor has room for at once; 0 if not for one.
static int64_t countResident(const GpuCounts &counts, const GpuMachine &machine) {
  if (counts.localBytes > machine.groupLocalBytes)
    return 0;
  int64_t registers = std::min(counts.registers, machine.threadRegisters);
  int64_t threads = counts.threads + counts.loading;
  // Threads begin with as many registers each. Of a program that has the processor to itself those
  // that load give the others what they have no use for.
  constexpr int64_t loadingRegisters = 40;
  int64_t byRegisters = machine.processorRegisters / (registers * threads);
  if (byRegisters == 0 &&
      registers * counts.threads + loadingRegisters * counts.loading <= machine.processorRegisters)
    byRegisters = 1;
  int64_t resident =
      std::min({machine.processorGroups, machine.processorThreads / threads, byRegisters});
  return counts.localBytes == 0
             ? resident
             : std::min(resident, machine.processorLocalBytes / counts.localBytes);
}

/// Bytes that come from memory: of what programs that run beside each other read, each once; of
/// tensors that have room in the cache all together, each once in all.
static double countMemoryBytes(const GpuCounts &counts, const Plan &plan, double beside,
                               const GpuMachine &machine) {
  double all = 0, bytes = 0;
  for (const GpuAccess &access : counts.accesses)
    all += access.tensorBytes;
  for (const GpuAccess &access : counts.accesses) {
    // Programs are numbered with the last dimension of the grid fastest.
    double places = 1, placesBeside = 1, left = beside;
    for (auto [leaf, moves] : llvm::reverse(llvm::zip_equal(plan.grid, access.moves))) {
      double extent = double(plan.leaves[leaf].extent);
      if (moves) {
        places *= extent;
        placesBeside *= std::min(extent, std::max(1.0, left));
      }
      left /= extent;
    }
    double once = std::min(places * access.ownBytes, access.tensorBytes);
    double rounds = std::ceil(counts.programs / beside);
    bytes += all <= double(machine.cacheBytes)
                 ? once
                 : std::clamp(rounds * placesBeside * access.ownBytes, once,
                              std::max(once, counts.programs * access.bytes));
  }
  return bytes;
}

static std::optional<GpuPrice> price(const LoopTree &tree, const GpuMachine &machine) {
  GpuCounts counts = countGroups(tree, machine);
  int64_t resident = countResident(counts, machine);
  if (resident == 0 || (counts.loading != 0 && !counts.fillsBoxes))
    return std::nullopt;
  // Units work beside the threads on registers that nothing else may touch.
  if (counts.multipliesOwn && counts.registers > machine.threadRegisters)
    return std::nullopt;
  double processors = double(machine.processors);
  // What has no register goes to memory of the thread, which the caches hold, and back.
  double spilled = double(std::max<int64_t>(0, counts.registers - machine.threadRegisters));
  double bytes =
      counts.getBytes() + 2 * 4 * spilled * double(counts.threads) * std::max(1.0, counts.waits);
  double most = std::ceil(counts.programs / processors);
  double rate = std::min(machine.threadsPerCycle, double(counts.threads));
  double matrix = counts.matrixCycles;
  // Of a chain threads await each product. Few threads reach a part of the matrix units.
  double own = matrix * machine.threadsPerCycle / rate;
  double computes = counts.operations / rate, inTurn = computes + own;
  if (!counts.multipliesOwn || counts.trails)
    inTurn = std::max(computes, own);
  double alone = std::max(inTurn, counts.localCycles) + counts.chain * double(machine.latency) +
                 counts.barriers * double(machine.barrierCycles) +
                 counts.exchanges * double(machine.exchangeCycles);
  double tensorBytes = 0;
  for (const GpuAccess &access : counts.accesses)
    tensorBytes += access.tensorBytes;
  double latency = double(tensorBytes <= double(machine.cacheBytes) ? machine.cacheLatency
                                                                    : machine.memoryLatency);
  // A filling takes the latency and the time of its bytes. Of a ring so many are under way at once,
  // and the first one is waited for.
  double fillings =
      counts.ringFillings * latency + counts.ringBytes * processors / machine.cacheBytesPerCycle;
  if (counts.ringFillings > 0)
    alone = std::max(alone, fillings / counts.ringAhead) + fillings / counts.ringFillings;
  alone += counts.waits * latency;
  double beside = std::min(counts.programs, processors * double(resident));
  GpuPrice price;
  price.core = most * counts.operations / machine.threadsPerCycle;
  price.matrix = most * matrix;
  price.local = most * counts.localCycles;
  price.waits = std::ceil(most / double(resident)) * alone;
  price.cache = counts.programs * bytes / machine.cacheBytesPerCycle;
  for (const GpuAccess &access : counts.accesses)
    price.unused += counts.programs * access.unusedBytes / machine.cacheBytesPerCycle;
  price.memory = countMemoryBytes(counts, tree.plan, beside, machine) / machine.memoryBytesPerCycle;
  price.launches = double(machine.launchCycles);
  price.resident = resident;
  price.programs = int64_t(counts.programs);
  price.registers = counts.registers;
  return price;
}

/// Operations of the op on each of its points.
static double getOperations(Operation &op) {
  if (isa<LoadOp, StoreOp, arith::ConstantOp>(op) ||
      llvm::any_of(op.getResultTypes(), [](Type type) { return type.isIndex(); }))
    return 0;
  return isFunction(&op) ? kFunction : 1;
}

double tw::schedule::getLeastCycles(KernelOp kernel, const GpuMachine &machine) {
  AxisSets sets(kernel);
  double operations = 0, bytes = 0;
  auto move = [&](RankedTensorType type, const llvm::SmallBitVector &axes) {
    double points = std::min(double(sets.points(axes)), double(type.getNumElements()));
    bytes += points * double(llvm::divideCeil(type.getElementTypeBitWidth(), 8));
  };
  for (Operation &op : kernel.getBody().front()) {
    if (auto load = dyn_cast<LoadOp>(op))
      move(cast<RankedTensorType>(load.getSource().getType()), sets.of(load.getResult()));
    if (auto store = dyn_cast<StoreOp>(op)) {
      llvm::SmallBitVector axes = sets.unionOf(store.getIndices());
      move(cast<RankedTensorType>(kernel.getResult(store.getResultNumber()).getType()), axes);
    }
    if (op.getNumResults() == 0)
      continue;
    llvm::SmallBitVector axes = sets.of(op.getResult(0));
    axes |= sets.reducedBy(&op);
    operations += double(sets.points(axes)) * getOperations(op);
  }
  return double(machine.launchCycles) +
         std::max(operations / (machine.threadsPerCycle * double(machine.processors)),
                  bytes / machine.memoryBytesPerCycle);
}

static std::optional<GpuPrice> priceAlone(KernelOp kernel, const GpuMachine &machine) {
  std::string why;
  if (failed(applyRewrites(kernel, why)))
    return std::nullopt;
  FailureOr<Plan> plan = PlanBuilder(kernel, why).build(kernel.getScheduleAttr());
  if (failed(plan))
    return std::nullopt;
  Refusal refusal;
  std::unique_ptr<LoopTree> tree = buildLoopTree(kernel, *plan, refusal);
  return tree ? price(*tree, machine) : std::nullopt;
}

std::optional<GpuPrice>
tw::schedule::priceGroups(KernelOp kernel, ScheduleAttr list, const GpuMachine &machine,
                          llvm::function_ref<ScheduleAttr(KernelOp)> choose) {
  if (machine.processors == 0)
    return std::nullopt;
  // What comes before the kernel is made in a block of its own.
  mlir::Block block;
  auto copy = cast<KernelOp>(kernel->clone());
  block.push_back(copy);
  copy.setScheduleAttr(list);
  std::string why;
  if (!isLegal(kernel, list, why) || (makesKernels(list) && failed(makeKernels(copy))))
    return std::nullopt;
  std::optional<GpuPrice> all = GpuPrice();
  for (auto own : block.getOps<KernelOp>()) {
    if (!own.getSchedule())
      own.setScheduleAttr(choose(own));
    std::optional<GpuPrice> price = priceAlone(own, machine);
    if (!price)
      return std::nullopt;
    *all += *price;
  }
  return all;
}
