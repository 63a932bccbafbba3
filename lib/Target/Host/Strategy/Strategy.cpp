// The table of the host's strategies, and the choice among what they propose.
#include "MadeLists.h"
#include "Price.h"
#include "ProductsFirst.h"
#include "Rewritten.h"
#include "Search.h"
#include "Strategies.h"

#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Dialect/Kernel/Transforms/NarrowPositions.h"
#include "tw/Schedule/Exactness.h"
#include "tw/Schedule/Plan.h"
#include "tw/Schedule/Primitive.h"
#include "tw/Schedule/Strategy.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

namespace {

/// Who proposes lists, for kernels of a class or for any; `isLast` where none for a class does.
struct Generator {
  Propose propose;
  bool isForAny = false, isLast = false;
};

} // namespace

/// In the order in which they are asked; what all of them propose competes.
static constexpr Generator generators[] = {
    {proposeDots},
    {proposeDotConvolution},
    {proposeWidened},
    {proposeWindow},
    {proposeChannelsLast},
    {proposeConvolution},
    {proposeParts},
    {proposeMergedContraction},
    {proposeContraction},
    {proposeUnfolded},
    {proposeProductRows},
    {proposeSeveralProducts},
    {proposeProductsFirst},
    {proposeProductChain},
    {proposeAttention},
    {proposeElementwise},
    {proposeRows},
    {proposeScan},
    {proposeBoxes},
    {proposeSeveralAxes, /*isForAny=*/true},
    {proposeGeneral, /*isForAny=*/true},
    {proposePlain, /*isForAny=*/true, /*isLast=*/true},
};

bool tw::schedule::host::repeatsStores(KernelOp kernel, ScheduleAttr schedule) {
  auto stores = kernel.getBody().getOps<StoreOp>();
  if (llvm::hasSingleElement(stores))
    return false;
  llvm::SmallDenseMap<StringAttr, llvm::SmallBitVector> axes; // of the leaves
  for (auto [i, name] : llvm::enumerate(kernel.getAxisNames().getAsRange<StringAttr>()))
    axes.try_emplace(name, kernel.getNumAxes()).first->second.set(i);
  auto define = [&](StringAttr name, const llvm::SmallBitVector &of) { axes[name] = of; };
  llvm::SmallBitVector inGrid(kernel.getNumAxes());
  for (Attribute primitive : schedule.getPrimitives()) {
    // The rest is for a kernel that stores parts of one sum, which vary along all that it keeps.
    if (getPrimitive(primitive).getPhase() == Phase::Parts)
      return false;
    if (auto merge = dyn_cast<MergeAttr>(primitive)) {
      llvm::SmallBitVector all(kernel.getNumAxes());
      for (StringAttr part : merge.getParts())
        all |= axes[part];
      define(merge.getAxis(), all);
    } else if (auto split = dyn_cast<SplitAttr>(primitive)) {
      llvm::SmallBitVector whole = axes[split.getAxis()];
      for (StringAttr part : split.getParts())
        define(part, whole);
    } else if (auto grid = dyn_cast<GridAttr>(primitive)) {
      for (StringAttr leaf : grid.getAxes())
        inGrid |= axes[leaf];
    }
  }
  AxisSets sets(kernel);
  return llvm::any_of(stores, [&](StoreOp store) {
    llvm::SmallBitVector stored = sets.unionOf(store.getIndices());
    llvm::SmallBitVector repeated = inGrid;
    repeated.reset(stored);
    return sets.points(repeated) > 1;
  });
}

/// Drops what the kernel cannot have, or may not. With `arePriced` lists that have no price yet and
/// may have any order of sums stay: who prices them makes their plans, and finds out.
static void dropRefused(KernelOp kernel, bool exactOnly, bool arePriced,
                        SmallVectorImpl<HostCandidate> &candidates) {
  llvm::erase_if(candidates, [&](const HostCandidate &candidate) {
    std::string why;
    if (arePriced && !exactOnly && candidate.cycles == 0)
      return false;
    return !isLegal(kernel, candidate.schedule, why) ||
           (exactOnly && !isExact(kernel, candidate.schedule, why));
  });
}

void tw::schedule::host::proposeProducts(KernelOp kernel, const HostTraits &traits,
                                         SmallVectorImpl<HostCandidate> &candidates) {
  for (Propose propose : {proposeConvolution, proposeParts, proposeMergedContraction,
                          proposeContraction, proposeAttention})
    propose(kernel, traits, candidates);
}

/// The list with so many of its outermost loops as the grid; with none, one program.
static ScheduleAttr withGrid(ScheduleAttr schedule, size_t programs) {
  MLIRContext *context = schedule.getContext();
  SmallVector<Attribute> list;
  SmallVector<StringAttr> loops;
  size_t place = 0;
  for (Attribute primitive : schedule.getPrimitives()) {
    auto grid = dyn_cast<GridAttr>(primitive);
    auto order = dyn_cast<OrderAttr>(primitive);
    if (!grid && !order) {
      list.push_back(primitive);
      continue;
    }
    llvm::append_range(loops, grid ? grid.getAxes() : order.getAxes());
    place = list.size();
  }
  ArrayRef<StringAttr> all(loops);
  SmallVector<Attribute> parts;
  if (programs > 0)
    parts.push_back(GridAttr::get(context, all.take_front(programs)));
  if (all.size() > programs)
    parts.push_back(OrderAttr::get(context, all.drop_front(programs)));
  list.insert(list.begin() + place, parts.begin(), parts.end());
  return ScheduleAttr::get(context, list);
}

