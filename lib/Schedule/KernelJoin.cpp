// The passes that join kernels by the price of what comes out.
#include "BlockReaders.h"
#include "DrawnJoins.h"
#include "FewSizes.h"
#include "LookAhead.h"
#include "Proposals.h"

#include "tw/Dialect/Kernel/Blocks.h"
#include "tw/Dialect/Kernel/Equality.h"
#include "tw/Dialect/Kernel/Instance.h"
#include "tw/Dialect/Kernel/MadeOnce.h"
#include "tw/Dialect/Kernel/Pieces.h"
#include "tw/Dialect/Kernel/Transforms/Join.h"
#include "tw/Schedule/Passes.h"
#include "tw/Schedule/Plan.h"
#include "tw/Schedule/Primitive.h"
#include "tw/Schedule/Record.h"
#include "tw/Schedule/Strides.h"
#include "tw/Support/ContextWorkers.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace tw {
#define GEN_PASS_DEF_KERNELINLINESHAREDPASS
#define GEN_PASS_DEF_KERNELJOINPASS
#include "tw/Schedule/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

namespace {

/// Kernels that one kernel may take at a time. Attention takes 5 in a row, of which the first ones
/// alone are dearer than the parts.
constexpr unsigned maxJoins = 8;

/// Kernels that one kernel is tried with as siblings, the nearest ones. What all of a network
/// reads, a mask or weights that are shared, makes siblings of all kernels, most of which depend on
/// one another.
constexpr unsigned mostSiblings = 16;

/// Work of the whole over that of the parts, each at its best, beyond which the price of the whole
/// is not asked for: what is computed again would have to be free.
constexpr double mostAgain = 2;

/// Share of the price of the parts that the whole has to be below where it takes no launch less:
/// its list makes a kernel of what the whole took, whose place is rather with what it reads. The
/// same where the list has boxes for windows, of which prices are as rough as that.
constexpr double muchCheaper = 0.95;

/// Price of the whole over that of the parts beyond which nothing more is taken: what makes a group
/// cheap again that was dear, as attention's second product does with what is read for it, came to
/// a fifth of that.
constexpr double hopeless = 40;

/// What the least cycles leave out of account is no larger part of a price.
constexpr double kLeastShare = 0.9;

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

  KernelOp last() const { return taken.empty() ? sink : taken.back().joined; }
  bool contains(Operation *op) const {
    return op == sink || llvm::any_of(taken, [&](const Taken &each) {
             return each.kernel == op || each.joined == op;
           });
  }
};

/// A record of two kernels, refused for a reason that is empty where the price says it.
schedule::JoinRecord makeRecord(KernelOp kernel, KernelOp other, StringRef reason) {
  return {schedule::getFullName(kernel), schedule::getFullName(other), "refused", reason.str()};
}

bool isElementwise(KernelOp kernel) {
  return llvm::none_of(kernel.getBody().front(),
                       [](Operation &op) { return isa<ReduceOp, ContractOp, ScanOp>(op); });
}

/// Whether the kernel multiplies, and sums, what it reads of the other one.
bool multiplies(KernelOp kernel, KernelOp other) {
  auto isOther = [&](Value operand, Value read) {
    return read.getDefiningOp() == other && llvm::any_of(operand.getUsers(), [&](Operation *load) {
             return llvm::any_of(kernel.getBody().getOps<ContractOp>(), [&](ContractOp contract) {
               return load->getNumResults() > 0 &&
                      schedule::isComputedFrom(contract.getResult(), load->getResult(0));
             });
           });
  };
  return llvm::any_of(llvm::seq<unsigned>(0, kernel.getNumOperands()), [&](unsigned i) {
    return isOther(kernel.getOperandArgument(i), kernel.getOperand(i));
  });
}

bool hasContraction(KernelOp kernel) { return !kernel.getBody().getOps<ContractOp>().empty(); }

/// Whether the store writes no two elements side by side: every other pixel, say.
bool isSpread(StoreOp store) {
  auto kernel = store->getParentOfType<KernelOp>();
  return llvm::none_of(llvm::seq<unsigned>(0, kernel.getNumAxes()), [&](unsigned axis) {
    return schedule::getUsualStride(store, kernel.getAxis(axis)) == 1;
  });
}

