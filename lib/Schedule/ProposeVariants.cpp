// Lists for ranges of sizes: 1, up to 4, 8, 16, 32 and 64, and all beyond, of which neighbours are
// one where a list for more points loses little.
#include "Instances.h"
#include "ListsForFew.h"

#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Dialect/Kernel/Equality.h"
#include "tw/Schedule/Primitive.h"
#include "tw/Support/SizeProducts.h"

#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

/// Axes that are summed over, or along which something that is loaded is used again; none where
/// an order of its own stands against other lists.
static llvm::SmallBitVector findDecidingAxes(KernelOp kernel) {
  AxisSets sets(kernel);
  llvm::SmallBitVector deciding(kernel.getNumAxes());
  bool reduces = false;
  for (Operation &op : kernel.getBody().front()) {
    if (isa<ReduceOp, ContractOp>(op)) {
      deciding |= sets.reducedBy(&op);
      reduces = true;
    } else if (isa<ScanOp>(op) || (isa<StoreOp>(op) && sets.orderedBy(&op).any())) {
      return llvm::SmallBitVector(kernel.getNumAxes());
    }
  }
  for (auto load : kernel.getBody().getOps<LoadOp>())
    if (reduces) {
      llvm::SmallBitVector others = sets.of(load.getResult());
      deciding |= others.flip();
    }
  return deciding;
}

SmallVector<StringAttr> schedule::getDecidingSymbols(KernelOp kernel, const SymbolFacts &facts) {
  llvm::SmallBitVector deciding = findDecidingAxes(kernel);
  SmallVector<StringAttr> symbols;
  for (StringAttr symbol : getSymbols(kernel))
    for (unsigned axis : deciding.set_bits())
      if (kernel.getSize(axis) == Dim::symbol(symbol) && !facts.positions.contains(symbol)) {
        symbols.push_back(symbol);
        break;
      }
  return symbols;
}

SmallVector<AxisOfSymbol> schedule::getDecidingAxes(KernelOp kernel, const SymbolFacts &facts) {
  SmallVector<AxisOfSymbol> axes;
  for (unsigned axis : findDecidingAxes(kernel).set_bits()) {
    Dim size = kernel.getSize(axis);
    if (size.getTerms().size() != 1 || size.getConstant() != 0)
      continue;
    auto [symbol, factor] = size.getTerms().front();
    if (factor > 0 && !facts.positions.contains(symbol))
      axes.push_back({axis, factor, symbol});
  }
  return axes;
}

/// Cycles that a list has to save in its range, in the mean of its sizes or where they are most:
/// its code takes 20 to 100 ms to make, and what takes so little is not priced well enough to tell.
static constexpr double kWorthCycles = 1000;
static constexpr double kWorthAtMost = 4000;

/// The kernel in a range.
struct KernelProposals::RangeKernel {
  RangeKernel(KernelOp general, const SizeRange &range) : range(range) {
    kernel = narrow(general, range.symbol, range.least, range.most).release();
    block.push_back(kernel);
  }

  const SizeRange *getRange() const { return range.least == range.most ? nullptr : &range; }

  mlir::Block block;
  KernelOp kernel;
  SizeRange range;
};

/// The lists for ranges of one symbol, and what they save beside one list.
struct KernelProposals::Ranges {
  RangeCandidates lists;
  double gain = 0;
};

static bool readsConstant(KernelOp kernel) {
  return llvm::any_of(kernel.getOperands(),
                      [](Value value) { return matchPattern(value, m_Constant()); });
}

static bool stagesForAll(ScheduleAttr list) {
  return llvm::any_of(list.getPrimitives(), [](Attribute primitive) {
    auto stage = dyn_cast<StageAttr>(primitive);
    return stage && makesKernels(ScheduleAttr::get(primitive.getContext(), primitive));
  });
}

bool schedule::packsForAllCalls(KernelOp kernel, ScheduleAttr list) {
  return readsConstant(kernel) && stagesForAll(list);
}

