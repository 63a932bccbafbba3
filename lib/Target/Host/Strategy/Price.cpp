// The price of a schedule: its loop trees' cycles, joined.
#include "Price.h"
#include "Balance.h"
#include "MadeLists.h"
#include "Product.h"

#include "tw/Dialect/Kernel/Apart.h"
#include "tw/Dialect/Kernel/Instance.h"
#include "tw/Dialect/Kernel/MadeOnce.h"
#include "tw/Dialect/Kernel/Transforms/OutlineValue.h"
#include "tw/Format/Commands.h"
#include "tw/Schedule/Primitive.h"

#include "mlir/IR/Threading.h"

#include <cmath>
#include <deque>

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

/// Ranks for each doubling of a price.
static constexpr double kRankBits = 4096;

double HostPrice::cycles() const {
  constexpr double kApart = 0.1;
  double most = 0, all = 0;
  // Instructions wait for pages, and for what a first iteration brings.
  for (double term : {core + pages + waits, l2, l3, memory}) {
    most = std::max(most, term);
    all += term;
  }
  return most + kApart * (all - most);
}

HostPrice &HostPrice::operator+=(const HostPrice &other) {
  core += other.core;
  pages += other.pages;
  waits += other.waits;
  l2 += other.l2;
  l3 += other.l3;
  memory += other.memory;
  return *this;
}

double host::getShare(KernelOp kernel, const Plan &plan, ArrayRef<unsigned> leaves,
                      const HostTraits &traits) {
  SmallVector<GridLevel> levels;
  for (unsigned leaf : leaves) {
    const LeafAxis &axis = plan.leaves[leaf];
    bool isOutermost = llvm::none_of(plan.leaves, [&](const LeafAxis &other) {
      return other.axis == axis.axis && other.stride > axis.stride;
    });
    double rest = double(kernel.getExtents()[axis.axis] - (axis.extent - 1) * axis.stride);
    double last = isOutermost ? std::clamp(rest / double(axis.stride), 0.0, 1.0) : 1;
    levels.push_back({axis.extent, last});
  }
  return stretchOf(levels, traits.threads) / double(traits.threads);
}

/// The price of the thread that ends last. What all share of memory is not faster than all can be.
static void spread(KernelOp kernel, const Plan &plan, const HostTraits &traits, HostPrice &price) {
  bool isTeam = !plan.team.empty();
  double share = host::getShare(kernel, plan, isTeam ? plan.team : plan.grid, traits);
  if (share >= 1) {
    price.core += traits.commandCycles;
    return;
  }
  // Of a team the core's cycles are those of one thread already.
  price.core = price.core * (isTeam ? 1 : share) + traits.launchCycles;
  for (double *term : {&price.pages, &price.waits, &price.l2, &price.l3})
    *term *= share;
  price.l3 *= traits.l3BytesPerCycle / traits.l3BusyBytesPerCycle;
  price.memory *=
      std::max(share, traits.memoryBytesPerCycle / traits.getSharedMemoryBytesPerCycle());
}

/// Bytes of the buffers of a program.
static int64_t countBufferBytes(const LoopTree &tree) {
  constexpr int64_t kAlignment = 16;
  int64_t bytes = 0;
  for (const std::unique_ptr<Node> &node : tree.nodes) {
    if (node->kind != NodeKind::Alloc)
      continue;
    int64_t width = llvm::divideCeil(node->op->getResult(0).getType().getIntOrFloatBitWidth(), 8);
    bytes += llvm::alignTo(llvm::product_of(node->shape) * width, kAlignment);
  }
  return bytes;
}

namespace {

/// A kernel that its schedule makes no others of, which this may rewrite, with the cycles of its
/// core.
class PricedCore {
public:
  /// Null where the schedule is illegal.
  static std::unique_ptr<PricedCore> find(KernelOp kernel, const HostTraits &traits) {
    // Each operand that is packed is one more, where it is read elsewhere as it was.
    if (kernel->getNumOperands() + kernel->getNumResults() > format::maxKernelBindings)
      return nullptr;
    std::string why;
    if (failed(applyRewrites(kernel, why)))
      return nullptr;
    FailureOr<Plan> plan = PlanBuilder(kernel, why).build(kernel.getScheduleAttr());
    if (failed(plan))
      return nullptr;
    std::unique_ptr<PricedCore> priced(new PricedCore(kernel, traits, std::move(*plan)));
    return priced->tree ? std::move(priced) : nullptr;
  }

  /// Cycles if it moved no data from beyond the first cache.
  double getLeast() const {
    HostPrice least;
    least.core = core;
    spread(kernel, plan, traits, least);
    return least.cycles();
  }

  HostPrice getPrice() const {
    // Of a team the core's cycles are those of one thread, all else is of all.
    double all = core;
    if (!plan.team.empty())
      all /= std::min(1.0, host::getShare(kernel, plan, plan.team, traits));
    HostPrice price = host::priceTraffic(*tree, all, traits);
    price.core = core;
    spread(kernel, plan, traits, price);
    return price;
  }

private:
  PricedCore(KernelOp kernel, const HostTraits &traits, Plan made)
      : kernel(kernel), traits(traits), plan(std::move(made)) {
    Refusal refusal;
    tree = buildLoopTree(kernel, plan, refusal);
    if (tree && countBufferBytes(*tree) > traits.bufferBytes)
      tree = nullptr;
    if (tree)
      core = host::priceCore(*tree, traits);
  }