/// Where other threads have hardly begun when one could be done, or are none: one program, which
/// one thread runs at once.
static void addAlone(KernelOp kernel, const HostTraits &traits, bool exactOnly,
                     SmallVectorImpl<HostCandidate> &candidates) {
  if (getLeastCycles(kernel, traits) > 2 * traits.launchCycles)
    return;
  SmallVector<HostCandidate> alone;
  for (const HostCandidate &candidate : candidates) {
    ScheduleAttr schedule = withGrid(candidate.schedule, 0);
    if (schedule == candidate.schedule)
      continue;
    alone.push_back({candidate.strategy, schedule});
    alone.back().isForAny = candidate.isForAny;
  }
  dropRefused(kernel, exactOnly, /*arePriced=*/true, alone);
  candidates.append(alone);
}

/// Lists of one program, whose outermost loops threads could share: as programs, or where these
/// would all store the same, as a team.
static void addShared(KernelOp kernel, const HostTraits &traits, bool exactOnly,
                      SmallVectorImpl<HostCandidate> &candidates) {
  constexpr size_t kMostLoops = 2;
  if (traits.threads == 1 || getLeastCycles(kernel, traits) < traits.launchCycles)
    return;
  SmallVector<HostCandidate> shared;
  for (const HostCandidate &candidate : candidates) {
    ArrayRef<Attribute> list = candidate.schedule.getPrimitives();
    auto *loops = llvm::find_if(list, llvm::IsaPred<OrderAttr>);
    if (!candidate.isForAny || loops == list.end() || llvm::any_of(list, llvm::IsaPred<GridAttr>))
      continue;
    ArrayRef<StringAttr> order = cast<OrderAttr>(*loops).getAxes();
    for (size_t count = 1; count <= std::min(kMostLoops, order.size()); ++count) {
      std::string why;
      ScheduleAttr own = withGrid(candidate.schedule, count);
      if (!isLegal(kernel, own, why) || repeatsStores(kernel, own)) {
        SmallVector<Attribute> whole(list);
        whole.push_back(TeamAttr::get(kernel.getContext(), order.take_front(count)));
        own = ScheduleAttr::get(kernel.getContext(), whole);
      }
      shared.push_back({candidate.strategy, own});
      shared.back().isForAny = true;
    }
  }
  dropRefused(kernel, exactOnly, /*arePriced=*/true, shared);
  candidates.append(shared);
}

/// What all strategies propose, of equal lists the first; names values of the kernel.
static SmallVector<HostCandidate> listAll(KernelOp kernel, const HostTraits &traits,
                                          bool exactOnly) {
  SmallVector<HostCandidate> candidates;
  // Loops without points are as good as any.
  if (llvm::is_contained(kernel.getExtents(), 0))
    return candidates;
  for (const Generator &generator : generators) {
    if (generator.isLast && (exactOnly || !areForAny(candidates)))
      continue;
    SmallVector<HostCandidate> own;
    generator.propose(kernel, traits, own);
    for (HostCandidate &candidate : own)
      candidate.isForAny = generator.isForAny;
    dropRefused(kernel, exactOnly, /*arePriced=*/true, own);
    llvm::erase_if(own, [&](const HostCandidate &candidate) {
      return repeatsStores(kernel, candidate.schedule);
    });
    candidates.append(own);
  }
  if (candidates.empty() && exactOnly) {
    proposeExact(kernel, traits, candidates);
    dropRefused(kernel, exactOnly, /*arePriced=*/true, candidates);
  }
  addAlone(kernel, traits, exactOnly, candidates);
  addShared(kernel, traits, exactOnly, candidates);
  llvm::SmallPtrSet<Attribute, 32> seen;
  llvm::erase_if(candidates, [&](const HostCandidate &candidate) {
    return !seen.insert(candidate.schedule).second;
  });
  return candidates;
}

/// Prices the candidates and drops those that cannot become loops, or are not among so many
/// cheapest; the cheapest come first.
static void price(KernelOp kernel, const HostTraits &traits,
                  SmallVectorImpl<HostCandidate> &candidates, size_t most) {
  priceAll(kernel, traits, candidates, most);
  llvm::erase_if(candidates, [](const HostCandidate &candidate) { return candidate.cycles == 0; });
  // Equal ones stay in the order in which they were proposed, shorter lists first.
  auto isCheaper = [&](const HostCandidate &a, const HostCandidate &b) {
    auto keyOf = [&](const HostCandidate &candidate) {
      return std::pair(rankOf(candidate, traits), candidate.schedule.getPrimitives().size());
    };
    return keyOf(a) < keyOf(b);
  };
  for (auto *it = candidates.begin(); it != candidates.end(); ++it)
    std::rotate(std::upper_bound(candidates.begin(), it, *it, isCheaper), it, it + 1);
}