SmallVector<SizeRange> schedule::getClasses(KernelOp kernel, StringAttr symbol, bool ofMany) {
  constexpr int64_t kEnds[] = {1, 4, 8, 16, 32, 64, 256, 1024}, kMany = 64;
  int64_t least = 1, most = kernel::getMost(kernel, symbol).value_or(1);
  SmallVector<SizeRange> classes;
  for (int64_t end : kEnds) {
    if (end >= most || (end > kMany && !ofMany))
      break;
    classes.push_back({symbol, least, end});
    least = end + 1;
  }
  classes.push_back({symbol, least, most});
  return classes;
}

/// Whether others may be made for the kernel in calls of many points, of which those of few have
/// nothing. What is packed once serves all.
static bool mayMakeForMany(KernelOp kernel) {
  return kernel->getNumResults() == 1 && !kernel.findUpdated(0) && !readsConstant(kernel);
}

std::optional<Candidate> KernelProposals::findBest(KernelOp narrowed, const SizeRange &range,
                                                   bool mayMake, bool *isBest) {
  bool isOne = range.least == range.most;
  for (Candidate &candidate : proposeForSizes(narrowed, 0, isOne ? nullptr : &range, isBest))
    if ((mayMake || !makesKernels(candidate.schedule)) && candidate.cycles > 0)
      return candidate;
  return std::nullopt;
}

bool KernelProposals::isBestForFewest(const Candidate &candidate, const SizeRange &range) {
  KernelOp kernel = getKernel();
  Sizes sizes = getRepresentatives(kernel, facts, &range)[kMiddle];
  sizes[range.symbol] = range.least;
  Instances instances(kernel, sizes);
  ArrayRef<Candidate> own = fixed.get(instances.get().front(), /*searchStates=*/0);
  double cycles = getCycles(kernel, candidate, sizes, /*isSmall=*/false);
  return own.empty() || cycles <= (1 + kWorthIt) * (own.front().cycles + kLaunchCycles);
}

/// The mean of logarithms.
double KernelProposals::getMeanCycles(KernelOp narrowed, const Candidate &candidate,
                                      const SizeRange &range) {
  double sum = 0;
  std::array<Sizes, kSizes> sizes = getRepresentatives(getKernel(), facts, &range);
  bool alone = isAlone(getKernel(), &range);
  for (unsigned i = 0; i < kSizes; ++i) {
    bool isSmall = i == kSizes - 1 && alone;
    double cycles = getCycles(narrowed, candidate, sizes[i], isSmall);
    if (cycles <= 0)
      return std::numeric_limits<double>::infinity();
    sum += std::log(cycles);
  }
  return sum / kSizes;
}

void KernelProposals::askTogether(const std::deque<RangeKernel> &narrowed) {
  std::deque<Instances> instances;
  SmallVector<KernelOp> kernels;
  for (const RangeKernel &each : narrowed) {
    auto sizes = getRepresentatives(each.kernel, facts, each.getRange());
    sizes.back() = getFewest(sizes, each.getRange());
    instances.emplace_back(each.kernel, sizes);
    kernels.append({instances.back().get().front(), instances.back().get().back()});
  }
  fixed.ask(kernels);
}

void KernelProposals::leaveOut(const SizeRange &range) {
  if (llvm::none_of(apart, [&](const SizeRange &known) {
        return known.symbol == range.symbol && known.least == range.least;
      }))
    apart.push_back(range);
}

int64_t KernelProposals::skipApart(StringAttr symbol, int64_t points) const {
  for (const SizeRange &range : apart)
    if (range.symbol == symbol && range.least <= points && points <= range.most)
      points = range.most + 1;
  return points;
}

