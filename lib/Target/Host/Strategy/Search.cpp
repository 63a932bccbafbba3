// When to search, from where, and what a list costs.
#include "Search.h"

#include "Accesses.h"
#include "Ports.h"
#include "Price.h"
#include "Product.h"
#include "Strategies.h"

#include "tw/Dialect/Kernel/MadeOnce.h"
#include "tw/Schedule/AxisSums.h"
#include "tw/Schedule/Drawing.h"
#include "tw/Schedule/Exactness.h"
#include "tw/Schedule/Primitive.h"
#include "tw/Schedule/Search.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

/// A candidate so near to the least that nothing can be is not worth a search; a list that is
/// cheaper by less than prices can tell is not worth its odd look.
static constexpr double kNear = 1.25, kCheaper = 0.95;

/// What the least cycles leave out of account is no larger part of a price.
static constexpr double kLeastShare = 0.9;

namespace {

/// What an op does on each of its points, on the port that it takes.
struct Work {
  double arithmetic = 0, divisions = 0;
};

} // namespace

static Work getWork(Operation &op, const HostTraits &traits) {
  if (auto contract = dyn_cast<ContractOp>(op)) {
    int64_t group = getGroupSize(contract, traits);
    double rate = group == 1                       ? traits.fmaPerCycle
                  : contract.getType().isInteger() ? traits.int8DotPerCycle
                                                   : traits.bf16DotPerCycle;
    return {traits.fmaPerCycle / rate / double(group), 0};
  }
  if (isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
    return {0, 1};
  if (isa<LoadOp, StoreOp, arith::ConstantOp>(op) ||
      llvm::any_of(op.getResultTypes(), [](Type type) { return type.isIndex(); }))
    return {};
  return {isExpensive(&op) ? countOperations(&op) : 1, 0};
}

/// Whether windows may read what is computed: sums of sums, or of functions.
static bool mayHaveBoxes(KernelOp kernel) {
  unsigned roots = 0, functions = 0;
  for (Operation &op : kernel.getBody().front()) {
    roots += isa<ReduceOp, ContractOp>(op);
    functions += isExpensive(&op);
  }
  return roots > 1 || (roots == 1 && functions > 0);
}

/// The least of some bytes that go to memory or come from there: stores past the caches leave these
/// to what is read.
static double getFarBytes(double bytes, double read, const HostTraits &traits) {
  auto comes = [&](double cached) {
    double full = cached / double(traits.l3Bytes);
    return full > kKeptShare ? cached * (1 - getFoundAgain(full)) : 0;
  };
  return std::min(comes(bytes), bytes - read + comes(read));
}

double tw::schedule::getLeastCycles(KernelOp kernel, const HostTraits &traits) {
  AxisSets sets(kernel);
  AxisSums sums(kernel, sets);
  bool hasBoxes = mayHaveBoxes(kernel);
  double arithmetic = 0, divide = 0;
  for (Operation &op : kernel.getBody().front()) {
    if (op.getNumResults() == 0)
      continue;
    llvm::SmallBitVector axes = sets.of(op.getResult(0));
    axes |= sets.reducedBy(&op);
    Type type = op.getResult(0).getType();
    bool isWide = type.isIntOrFloat() && type.getIntOrFloatBitWidth() == 64;
    Work work = getWork(op, traits);
    double points = double(sets.points(axes));
    if (hasBoxes && work.arithmetic + work.divisions > 0)
      points = countPoints(kernel, sets, axes, sums.find(&op));
    double vectors = points / double(traits.lanes) * (isWide ? 2 : 1);
    arithmetic += vectors * work.arithmetic / traits.fmaPerCycle;
    divide += vectors * work.divisions * traits.divideCycles;
  }
  double bytes = getTouchedBytes(kernel, sets);
  double near =
      bytes / (bytes > double(traits.l2Bytes) ? traits.l3BytesPerCycle : traits.l2BytesPerCycle);
  double far = getFarBytes(bytes, getTouchedBytes(kernel, sets, /*loadsOnly=*/true), traits) /
               traits.memoryBytesPerCycle;
  double work = std::max({arithmetic, divide, near}), share = 1 / double(traits.threads);
  double shareOfFar =
      std::max(share, traits.memoryBytesPerCycle / traits.getSharedMemoryBytesPerCycle());
  // One thread begins at once.
  return std::min(std::max(work, far) + traits.commandCycles,
                  std::max(work * share, far * shareOfFar) + traits.launchCycles);
}

bool tw::schedule::mayPropose(KernelOp kernel, ScheduleAttr list, const HostTraits &traits) {
  SmallVector<StreamAttr> past = findStreamedResults(kernel, traits);
  for (Attribute primitive : list.getPrimitives())
    if (auto stream = dyn_cast<StreamAttr>(primitive))
      if (llvm::none_of(past,
                        [&](StreamAttr other) { return other.getResult() == stream.getResult(); }))
        return false;
  return !repeatsStores(kernel, list);
}

/// Parts that vectors and caches have a use for.
static MoveSizes getSizes(KernelOp kernel, const HostTraits &traits) {
  MoveSizes sizes;
  sizes.streamed = findStreamedResults(kernel, traits);
  for (int64_t vectors : {1, 2, 4})
    sizes.lanes.push_back(vectors * traits.lanes);
  sizes.rows = {2, 3, 4, 6, 8};
  sizes.blocks = {8, 32, 128, 512};
  sizes.mostElements = traits.registers * traits.lanes;
  return sizes;
}

/// A copy in the block of what is left of the kernel behind the head: rewritten, and where the head
/// ends in a factored reduction, the kernel of its parts. None if the head is not legal.
static KernelOp applyHead(KernelOp kernel, ArrayRef<Attribute> head, mlir::Block &block) {
  auto copy = cast<KernelOp>(kernel->clone());
  block.push_back(copy);
  copy.setScheduleAttr(ScheduleAttr::get(kernel.getContext(), head));
  std::string why;
  if (failed(applyRewrites(copy, why)))
    return {};
  if (makesParts(copy)) {
    FailureOr<KernelOp> parts = applyParts(copy, why);
    return succeeded(parts) ? *parts : KernelOp();
  }
  copy.removeScheduleAttr();
  return copy;
}

namespace {

/// Prices whole lists of a kernel.
class ListPricer {
public:
  ListPricer(KernelOp kernel, const HostTraits &traits, bool exactOnly)
      : kernel(kernel), traits(traits), exactOnly(exactOnly),
        least(getLeastCycles(kernel, traits)) {}

  /// Cycles, and what threads wait for each other between launches. None for a list that the kernel
  /// must not have; perhaps for one that is dearer than `most`.
  std::optional<double> operator()(ScheduleAttr list,
                                   double most = schedule::host::kUnlimited) const {
    std::string why;
    if (!mayPropose(kernel, list, traits))
      return std::nullopt;
    std::optional<schedule::host::ListPrice> price =
        schedule::host::priceList(kernel, list, traits, most);
    if (!price || (exactOnly && !isExact(kernel, list, why)))
      return std::nullopt;
    // What is cheaper than anything can be was counted wrong.
    if (price->cycles < kLeastShare * least)
      return std::nullopt;
    return price->cycles + getWaits(price->launches, price->cycles, traits);
  }

private:
  KernelOp kernel;
  const HostTraits &traits;
  bool exactOnly;
  double least;
};

/// A search over what is left of lists behind one head, which rewrites the kernel or factors it.
class Further {
public:
  Further(KernelOp kernel, ArrayRef<Attribute> head, const HostTraits &traits,
          const ListPricer &pricer)
      : kernel(kernel), head(head), traits(traits), pricer(pricer) {}

  /// The cheapest list, whole. None if the head is not legal, or no list to begin with has it.
  std::optional<PricedList> run(ArrayRef<PricedList> lists, unsigned states) {
    mlir::Block block;
    KernelOp behind = applyHead(kernel, head, block);
    if (!behind)
      return std::nullopt;
    SmallVector<PricedList> starts;
    for (const PricedList &list : lists) {
      ArrayRef<Attribute> all = list.schedule.getPrimitives();
      if (all.take_front(head.size()) != head)
        continue;
      ArrayRef<Attribute> rest = all.drop_front(head.size());
      if (rest.empty() || getPrimitive(rest.front()).getPhase() == Phase::Plan)
        starts.push_back({ScheduleAttr::get(kernel.getContext(), rest), list.price});
    }
    for (ScheduleAttr list : schedule::host::listPlain(behind, traits))
      if (std::optional<double> cycles = pricer(join(list)))
        starts.push_back({list, *cycles});
    FailureOr<Searched> found =
        search(behind, starts, getSizes(kernel, traits), {.states = states},
               [&](ScheduleAttr list, double most) { return pricer(join(list), most); });
    if (failed(found))
      return std::nullopt;
    return PricedList{join(found->best.schedule), found->best.price};
  }

private:
  ScheduleAttr join(ScheduleAttr rest) const {
    SmallVector<Attribute> all(head);
    llvm::append_range(all, rest.getPrimitives());
    return ScheduleAttr::get(rest.getContext(), all);
  }

  KernelOp kernel;
  ArrayRef<Attribute> head;
  const HostTraits &traits;
  const ListPricer &pricer;
};

/// The names of values in a list.
class UsedNames : public NameSink {
public:
  explicit UsedNames(ScheduleAttr schedule) {
    for (Attribute primitive : schedule.getPrimitives())
      getPrimitive(primitive).getNames(primitive, *this);
  }
  bool contains(Attribute name) const { return name && names.contains(name); }

private:
  void nameValue(StringAttr value) override { names.insert(value); }
  llvm::DenseSet<Attribute> names;
};

} // namespace

/// Gives every value that a list may speak of a name.
static void nameValues(KernelOp kernel) {
  llvm::DenseSet<Attribute> taken;
  for (Operation &op : kernel.getBody().front())
    taken.insert(op.getAttr("name"));
  unsigned number = 0;
  for (Operation &op : kernel.getBody().front()) {
    if (op.hasAttr("name") || op.getNumResults() == 0 || isa<arith::ConstantOp>(op))
      continue;
    StringAttr name;
    do
      name = StringAttr::get(kernel.getContext(), "v" + Twine(number++));
    while (taken.contains(name));
    op.setAttr("name", name);
  }
}

/// Whether a load has a coordinate that several axes move.
static bool readsWindow(LoadOp load) {
  return llvm::any_of(load.getMap().getMap().getResults(), [&](AffineExpr coordinate) {
    unsigned dims = 0;
    for (unsigned d = 0; d < load.getIndices().size(); ++d)
      dims += coordinate.isFunctionOfDim(d);
    return dims > 1;
  });
}

/// Whether a kernel without products and windows stores over different axes, or more than what one
/// scan makes: what is proposed for a class of kernels is made for one of its roots then.
static bool isMixed(KernelOp kernel) {
  AxisSets sets(kernel);
  std::optional<llvm::SmallBitVector> stored;
  unsigned scans = 0, others = 0;
  for (Operation &op : kernel.getBody().front()) {
    if (auto load = dyn_cast<LoadOp>(op); isa<ContractOp>(op) || (load && readsWindow(load)))
      return false;
    scans += isa<ScanOp>(op);
    others += isa<ReduceOp>(op);
    auto store = dyn_cast<StoreOp>(op);
    if (!store)
      continue;
    llvm::SmallBitVector axes = sets.unionOf(store.getIndices());
    if (stored && (scans > 0 || *stored != axes))
      return true;
    stored = axes;
  }
  return scans > 0 && scans + others > 1;
}

/// Strategies for a class of kernels know more of what becomes of their lists than prices tell.
bool tw::schedule::host::wantsSearch(KernelOp kernel, const HostTraits &traits, double cheapest,
                                     llvm::function_ref<bool()> areForAny) {
  return cheapest > kNear * getLeastCycles(kernel, traits) && (isMixed(kernel) || areForAny());
}

template <typename Candidates>
static bool isFar(KernelOp kernel, const HostTraits &traits, const Candidates &candidates) {
  return !candidates.empty() && wantsSearch(kernel, traits, candidates.front().cycles,
                                            [&] { return areForAny(candidates); });
}

bool tw::schedule::host::wantsSearch(KernelOp kernel, const HostTraits &traits,
                                     ArrayRef<Candidate> candidates) {
  return isFar(kernel, traits, candidates);
}

/// The primitives that rewrite the kernel, and one that factors a reduction, before the others are
/// for it.
static ArrayRef<Attribute> getHead(ScheduleAttr list) {
  ArrayRef<Attribute> all = list.getPrimitives();
  size_t size = all.take_while([](Attribute primitive) {
                     return getPrimitive(primitive).getPhase() == Phase::Rewrite;
                   })
                    .size();
  if (size < all.size() && getPrimitive(all[size]).getPhase() == Phase::Parts)
    ++size;
  return all.take_front(size);
}

/// Where others are computed from a reduction, or stand beside it: its parts in a kernel of their
/// own, in what is proposed for that one.
static void factorReductions(KernelOp kernel, const HostTraits &traits, const ListPricer &pricer,
                             SmallVectorImpl<PricedList> &lists) {
  constexpr int64_t kParts[] = {2, 8, 32}, kFewestPoints = 4;
  constexpr size_t kMostLists = 3;
  MLIRContext *context = kernel.getContext();
  AxisSets sets(kernel);
  auto addAll = [&](Attribute factor) {
    mlir::Block block;
    KernelOp parts = applyHead(kernel, factor, block);
    if (!parts)
      return;
    SmallVector<HostCandidate> proposed =
        proposeHostSchedules(parts, traits, /*exactOnly=*/false, /*searchStates=*/0);
    for (const HostCandidate &candidate :
         ArrayRef(proposed).take_front(std::min(kMostLists, proposed.size()))) {
      SmallVector<Attribute> whole{factor};
      llvm::append_range(whole, candidate.schedule.getPrimitives());
      auto list = ScheduleAttr::get(context, whole);
      if (std::optional<double> price = pricer(list))
        lists.push_back({list, *price});
    }
  };
  for (Operation &op : kernel.getBody().front()) {
    llvm::SmallBitVector reduced = sets.reducedBy(&op);
    for (unsigned axis : reduced.set_bits())
      for (int64_t count : kParts)
        if (int64_t length = kernel.getExtents()[axis] / count; length >= kFewestPoints) {
          StringRef name = kernel.getAxisName(axis);
          addAll(RfactorAttr::get(context, op.getAttrOfType<StringAttr>("name"),
                                  StringAttr::get(context, name),
                                  StringAttr::get(context, name + "_p"),
                                  StringAttr::get(context, name + "_q"), length));
        }
  }
}

/// Lists of any kind that are drawn with a fixed seed, as many as there are chances: a beam goes no
/// further than the hill that it begins on.
static void drawLists(KernelOp kernel, const ListPricer &pricer, unsigned chances,
                      SmallVectorImpl<PricedList> &lists) {
  constexpr unsigned kDepth = 8;
  Random random{/*seed=*/1};
  AdmittedByHead known;
  for (unsigned i = 0; i < chances; ++i) {
    ScheduleAttr list = Drawing(kernel, random, kDepth, &known).draw().schedule;
    if (std::optional<double> price = pricer(list))
      lists.push_back({list, *price});
  }
}

/// Without what makes it no cheaper.
static PricedList simplify(PricedList list, const ListPricer &pricer) {
  for (size_t i = list.schedule.getPrimitives().size(); i-- > getHead(list.schedule).size();) {
    SmallVector<Attribute> fewer(list.schedule.getPrimitives());
    fewer.erase(fewer.begin() + i);
    auto next = ScheduleAttr::get(list.schedule.getContext(), fewer);
    if (std::optional<double> price = pricer(next, list.price); price && *price <= list.price)
      list = {next, *price};
  }
  return list;
}

/// The cheapest list that is found from the candidates, and from drawn lists where one of these is
/// cheaper.
static PricedList searchFrom(KernelOp kernel, const HostTraits &traits, bool exactOnly,
                             unsigned states, ArrayRef<HostCandidate> candidates) {
  ListPricer pricer(kernel, traits, exactOnly);
  SmallVector<PricedList> lists;
  for (const HostCandidate &candidate : candidates)
    lists.push_back({candidate.schedule,
                     candidate.cycles + getWaits(candidate.launches, candidate.cycles, traits)});
  PricedList best = lists.front();
  auto searchBehind = [&](ArrayRef<Attribute> head, unsigned share) {
    auto own = Further(kernel, head, traits, pricer).run(lists, share);
    if (own && own->price < best.price)
      best = *own;
  };
  // Seven tenths of all behind the head of the cheapest candidate and without any, a tenth drawn,
  // which takes longest, and a fifth from the cheapest of these and of factored reductions.
  ArrayRef<Attribute> head = getHead(best.schedule);
  unsigned part = states / 10, first = 7 * part;
  if (!head.empty())
    searchBehind(head, first / 2);
  searchBehind({}, head.empty() ? first : first / 2);
  size_t numCandidates = lists.size();
  drawLists(kernel, pricer, part, lists);
  factorReductions(kernel, traits, pricer, lists);
  const PricedList *drawn = nullptr;
  for (const PricedList &list : ArrayRef(lists).drop_front(numCandidates))
    if (list.price < (drawn ? drawn->price : best.price))
      drawn = &list;
  if (drawn) {
    best = *drawn;
    searchBehind(getHead(drawn->schedule), 2 * part);
  }
  return simplify(best, pricer);
}

void tw::schedule::host::searchFurther(KernelOp kernel, const HostTraits &traits, bool exactOnly,
                                       unsigned states,
                                       SmallVectorImpl<HostCandidate> &candidates) {
  if (states == 0 || isMadeOnce(kernel.getResult(0)) || !isFar(kernel, traits, candidates))
    return;
  OwningOpRef<KernelOp> named(cast<KernelOp>(kernel->clone()));
  nameValues(*named);
  PricedList found = searchFrom(*named, traits, exactOnly, states, candidates);
  const HostCandidate &first = candidates.front();
  if (found.price > kCheaper * (first.cycles + getWaits(first.launches, first.cycles, traits)))
    return;
  UsedNames used(found.schedule);
  for (auto [from, to] : llvm::zip_equal(named->getBody().front(), kernel.getBody().front()))
    if (used.contains(from.getAttr("name")))
      to.setAttr("name", from.getAttr("name"));
  HostCandidate candidate{"search", found.schedule};
  if (std::optional<schedule::host::ListPrice> price =
          schedule::host::priceList(kernel, found.schedule, traits)) {
    candidate.price = price->terms;
    candidate.cycles = price->cycles;
    candidate.launches = price->launches;
  }
  candidates.insert(candidates.begin(), candidate);
}