/// Whether the price is too rough to compare with others. Of a product beside other pieces of a
/// result prices were half or a quarter of what was measured, where no strategy for products made
/// the tiles or where they are stored spread.
bool isRough(KernelOp kernel, const schedule::Candidate &candidate) {
  auto stores = kernel.getBody().getOps<StoreOp>();
  return hasContraction(kernel) && llvm::any_of(stores, isPiece) &&
         (candidate.isForAny || llvm::any_of(stores, isSpread));
}

/// Looks for what to join, and does.
class Search {
public:
  /// By what is drawn where that is given, else by price.
  Search(schedule::Proposals &proposals, bool exactOnly, MLIRContext *context,
         std::optional<schedule::DrawnJoins> drawn, SmallVectorImpl<schedule::JoinRecord> *record)
      : strategy(proposals.getStrategy()), proposals(proposals), joiner(context, !exactOnly),
        exactOnly(exactOnly), drawn(std::move(drawn)), record(record) {}

  /// Elementwise kernels go into all that read them.
  void inlineShared(Block &block) {
    prepare(block);
    recomputeAll(block);
    unmarkMemory(block);
  }

  /// Kernels take what they read, and what stands beside them.
  void run(Block &block) {
    prepare(block);
    // Parts of a kernel are in a function of their own, in no module yet.
    if (!drawn && strategy.takesVariants() && block.getParentOp()->getParentOfType<ModuleOp>() &&
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
    unmarkMemory(block);
  }

private:
  void prepare(Block &block) {
    begin(block);
    for (auto kernel : block.getOps<KernelOp>())
      if (!kernel.getSchedule())
        strategy.prepare(kernel);
    markMemory(block);
    findOnce(block);
  }

  /// Kernels of another block may lie where some of the last one did.
  void begin(Block &block) {
    searched = &block;
    leasts.clear();
  }

  void findOnce(Block &block) {
    once.clear();
    for (auto kernel : block.getOps<KernelOp>())
      if (isOfConstants(kernel))
        once.insert(kernel);
  }

  /// Whether kernels of fixed sizes have prices: for those of others lists are asked for at sizes
  /// of the function that they are in.
  bool looksAhead(Block &block) {
    auto kernels = block.getOps<KernelOp>();
    return !drawn && joinsProducts && !kernels.empty() && getLeast(*kernels.begin()) > 0 &&
           llvm::all_of(kernels, [](KernelOp kernel) { return getSymbols(kernel).empty(); });
  }

  /// Joins kernels of a copy, on another thread.
  void searchCopy(schedule::LookAhead &ahead, Block &copy) const {
    Search own(proposals, exactOnly, copy.getParentOp()->getContext(), std::nullopt, nullptr);
    own.ahead = &ahead;
    own.begin(copy);
    own.findOnce(copy);
    SmallVector<KernelOp> kernels(copy.getOps<KernelOp>());
    for (auto part = ahead.takePart(kernels); !part.empty(); part = ahead.takePart(kernels))
      for (KernelOp kernel : llvm::reverse(part))
        own.growAll(kernel);
  }

  /// Whether the kernel runs once for a loaded program, where that is known of those before it:
  /// nothing gains by doing it again in a call.
  bool isOfConstants(KernelOp kernel) const {
    return kernel->getNumOperands() > 0 && llvm::all_of(kernel.getOperands(), [&](Value operand) {
             auto source = operand.getDefiningOp<KernelOp>();
             return source && source->getBlock() == kernel->getBlock() ? once.contains(source)
                                                                       : isMadeOnce(operand);
           });
  }

  void erase(KernelOp kernel) {
    once.erase(kernel);
    leasts.erase(kernel);
    kernel.erase();
  }

  /// As the strategy's, asked for once of what `erase` erases.
  double getLeast(KernelOp kernel) {
    if (kernel->getBlock() != searched)
      return strategy.getLeastCycles(kernel);
    auto [it, isNew] = leasts.try_emplace(kernel, 0);
    if (isNew)
      it->second = strategy.getLeastCycles(kernel);
    return it->second;
  }

  /// From the last kernel to the first, each takes what it reads.
  void takeProducers(Block &block, schedule::LookAhead *others = nullptr) {
    SmallVector<KernelOp> kernels(block.getOps<KernelOp>());
    gone.clear();
    readers.clear(); // of another block, whose kernels may be gone
    for (size_t left = kernels.size(); left-- > 0;) {
      if (others)
        others->setLeft(left);
      growAll(kernels[left]);
    }
  }

  void growAll(KernelOp kernel) {
    if (!gone.contains(kernel))
      while (kernel)
        kernel = grow(kernel);
  }

  /// Computes elementwise kernels again in all that read them, where that is not dearer; from the
  /// last kernel to the first, so that what reads one has what it will be. Sums and products, and
  /// what is multiplied, are left to those that take them with all that lies between.
  void recomputeAll(Block &block) {
    SmallVector<KernelOp> kernels(block.getOps<KernelOp>());
    for (KernelOp kernel : llvm::reverse(kernels))
      if (!once.contains(kernel) && isElementwise(kernel))
        recompute(kernel);
  }

  /// The kernels of the block that read the kernel, in its order; none if something else does, too.
  static SmallVector<KernelOp> findAllReaders(KernelOp kernel) {
    llvm::SetVector<Operation *> found;
    for (Operation *user : kernel->getUsers()) {
      if (!isa<KernelOp>(user) || user->getBlock() != kernel->getBlock())
        return {};
      found.insert(user);
    }
    auto all = llvm::map_to_vector(found, [](Operation *user) { return cast<KernelOp>(user); });
    llvm::sort(all, [](KernelOp a, KernelOp b) { return a->isBeforeInBlock(b); });
    return all;
  }

  /// Computes what the kernel makes again in each of the several kernels that read it, and drops
  /// it, where that is not dearer than to make it once.
  void recompute(KernelOp producer) {
    SmallVector<KernelOp> all = findAllReaders(producer), joined;
    bool isLeft = llvm::any_of(all, [&](KernelOp reader) { return multiplies(reader, producer); });
    if (all.size() < 2 || all.size() > mostSiblings || isLeft)
      return;
    schedule::JoinRecord made = makeRecord(all.front(), producer, "");
    made.kernel += llvm::formatv(" and {0} more", all.size() - 1);
    for (KernelOp reader : all) {
      KernelOp with = takeProducer(reader, producer, /*keep=*/false, made.reason);
      if (!with)
        break;
      joined.push_back(with);
    }
    bool isTaken = joined.size() == all.size() && (drawn || isCheaper(producer, all, joined, made));
    for (auto [with, reader] : llvm::zip(joined, all)) {
      if (isTaken)
        putInPlace(with, reader);
      else
        erase(with);
    }
    if (isTaken) {
      made.verdict = "recomputed";
      erase(producer);
    }
    if (record)
      record->push_back(made);
  }

  /// Whether the readers that have the producer's body are not dearer than they and it apart.
  bool isCheaper(KernelOp producer, ArrayRef<KernelOp> all, ArrayRef<KernelOp> joined,
                 schedule::JoinRecord &made) {
    SmallVector<KernelOp> parts(all);
    parts.push_back(producer);
    double least = sumLeast(joined);
    if (least > mostAgain * sumLeast(parts)) {
      made.reason = "it would be computed again and again";
      return false;
    }
    made.apart = priceAll(parts).value_or(0);
    if (made.apart == 0 || kLeastShare * least > made.apart) {
      made.reason = made.apart == 0 ? "no price" : "at its best it takes more than the parts";
      return false;
    }
    made.whole = priceAll(joined).value_or(0);
    if (made.whole == 0)
      made.reason = "no schedule of the whole";
    if (made.whole == 0 || made.whole > made.apart)
      return false;
    if (made.whole > muchCheaper * made.apart && countAll(joined) >= countAll(parts))
      made.reason = "no launch less, and hardly cheaper";
    return made.reason.empty();
  }

  double sumLeast(ArrayRef<KernelOp> kernels) {
    double cycles = 0;
    for (KernelOp kernel : kernels)
      cycles += getLeast(kernel);
    return cycles;
  }

  std::optional<double> priceAll(ArrayRef<KernelOp> kernels) {
    double cycles = 0;
    for (KernelOp kernel : kernels) {
      std::optional<double> own = price(kernel);
      if (!own)
        return std::nullopt;
      cycles += *own;
    }
    return cycles;
  }

  unsigned countAll(ArrayRef<KernelOp> kernels) {
    unsigned launches = 0;
    for (KernelOp kernel : kernels)
      launches += countLaunches(kernel);
    return launches;
  }

  void putInPlace(KernelOp with, KernelOp reader) {
    reader->replaceAllUsesWith(with->getResults());
    erase(reader);
  }

  /// The kernel in the place of `sink` and of what it takes, which are gone then; null if it takes
  /// nothing.
  KernelOp grow(KernelOp sink) {
    if (!joinsProducts && hasContraction(sink))
      return nullptr;
    Group group;
    group.sink = sink;
    group.least = getLeast(sink);
    while (!group.isHopeless && group.taken.size() < maxJoins && takeNext(group)) {
    }
    return accept(group);
  }

  /// Joins one more kernel; false if there is none to join, or no use in it.
  bool takeNext(Group &group) {
    KernelOp last = group.last(), producer = choose(group);
    if (!producer)
      return false;
    bool keep = hasOtherReaders(producer, group);
    std::string why = "a product that others read too";
    if (!joinsProducts && hasContraction(producer)) {
      group.refused.insert(producer);
      return true;
    }
    KernelOp joined;
    if (drawn || !keep || !hasContraction(last) || !hasContraction(producer))
      joined = takeProducer(last, producer, keep, why);
    if (!joined) {
      if (record)
        record->push_back(makeRecord(last, producer, why));
      group.refused.insert(producer);
      return true;
    }
    group.taken.push_back({producer, joined, keep, {}});
    if (record)
      group.taken.back().record = makeRecord(last, producer, "");
    group.least += getLeast(producer);
    bool isAgain = !drawn && getLeast(joined) > mostAgain * group.least;
    if (isAgain)
      group.taken.back().record.reason = "it would be computed again and again";
    // A product that is dearer with what reads it does not become cheaper with what it reads, but
    // others that are read may be worth taking.
    if (isAgain || (!decide(group) && hasContraction(producer)))
      leave(group);
    return true;
  }

  /// Leaves the kernel that was taken last by itself.
  void leave(Group &group) {
    Group::Taken &last = group.taken.back();
    if (record)
      record->push_back(last.record);
    group.least -= getLeast(last.kernel);
    if (group.priced > group.taken.size()) {
      group.apart -= price(last.kernel).value_or(0);
      group.launchesApart -= countLaunches(last.kernel);
      --group.priced;
    }
    erase(last.joined);
    group.refused.insert(last.kernel);
    group.taken.pop_back();
  }

  /// As Joiner, where the seed wants it.
  KernelOp takeProducer(KernelOp consumer, KernelOp producer, bool keep, std::string &why) {
    if (once.contains(producer) && !once.contains(consumer)) {
      why = "it runs once, of constants alone";
      return nullptr;
    }
    KernelOp joined = draw([&] { return joiner.takeProducer(consumer, producer, keep, why); }, why);
    markAs(joined, consumer, producer);
    if (joined && once.contains(consumer))
      once.insert(joined);
    return joined;
  }

  KernelOp takeSibling(KernelOp kernel, KernelOp sibling, std::string &why) {
    if (once.contains(kernel) || once.contains(sibling)) {
      why = "one of them runs once, of constants alone";
      return nullptr;
    }
    KernelOp joined = draw([&] { return joiner.takeSibling(kernel, sibling, why); }, why);
    markAs(joined, kernel, sibling);
    return joined;
  }

  /// What is joined of two reads what they do; while several forms of it stand beside each other,
  /// readers are not to be counted.
  static void markAs(KernelOp joined, KernelOp a, KernelOp b) {
    if (joined && (a->hasAttr(repeatedAttrName) || b->hasAttr(repeatedAttrName)))
      joined->setAttr(repeatedAttrName, UnitAttr::get(joined.getContext()));
  }

  KernelOp draw(llvm::function_ref<KernelOp()> join, std::string &why) {
    if (!drawn)
      return join();
    why = "not drawn";
    KernelOp joined = drawn->wantsNext() ? join() : KernelOp();
    if (!joined || drawn->admits(joined))
      return joined;
    why = "it would be computed again and again";
    erase(joined);
    return nullptr;
  }

  /// Whether the last kernel that was taken makes a group that is not dearer than its parts.
  bool decide(Group &group) {
    Group::Taken &last = group.taken.back();
    if (drawn) {
      group.best = group.taken.size();
      return true;
    }
    bool arePriced = priceApart(group);
    if (arePriced && kLeastShare * getLeast(last.joined) > group.apart) {
      last.record.apart = group.apart;
      last.record.reason = "at its best it takes more than the parts";
      return false;
    }
    std::optional<double> whole = arePriced ? price(last.joined) : std::nullopt;
    last.record.apart = arePriced ? group.apart : 0;
    last.record.whole = whole.value_or(0);
    if (!whole)
      last.record.reason = arePriced ? "no schedule of the whole" : "no price";
    group.isHopeless = whole && *whole > hopeless * group.apart;
    if (!whole || *whole > group.apart)
      return false;
    if (*whole > muchCheaper * group.apart) {
      bool sparesLaunch = countLaunches(last.joined) < group.launchesApart;
      if (!sparesLaunch || hasBoxes(last.joined)) {
        last.record.reason = sparesLaunch ? "windows of what is computed, and hardly cheaper"
                                          : "no launch less, and hardly cheaper";
        return false;
      }
    }
    group.best = group.taken.size();
    return true;
  }

  /// Whether the cheapest list computes what windows see in boxes, and that are sums. Point by
  /// point a box is filled as a copy is.
  bool hasBoxes(KernelOp kernel) {
    const schedule::Candidate &candidate = get(kernel).front();
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
  static KernelOp choose(const Group &group) {
    KernelOp latest, last = group.last();
    for (Value operand : last.getOperands()) {
      auto producer = operand.getDefiningOp<KernelOp>();
      if (producer && !group.refused.contains(producer) &&
          producer->getBlock() == last->getBlock() &&
          (!latest || latest->isBeforeInBlock(producer)))
        latest = producer;
    }
    return latest;
  }

  static bool hasOtherReaders(KernelOp producer, const Group &group) {
    return llvm::any_of(producer->getUsers(),
                        [&](Operation *user) { return !group.contains(user); });
  }

  /// Prices the kernels by themselves, as far as they are not.
  bool priceApart(Group &group) {
    for (; group.priced <= group.taken.size(); ++group.priced) {
      KernelOp kernel = group.priced ? group.taken[group.priced - 1].kernel : group.sink;
      std::optional<double> own = price(kernel);
      if (!own)
        return false;
      group.apart += *own;
      group.launchesApart += countLaunches(kernel);
    }
    return true;
  }

  /// Gives joined kernels of the block, which stands in a module, functions of their parts.
  void findApart(Block &block) {
    auto module = block.getParentOp()->getParentOfType<ModuleOp>();
    SmallVector<KernelOp> looked;
    for (auto kernel : block.getOps<KernelOp>()) {
      if (!parts || kernel.getSchedule() || once.contains(kernel) || !schedule::mayBeApart(kernel))
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
      schedule::SymbolFacts facts(kernel);
      Search inRange(proposals, exactOnly, kernel.getContext(), std::nullopt, nullptr);
      inRange.joinsProducts = false;
      auto join = [&](Block &own) { inRange.run(own); };
      auto getPrice = [&](KernelOp own) { return price(own); };
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
      if (!variants.empty())
        setVariants(kernel, variants, apartAttrName);
    }
  }

  static bool readsDistinct(KernelOp kernel) {
    llvm::SmallDenseSet<Value> values(kernel->operand_begin(), kernel->operand_end());
    return values.size() == kernel->getNumOperands();
  }

  /// Puts the cheapest case in the place of its parts; null if that is the parts.
  KernelOp accept(Group &group) {
    for (auto [i, each] : llvm::enumerate(group.taken))
      if (record) {
        if (i < group.best)
          each.record.verdict = each.isKept ? "kept" : "joined";
        record->push_back(each.record);
      }
    for (; group.taken.size() > group.best; group.taken.pop_back())
      erase(group.taken.back().joined);
    if (group.taken.empty())
      return nullptr;
    KernelOp best = group.last();
    for (Group::Taken &each : llvm::reverse(MutableArrayRef(group.taken).drop_back()))
      erase(each.joined);
    auto replace = [&, next = 0u](KernelOp kernel, bool isRead) mutable {
      if (isRead) {
        for (Value result : kernel->getResults()) {
          readers.replace(result, best->getResult(next));
          if (parts)
            parts->replace(result, best->getResult(next));
          result.replaceAllUsesWith(best->getResult(next++));
        }
      }
      gone.insert(kernel);
      erase(kernel);
    };
    if (parts) {
      SmallVector<KernelOp> kernels{group.sink};
      for (const Group::Taken &each : group.taken)
        kernels.push_back(each.kernel);
      parts->join(best, kernels);
    }
    for (const Group::Taken &each : group.taken)
      readers.erase(each.kernel);
    readers.erase(group.sink);
    replace(group.sink, true);
    for (const Group::Taken &each : group.taken)
      replace(each.kernel, each.isKept);
    // Readers of what is kept may have been before the sink.
    bool isLate = llvm::any_of(best->getUsers(), [&](Operation *user) {
      user = best->getBlock()->findAncestorOpInBlock(*user);
      return user && user->isBeforeInBlock(best);
    });
    if (isLate) {
      sortTopologically(best->getBlock());
      readers.clear();
    } else {
      readers.insert(best);
    }
    return best;
  }

  /// Kernels take what reads the same; returns whether any did.
  bool takeSiblings(Block &block) {
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

  /// The kernel in the place of `kernel` and a sibling; null if it takes none.
  KernelOp takeOneSibling(KernelOp kernel) {
    for (KernelOp sibling : findSiblings(kernel)) {
      std::string why;
      KernelOp joined = takeSibling(kernel, sibling, why);
      if (!joined) {
        if (record)
          record->push_back(makeRecord(kernel, sibling, why));
        continue;
      }
      Group group;
      group.sink = kernel;
      group.taken.push_back({sibling, joined, true, {}});
      if (record)
        group.taken.back().record = makeRecord(kernel, sibling, "");
      decide(group);
      if (KernelOp accepted = accept(group))
        return accepted;
    }
    return nullptr;
  }

  /// The next kernels that read what this one reads, in the order of the block.
  SmallVector<KernelOp> findSiblings(KernelOp kernel) {
    SmallVector<KernelOp> siblings;
    for (Value operand : kernel.getOperands())
      llvm::append_range(siblings, readers.getAfter(kernel, operand).take_front(mostSiblings));
    llvm::sort(siblings, [](KernelOp a, KernelOp b) { return a->isBeforeInBlock(b); });
    siblings.erase(llvm::unique(siblings), siblings.end());
    siblings.truncate(std::min<size_t>(siblings.size(), mostSiblings));
    return siblings;
  }

  ArrayRef<schedule::Candidate> get(KernelOp kernel) {
    return ahead ? proposals.getAlone(kernel, /*searchStates=*/0)
                 : proposals.get(kernel, /*searchStates=*/0);
  }

  /// Nothing where nobody knows, or what is the least: what is computed again has no bound then.
  std::optional<double> price(KernelOp kernel) {
    if (getLeast(kernel) == 0)
      return std::nullopt;
    if (ahead && ahead->isOver())
      return std::nullopt;
    ArrayRef<schedule::Candidate> candidates = get(kernel);
    if (candidates.empty() || candidates.front().cycles == 0 || isRough(kernel, candidates.front()))
      return std::nullopt;
    return candidates.front().cycles;
  }

  /// Kernels that run in a call for one that has a price.
  unsigned countLaunches(KernelOp kernel) {
    const schedule::Candidate &candidate = get(kernel).front();
    if (!schedule::makesKernels(candidate.schedule))
      return 1;
    if (candidate.launches)
      return candidate.launches;
    // What comes before the kernel is made in a block of its own.
    mlir::Block block;
    auto copy = cast<KernelOp>(kernel->clone());
    block.push_back(copy);
    schedule::giveNames(copy, candidate.names);
    copy.setScheduleAttr(candidate.schedule);
    if (failed(schedule::makeKernels(copy)))
      return 1;
    return llvm::count_if(block.getOps<KernelOp>(), [&](KernelOp own) {
      return own == copy || !isMadeOnce(own.getResult(0));
    });
  }

  const schedule::Strategy &strategy;
  schedule::Proposals &proposals;
  Joiner joiner;
  bool exactOnly;
  std::optional<schedule::DrawnJoins> drawn;
  SmallVectorImpl<schedule::JoinRecord> *record;
  /// Kernels of the block that others took.
  llvm::SmallPtrSet<Operation *, 16> gone;
  /// Those that run once.
  llvm::DenseSet<Operation *> once;
  Block *searched = nullptr;
  llvm::DenseMap<Operation *, double> leasts;
  schedule::BlockReaders readers;
  /// Where this searches a copy: prices are of no use when that is over.
  const schedule::LookAhead *ahead = nullptr;
  /// Whether products are joined with others. Where they are not it is soon said what the others
  /// become.
  bool joinsProducts = true;
  /// What kernels of the block were joined from, where a call settles sizes.
  std::optional<schedule::Parts> parts;
};

/// Searches the blocks of a program, whose record goes on with what is found where there is one.
void searchBlocks(Operation *program, schedule::Proposals &proposals, bool exactOnly, bool record,
                  unsigned seed, llvm::function_ref<void(Search &, Block &)> searchOne) {
  SmallVector<schedule::JoinRecord> joins;
  if (record)
    joins = schedule::getJoins(program); // what passes before have written
  std::optional<schedule::DrawnJoins> drawn;
  if (seed)
    drawn.emplace(seed);
  Search search(proposals, exactOnly, program->getContext(), drawn, record ? &joins : nullptr);
  // Parts of kernels get functions behind these.
  SmallVector<FunctionOpInterface> functions;
  program->walk([&](FunctionOpInterface function) { functions.push_back(function); });
  for (FunctionOpInterface function : functions)
    for (Block *block : getProgramBlocks(function))
      searchOne(search, *block);
  if (record)
    schedule::setJoins(program, joins);
}

struct KernelInlineShared : tw::impl::KernelInlineSharedPassBase<KernelInlineShared> {
  using KernelInlineSharedPassBase::KernelInlineSharedPassBase;

  void runOnOperation() override {
    ContextWorkers workers(getContext());
    schedule::Proposals *proposals = getAnalysis<schedule::ProposalsOfMachines>().get(
        getOperation(), machine, traits, deterministic);
    if (!proposals)
      return signalPassFailure();
    markAnalysesPreserved<schedule::ProposalsOfMachines>();
    searchBlocks(getOperation(), *proposals, deterministic, record, seed,
                 [](Search &search, Block &block) { search.inlineShared(block); });
  }
};

struct KernelJoin : tw::impl::KernelJoinPassBase<KernelJoin> {
  using KernelJoinPassBase::KernelJoinPassBase;

  void runOnOperation() override {
    ContextWorkers workers(getContext());
    schedule::Proposals *proposals = getAnalysis<schedule::ProposalsOfMachines>().get(
        getOperation(), machine, traits, deterministic);
    if (!proposals)
      return signalPassFailure();
    markAnalysesPreserved<schedule::ProposalsOfMachines>();
    searchBlocks(getOperation(), *proposals, deterministic, record, seed,
                 [](Search &search, Block &block) { search.run(block); });
  }
};

} // namespace