KernelProposals::Ranges KernelProposals::proposeRanges(const Candidate &all, StringAttr symbol) {
  Ranges ranges;
  KernelOp kernel = getKernel();
  bool mayMake = mayMakeForMany(kernel), isBest = false;
  SmallVector<SizeRange> classes = getClasses(kernel, symbol);
  std::optional<Candidate> last = findBest(kernel, classes.back(), mayMake, &isBest);
  // What is best for the most of many points, which caches do not hold, need not be for others.
  if (SmallVector<SizeRange> fine = getClasses(kernel, symbol, /*ofMany=*/true);
      last && fine.size() > classes.size() && !(isBest && isBestForFewest(*last, classes.back()))) {
    classes = std::move(fine);
    last = findBest(kernel, classes.back(), mayMake);
  }
  int64_t first = facts.least.lookup_or(symbol, 1);
  llvm::erase_if(classes, [&](const SizeRange &range) {
    return range.most < first || skipApart(symbol, range.least) > range.most;
  });
  if (!last || classes.empty())
    return ranges;
  first = skipApart(symbol, first);
  std::deque<RangeKernel> narrowed;
  for (const SizeRange &range : ArrayRef(classes).drop_back())
    narrowed.emplace_back(kernel, range);
  askTogether(narrowed);
  SmallVector<std::optional<Candidate>> bests;
  for (const RangeKernel &each : narrowed) {
    bests.push_back(findBest(each.kernel, each.range, mayMake));
    // Nobody proposes for few points what is best for all sizes.
    if (!makesKernels(all.schedule) && isLegalForAll(each.kernel, all, exactOnly) &&
        (!bests.back() || getMeanCycles(each.kernel, all, each.range) <
                              getMeanCycles(each.kernel, *bests.back(), each.range)))
      bests.back() = all;
  }
  return chooseRanges(all, *last, classes, first, narrowed, bests, kWorthIt);
}

/// Of the best lists for ranges but the last, if there are such, those that are worth their code.
KernelProposals::Ranges KernelProposals::chooseRanges(const Candidate &all, const Candidate &last,
                                                      ArrayRef<SizeRange> classes, int64_t first,
                                                      const std::deque<RangeKernel> &narrowed,
                                                      ArrayRef<std::optional<Candidate>> bests,
                                                      double worthIt) {
  Ranges ranges;
  KernelOp kernel = getKernel();
  // From many points to few.
  const Candidate *chosen = &last;
  KernelOp within = kernel;
  ranges.lists = {{classes.back(), *chosen}};
  ranges.gain =
      getMeanCycles(kernel, all, classes.back()) - getMeanCycles(kernel, *chosen, classes.back());
  for (size_t i = narrowed.size(); i-- > 0;) {
    double before = getMeanCycles(within, *chosen, classes[i]);
    double after = bests[i] ? getMeanCycles(narrowed[i].kernel, *bests[i], classes[i]) : before;
    auto savesAtMost = [&] {
      Sizes most = getRepresentatives(getKernel(), facts, &classes[i]).front();
      return getCycles(within, *chosen, most, false) -
                 getCycles(narrowed[i].kernel, *bests[i], most, false) >
             kWorthAtMost;
    };
    if (before - after > worthIt &&
        (std::exp(before) - std::exp(after) > kWorthCycles || savesAtMost())) {
      chosen = &*bests[i];
      within = narrowed[i].kernel;
      before = after;
      ranges.lists.insert(ranges.lists.begin(), {classes[i], *chosen});
    }
    ranges.gain += getMeanCycles(kernel, all, classes[i]) - before;
  }
  // Ranges that were not worth a list are those of the next one.
  int64_t next = first;
  for (RangeCandidate &list : ranges.lists) {
    list.range.least = std::min(list.range.least, next);
    next = skipApart(list.range.symbol, list.range.most + 1);
  }
  ranges.gain /= double(classes.size());
  return ranges;
}

