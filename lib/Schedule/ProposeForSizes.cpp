// Schedules for kernels whose sizes a call settles: those for some sizes that stand for all.
//
// Strategies propose for copies of the kernel at fixed sizes. Where one list loses at some sizes
// what others do not, there are several, for ranges of one symbol (ProposeVariants.cpp).
#include "ProposeForSizes.h"

#include "Instances.h"
#include "ListsForFew.h"
#include "ListsForSizes.h"

#include "tw/Schedule/Exactness.h"
#include "tw/Schedule/LoopTree.h"
#include "tw/Schedule/PlanBuilder.h"
#include "tw/Schedule/Primitive.h"
#include "tw/Support/KernelAction.h"
#include "tw/Support/SizeProducts.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

#include <cmath>

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

static std::optional<int64_t> findTypical(FunctionOpInterface function, StringAttr symbol) {
  auto all = function ? function->getAttrOfType<DictionaryAttr>("tgraph.typical") : nullptr;
  return Dim::symbol(symbol).evaluate([&](StringAttr name) -> std::optional<int64_t> {
    auto size = all ? all.getAs<IntegerAttr>(name) : IntegerAttr();
    return size ? std::optional(size.getInt()) : std::nullopt;
  });
}

static bool isPosition(FunctionOpInterface function, StringAttr symbol) {
  bool inRoom = false, elsewhere = false;
  for (Type type : function ? function.getArgumentTypes() : ArrayRef<Type>()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !view::hasSymbols(tensor))
      continue;
    for (const Dim &size : view::getSizes(tensor))
      for (auto [name, factor] : size.getTerms())
        if (llvm::is_contained(getBases(symbol), name))
          (view::hasRoom(tensor) ? inRoom : elsewhere) = true;
  }
  return inRoom && !elsewhere;
}

SymbolFacts::SymbolFacts(KernelOp kernel) {
  auto function = kernel->getParentOfType<FunctionOpInterface>();
  auto known = function ? function->getAttrOfType<ArrayAttr>(positionsAttrName) : ArrayAttr();
  auto fewest = known ? function->getAttrOfType<DictionaryAttr>(leastAttrName) : DictionaryAttr();
  for (StringAttr symbol : getSymbols(kernel)) {
    if (std::optional<int64_t> size = findTypical(function, symbol))
      typical[symbol] = *size;
    if (auto size = fewest ? fewest.getAs<IntegerAttr>(symbol) : IntegerAttr())
      least[symbol] = size.getInt();
    if (known ? llvm::is_contained(known, symbol) : isPosition(function, symbol))
      positions.insert(symbol);
  }
}

std::optional<int64_t> SymbolFacts::getTypical(StringAttr symbol, const SizeRange *range) const {
  auto it = typical.find(symbol);
  if (it == typical.end() ||
      (range && range->symbol == symbol && (it->second < range->least || it->second > range->most)))
    return std::nullopt;
  return it->second;
}

/// The size that stands for one: of more than a few points an odd one, which few tiles divide.
static int64_t getAsked(int64_t size) { return size > 8 && size % 2 == 0 ? size - 1 : size; }

/// From few points to the most. Few tiles divide them, as those to come: schedules then say what is
/// done at the ends of axes. A position is seldom near its beginning, however few rows there are.
static SmallVector<int64_t> getSizesOf(KernelOp kernel, StringAttr symbol, const SymbolFacts &facts,
                                       const SizeRange *range) {
  bool isPosition = facts.positions.contains(symbol);
  int64_t most = kernel::getMost(kernel, symbol).value_or(1);
  int64_t least = facts.least.lookup_or(symbol, isPosition ? std::max<int64_t>(1, most / 8) : 1);
  std::optional<int64_t> typical = facts.getTypical(symbol, range);
  int64_t between = typical.value_or(most / (isPosition ? 2 : 8));
  if (range && range->symbol == symbol) {
    least = range->least;
    most = std::min(most, range->most);
    between = typical.value_or(int64_t(std::sqrt(double(least) * double(most))));
  }
  SmallVector<int64_t> sizes{least};
  // What is typical counts for more, be it the least.
  between = getAsked(std::min(between, most));
  if (typical || between > least)
    sizes.push_back(std::max(between, least));
  if (int64_t last = getAsked(most); last > sizes.back())
    sizes.push_back(last);
  return sizes;
}

