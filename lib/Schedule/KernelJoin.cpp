// The pass that joins kernels by the price of what comes out.
#include "BlockReaders.h"
#include "FewSizes.h"
#include "PricedPass.h"
#include "TrialJoiner.h"

#include "tw/Dialect/Kernel/Equality.h"
#include "tw/Dialect/Kernel/Instance.h"
#include "tw/Schedule/Passes.h"
#include "tw/Schedule/Strides.h"

#include "mlir/Analysis/TopologicalSortUtils.h"

namespace tw {
#define GEN_PASS_DEF_KERNELJOINPASS
#include "tw/Schedule/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

namespace {

/// Kernels that one kernel may take at a time. Attention takes 5 in a row, of which the first ones
/// alone are dearer than the parts.
constexpr unsigned kMostJoins = 8;

/// Kernels that one kernel is tried with as siblings, the nearest ones. What all of a network
/// reads, a mask or weights that are shared, makes siblings of all kernels, most of which depend on
/// one another.
constexpr unsigned kMostSiblings = 16;

/// Price of the whole over that of the parts beyond which nothing more is taken: what makes a group
/// cheap again that was dear, as attention's second product does with what is read for it, came to
/// a fifth of that.
constexpr double kHopeless = 40;

/// The same for a product with what it reads where there is no other product to take: it is that
/// one which makes attention cheap.
constexpr double kHopelessAlone = 2;

/// The same for two products in one form beyond which the other one is not asked for: what makes
/// the first one dear, as results along other axes do, the other one has too.
constexpr double kOtherForm = 4;

/// What one kernel is to take: the kernels by themselves, and joined more and more.
struct Group {
  KernelOp sink;
  struct Taken {
    KernelOp kernel, joined; ///< and all taken so far with it
    bool isKept;             ///< others still read its results
    schedule::JoinRecord record;
  };
  SmallVector<Taken> taken;
  /// What cannot be taken.
  llvm::SmallPtrSet<Operation *, 4> refused;
  /// Least cycles and prices of the sink and all that is taken, of which so many are priced.
  double least = 0, apart = 0;
  unsigned launchesApart = 0;
  size_t priced = 0;
  bool isHopeless = false;
  /// So many kernels are taken in the cheapest case.
  size_t best = 0;

  /// What the cheapest case takes less than its parts.
  double getSaving() const {
    return best ? taken[best - 1].record.apart - taken[best - 1].record.whole : 0;
  }

  KernelOp last() const { return taken.empty() ? sink : taken.back().joined; }
  bool contains(Operation *op) const {
    return op == sink || llvm::any_of(taken, [&](const Taken &each) {
             return each.kernel == op || each.joined == op;
           });
  }
};

bool hasContraction(KernelOp kernel) { return !kernel.getBody().getOps<ContractOp>().empty(); }

/// Whether the list computes what windows see in boxes, and that are sums. Point by point a box is
/// filled as a copy is.
bool hasBoxes(KernelOp kernel, const schedule::Candidate &candidate) {
  auto isSummed = [&](StringAttr name) {
    auto *named = llvm::find_if(
        candidate.names, [&](const schedule::ValueName &value) { return value.name == name; });
    if (named == candidate.names.end())
      return true;
    Value box = std::next(kernel.getBody().front().begin(), named->position)->getResult(0);
    return llvm::any_of(kernel.getBody().front(), [&](Operation &root) {
      return isa<ReduceOp, ContractOp, ScanOp>(root) &&
             schedule::isComputedFrom(box, root.getResult(0));
    });
  };
  return llvm::any_of(candidate.schedule.getPrimitives(), [&](Attribute primitive) {
    auto stage = dyn_cast<StageAttr>(primitive);
    return stage && stage.getWindow() && !stage.getOrder().empty() && isSummed(stage.getValue());
  });
}

/// The kernel to take next: the last one that the last trial reads.
KernelOp chooseNext(const Group &group) {
  KernelOp latest, last = group.last();
  for (Value operand : last.getOperands()) {
    auto producer = operand.getDefiningOp<KernelOp>();
    if (producer && !group.refused.contains(producer) && producer->getBlock() == last->getBlock() &&
        (!latest || latest->isBeforeInBlock(producer)))
      latest = producer;
  }
  return latest;
}

bool hasOtherReaders(KernelOp producer, const Group &group) {
  return llvm::any_of(producer->getUsers(), [&](Operation *user) { return !group.contains(user); });
}

bool readsDistinct(KernelOp kernel) {
  llvm::SmallDenseSet<Value> values(kernel->operand_begin(), kernel->operand_end());
  return values.size() == kernel->getNumOperands();
}

/// Joins the kernels of a block: they take what they read, and what stands beside them.
class JoinSearch {
public:
  /// By price, or by what the seed draws; `record`, where there is one, is told of it. With `ahead`
  /// it searches a copy, of which nothing is kept.
  JoinSearch(schedule::Proposals &proposals, bool exactOnly, unsigned seed, MLIRContext *context,
             SmallVectorImpl<schedule::JoinRecord> *record,
             const schedule::LookAhead *ahead = nullptr)
      : proposals(proposals), exactOnly(exactOnly), prices(proposals, ahead),
        joiner(context, exactOnly, seed, prices), record(record) {}

