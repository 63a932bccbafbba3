// Schedules for groups of threads: what is proposed, and the choice by price.
//
// A device of which nobody knows the numbers gets the schedule of the rules alone. For others the
// sizes are varied, one kind of them after another around the best so far, and the cheapest list
// is taken; of equal prices the one proposed first, so that the rules decide between those.
#include "tw/Target/Common/GpuStrategy.h"

#include "GpuAttention.h"
#include "GpuCounts.h"
#include "GpuParts.h"
#include "GpuRank.h"
#include "GpuRoom.h"
#include "GpuSchedule.h"

#include "tw/Dialect/Kernel/Instance.h"
#include "tw/Schedule/Exactness.h"
#include "tw/Schedule/Plan.h"
#include "tw/Schedule/Strategy.h"
#include "tw/Target/Common/GpuPrice.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

/// A list; its price is known, or it is the only one.
struct GpuCandidate {
  GpuSizes sizes;
  ScheduleAttr schedule;
  bool isPriced = false;
  GpuRanked rank = {};
};

size_t findBest(ArrayRef<GpuCandidate> candidates) {
  return schedule::findBest(llvm::map_to_vector(
      candidates, [](const GpuCandidate &candidate) { return candidate.rank; }));
}

/// The sizes of the rules. Threads in turn are few for a tile, with as many elements as their
/// registers hold; what they share is read again rather than staged, for which a barrier would put
/// these away; few programs are enough for the cores that there are, and these are few for what is
/// swept over twice.
GpuSizes makeSizes(const GpuMachine &machine) {
  GpuSizes sizes;
  if (machine.threadsInTurn) {
    sizes.staged = false;
    sizes.block = 4;
    sizes.accumulators = sizes.reduced = 64;
    sizes.programs = 16;
    sizes.scanParts = false;
  }
  return sizes;
}

class GpuChoice {
public:
  GpuChoice(KernelOp kernel, const GpuMachine &machine, bool exact)
      : kernel(kernel), machine(machine), exact(exact) {}

  /// As they were proposed; one where there are no prices; none where no list is legal.
  SmallVector<GpuCandidate, 0> run() {
    add(makeSizes(machine));
    if (candidates.empty())
      add(makeSizes(machine), writeSimplestGpuSchedule(kernel));
    if (!candidates.empty() && candidates.front().isPriced) {
      addContractions();
      addUnits();
      addOrders();
      addLoading();
      addAttention();
      addReductions();
      addColumns();
      addResults();
      addRowBlocks();
      addTiles();
      addLedParts();
    }
    return std::move(candidates);
  }

private:
  /// Steps that a thread multiplies in one body at most: more is code that takes long to compile
  /// and leaves the cache of instructions.
  static constexpr int64_t kMostSteps = 1024;
  /// Rows of tiles whose programs may follow each other: more than a device has at work in a
  /// column.
  static constexpr int64_t kMostTogether = 32;

  void addContractions() {
    GpuSizes sizes = getBest().sizes;
    sizes.adapts = false;
    for (sizes.height = 128; sizes.height >= 16; sizes.height /= 2)
      for (sizes.width = 128; sizes.width >= 16; sizes.width /= 2)
        for (sizes.accumulators = 8; sizes.accumulators * sizes.block <= kMostSteps;
             sizes.accumulators *= 2)
          add(sizes);
    sizes = getBest().sizes;
    for (int64_t block : {8, 32})
      if (sizes.block = block; block * sizes.accumulators <= kMostSteps)
        add(sizes);
  }