/// Sums of symbols are to be as single ones are: no more than there may be, and divided by few
/// tiles. What is too much a position has less.
static void settleSums(KernelOp kernel, const SymbolFacts &facts, const SizeRange *range,
                       Sizes &sizes) {
  for (unsigned axis = 0; axis < kernel.getNumAxes(); ++axis) {
    Extent extent = kernel.getExtent(axis);
    ArrayRef<Dim::Term> terms = extent.size.getTerms();
    std::optional<int64_t> value =
        extent.size.evaluate([&](StringAttr name) { return std::optional(sizes.lookup(name)); });
    if (terms.size() < 2 || !value)
      continue;
    auto rank = [&](const Dim::Term &term) {
      return std::tuple(facts.positions.contains(term.first), !range || range->symbol != term.first,
                        sizes.lookup(term.first));
    };
    auto [name, factor] =
        *llvm::max_element(terms, [&](const auto &a, const auto &b) { return rank(a) < rank(b); });
    int64_t excess = *value - getAsked(std::min(*value, extent.most));
    if (factor > 0 && excess > 0)
      sizes[name] = std::max<int64_t>(0, sizes[name] - llvm::divideCeil(excess, factor));
  }
}

/// Whether the size of the one follows from that of the other, as far as they have factors in
/// common.
static bool areRelated(StringAttr a, StringAttr b) {
  SmallVector<StringAttr, 2> bases = getBases(b);
  return llvm::any_of(getBases(a),
                      [&](StringAttr base) { return llvm::is_contained(bases, base); });
}

bool schedule::isAlone(KernelOp kernel, const SizeRange *range) {
  return !range || llvm::all_of(getSymbols(kernel), [&](StringAttr symbol) {
    return areRelated(symbol, range->symbol);
  });
}

std::array<Sizes, kSizes> schedule::getRepresentatives(KernelOp kernel, const SymbolFacts &facts,
                                                       const SizeRange *range) {
  std::array<Sizes, kSizes> sizes;
  for (StringAttr symbol : getSymbols(kernel)) {
    SmallVector<int64_t> own = getSizesOf(kernel, symbol, facts, range);
    for (unsigned i = 0; i < kSizes; ++i)
      sizes[kSizes - 1 - i][symbol] = own[std::min<size_t>(i, own.size() - 1)];
  }
  // Few points beside one of each other symbol are what nobody waits for.
  if (range)
    for (StringAttr symbol : getSymbols(kernel))
      if (!areRelated(symbol, range->symbol))
        sizes.back()[symbol] = sizes[kMiddle][symbol];
  // Quotients of the kernel's own symbols are what these come to.
  for (StringAttr symbol : getSymbols(kernel))
    if (!llvm::is_contained(getBases(symbol), symbol) && getFactors(symbol).size() == 1)
      for (Sizes &own : sizes)
        if (std::optional<int64_t> value =
                Dim::symbol(symbol).evaluate([&](StringAttr name) -> std::optional<int64_t> {
                  auto it = own.find(name);
                  return it == own.end() || name == symbol ? std::nullopt
                                                           : std::optional(it->second);
                }))
          own[symbol] = *value;
  for (Sizes &own : sizes)
    settleSums(kernel, facts, range, own);
  return sizes;
}

Sizes schedule::getFewest(ArrayRef<Sizes> sizes, const SizeRange *range) {
  int64_t below = range ? getAsked(range->least - 1) : 0;
  bool isWhole = below >= 8 && below % 2 == 0;
  if (below < 1 || isWhole)
    return sizes.back();
  Sizes fewest = sizes.front();
  fewest[range->symbol] = below;
  return fewest;
}