  KernelOp kernel;
  const HostTraits &traits;
  Plan plan;
  std::unique_ptr<LoopTree> tree;
  double core = 0;
};

} // namespace

/// None, too, where the core alone takes more than `most` cycles.
static std::optional<HostPrice> priceAlone(KernelOp kernel, const HostTraits &traits, double most) {
  std::unique_ptr<PricedCore> priced = PricedCore::find(kernel, traits);
  if (!priced || priced->getLeast() > most)
    return std::nullopt;
  return priced->getPrice();
}

/// As priceSchedule; none, too, where it takes more than `most` cycles as far as that is seen
/// before all is priced.
static SmallVector<HostPrice> priceBelow(KernelOp kernel, const HostTraits &traits, double most);

void host::ListPrice::add(const HostPrice &kernel) {
  terms += kernel;
  cycles += kernel.cycles();
  launches += kernel.cycles() > 0;
}

std::optional<host::ListPrice> host::priceList(KernelOp kernel, ScheduleAttr list,
                                               const HostTraits &traits, double most) {
  OwningOpRef<KernelOp> copy(cast<KernelOp>(kernel->clone()));
  copy->setScheduleAttr(list);
  ListPrice all;
  if (!makesKernels(list)) {
    std::optional<HostPrice> alone = priceAlone(*copy, traits, most);
    if (!alone)
      return std::nullopt;
    all.add(*alone);
    return all;
  }
  SmallVector<HostPrice> prices = priceBelow(*copy, traits, most);
  if (prices.empty())
    return std::nullopt;
  for (const HostPrice &price : prices)
    all.add(price);
  return all;
}

SmallVector<HostPrice> tw::schedule::priceSchedule(KernelOp kernel, const HostTraits &traits) {
  return priceBelow(kernel, traits, host::kUnlimited);
}

/// Of a kernel that the list of another one makes; nothing for one that runs once. Without a
/// schedule it is what combines parts, or a panel that is not simplified yet. With `alone` it gets
/// no list that makes others in turn.
static std::optional<HostPrice> priceMade(KernelOp kernel, const HostTraits &traits, bool isPanel,
                                          bool alone = false) {
  if (isMadeOnce(kernel.getResult(0)))
    return HostPrice();
  auto priceOne = [&](KernelOp scheduled) {
    return priceAlone(scheduled, traits, host::kUnlimited);
  };
  if (kernel.getSchedule())
    return priceOne(kernel);
  if (isPanel)
    simplifyPanel(kernel);
  if (traits.made)
    return traits.made->price(kernel, traits, alone, priceOne);
  kernel.setScheduleAttr(makeHostSchedule(kernel, traits, alone));
  return priceOne(kernel);
}

namespace {

/// A kernel under a list, and those that the list makes, with the cycles of its own core.
class PricedTree {
public:
  /// Null where the list is illegal.
  static std::unique_ptr<PricedTree> find(KernelOp kernel, const HostTraits &traits) {
    std::unique_ptr<PricedTree> priced(new PricedTree(kernel, traits));
    bool makes = priced->kernel.getSchedule() && makesKernels(*priced->kernel.getSchedule());
    std::string why;
    if (makes && failed(makeKernels(priced->kernel, why, /*isTrial=*/true)))
      return nullptr;
    priced->combinesParts = makes && !priced->kernel.getSchedule();
    if (priced->combinesParts)
      return priced;
    priced->core = PricedCore::find(priced->kernel, traits);
    return priced->core ? std::move(priced) : nullptr;
  }

  /// Cycles that all together take at least.
  double getLeast() const { return combinesParts ? 0 : core->getLeast(); }

  /// Of all, in order; none where one has no price, or they are seen to take more than `most`
  /// cycles.
  SmallVector<HostPrice> getPrices(double most) {
    if (getLeast() > most)
      return {};
    // Those that are made get their own lists for a price, so what is left of the kernel comes
    // first: it may take too much by itself.
    std::optional<HostPrice> last =
        combinesParts ? priceMade(kernel, traits, /*isPanel=*/false) : core->getPrice();
    if (!last)
      return {};
    double cycles = last->cycles();
    SmallVector<HostPrice> prices;
    for (auto own : block.getOps<KernelOp>()) {
      if (own == kernel) {
        prices.push_back(*last);
        continue;
      }
      if (cycles > most)
        return {};
      std::optional<HostPrice> price =
          priceMade(own, traits, /*isPanel=*/true, combinesParts && !mayPack);
      if (!price)
        return {};
      cycles += price->cycles();
      prices.push_back(*price);
    }
    return prices;
  }

private:
  PricedTree(KernelOp original, const HostTraits &traits)
      : traits(traits), kernel(cast<KernelOp>(original->clone())),
        mayPack(!isSettled(original) || llvm::any_of(original.getOperands(), isMadeOnce)) {
    block.push_back(kernel);
  }