SmallVector<HostCandidate> tw::schedule::proposeHostSchedules(KernelOp kernel,
                                                              const HostTraits &traits,
                                                              bool exactOnly,
                                                              unsigned searchStates) {
  // Strategies name values of a copy, of which those are kept that a list speaks of.
  OwningOpRef<KernelOp> copy(kernel.clone());
  SmallVector<HostCandidate> candidates = listAll(*copy, traits, exactOnly);
  price(*copy, traits, candidates, kAllCandidates);
  searchFurther(*copy, traits, exactOnly, searchStates, candidates);
  for (HostCandidate &candidate : candidates)
    candidate.names = collectNames(*copy, candidate.schedule);
  return candidates;
}

/// The first of them without a search, while others are priced no further than it takes to know
/// which that is; with `wantsMore` whether there would be a search, and with `alone` of those that
/// make no kernels, if there are such.
static std::optional<HostCandidate> proposeBest(KernelOp kernel, const HostTraits &traits,
                                                bool exactOnly, bool *wantsMore = nullptr,
                                                bool alone = false) {
  OwningOpRef<KernelOp> copy(kernel.clone());
  SmallVector<HostCandidate> candidates = listAll(*copy, traits, exactOnly);
  auto makes = [](const HostCandidate &candidate) { return makesKernels(candidate.schedule); };
  if (alone && !llvm::all_of(candidates, makes))
    llvm::erase_if(candidates, makes);
  SmallVector<ScheduleAttr> ofClass;
  for (const HostCandidate &candidate : candidates)
    if (!candidate.isForAny)
      ofClass.push_back(candidate.schedule);
  price(*copy, traits, candidates, /*most=*/1);
  if (candidates.empty())
    return std::nullopt;
  HostCandidate &best = candidates.front();
  best.names = collectNames(*copy, best.schedule);
  auto areForAny = [&] {
    return best.isForAny && llvm::none_of(ofClass, [&](ScheduleAttr list) {
             return priceList(*copy, list, traits).has_value();
           });
  };
  if (wantsMore)
    *wantsMore = wantsSearch(*copy, traits, best.cycles, areForAny);
  return best;
}

ScheduleAttr tw::schedule::makeHostSchedule(KernelOp kernel, const HostTraits &traits, bool alone) {
  std::optional<HostCandidate> best =
      proposeBest(kernel, traits, /*exactOnly=*/false, /*wantsMore=*/nullptr, alone);
  if (!best)
    return ScheduleAttr::get(kernel.getContext(), {});
  giveNames(kernel, best->names);
  return best->schedule;
}

namespace {

class HostStrategy : public Strategy {
public:
  HostStrategy() { traits.made = &made; }

  bool setMachine(StringRef text, std::string &wrong) override {
    return parseTraits(text, traits, wrong);
  }

  void prepare(KernelOp kernel) const override { kernel::narrowPositions(kernel); }

  double getLeastCycles(KernelOp kernel) const override {
    return schedule::getLeastCycles(kernel, traits);
  }

  double getCycles(KernelOp kernel, ScheduleAttr list) const override {
    std::optional<ListPrice> price = priceList(kernel, list, traits);
    return price ? price->cycles : 0;
  }

  bool takesVariants() const override { return true; }

  bool ordersTensors() const override { return true; }

  bool wantsSearch(KernelOp kernel, ArrayRef<Candidate> candidates) const override {
    return schedule::host::wantsSearch(kernel, traits, candidates);
  }

  SmallVector<Candidate> proposeBest(KernelOp kernel, bool exactOnly,
                                     bool &wantsMore) const override {
    wantsMore = false;
    std::optional<HostCandidate> best = ::proposeBest(kernel, traits, exactOnly, &wantsMore);
    return best ? SmallVector<Candidate>{describe(*best)} : SmallVector<Candidate>();
  }

  SmallVector<Candidate> propose(KernelOp kernel, bool exactOnly,
                                 unsigned searchStates) const override {
    return llvm::map_to_vector(proposeHostSchedules(kernel, traits, exactOnly, searchStates),
                               describe);
  }

private:
  static Candidate describe(const HostCandidate &candidate) {
    Candidate all{candidate.strategy.str(), candidate.schedule, candidate.names, candidate.cycles};
    all.isForAny = candidate.isForAny;
    all.launches = candidate.launches;
    for (auto [name, cycles] : candidate.price.getTerms())
      all.terms.push_back({name.str(), cycles});
    return all;
  }

  MadeLists made;
  HostTraits traits;
};

} // namespace

void tw::schedule::registerHostStrategy() {
  registerStrategy("host",
                   []() -> std::unique_ptr<Strategy> { return std::make_unique<HostStrategy>(); });
}