Instances::Instances(KernelOp kernel, ArrayRef<Sizes> sizes) {
  for (const Sizes &each : sizes) {
    kernels.push_back(
        instantiate(kernel, [&](StringAttr symbol) { return each.lookup(symbol); }).release());
    blocks.emplace_back().push_back(kernels.back());
  }
}

bool schedule::isLegalForAll(KernelOp kernel, const Candidate &candidate, bool exactOnly) {
  // With its operands: whether they are constants decides what rewrites do.
  OwningOpRef<KernelOp> copy(kernel.clone());
  giveNames(*copy, candidate.names);
  std::string why;
  if (!isLegal(*copy, candidate.schedule, why) ||
      (exactOnly && !isExact(*copy, candidate.schedule, why)))
    return false;
  if (makesKernels(candidate.schedule))
    return true;
  copy->setScheduleAttr(candidate.schedule);
  mlir::Block block;
  KernelOp placed = copy.release();
  block.push_back(placed);
  if (failed(applyRewrites(placed, why)))
    return false;
  FailureOr<Plan> plan = PlanBuilder(placed, why).build(placed.getScheduleAttr());
  Refusal refusal;
  return succeeded(plan) && buildLoopTree(placed, *plan, refusal);
}

KernelProposals::KernelProposals(const Strategy &strategy, KernelOp kernel, bool exactOnly)
    : strategy(strategy), exactOnly(exactOnly), copy(kernel), facts(kernel),
      hasSymbols(!getSymbols(kernel).empty()), fixed(strategy, exactOnly) {}

double KernelProposals::getCycles(KernelOp narrowed, const Candidate &candidate, const Sizes &sizes,
                                  bool isSmall) {
  ScheduleAttr list = isSmall ? withMasks(candidate.schedule) : candidate.schedule;
  auto priceAt = [&](int64_t least) {
    KernelOp kernel = instantiate(narrowed, [&](StringAttr symbol) {
                        EndBlock block;
                        for (unsigned i = 0; i < narrowed.getNumAxes(); ++i)
                          if (narrowed.isSymbolic(i) && narrowed.getSize(i) == Dim::symbol(symbol))
                            if (EndBlock own = getEndBlock(narrowed, i, candidate.schedule);
                                own.points > block.points)
                              block = own;
                        return block.round(std::max(sizes.lookup(symbol), least));
                      }).release();
    mlir::Block own;
    own.push_back(kernel);
    giveNames(kernel, candidate.names);
    return fixed.getCycles(kernel, list);
  };
  double cycles = priceAt(0);
  // Of one point an axis is none, and a result that has it no place for sums along it.
  if (cycles == 0)
    cycles = priceAt(2);
  // Nor is there a next program to fetch for, of one program.
  if (ScheduleAttr without = withoutPrefetches(list); cycles == 0 && without != list) {
    list = without;
    cycles = priceAt(0);
  }
  return cycles > 0 ? cycles + kLaunchCycles : 0;
}

double KernelProposals::getCyclesForFew(KernelOp narrowed, const Candidate &candidate,
                                        const Sizes &sizes, double cycles) {
  if (!strategy.takesVariants() || !facts.least.empty() ||
      !packsForAllCalls(narrowed, candidate.schedule))
    return cycles;
  OwningOpRef<KernelOp> named(narrowed.clone());
  giveNames(*named, candidate.names);
  SmallVector<AxisOfSymbol> axes = getDecidingAxes(narrowed, facts);
  if (axes.empty())
    return cycles;
  const AxisOfSymbol &few = axes.front();
  int64_t points = few.factor * sizes.lookup(few.symbol);
  for (ScheduleAttr made : makeForFew(*named, few.axis, points, candidate.schedule)) {
    Candidate forFew = candidate;
    forFew.schedule = made;
    if (double own = getCycles(narrowed, forFew, sizes, /*isSmall=*/true);
        own > 0 && (cycles == 0 || own < cycles))
      cycles = own;
  }
  return cycles;
}

