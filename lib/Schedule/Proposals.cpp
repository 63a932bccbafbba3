// Asking strategies once for equal kernels, and naming values as they do.
#include "Proposals.h"

#include "tw/Dialect/Kernel/Equality.h"
#include "tw/Dialect/Kernel/Instance.h"
#include "tw/Dialect/Kernel/ValueName.h"
#include "tw/Schedule/Exactness.h"
#include "tw/Schedule/LoopTree.h"
#include "tw/Schedule/PlanBuilder.h"
#include "tw/Schedule/Primitive.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/KernelAction.h"
#include "tw/Support/SizeProducts.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

#include <cmath>
#include <deque>

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

class KnownNames : public NameSink {
public:
  explicit KnownNames(KernelOp kernel) {
    for (Operation &op : kernel.getBody().front())
      known.insert(getValueName(&op));
  }

  bool areAll = true;

private:
  void nameValue(StringAttr value) override { areAll &= known.contains(value); }
  void makeValues(ArrayRef<StringAttr> values) override { known.insert_range(values); }

  llvm::DenseSet<Attribute> known;
};

/// The size of a symbol that the program expects most, that of its factors where it is a product.
std::optional<int64_t> getTypical(KernelOp kernel, StringAttr symbol) {
  auto function = kernel->getParentOfType<FunctionOpInterface>();
  auto all = function ? function->getAttrOfType<DictionaryAttr>("tgraph.typical") : nullptr;
  int64_t product = 1;
  for (StringAttr factor : getFactors(symbol)) {
    auto size = all ? all.getAs<IntegerAttr>(factor) : IntegerAttr();
    if (!size || llvm::MulOverflow(product, size.getInt(), product))
      return std::nullopt;
  }
  return product;
}

/// Sizes that stand for all, from few points to the most, by way of what is typical. Few tiles
/// divide them, as those to come: schedules then say what is done at the ends of axes.
SmallVector<int64_t> getRepresentatives(KernelOp kernel, StringAttr symbol) {
  SmallVector<int64_t> sizes{1};
  int64_t most = kernel::getMost(kernel, symbol).value_or(1);
  for (int64_t size : {std::min(getTypical(kernel, symbol).value_or(most / 8), most), most}) {
    size = size > 8 && size % 2 == 0 ? size - 1 : size;
    if (size > sizes.back())
      sizes.push_back(size);
  }
  return sizes;
}