  /// Products by matrix units, of what they take.
  void addUnits() {
    auto isTaken = [&](ContractOp op) {
      return getUnitProducts(machine, op, /*readsLocal=*/false) > 0;
    };
    if (exact || !llvm::any_of(kernel.getBody().getOps<ContractOp>(), isTaken))
      return;
    // Bytes of 128 points are what 64 of 16 bits are.
    bool areBytes = llvm::all_of(kernel.getBody().getOps<ContractOp>(), [](ContractOp op) {
      return op.getLhs().getType().getIntOrFloatBitWidth() == 8;
    });
    int64_t deepest = areBytes ? 128 : 64;
    GpuSizes sizes;
    sizes.unit = true;
    sizes.unitDepthBytes = machine.unitDepthBytes;
    sizes.adapts = false;
    for (sizes.height = 256; sizes.height >= 32; sizes.height /= 2)
      for (sizes.width = 256; sizes.width >= 32; sizes.width /= 2)
        for (sizes.accumulators = 16; sizes.accumulators <= 128; sizes.accumulators *= 2)
          // Of equal prices many slots, and deep blocks, whose steps are fewer.
          for (sizes.slots = 4; sizes.slots >= 1; --sizes.slots)
            for (sizes.block = deepest; sizes.block >= 32; sizes.block /= 2)
              if (sizes.height * sizes.width <= 32768)
                add(sizes);
  }

  /// Programs of a contraction in an order in which those at work share operands, which costs
  /// matrix units nothing else.
  void addOrders() {
    GpuSizes sizes = getBest().sizes;
    isFree = sizes.unit;
    for (sizes.together = 2; sizes.together <= kMostTogether; sizes.together *= 2)
      add(sizes);
    isFree = false;
  }

  /// Subgroups that only load, as many as give their registers to the others together.
  void addLoading() {
    GpuSizes sizes = getBest().sizes;
    sizes.loading = machine.copiesBoxes ? machine.localUnitThreads / machine.subgroup : 0;
    if (sizes.loading != 0)
      add(sizes);
  }

  /// Two products by matrix units in one sweep.
  void addAttention() {
    if (machine.matrixProducts == 0 || exact)
      return;
    GpuSizes sizes;
    for (sizes.height = 128; sizes.height >= 32; sizes.height /= 2)
      for (sizes.subgroupRows = 32; sizes.subgroupRows >= 16; sizes.subgroupRows /= 2)
        for (sizes.keys = 128; sizes.keys >= (machine.sumsAreOperands ? 32 : 16); sizes.keys /= 2)
          for (sizes.block = 256; sizes.block >= 64; sizes.block /= 4)
            for (sizes.slots = 1; sizes.slots <= 3; ++sizes.slots)
              if (ScheduleAttr list = writeGpuAttention(kernel, sizes))
                add(sizes, list);
              else
                return;
    // As many subgroups that only load as give their registers to the others, or one, beside which
    // programs have room.
    sizes = getBest().sizes;
    if (!machine.copiesBoxes || writeGpuAttention(kernel, sizes) != getBest().schedule)
      return;
    for (int64_t loading : {machine.localUnitThreads / machine.subgroup, int64_t(1)}) {
      sizes.loading = loading;
      add(sizes, writeGpuAttention(kernel, sizes));
    }
  }

  /// Who sums, and in how many programs.
  void addReductions() {
    for (bool parts : {true, false})
      for (GpuSizes::Reduction reduction : {GpuSizes::Reduction::Threads, GpuSizes::Reduction::Rows,
                                            GpuSizes::Reduction::Columns}) {
        GpuSizes sizes = getBest().sizes;
        sizes.reduction = reduction;
        sizes.parts = parts;
        for (int64_t each : {1, 2, 4}) {
          sizes.programs = each * machine.processors;
          add(sizes);
        }
      }
  }

  /// Fewer results for a program that sums them by threads that share each: more programs, where
  /// those so far have results whose every element is in a segment of its own.
  void addColumns() {
    GpuSizes sizes = getBest().sizes;
    if (!wastesMuch(getBest().rank.price))
      return;
    sizes.reduction = GpuSizes::Reduction::Columns;
    for (sizes.columns = 16; sizes.columns >= 4; sizes.columns /= 2)
      for (sizes.tile = 1024; sizes.tile <= 4096; sizes.tile *= 2)
        add(sizes);
  }

  /// Results of a thread that sums its own.
  void addResults() {
    GpuSizes sizes = getBest().sizes;
    if (machine.threadsInTurn || kernel.getBody().getOps<ReduceOp>().empty())
      return;
    sizes.reduction = GpuSizes::Reduction::Threads;
    for (sizes.results = 2; sizes.results <= 8; sizes.results *= 2)
      add(sizes);
  }