/// Whether what is packed once for all calls is narrower than what it becomes when it is used.
static bool packsNarrow(KernelOp kernel, const Candidate &candidate) {
  SmallVector<Operation *> ops(llvm::make_pointer_range(kernel.getBody().front()));
  auto isNarrow = [](Operation *op) {
    auto load = dyn_cast<LoadOp>(op);
    return load && llvm::any_of(load->getUsers(), [&](Operation *user) {
             return llvm::any_of(user->getResultTypes(), [&](Type type) {
               return type.isIntOrFloat() &&
                      type.getIntOrFloatBitWidth() > load.getType().getIntOrFloatBitWidth();
             });
           });
  };
  for (Attribute primitive : candidate.schedule.getPrimitives())
    if (auto stage = dyn_cast<StageAttr>(primitive); stage && stage.getGlobal())
      for (const ValueName &name : candidate.names)
        if (name.name == stage.getValue() && isNarrow(ops[name.position]))
          return true;
  return false;
}

ArrayRef<Candidate> KernelProposals::collect(KernelOp kernel, KernelOp atSize,
                                             unsigned searchStates,
                                             SmallVectorImpl<Candidate> &candidates) {
  // Lists that pack narrow constants as they are, which few points read fast and many do not, are
  // not crowded out by those that pack them as what they become; nor are lists of one kernel by
  // those that make others for each call, which few points pay for.
  constexpr unsigned kMostOfEach = 6, kMostNarrow = 2, kMostAlone = 2, kMostTried = 24;
  ArrayRef<Candidate> all = fixed.get(atSize, searchStates);
  SmallVector<Candidate> proposed(all.take_front(kMostTried));
  auto isNarrow = [&](const Candidate &candidate) { return packsNarrow(kernel, candidate); };
  auto addFlat = [&](Candidate *it) {
    if (it == proposed.end())
      return;
    Candidate flat = *it;
    if ((flat.schedule = withoutBlocks(kernel, flat.schedule)))
      proposed.insert(it, flat);
  };
  addFlat(proposed.begin());
  if (auto *it = llvm::find_if(proposed, isNarrow); it > proposed.begin() + 1)
    addFlat(it);
  unsigned taken = 0, narrow = 0, alone = 0;
  for (Candidate &candidate : proposed) {
    candidate.schedule = withParts(kernel, atSize, candidate.schedule);
    Candidate given = candidate;
    candidate.schedule = withSwitches(kernel, candidate.schedule);
    bool isNew = llvm::none_of(candidates, [&](const Candidate &other) {
      return other.schedule == candidate.schedule && other.names == candidate.names;
    });
    bool packs = isNarrow(candidate), isAlone = !makesKernels(candidate.schedule);
    if (!isNew || (taken >= kMostOfEach && !(packs && narrow < kMostNarrow) &&
                   !(isAlone && alone < kMostAlone)))
      continue;
    if (!isLegalForAll(kernel, candidate, exactOnly)) {
      candidate = given;
      if (!isLegalForAll(kernel, candidate, exactOnly))
        continue;
    }
    candidates.push_back(std::move(candidate));
    ++taken;
    narrow += packs;
    alone += isAlone;
  }
  return all;
}