/// Whether the list is legal for any size, and has a tree of loops.
bool isLegalForAll(KernelOp kernel, const Candidate &candidate, bool exactOnly) {
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

/// The list with masks where an end is apart: what runs where an axis has fewer points than a tile.
ScheduleAttr withMasks(ScheduleAttr list) {
  SmallVector<Attribute> primitives(list.getPrimitives());
  for (Attribute &primitive : primitives)
    if (auto edge = dyn_cast<EdgeAttr>(primitive); edge && edge.getMode() == EdgeMode::Peel)
      primitive = EdgeAttr::get(list.getContext(), edge.getAxis(), EdgeMode::Mask);
  return ScheduleAttr::get(list.getContext(), primitives);
}

/// The list with a switch over the rest of each axis whose size a call settles and along which
/// tiles have rows, in a kernel of products: a tile of few rows costs as much as it has. Of more
/// rows than that there would be too many bodies.
ScheduleAttr withSwitches(KernelOp kernel, ScheduleAttr list) {
  constexpr int64_t kMostRows = 16;
  SmallVector<Attribute> primitives(list.getPrimitives());
  StringAttr lanes;
  for (Attribute primitive : primitives)
    if (auto tile = dyn_cast<TileAttr>(primitive); tile && !tile.getAxes().empty())
      lanes = tile.getAxes().back();
  if (kernel.getBody().getOps<ContractOp>().empty() || !lanes)
    return list;
  for (unsigned i = 0; i < kernel.getNumAxes(); ++i) {
    auto splits = llvm::make_filter_range(list.getPrimitives(), [&](Attribute primitive) {
      auto split = dyn_cast<SplitAttr>(primitive);
      return split && split.getAxis().getValue() == kernel.getAxisName(i);
    });
    if (!kernel.isSymbolic(i) || splits.empty())
      continue;
    auto split = cast<SplitAttr>(*splits.begin());
    if (split.getFactors().size() != 1 || split.getFactors()[0] > kMostRows ||
        split.getFactors()[0] == 1 || split.getParts().back() == lanes)
      continue;
    llvm::erase_if(primitives, [&](Attribute primitive) {
      auto edge = dyn_cast<EdgeAttr>(primitive);
      return edge && edge.getAxis() == split.getAxis();
    });
    primitives.push_back(EdgeAttr::get(list.getContext(), split.getAxis(), EdgeMode::Switch));
  }
  return ScheduleAttr::get(list.getContext(), primitives);
}

/// The list without blocks of tiles along axes whose size a call settles, which run whole at the
/// end; null if it has none, or says more of them than where their loops are.
ScheduleAttr withoutBlocks(KernelOp kernel, ScheduleAttr list) {
  MLIRContext *context = list.getContext();
  SmallVector<Attribute> primitives(list.getPrimitives());
  SmallVector<StringAttr> dropped;
  for (Attribute &primitive : primitives) {
    auto split = dyn_cast<SplitAttr>(primitive);
    if (!split || split.getParts().size() != 3)
      continue;
    for (unsigned i = 0; i < kernel.getNumAxes(); ++i)
      if (kernel.isSymbolic(i) && split.getAxis().getValue() == kernel.getAxisName(i)) {
        dropped.push_back(split.getParts()[1]);
        primitive = SplitAttr::get(context, split.getAxis(),
                                   {split.getParts().front(), split.getParts().back()},
                                   {split.getFactors().back()});
        break;
      }
  }
  auto without = [&](ArrayRef<StringAttr> axes) {
    SmallVector<StringAttr> kept(axes);
    llvm::erase_if(kept, [&](StringAttr axis) { return llvm::is_contained(dropped, axis); });
    return kept;
  };
  for (Attribute &primitive : primitives) {
    if (auto order = dyn_cast<OrderAttr>(primitive))
      primitive = OrderAttr::get(context, without(order.getAxes()));
    else if (auto grid = dyn_cast<GridAttr>(primitive))
      primitive = GridAttr::get(context, without(grid.getAxes()));
  }
  return dropped.empty() ? ScheduleAttr() : ScheduleAttr::get(context, primitives);
}

/// The points of the axis that run where it ends, by the list: as many as its parts inside of the
/// outermost one have, unless a switch runs what is left.
int64_t getBlock(KernelOp kernel, unsigned axis, ScheduleAttr list) {
  int64_t block = 1;
  for (Attribute primitive : list.getPrimitives()) {
    if (auto split = dyn_cast<SplitAttr>(primitive);
        split && split.getAxis().getValue() == kernel.getAxisName(axis))
      block = llvm::product_of(split.getFactors());
    if (auto edge = dyn_cast<EdgeAttr>(primitive);
        edge && edge.getMode() == EdgeMode::Switch &&
        edge.getAxis().getValue() == kernel.getAxisName(axis))
      return 1;
  }
  return block;
}

/// The kernel at some sizes, in a block of its own.
struct Instance {
  Instance(KernelOp general, unsigned size) : general(general), size(size) {
    kernel = instantiate(general, [&](StringAttr symbol) { return getValue(symbol); }).release();
    block.push_back(kernel);
  }

  int64_t getValue(StringAttr symbol) const {
    SmallVector<int64_t> sizes = getRepresentatives(general, symbol);
    return sizes[std::min<size_t>(size, sizes.size() - 1)];
  }

  /// What the list takes there.
  double getCycles(const Strategy &strategy, const Candidate &candidate, bool isSmall) {
    // What is beyond the end of an axis runs, too.
    KernelOp copy = instantiate(general, [&](StringAttr symbol) {
                      int64_t value = getValue(symbol), block = 1;
                      for (unsigned i = 0; i < general.getNumAxes(); ++i)
                        if (general.isSymbolic(i) && general.getSize(i) == Dim::symbol(symbol))
                          block = std::max(block, getBlock(general, i, candidate.schedule));
                      return int64_t(llvm::alignTo(uint64_t(value), uint64_t(block)));
                    }).release();
    mlir::Block own;
    own.push_back(copy);
    giveNames(copy, candidate.names);
    return strategy.getCycles(copy, isSmall ? withMasks(candidate.schedule) : candidate.schedule);
  }

  mlir::Block block;
  KernelOp kernel, general;
  unsigned size;
};

/// Where a call settles sizes, what the strategy proposes for some that stand for all, as far as
/// that is legal for them. The best one takes least beside what is best at each of those sizes, in
/// geometric mean.
SmallVector<Candidate> propose(const Strategy &strategy, KernelOp kernel, bool exactOnly,
                               unsigned searchStates) {
  SmallVector<StringAttr> symbols = getSymbols(kernel);
  if (symbols.empty())
    return strategy.propose(kernel, exactOnly, searchStates);
  constexpr unsigned kSizes = 3, kMostOfEach = 6, kMostTried = 24;
  std::deque<Instance> instances;
  SmallVector<Candidate> candidates;
  for (unsigned i = kSizes; i-- > 0;) {
    Instance &instance = instances.emplace_back(kernel, i);
    // What a search finds for few points is for those alone.
    SmallVector<Candidate> proposed =
        strategy.propose(instance.kernel, exactOnly, instances.size() == 1 ? searchStates : 0);
    if (!proposed.empty())
      if (ScheduleAttr flat = withoutBlocks(kernel, proposed.front().schedule)) {
        Candidate candidate = proposed.front();
        candidate.schedule = flat;
        proposed.insert(proposed.begin(), candidate);
      }
    unsigned taken = 0;
    for (Candidate &candidate :
         MutableArrayRef(proposed).take_front(std::min<size_t>(proposed.size(), kMostTried))) {
      Candidate given = candidate;
      candidate.schedule = withSwitches(kernel, candidate.schedule);
      bool isNew = llvm::none_of(candidates, [&](const Candidate &other) {
        return other.schedule == candidate.schedule && other.names == candidate.names;
      });
      if (taken == kMostOfEach || !isNew)
        continue;
      if (!isLegalForAll(kernel, candidate, exactOnly)) {
        candidate = given;
        if (!isLegalForAll(kernel, candidate, exactOnly))
          continue;
      }
      candidates.push_back(std::move(candidate));
      ++taken;
    }
  }
  SmallVector<double> losses(candidates.size(), 0);
  for (auto [i, instance] : llvm::enumerate(instances)) {
    SmallVector<double> cycles;
    double best = 0;
    for (Candidate &candidate : candidates) {
      cycles.push_back(instance.getCycles(strategy, candidate, i + 1 == kSizes));
      // Kernels are compared, as joined and apart, at the most of their sizes.
      if (i == 0 && candidate.cycles != cycles.back()) {
        candidate.cycles = cycles.back();
        candidate.terms.clear();
      }
      if (cycles.back() > 0 && (best == 0 || cycles.back() < best))
        best = cycles.back();
    }
    // What has no price comes last.
    // What is typical counts as much as all others.
    bool isTypical = i == 1 && llvm::any_of(symbols, [&](StringAttr symbol) {
                       return getTypical(kernel, symbol).has_value();
                     });
    for (auto [loss, each] : llvm::zip(losses, cycles))
      loss += each > 0 ? std::log(each / best) * (isTypical ? kSizes - 1 : 1) : 100;
  }
  SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(0, candidates.size()));
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::pair(losses[a], a) < std::pair(losses[b], b);
  });
  return llvm::map_to_vector(order, [&](unsigned i) { return candidates[i]; });
}