  void run(Block &block);

private:
  bool looksAhead(Block &block);
  void searchCopy(schedule::LookAhead &ahead, Block &copy) const;

  void takeProducers(Block &block, schedule::LookAhead *others = nullptr);
  void growAll(KernelOp kernel);
  KernelOp grow(KernelOp sink);
  Group takeAll(KernelOp sink, KernelOp without);
  bool takesOneAlone(const Group &group) const;
  bool isTakenInVain(const Group &group) const;
  void giveBack(Group &group, size_t told);
  bool takeNext(Group &group);
  void leave(Group &group);

  bool takeSiblings(Block &block);
  KernelOp takeOneSibling(KernelOp kernel);
  Group joinSibling(KernelOp kernel, KernelOp sibling, bool sumsApart);
  bool hasOtherForm(const Group &group) const;
  SmallVector<KernelOp> findSiblings(KernelOp kernel);

  bool decide(Group &group);
  bool isCheaper(Group &group);
  bool isHopeless(const Group &group, double whole) const;
  bool priceApart(Group &group);

  KernelOp accept(Group &group);
  void replaceParts(const Group &group, KernelOp whole);
  void noteReads(KernelOp whole);

  schedule::JoinRecord describe(KernelOp kernel, KernelOp other, StringRef reason) const {
    return record ? schedule::makeRecord(kernel, other, reason) : schedule::JoinRecord();
  }
  void tell(const schedule::JoinRecord &made) {
    if (record)
      record->push_back(made);
  }

  void findApart(Block &block);
  SmallVector<Variant> makeApart(KernelOp kernel, ModuleOp module);