double KernelProposals::getLoss(KernelOp narrowed, Candidate &candidate, PricedSizes &priced,
                                double limit) {
  // A list that is behind at some sizes may make up for so much at others.
  constexpr double kMadeUp = 0.1;
  double loss = 0;
  // Beside a list that was not proposed for so few points another one may take a fraction.
  unsigned first = priced.asksFewest ? 0 : kSizes - 1;
  for (unsigned i : {first, kSizes - 1 - first, kMiddle}) {
    double cycles = getCycles(narrowed, candidate, priced.sizes[i], priced.isSmall(i));
    // What is typical may be few, too.
    if (priced.sizes[i] == priced.sizes[kSizes - 1])
      cycles = getCyclesForFew(narrowed, candidate, priced.sizes[i], cycles);
    // Kernels are compared, as joined and apart, at the most of their sizes.
    if (i == 0 && candidate.cycles != cycles) {
      candidate.cycles = cycles;
      candidate.terms.clear();
    }
    double &best = priced.best[i];
    if (best == 0)
      best = cycles;
    // What has no price comes last. What is typical counts as much as all others.
    unsigned weight = i == kMiddle && priced.isTypical ? kSizes - 1 : 1;
    loss += cycles > 0 ? std::log(cycles / best) * weight : 100;
    if (loss > limit + kMadeUp)
      return loss;
  }
  return loss;
}

bool KernelProposals::isNearBest(KernelOp narrowed, const Candidate &candidate,
                                 const PricedSizes &priced, double share) {
  for (unsigned i = 0; i < kSizes; ++i) {
    if (i == kMiddle && !priced.asksMiddle)
      continue;
    double cycles = getCycles(narrowed, candidate, priced.sizes[i], priced.isSmall(i));
    if (cycles <= 0 || cycles > (1 + share) * priced.best[i])
      return false;
  }
  return true;
}

bool KernelProposals::sayTypical(const Sizes &sizes, const SizeRange *range) const {
  return llvm::any_of(
      sizes, [&](const auto &each) { return facts.getTypical(each.first, range).has_value(); });
}

bool KernelProposals::hasRoom(KernelOp narrowed, const Candidate &candidate) const {
  OwningOpRef<KernelOp> copy(narrowed.clone());
  giveNames(*copy, candidate.names);
  return !strategy.findShortage(*copy, candidate.schedule);
}

SmallVector<Candidate> KernelProposals::proposeForSizes(KernelOp narrowed, unsigned searchStates,
                                                        const SizeRange *range, bool *isBest) {
  if (getSymbols(narrowed).empty())
    return SmallVector<Candidate>(fixed.get(narrowed, searchStates));
  PricedSizes priced{getRepresentatives(narrowed, facts, range)};
  priced.isAlone = isAlone(narrowed, range);
  priced.isTypical = sayTypical(priced.sizes[kMiddle], range);
  // In a short range what is best for the most and the least points is not beaten in between.
  priced.asksMiddle = priced.isTypical || narrowed == getKernel();
  std::array<Sizes, kSizes> asked = priced.sizes;
  asked[kSizes - 1] = getFewest(priced.sizes, range);
  priced.asksFewest = asked[kSizes - 1] == priced.sizes[kSizes - 1];
  Instances instances(narrowed, asked);
  SmallVector<KernelOp> kernels{instances.get().front(), instances.get().back()};
  if (priced.asksMiddle)
    kernels.push_back(instances.get()[kMiddle]);
  fixed.ask(kernels);
  SmallVector<Candidate> candidates;
  std::vector<std::pair<double, unsigned>> order;
  double limits[2] = {HUGE_VAL, HUGE_VAL};
  auto add = [&](unsigned i) {
    // What a search finds for few points is for those alone.
    ArrayRef<Candidate> own =
        collect(narrowed, instances.get()[i], i == 0 ? searchStates : 0, candidates);
    bool isAtSize = asked[i] == priced.sizes[i];
    priced.best[i] = own.empty() || !isAtSize ? 0 : own.front().cycles + kLaunchCycles;
  };
  auto rank = [&] {
    for (unsigned i = order.size(); i < candidates.size(); ++i) {
      // Who asks for lists that make no kernels takes the best of those.
      double &limit = limits[makesKernels(candidates[i].schedule)];
      double loss = getLoss(narrowed, candidates[i], priced, limit);
      limit = std::min(limit, loss);
      order.push_back({loss, i});
    }
  };
  add(0);
  if (priced.asksMiddle)
    add(kMiddle);
  add(kSizes - 1);
  rank();
  auto isNear = [&](double share) {
    return !order.empty() &&
           isNearBest(narrowed, candidates[llvm::min_element(order)->second], priced, share);
  };
  if (!priced.asksMiddle && !isNear(kEqual)) {
    priced.asksMiddle = true;
    add(kMiddle);
    rank();
  }
  if (isBest)
    *isBest = isNear(kWorthIt);
  llvm::sort(order);
  auto sorted =
      llvm::map_to_vector(order, [&](const auto &each) { return candidates[each.second]; });
  // What was proposed for some sizes a machine may have no room for at the most.
  while (sorted.size() > 1 && !hasRoom(narrowed, sorted.front()))
    sorted.erase(sorted.begin());
  return sorted;
}