/// Which operands are constants: strategies may do more for those.
SmallVector<bool> findConstants(KernelOp kernel) {
  return llvm::map_to_vector(kernel.getOperands(),
                             [](Value value) { return matchPattern(value, m_Constant()); });
}

} // namespace

Proposals *ProposalsOfMachines::get(Operation *op, StringRef machine, StringRef traits,
                                    bool exactOnly) {
  std::string key = (machine + " " + traits + (exactOnly ? " exact" : "")).str();
  if (auto it = known.find(key); it != known.end())
    return &it->second;
  std::unique_ptr<Strategy> strategy = makeStrategy(machine);
  if (!strategy) {
    emitError(op->getLoc(), Code::T0501)
        << "option machine: no strategy '" << machine << "'; known are " << listStrategies();
    return nullptr;
  }
  std::string wrong;
  if (!strategy->setMachine(traits, wrong)) {
    emitError(op->getLoc(), Code::T0501) << "option traits: " << wrong;
    return nullptr;
  }
  return &known.try_emplace(key, std::move(strategy), exactOnly).first->second;
}

ArrayRef<Candidate> Proposals::get(KernelOp kernel, unsigned searchStates) {
  SmallVector<Candidate> proposed;
  auto ask = [&] {
    return runForKernel(*kernel.getContext(),
                        [&] { proposed = propose(*strategy, kernel, exactOnly, searchStates); });
  };
  auto &alike = asked[kernel::hash(kernel)];
  SmallVector<bool> isConstant = findConstants(kernel);
  for (Asked &before : alike)
    if (before.isConstant == isConstant && areEqual(*before.kernel, kernel)) {
      if (before.searchStates < searchStates && strategy->wantsSearch(kernel, *before.candidates) &&
          ask())
        *before.candidates = std::move(proposed);
      before.searchStates = std::max(before.searchStates, searchStates);
      return *before.candidates;
    }
  if (!ask())
    return {};
  auto candidates = std::make_unique<SmallVector<Candidate>>(std::move(proposed));
  alike.push_back(
      {copyWithoutOperands(kernel), std::move(isConstant), std::move(candidates), searchStates});
  return *alike.back().candidates;
}

bool schedule::namesAreKnown(KernelOp kernel, ScheduleAttr list) {
  KnownNames names(kernel);
  for (Attribute primitive : list.getPrimitives())
    getPrimitive(primitive).getNames(primitive, names);
  return names.areAll;
}

void schedule::nameAsProposed(KernelOp kernel, ScheduleAttr list, ArrayRef<Candidate> candidates) {
  OwningOpRef<KernelOp> copy(kernel.clone());
  SmallVector<Operation *> ops(llvm::make_pointer_range(copy->getBody().front()));
  auto name = [&](const Candidate &candidate) {
    for (auto [position, name] : candidate.names)
      if (!getValueName(ops[position]) && !findValue(*copy, name))
        setValueName(ops[position], name);
  };
  // First as the strategy did whose list it is.
  for (bool isEqual : {true, false})
    for (const Candidate &candidate : candidates)
      if ((candidate.schedule == list) == isEqual)
        name(candidate);
  giveNames(kernel, collectNames(*copy, list));
}
