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

/// A size to choose schedules for, of which few tiles are divisors, as of sizes to come: schedules
/// then say what is done at the ends of axes.
int64_t getRepresentative(int64_t most) { return most > 8 && most % 2 == 0 ? most - 1 : most; }

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

/// Where a call settles sizes, what the strategy proposes for some that stand for all, as far as
/// that is legal for them.
SmallVector<Candidate> propose(const Strategy &strategy, KernelOp kernel, bool exactOnly,
                               unsigned searchStates) {
  if (getSymbols(kernel).empty())
    return strategy.propose(kernel, exactOnly, searchStates);
  OwningOpRef<KernelOp> copy = instantiate(kernel, [&](StringAttr symbol) {
    return getRepresentative(kernel::getMost(kernel, symbol).value_or(1));
  });
  mlir::Block block;
  KernelOp instance = copy.release();
  block.push_back(instance);
  SmallVector<Candidate> candidates = strategy.propose(instance, exactOnly, searchStates);
  llvm::erase_if(candidates, [&](const Candidate &candidate) {
    return !isLegalForAll(kernel, candidate, exactOnly);
  });
  return candidates;
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
  auto candidates = std::make_unique<SmallVector<Candidate>>(
      propose(*strategy, kernel, exactOnly, searchStates));
  alike.push_back({copyWithoutOperands(kernel), std::move(isConstant), std::move(candidates), searchStates});
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