ArrayRef<Candidate> KernelProposals::getForAll(unsigned states, Wanted wanted) {
  KernelOp kernel = getKernel();
  bool best = wanted == Wanted::Best && !hasSymbols && !areAll;
  auto wantsSearch = [&] {
    return best ? fixed.wantsMore(kernel) : strategy.wantsSearch(kernel, *forAll);
  };
  if (!forAll || (!best && !areAll) || (searchStates < states && wantsSearch()))
    runForKernel(*kernel.getContext(), [&] {
      if (best)
        forAll = SmallVector<Candidate>(fixed.getBest(kernel, states));
      else
        forAll = proposeForSizes(kernel, states, /*range=*/nullptr, &isBestEverywhere);
      // Of several symbols few points of one stand beside many of another.
      isBestEverywhere &= getSymbols(kernel).size() == 1;
      variants = std::nullopt;
      areAll = !best;
    });
  if (!forAll)
    return {};
  searchStates = std::max(searchStates, states);
  return *forAll;
}

static bool isCheaper(const Candidate &a, const Candidate &b) { return a.cycles < b.cycles; }

ArrayRef<Candidate> KernelProposals::getForMost() {
  if (!hasSymbols)
    return getForAll(/*states=*/0, Wanted::Best);
  KernelOp kernel = getKernel();
  if (!forMost)
    runForKernel(*kernel.getContext(), [&] {
      std::array<Sizes, kSizes> sizes = getRepresentatives(kernel, facts, /*range=*/nullptr);
      Sizes most = sizes.front();
      bool isTypical = sayTypical(sizes[kMiddle], /*range=*/nullptr);
      Instances instances(kernel, ArrayRef(sizes).take_front(isTypical ? kMiddle + 1 : 1));
      forMost.emplace();
      (void)collect(kernel, instances.get().front(), /*searchStates=*/0, *forMost);
      double typical = 0;
      if (isTypical) {
        ArrayRef<Candidate> there = fixed.getBest(instances.get().back(), /*states=*/0);
        typical = there.empty() ? 0 : there.front().cycles;
      }
      for (Candidate &candidate : *forMost) {
        candidate.cycles = getCycles(kernel, candidate, most, /*isSmall=*/false);
        candidate.typicalCycles = std::sqrt(candidate.cycles * typical);
        candidate.terms.clear();
      }
      llvm::erase_if(*forMost, [](const Candidate &candidate) { return candidate.cycles == 0; });
      // Of equal ones that comes first which was proposed first.
      for (auto *it = forMost->begin(); it != forMost->end(); ++it)
        std::rotate(std::upper_bound(forMost->begin(), it, *it, isCheaper), it, it + 1);
    });
  return forMost ? ArrayRef<Candidate>(*forMost) : ArrayRef<Candidate>();
}

ArrayRef<RangeCandidate> KernelProposals::getVariants(unsigned states) {
  if (!strategy.takesVariants() || !hasSymbols)
    return {};
  ArrayRef<Candidate> candidates = getForAll(states);
  if (!variants && !candidates.empty())
    runForKernel(*getKernel().getContext(), [&] { variants = proposeVariants(candidates); });
  return variants ? ArrayRef<RangeCandidate>(*variants) : ArrayRef<RangeCandidate>();
}