  const HostTraits &traits;
  /// What comes before the kernel is made in a block of its own.
  mlir::Block block;
  KernelOp kernel;
  /// Of the parts of a reduction, which are a kernel before it; it has no list any more.
  bool combinesParts = false;
  /// Parts have one list for all sizes that calls settle: what packs an argument for many points
  /// is none for a few, so it is no list for parts.
  bool mayPack;
  std::unique_ptr<PricedCore> core;
};

} // namespace

static SmallVector<HostPrice> priceBelow(KernelOp kernel, const HostTraits &traits, double most) {
  std::unique_ptr<PricedTree> priced = PricedTree::find(kernel, traits);
  return priced ? priced->getPrices(most) : SmallVector<HostPrice>();
}

namespace {

/// The ranks of the cheapest of some candidates.
class CheapestRanks {
public:
  CheapestRanks(size_t most, const HostTraits &traits, ArrayRef<HostCandidate> priced)
      : most(most), traits(traits) {
    for (const HostCandidate &candidate : priced)
      if (candidate.cycles > 0)
        add(candidate);
  }

  void add(const HostCandidate &candidate) {
    int64_t rank = host::rankOf(candidate, traits);
    ranks.insert(llvm::upper_bound(ranks, rank), rank);
    if (ranks.size() > most)
      ranks.pop_back();
  }

  bool areAll() const { return most == host::kAllCandidates; }

  /// Cycles beyond which another one is not among them.
  double getMost() const {
    return ranks.size() < most ? host::kUnlimited : std::exp2(double(ranks.back() + 1) / kRankBits);
  }

private:
  size_t most;
  const HostTraits &traits;
  SmallVector<int64_t> ranks;
};

} // namespace

/// Prices candidates as long as they may be among the cheapest: those of the least core first, so
/// that what the others read and pack is not looked at.
static void pricePart(KernelOp kernel, const HostTraits &traits,
                      ArrayRef<HostCandidate *> candidates, CheapestRanks cheapest) {
  auto find = [&](size_t i) {
    kernel.setScheduleAttr(candidates[i]->schedule);
    return PricedTree::find(kernel, traits);
  };
  auto priceOne = [&](size_t i, PricedTree &list) {
    HostCandidate &candidate = *candidates[i];
    for (const HostPrice &price : list.getPrices(cheapest.getMost())) {
      candidate.price += price;
      candidate.cycles += price.cycles();
      candidate.launches += price.cycles() > 0;
    }
    if (candidate.cycles > 0)
      cheapest.add(candidate);
  };
  SmallVector<std::unique_ptr<PricedTree>> lists(candidates.size());
  SmallVector<std::pair<double, size_t>> order;
  for (size_t i = 0; i < candidates.size(); ++i) {
    std::unique_ptr<PricedTree> list = find(i);
    if (list && cheapest.areAll()) {
      priceOne(i, *list);
    } else if (list) {
      order.push_back({list->getLeast(), i});
      lists[i] = std::move(list);
    }
  }
  llvm::sort(order);
  for (auto [least, i] : order) {
    priceOne(i, *lists[i]);
    lists[i] = nullptr;
  }
}

void tw::schedule::host::priceAll(KernelOp kernel, const HostTraits &traits,
                                  MutableArrayRef<HostCandidate> candidates, size_t most) {
  SmallVector<HostCandidate *> open;
  SmallVector<HostCandidate, 0> priced;
  for (HostCandidate &candidate : candidates)
    if (candidate.cycles == 0)
      open.push_back(&candidate);
    else if (most < kAllCandidates)
      priced.push_back(candidate);
  MLIRContext *context = kernel.getContext();
  // A part of fewer takes as long to hand out.
  constexpr size_t kFewest = 3;
  size_t threads = context->isMultithreadingEnabled() ? context->getNumThreads() : 1;
  size_t parts = std::clamp<size_t>(open.size() / kFewest, 1, threads);
  // Copies use what the program makes, which is for one thread.
  std::deque<KernelApart> copies;
  while (copies.size() < parts)
    copies.emplace_back(kernel);
  parallelFor(context, 0, parts, [&](size_t part) {
    SmallVector<HostCandidate *> own;
    for (size_t i = part; i < open.size(); i += parts)
      own.push_back(open[i]);
    pricePart(copies[part].get(), traits, own, CheapestRanks(most, traits, priced));
  });
}

double tw::schedule::getWaits(unsigned launches, double cycles, const HostTraits &traits) {
  // A kernel more is worth it from a hundredth on: prices are not closer than that.
  constexpr double kSaved = 0.01;
  double more = double(std::max(launches, 1u) - 1);
  return more * (traits.launchCycles + kSaved * cycles);
}

int64_t tw::schedule::host::rankOf(const HostCandidate &candidate, const HostTraits &traits) {
  double waits = getWaits(candidate.launches, candidate.cycles, traits);
  return std::llround(std::log2(std::max(candidate.cycles + waits, 1.0)) * kRankBits);
}
