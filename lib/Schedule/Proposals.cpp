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

/// Sizes that stand for all, from few points to the most. Few tiles divide them, as those to come:
/// schedules then say what is done at the ends of axes.
SmallVector<int64_t> getRepresentatives(int64_t most) {
  SmallVector<int64_t> sizes{1};
  for (int64_t size : {most / 8, most}) {
    size = size > 8 && size % 2 == 0 ? size - 1 : size;
    if (size > sizes.back())
      sizes.push_back(size);
  }
  return sizes;
}

/// Whether the list is legal for any size, and has a tree of loops.
bool isLegalForAll(KernelOp kernel, const Candidate &candidate, bool exactOnly) {
  OwningOpRef<KernelOp> copy = copyWithoutOperands(kernel);
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

/// The kernel at some sizes, in a block of its own.
struct Instance {
  explicit Instance(OwningOpRef<KernelOp> copy) : kernel(copy.release()) {
    block.push_back(kernel);
  }

  /// What the list takes there.
  double getCycles(const Strategy &strategy, const Candidate &candidate, bool isSmall) {
    KernelOp copy = kernel.clone();
    mlir::Block own;
    own.push_back(copy);
    giveNames(copy, candidate.names);
    return strategy.getCycles(copy, isSmall ? withMasks(candidate.schedule) : candidate.schedule);
  }

  mlir::Block block;
  KernelOp kernel;
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
    Instance &instance = instances.emplace_back(instantiate(kernel, [&](StringAttr symbol) {
      SmallVector<int64_t> sizes = getRepresentatives(kernel::getMost(kernel, symbol).value_or(1));
      return sizes[std::min<size_t>(i, sizes.size() - 1)];
    }));
    // What a search finds for few points is for those alone.
    SmallVector<Candidate> proposed =
        strategy.propose(instance.kernel, exactOnly, instances.size() == 1 ? searchStates : 0);
    unsigned taken = 0;
    for (Candidate &candidate :
         MutableArrayRef(proposed).take_front(std::min<size_t>(proposed.size(), kMostTried))) {
      bool isNew = llvm::none_of(candidates, [&](const Candidate &other) {
        return other.schedule == candidate.schedule && other.names == candidate.names;
      });
      if (taken == kMostOfEach || !isNew || !isLegalForAll(kernel, candidate, exactOnly))
        continue;
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
    for (auto [loss, each] : llvm::zip(losses, cycles))
      loss += each > 0 ? std::log(each / best) : 100;
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
  auto &alike = asked[kernel::hash(kernel)];
  SmallVector<bool> isConstant = findConstants(kernel);
  for (Asked &before : alike)
    if (before.isConstant == isConstant && areEqual(*before.kernel, kernel)) {
      if (before.searchStates < searchStates && strategy->wantsSearch(kernel, *before.candidates))
        *before.candidates = propose(*strategy, kernel, exactOnly, searchStates);
      before.searchStates = std::max(before.searchStates, searchStates);
      return *before.candidates;
    }
  auto candidates =
      std::make_unique<SmallVector<Candidate>>(propose(*strategy, kernel, exactOnly, searchStates));
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