RangeCandidates KernelProposals::proposeVariants(ArrayRef<Candidate> candidates) {
  constexpr double kLeastGain = 0.03;
  KernelOp kernel = getKernel();
  // Weights that are packed once serve all sizes; they are not to be in memory twice.
  const Candidate *best = &candidates.front();
  if (!facts.least.empty() || packsForAllCalls(kernel, best->schedule))
    return {};
  // What is made for each call is priced as if it had a list for each size: as part of a range it
  // has one for fewer.
  const Candidate *alone =
      llvm::find_if(candidates, [](const Candidate &each) { return !makesKernels(each.schedule); });
  if (mayMakeForMany(kernel) && alone != candidates.end())
    best = alone;
  if (isBestEverywhere && best == candidates.begin())
    return {};
  Ranges most;
  for (StringAttr symbol : getDecidingSymbols(kernel, facts)) {
    Ranges ranges = proposeRanges(*best, symbol);
    if (ranges.lists.size() > 1 && ranges.gain > std::max(most.gain, kLeastGain))
      most = std::move(ranges);
  }
  return most.lists;
}

/// Ranges of symbols from few points to the most, for lists that are made and not asked for: one,
/// and then twice as many points each, since what a grid is cut in matters as long as there are few
/// programs.
static SmallVector<SizeRange> getDoublings(KernelOp kernel, StringAttr symbol) {
  constexpr int64_t kFirst = 4, kLast = 1024;
  int64_t least = 2, most = kernel::getMost(kernel, symbol).value_or(1);
  if (most < 2)
    return {{symbol, 1, most}};
  SmallVector<SizeRange> ranges{{symbol, 1, 1}};
  for (int64_t end = kFirst; end <= kLast && end < most; end *= 2) {
    ranges.push_back({symbol, least, end});
    least = end + 1;
  }
  ranges.push_back({symbol, least, most});
  return ranges;
}

std::optional<Candidate> KernelProposals::findForFew(const RangeKernel &narrowed,
                                                     const AxisOfSymbol &few, ScheduleAttr list) {
  std::vector<std::pair<double, Candidate>> priced;
  auto add = [&](ScheduleAttr made) {
    Candidate candidate;
    candidate.schedule = made;
    if (isLegalForAll(narrowed.kernel, candidate, exactOnly))
      priced.emplace_back(getMeanCycles(narrowed.kernel, candidate, narrowed.range), candidate);
  };
  for (ScheduleAttr made :
       makeForFew(narrowed.kernel, few.axis, few.factor * narrowed.range.most, list))
    add(made);
  // What is staged by few programs, and what is not by many.
  for (size_t i = 0, count = priced.size(); i < count; ++i)
    for (ScheduleAttr cut : cutForFew(narrowed.kernel, few.axis, priced[i].second.schedule))
      add(cut);
  auto best =
      llvm::min_element(priced, [](const auto &a, const auto &b) { return a.first < b.first; });
  return best == priced.end() ? std::nullopt : std::optional(std::move(best->second));
}

RangeCandidates KernelProposals::makeForFewPoints(ScheduleAttr list) {
  KernelOp kernel = getKernel();
  Candidate own;
  own.schedule = list;
  for (const AxisOfSymbol &few : getDecidingAxes(kernel, facts)) {
    SmallVector<SizeRange> ranges = getDoublings(kernel, few.symbol);
    std::deque<RangeKernel> narrowed;
    SmallVector<std::optional<Candidate>> bests;
    for (const SizeRange &range : ArrayRef(ranges).drop_back()) {
      narrowed.emplace_back(kernel, range);
      bests.push_back(findForFew(narrowed.back(), few, list));
    }
    Ranges chosen = chooseRanges(own, own, ranges, ranges.front().least, narrowed, bests, kEqual);
    if (chosen.lists.size() > 1)
      return chosen.lists;
  }
  return {};
}

ArrayRef<RangeCandidate> KernelProposals::getForFew(ScheduleAttr list) {
  if (!strategy.takesVariants() || !facts.least.empty())
    return {};
  auto [it, isNew] = forFew.try_emplace(Attribute(list));
  if (isNew)
    it->second = makeForFewPoints(list);
  return it->second;
}