  /// Rows that threads would have one of each, block by block through local memory, and more of
  /// what shares these.
  void addRowBlocks() {
    GpuSizes sizes = getBest().sizes;
    int64_t kept = sizes.keptRow;
    for (sizes.keptRow = kept; sizes.keptRow <= 2 * kept; sizes.keptRow *= 2)
      for (sizes.rowBlock = 2; sizes.rowBlock <= 32; sizes.rowBlock *= 2)
        for (sizes.slots = 1; sizes.slots <= 2; ++sizes.slots)
          add(sizes);
  }

  /// Elements of tiles, and of a thread.
  void addTiles() {
    for (int64_t tile : {128, 256, 512, 1024, 2048}) {
      GpuSizes sizes = getBest().sizes;
      sizes.tile = sizes.row = tile;
      add(sizes);
    }
    for (int64_t elements : {1, 2, 4, 8, 16}) {
      GpuSizes sizes = getBest().sizes;
      sizes.vector = sizes.reduced = elements;
      add(sizes);
    }
  }

  /// Sums that a maximum leads, those of attention, in parts of what they run over: as many as are
  /// missing programs, where a second launch is less than they can save.
  void addLedParts() {
    const GpuPrice &price = getBest().rank.price;
    double share = double(price.programs) / double(machine.processors);
    double saved = (price.cycles() - price.launches) * (1 - share);
    if (exact || price.programs == 0 || saved <= double(machine.launchCycles))
      return;
    int64_t parts = llvm::divideCeil(machine.processors, price.programs);
    add(getBest().sizes, writeLedParts(kernel, parts));
  }

  /// The best so far.
  const GpuCandidate &getBest() const { return candidates[findBest(candidates)]; }

  void add(const GpuSizes &sizes) { add(sizes, writeGpuSchedule(kernel, exact, sizes)); }

  void add(const GpuSizes &sizes, ScheduleAttr schedule) {
    std::string why;
    if (!schedule || !seen.insert(schedule).second || !isLegal(kernel, schedule, why) ||
        (exact && !isExact(kernel, schedule, why)))
      return;
    std::optional<GpuPrice> price = priceGroups(kernel, schedule, machine, [&](KernelOp made) {
      return makeGpuSchedule(made, machine, exact);
    });
    GpuCandidate candidate{sizes, schedule, price.has_value()};
    if (price)
      candidate.rank = {*price, sizes.slots, price->registers > machine.threadRegisters, isFree};
    else if (!candidates.empty())
      return;
    candidates.push_back(candidate);
  }

  KernelOp kernel;
  const GpuMachine &machine;
  bool exact;
  /// Whether what saves little is taken, too.
  bool isFree = false;
  llvm::SmallPtrSet<Attribute, 32> seen;
  SmallVector<GpuCandidate, 0> candidates;
};

/// A driver that runs eight threads as one vector of a core, as llvmpipe does. A write is a loop
/// over these, of some 20 instructions a turn; what it reads of a texel buffer is one gather,
/// around which it looks whether all lies inside. At a barrier each vector of threads stores all
/// that it holds.
void assumeSoftware(GpuMachine &machine) {
  machine.processorGroups = 1;
  machine.threadsPerCycle = 8;
  machine.latency = 1;
  machine.accessOperations = 40;
  machine.readOperations = 10;
  machine.barrierCycles = machine.exchangeCycles = 1000;
  machine.cacheLatency = machine.memoryLatency = 1;
}

/// A device whose numbers nobody knows is taken for a small one with cheap launches where kernels
/// are compared, so that launches alone are no reason to compute more: what such a device gains by
/// fewer bytes, others do as well.
GpuMachine assumeNumbers(GpuMachine machine) {
  constexpr int64_t kProcessors = 8, kLaunchCycles = 1000;
  if (machine.processors == 0) {
    machine.processors = kProcessors;
    machine.launchCycles = kLaunchCycles;
    if (machine.threadsInTurn)
      assumeSoftware(machine);
  }
  return machine;
}

class GpuStrategy : public Strategy {
public:
  bool setMachine(StringRef traits, std::string &wrong) override {
    if (!forEachSetting(traits, wrong, [&](StringRef name, StringRef value) {
          if (name != "chip")
            return getGpuTraits().set(machine, name, value, wrong);
          chip = value.str();
          return true;
        }))
      return false;
    assumed = assumeNumbers(machine);
    return true;
  }