  schedule::Proposals &proposals;
  bool exactOnly;
  schedule::KernelPrices prices;
  schedule::TrialJoiner joiner;
  SmallVectorImpl<schedule::JoinRecord> *record;
  /// Kernels of the block that others took.
  llvm::SmallPtrSet<Operation *, 16> gone;
  schedule::BlockReaders readers;
  /// Whether products are joined with others. Where they are not it is soon said what the others
  /// become.
  bool joinsProducts = true;
  /// What kernels of the block were joined from, where a call settles sizes.
  std::optional<schedule::Parts> parts;
};

void JoinSearch::run(Block &block) {
  prices.begin(block);
  // Parts of a kernel are in a function of their own, in no module yet.
  if (!joiner.isDrawn() && proposals.getStrategy().takesVariants() &&
      block.getParentOp()->getParentOfType<ModuleOp>() &&
      llvm::any_of(block.getOps<KernelOp>(),
                   [](KernelOp kernel) { return !getSymbols(kernel).empty(); }))
    parts.emplace(block);
  {
    std::optional<schedule::LookAhead> ahead;
    if (looksAhead(block))
      ahead.emplace(block,
                    [&](schedule::LookAhead &ahead, Block &copy) { searchCopy(ahead, copy); });
    takeProducers(block, ahead ? &*ahead : nullptr);
  }
  if (takeSiblings(block))
    takeProducers(block);
  findApart(block);
  parts.reset();
  prices.end();
}

/// Whether kernels of fixed sizes have prices: for those of others lists are asked for at sizes of
/// the function that they are in.
bool JoinSearch::looksAhead(Block &block) {
  auto kernels = block.getOps<KernelOp>();
  return !joiner.isDrawn() && joinsProducts && !kernels.empty() &&
         prices.getLeast(*kernels.begin()) > 0 &&
         llvm::all_of(kernels, [](KernelOp kernel) { return getSymbols(kernel).empty(); });
}

/// Joins kernels of a copy, on another thread.
void JoinSearch::searchCopy(schedule::LookAhead &ahead, Block &copy) const {
  JoinSearch own(proposals, exactOnly, /*seed=*/0, copy.getParentOp()->getContext(),
                 /*record=*/nullptr, &ahead);
  own.prices.beginCopy(copy);
  SmallVector<KernelOp> kernels(copy.getOps<KernelOp>());
  for (auto part = ahead.takePart(kernels); !part.empty(); part = ahead.takePart(kernels))
    for (KernelOp kernel : llvm::reverse(part))
      own.growAll(kernel);
}

/// From the last kernel to the first, each takes what it reads.
void JoinSearch::takeProducers(Block &block, schedule::LookAhead *others) {
  SmallVector<KernelOp> kernels(block.getOps<KernelOp>());
  gone.clear();
  readers.clear(); // of another block, whose kernels may be gone
  for (size_t left = kernels.size(); left-- > 0;) {
    if (others)
      others->setLeft(left);
    growAll(kernels[left]);
  }
}

void JoinSearch::growAll(KernelOp kernel) {
  if (!gone.contains(kernel))
    while (kernel)
      kernel = grow(kernel);
}

/// The kernel in the place of `sink` and of what it takes, which are gone then; null if it takes
/// nothing.
KernelOp JoinSearch::grow(KernelOp sink) {
  if (!joinsProducts && hasContraction(sink))
    return nullptr;
  size_t told = record ? record->size() : 0;
  Group group = takeAll(sink, /*without=*/nullptr);
  if (takesOneAlone(group) && !isTakenInVain(group)) {
    // What it takes may save more with what that reads itself.
    double saving = group.getSaving();
    KernelOp taken = group.taken.front().kernel;
    giveBack(group, told);
    Group own = takeAll(taken, /*without=*/nullptr);
    bool savesMore = own.getSaving() > saving;
    giveBack(own, told);
    group = takeAll(sink, savesMore ? taken : nullptr);
  }
  if (!isTakenInVain(group))
    return accept(group);
  // Attention whose values are computed in the product with them is none any more.
  double saving = group.getSaving();
  KernelOp product = group.taken.front().kernel;
  giveBack(group, told);
  group = takeAll(sink, product);
  if (group.getSaving() <= saving) {
    giveBack(group, told);
    group = takeAll(sink, /*without=*/nullptr);
  }
  return accept(group);
}

/// The kernel with as much as it may take, but for one.
Group JoinSearch::takeAll(KernelOp sink, KernelOp without) {
  Group group;
  group.sink = sink;
  group.least = prices.getLeast(sink);
  if (without)
    group.refused.insert(without);
  while (!group.isHopeless && group.taken.size() < kMostJoins && takeNext(group)) {
  }
  return group;
}

/// Whether a kernel took one of those that it reads, and nothing else with that.
bool JoinSearch::takesOneAlone(const Group &group) const {
  return !joiner.isDrawn() && group.best == 1 && group.taken.size() > 1;
}

/// Whether a product took one that it reads alone, and nothing else that it reads together with
/// that.
bool JoinSearch::isTakenInVain(const Group &group) const {
  return takesOneAlone(group) && hasContraction(group.sink) &&
         hasContraction(group.taken.front().kernel);
}

/// Forgets what was taken on trial, and what was told of it.
void JoinSearch::giveBack(Group &group, size_t told) {
  for (Group::Taken &each : llvm::reverse(group.taken))
    prices.erase(each.joined);
  group.taken.clear();
  if (record)
    record->truncate(told);
}

/// Joins one more kernel; false if there is none to join, or no use in it.
bool JoinSearch::takeNext(Group &group) {
  KernelOp last = group.last(), producer = chooseNext(group);
  if (!producer)
    return false;
  if (!joinsProducts && hasContraction(producer)) {
    group.refused.insert(producer);
    return true;
  }
  bool keep = hasOtherReaders(producer, group);
  std::string why = "a product that others read too";
  KernelOp joined;
  if (joiner.isDrawn() || !keep || !hasContraction(last) || !hasContraction(producer))
    joined = joiner.takeProducer(last, producer, keep, why);
  if (!joined) {
    tell(describe(last, producer, why));
    group.refused.insert(producer);
    return true;
  }
  group.taken.push_back({producer, joined, keep, describe(last, producer, "")});
  group.least += prices.getLeast(producer);
  bool isAgain = !joiner.isDrawn() && prices.getLeast(joined) > schedule::kMostAgain * group.least;
  if (isAgain)
    group.taken.back().record.reason = "it would be computed again and again";
  if (isAgain) {
    leave(group);
    return true;
  }
  // A product that is dearer with what reads it does not become cheaper with what it reads, and
  // nothing makes up for what is hopeless, but others that are read may be worth taking.
  bool isDearer = !decide(group);
  bool isAlone = group.isHopeless && group.best > 0 && group.best + 1 == group.taken.size();
  if (isDearer && (hasContraction(producer) || isAlone)) {
    group.isHopeless &= !isAlone;
    leave(group);
  }
  return true;
}

/// Leaves the kernel that was taken last by itself.
void JoinSearch::leave(Group &group) {
  Group::Taken &last = group.taken.back();
  tell(last.record);
  group.least -= prices.getLeast(last.kernel);
  if (group.priced > group.taken.size()) {
    group.apart -= prices.get(last.kernel).value_or(0);
    group.launchesApart -= prices.countLaunches(last.kernel);
    --group.priced;
  }
  prices.erase(last.joined);
  group.refused.insert(last.kernel);
  group.taken.pop_back();
}

/// Kernels take what reads the same; returns whether any did.
bool JoinSearch::takeSiblings(Block &block) {
  SmallVector<KernelOp> kernels(block.getOps<KernelOp>());
  gone.clear();
  readers.clear();
  bool changed = false;
  for (KernelOp kernel : kernels)
    if (!gone.contains(kernel))
      while ((kernel = takeOneSibling(kernel)))
        changed = true;
  return changed;
}

/// Whether two products that were joined on trial are to be joined otherwise, too.
bool JoinSearch::hasOtherForm(const Group &group) const {
  if (joiner.isDrawn())
    return !group.best;
  if (group.taken.empty())
    return false;
  const schedule::JoinRecord &record = group.taken.back().record;
  return record.whole <= kOtherForm * record.apart;
}

/// The kernel in the place of `kernel` and a sibling; null if it takes none.
KernelOp JoinSearch::takeOneSibling(KernelOp kernel) {
  for (KernelOp sibling : findSiblings(kernel)) {
    Group best = joinSibling(kernel, sibling, /*sumsApart=*/false);
    // Products that sum along one axis read what they share once; else one runs after another.
    if (hasContraction(kernel) && hasContraction(sibling) && hasOtherForm(best)) {
      Group other = joinSibling(kernel, sibling, /*sumsApart=*/true);
      if (other.best && (!best.best || other.getSaving() > best.getSaving()))
        std::swap(best, other);
      if (other.best)
        other.taken.back().record.reason = "summed otherwise it is cheaper";
      other.best = 0;
      (void)accept(other);
    }
    if (KernelOp accepted = accept(best))
      return accepted;
  }
  return nullptr;
}

/// Both on trial.
Group JoinSearch::joinSibling(KernelOp kernel, KernelOp sibling, bool sumsApart) {
  Group group;
  group.sink = kernel;
  std::string why;
  KernelOp joined = joiner.takeSibling(kernel, sibling, why, sumsApart);
  if (!joined) {
    tell(describe(kernel, sibling, why));
    return group;
  }
  group.taken.push_back({sibling, joined, true, describe(kernel, sibling, "")});
  decide(group);
  return group;
}

/// The next kernels that read what this one reads, in the order of the block.
SmallVector<KernelOp> JoinSearch::findSiblings(KernelOp kernel) {
  SmallVector<KernelOp> siblings;
  for (Value operand : kernel.getOperands())
    llvm::append_range(siblings, readers.getAfter(kernel, operand).take_front(kMostSiblings));
  llvm::sort(siblings, [](KernelOp a, KernelOp b) { return a->isBeforeInBlock(b); });
  siblings.erase(llvm::unique(siblings), siblings.end());
  siblings.truncate(std::min<size_t>(siblings.size(), kMostSiblings));
  return siblings;
}

/// Whether the last kernel that was taken makes a group that is not dearer than its parts, or was
/// drawn.
bool JoinSearch::decide(Group &group) {
  if (!joiner.isDrawn() && !isCheaper(group))
    return false;
  group.best = group.taken.size();
  return true;
}

bool JoinSearch::isCheaper(Group &group) {
  KernelOp joined = group.taken.back().joined;
  schedule::JoinRecord &made = group.taken.back().record;
  if (!priceApart(group)) {
    made.reason = "no price";
    return false;
  }
  made.apart = group.apart;
  if (schedule::kLeastShare * prices.getLeast(joined) > group.apart) {
    made.reason = "at its best it takes more than the parts";
    return false;
  }
  std::optional<double> whole = prices.get(joined);
  if (!whole) {
    made.reason = "no schedule of the whole";
    return false;
  }
  made.whole = *whole;
  group.isHopeless = isHopeless(group, *whole);
  if (*whole > group.apart)
    return false;
  if (*whole <= schedule::kMuchCheaper * group.apart)
    return true;
  bool sparesLaunch = prices.countLaunches(joined) < group.launchesApart;
  if (sparesLaunch && !hasBoxes(joined, prices.getCheapest(joined)))
    return true;
  made.reason = sparesLaunch ? "windows of what is computed, and hardly cheaper"
                             : "no launch less, and hardly cheaper";
  return false;
}

/// Whether the group with a product reads, itself or through others that it may take, a product
/// that they alone read.
static bool mayTakeProduct(const Group &group) {
  constexpr size_t kMostOpen = 64;
  llvm::SetVector<KernelOp> open;
  auto addProducers = [&](KernelOp kernel) {
    for (Value operand : kernel.getOperands())
      if (auto producer = operand.getDefiningOp<KernelOp>();
          producer && producer->getBlock() == group.sink->getBlock() && !group.contains(producer) &&
          !group.refused.contains(producer))
        open.insert(producer);
  };
  addProducers(group.last());
  for (size_t next = 0; next < std::min(open.size(), kMostOpen); ++next)
    if (!hasContraction(open[next]))
      addProducers(open[next]);
  return llvm::any_of(open, [&](KernelOp producer) {
    return hasContraction(producer) && llvm::all_of(producer->getUsers(), [&](Operation *user) {
             auto reader = dyn_cast<KernelOp>(user);
             return group.contains(user) || (reader && open.contains(reader));
           });
  });
}

bool JoinSearch::isHopeless(const Group &group, double whole) const {
  if (whole > kHopeless * group.apart)
    return true;
  return whole > kHopelessAlone * group.apart && hasContraction(group.last()) &&
         !mayTakeProduct(group);
}

/// Prices the kernels by themselves, as far as they are not.
bool JoinSearch::priceApart(Group &group) {
  for (; group.priced <= group.taken.size(); ++group.priced) {
    KernelOp kernel = group.priced ? group.taken[group.priced - 1].kernel : group.sink;
    std::optional<double> own = prices.get(kernel);
    if (!own)
      return false;
    group.apart += *own;
    group.launchesApart += prices.countLaunches(kernel);
  }
  return true;
}

/// Puts the cheapest case in the place of its parts; null if that is the parts.
KernelOp JoinSearch::accept(Group &group) {
  for (auto [i, each] : llvm::enumerate(group.taken)) {
    if (i < group.best)
      each.record.verdict = each.isKept ? "kept" : "joined";
    tell(each.record);
  }
  for (; group.taken.size() > group.best; group.taken.pop_back())
    prices.erase(group.taken.back().joined);
  if (group.taken.empty())
    return nullptr;
  KernelOp best = group.last();
  for (Group::Taken &each : llvm::reverse(MutableArrayRef(group.taken).drop_back()))
    prices.erase(each.joined);
  replaceParts(group, best);
  noteReads(best);
  return best;
}

/// Puts the kernel in the place of the group's, which are gone then.
void JoinSearch::replaceParts(const Group &group, KernelOp whole) {
  SmallVector<KernelOp> kernels{group.sink};
  for (const Group::Taken &each : group.taken)
    kernels.push_back(each.kernel);
  if (parts)
    parts->join(whole, kernels);
  for (KernelOp kernel : kernels)
    readers.erase(kernel);
  auto replace = [&, next = 0u](KernelOp kernel, bool isRead) mutable {
    if (isRead) {
      for (Value result : kernel->getResults()) {
        Value by = whole->getResult(next++);
        readers.replace(result, by);
        if (parts)
          parts->replace(result, by);
        result.replaceAllUsesWith(by);
      }
    }
    gone.insert(kernel);
    prices.erase(kernel);
  };
  replace(group.sink, true);
  for (const Group::Taken &each : group.taken)
    replace(each.kernel, each.isKept);
}

/// Puts a new kernel before all that read it, and notes what it reads.
void JoinSearch::noteReads(KernelOp whole) {
  // Readers of what is kept may have been before the sink.
  bool isLate = llvm::any_of(whole->getUsers(), [&](Operation *user) {
    user = whole->getBlock()->findAncestorOpInBlock(*user);
    return user && user->isBeforeInBlock(whole);
  });
  if (isLate) {
    sortTopologically(whole->getBlock());
    readers.clear();
  } else {
    readers.insert(whole);
  }
}

/// Gives joined kernels of the block, which stands in a module, functions of their parts.
void JoinSearch::findApart(Block &block) {
  if (!parts)
    return;
  auto module = block.getParentOp()->getParentOfType<ModuleOp>();
  SmallVector<KernelOp> looked;
  for (auto kernel : block.getOps<KernelOp>()) {
    if (kernel.getSchedule() || prices.runsOnce(kernel) || !schedule::mayBeApart(kernel))
      continue;
    auto *equal = llvm::find_if(looked, [&](KernelOp other) {
      return readsDistinct(kernel) && readsDistinct(other) && areEqual(kernel, other);
    });
    if (equal != looked.end()) {
      if (Attribute apart = (*equal)->getAttr(apartAttrName))
        kernel->setAttr(apartAttrName, apart);
      continue;
    }
    looked.push_back(kernel);
    SmallVector<Variant> variants = makeApart(kernel, module);
    if (!variants.empty())
      setVariants(kernel, variants, apartAttrName);
  }
}

/// Functions of the kernel's parts, in the module, for the calls in which these are cheaper.
SmallVector<Variant> JoinSearch::makeApart(KernelOp kernel, ModuleOp module) {
  schedule::SymbolFacts facts(kernel);
  JoinSearch inRange(proposals, exactOnly, /*seed=*/0, kernel.getContext(), /*record=*/nullptr);
  inRange.joinsProducts = false;
  auto join = [&](Block &own) { inRange.run(own); };
  auto getPrice = [&](KernelOp own) { return prices.get(own); };
  SmallVector<Variant> variants;
  for (auto &[range, apart] : schedule::findFewSizes(kernel, *parts, facts, {join, getPrice})) {
    func::FuncOp function = apart.release();
    SymbolTable(module).insert(function);
    variants.push_back({range.symbol,
                        range.least,
                        range.most,
                        {},
                        {},
                        FlatSymbolRefAttr::get(function.getNameAttr())});
  }
  return variants;
}

struct KernelJoin : schedule::ReplacingPass<tw::impl::KernelJoinPassBase<KernelJoin>> {
  using ReplacingPass::ReplacingPass;

  void replace(schedule::Proposals &proposals,
               SmallVectorImpl<schedule::JoinRecord> *records) override {
    JoinSearch search(proposals, deterministic, seed, &getContext(), records);
    for (Block *block : schedule::getBlocksOfFunctions(getOperation()))
      search.run(*block);
  }
};

} // namespace