  double getLeastCycles(KernelOp kernel) const override {
    return schedule::getLeastCycles(kernel, assumed);
  }

  double getCycles(KernelOp kernel, ScheduleAttr list) const override {
    std::optional<GpuPrice> price = getPrice(kernel, list);
    return price ? price->cycles() : 0;
  }

  std::optional<Shortage> findShortage(KernelOp kernel, ScheduleAttr list) const override {
    SmallVector<StringAttr> symbols = getSymbols(kernel);
    auto mostOf = [&](StringAttr symbol) { return getMost(kernel, symbol).value_or(1); };
    OwningOpRef<KernelOp> copy = symbols.empty() ? kernel.clone() : instantiate(kernel, mostOf);
    auto shortage = schedule::findShortage(*copy, list, machine, chip);
    // What becomes of loops over sizes no single size tells.
    if (succeeded(shortage) && !*shortage && !symbols.empty())
      shortage = schedule::findShortage(kernel, list, machine, chip);
    return succeeded(shortage) ? *shortage : Shortage{Code::T0422, "code", 0, 0};
  }

  SmallVector<Candidate> propose(KernelOp kernel, bool exactOnly, unsigned) const override {
    OwningOpRef<KernelOp> copy(kernel.clone());
    SmallVector<GpuCandidate, 0> candidates = GpuChoice(*copy, machine, exactOnly).run();
    putBestFirst(*copy, candidates);
    if (candidates.empty())
      candidates.push_back({{}, writeSimplestGpuSchedule(*copy)});
    SmallVector<Candidate> proposed;
    for (GpuCandidate &candidate : candidates) {
      proposed.push_back({"gpu", candidate.schedule, collectNames(*copy, candidate.schedule)});
      std::optional<GpuPrice> price = candidate.rank.price;
      if (!candidate.isPriced)
        price = getPrice(*copy, candidate.schedule);
      if (!price)
        continue;
      proposed.back().cycles = price->cycles();
      for (auto [name, cycles] : price->getTerms())
        proposed.back().terms.push_back({name.str(), cycles});
    }
    return proposed;
  }

private:
  /// The best that has room first, without those that were better; then by price.
  void putBestFirst(KernelOp kernel, SmallVector<GpuCandidate, 0> &candidates) const {
    while (!candidates.empty()) {
      auto *best = candidates.begin() + findBest(candidates);
      auto shortage = schedule::findShortage(kernel, best->schedule, machine, chip);
      if (succeeded(shortage) && !*shortage) {
        std::rotate(candidates.begin(), best, best + 1);
        break;
      }
      candidates.erase(best);
    }
    SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(0, candidates.size()));
    auto getKey = [&](unsigned place) {
      const GpuRanked &rank = candidates[place].rank;
      return std::tuple(place != 0, rank.spills, rank.price.cycles(), place);
    };
    llvm::sort(order, [&](unsigned a, unsigned b) { return getKey(a) < getKey(b); });
    candidates =
        llvm::map_to_vector<0>(order, [&](unsigned place) { return std::move(candidates[place]); });
  }

  std::optional<GpuPrice> getPrice(KernelOp kernel, ScheduleAttr list) const {
    return priceGroups(kernel, list, assumed, [&](KernelOp made) {
      return makeGpuSchedule(made, machine, /*exact=*/false);
    });
  }

  GpuMachine machine;
  /// "cuda:sm_80", whose instructions there are; empty for any.
  std::string chip;
  /// With numbers where nobody knows them.
  GpuMachine assumed = assumeNumbers({});
};

} // namespace

void tw::schedule::registerGpuStrategy() {
  registerStrategy("gpu",
                   []() -> std::unique_ptr<Strategy> { return std::make_unique<GpuStrategy>(); });
}

ScheduleAttr tw::schedule::makeGpuSchedule(KernelOp kernel, const GpuMachine &machine, bool exact) {
  SmallVector<GpuCandidate, 0> candidates = GpuChoice(kernel, machine, exact).run();
  return candidates.empty() ? writeSimplestGpuSchedule(kernel)
                            : candidates[findBest(candidates)].schedule;
}
